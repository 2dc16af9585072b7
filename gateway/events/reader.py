"""The reader: what the log holds, at what the session knows now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from sealgate.models.events import Audience

from . import sse
from .filter import filter_event, filtered
from .log import Entry, EventLog, Filtered
from .scrub import Known


class Reader:
    """Brings entries up to date as they are read. What is held is replaced, so that each is scrubbed once for what is
    known, however many read it."""

    def __init__(self, log: EventLog, known: Callable[[], Known], audience: Audience) -> None:
        self._log = log
        self._known = known
        self._audience: Audience = audience

    def current(self, entries: Iterable[Entry]) -> Iterator[Filtered]:
        """The entries, each as it may leave at the moment it is taken."""
        return (self._refreshed(entry) for entry in entries)

    def frames(self, entries: Iterable[Entry]) -> Iterator[str]:
        """Their frames."""
        for entry in entries:
            state = self._refreshed(entry)
            if state.frame is None:
                entry.state = state = replace(state, frame=sse.encode(state.event))
            yield state.frame or ""

    def _refreshed(self, entry: Entry) -> Filtered:
        known, state = self._known(), entry.state
        if known is state.known:
            return state
        if state.event.type == "assistant.chunk":
            self._refresh_chunks(state, known)
            state = entry.state
        if known is not state.known:
            entry.state = state = Filtered(filter_event(state.event, known, self._audience), known)
        return state

    def _refresh_chunks(self, stale: Filtered, known: Known) -> None:
        """All chunks of a turn at once: a value that was sealed after they were sent may be split over them."""
        turn_id = stale.event.turn_id
        held = [(entry, entry.state) for entry in self._log.after(None).entries]
        chunks = [(entry, state) for entry, state in held if state.event.type == "assistant.chunk"]
        ours = [(entry, state) for entry, state in chunks if state.event.turn_id == turn_id]
        texts = filtered([state.event.text or "" for _, state in ours], known, self._audience)
        if isinstance(texts, list) and len(texts) == len(ours):
            for (entry, state), text in zip(ours, texts, strict=True):
                event = state.event.model_copy(update={"text": text})
                entry.state = Filtered(filter_event(event, known, self._audience), known)
