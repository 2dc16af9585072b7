"""The reader: what the log holds, at what the session knows now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sealgate.models.events import AppEvent, Audience
from sealgate.models.sealing import Sealer
from sealgate.redaction.known.known import build_known_values

from . import sse
from .filter import filter_event, filtered, with_contents
from .holdback import is_piece
from .log import Entry, EventLog, Filtered
from .masks import build_masks, with_masks
from .scrub import Known


class Reader:
    """Brings entries up to date as they are read. What is held is replaced, so that each is scrubbed once for what is
    known, however many read it."""

    def __init__(self, log: EventLog, sealer: Sealer, audience: Audience, *, masked: bool = False) -> None:
        self._log = log
        self._sealer = sealer
        self._audience: Audience = audience
        self._masked = masked

    def for_owner(self, owns: bool) -> Reader:
        """A reader of the same log, with masks for whoever owns its values."""
        return Reader(self._log, self._sealer, self._audience, masked=owns)

    def known(self) -> Known:
        """What is sealed in the session now."""
        return self._sealer.match(build_known_values)

    def events(self, entries: Iterable[Entry]) -> Iterator[AppEvent]:
        """The events, each as it may leave at the moment it is taken."""
        return (self._shown(self._refreshed(entry).event) for entry in entries)

    def frames(self, entries: Iterable[Entry]) -> Iterator[str]:
        """Their frames."""
        for entry in entries:
            state = self._refreshed(entry)
            if self._masked:
                yield sse.encode(self._shown(state.event))
                continue
            if state.frame is None:
                entry.state = state = replace(state, frame=sse.encode(state.event))
            yield state.frame or ""

    def _shown(self, event: AppEvent) -> AppEvent:
        """The event with the owner's masks, which are put in last: what is held has placeholders only."""
        masks = self._sealer.match(build_masks) if self._masked else None
        return with_contents(event, lambda contents: with_masks(contents, masks)) if masks else event

    def _refreshed(self, entry: Entry) -> Filtered:
        known, state = self.known(), entry.state
        if known is state.known:
            return state
        if is_piece(state.event.type, state.event.data):
            self._refresh_chunks(state, known)
            state = entry.state
        if known is not state.known:
            entry.state = state = Filtered(filter_event(state.event, known, self._audience), known)
        return state

    def _refresh_chunks(self, stale: Filtered, known: Known) -> None:
        """All pieces of one type and turn at once: a value that was sealed after they were sent may be split over
        them."""
        kind, turn_id = stale.event.type, stale.event.turn_id
        held = [(entry, entry.state) for entry in self._log.after(None).entries]
        turn = [(entry, state) for entry, state in held if (state.event.type, state.event.turn_id) == (kind, turn_id)]
        ours = [(entry, state) for entry, state in turn if is_piece(kind, state.event.data)]
        texts = filtered([state.event.text or "" for _, state in ours], known, self._audience)
        if isinstance(texts, list) and len(texts) == len(ours):
            for (entry, state), text in zip(ours, texts, strict=True):
                event = state.event.model_copy(update={"text": text})
                entry.state = Filtered(filter_event(event, known, self._audience), known)
