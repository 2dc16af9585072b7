"""The bridge: a session's events on their way to whoever watches, with nothing sealed in them."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, JsonValue, ValidationError

from sealgate.models.errors import InvalidInput
from sealgate.models.events import EVENT_TYPES, AppEvent, Audience, ErrorDescriptor, ToolDescriptor
from sealgate.models.interrupts import InterruptDescriptor
from sealgate.models.sealing import Sealer
from sealgate.redaction.known import build_known_values

from . import sse
from .filter import filter_event, filtered
from .log import Entry, EventLog, Filtered, Page
from .scrub import Known

SlowPolicy = Literal["drop_oldest", "close"]

_DESCRIPTORS: Final[dict[str, type[BaseModel]]] = {
    "tool": ToolDescriptor,
    "interrupt": InterruptDescriptor,
    "error": ErrorDescriptor,
}


class EventBridge:
    """Events of one session for one audience: written from any thread, watched by any number of subscribers.

    ``frontend_safe`` (the default) is for browsers: sealed values are placeholders, and fields named as private or
    internal (``private_data``, ``…_injected``, ``traceback``, …) say only that they are there. ``internal`` is for
    operators: it keeps those fields, and still never shows a sealed value. Neither finds a value that nothing has
    sealed.

    ``max_history`` events are held for everybody. A subscriber that falls further behind misses the oldest and is told
    so by one ``resync`` (``slow="drop_oldest"``), or is disconnected and comes back with its cursor
    (``slow="close"``). ``heartbeat`` is in seconds. Raises ``InvalidInput`` for parameters outside of these.
    """

    def __init__(
        self,
        session_id: str,
        *,
        sealer: Sealer,
        audience: Audience = "frontend_safe",
        owner: str | None = None,
        clock: Callable[[], float] = time.time,
        max_history: int = 1000,
        slow: SlowPolicy = "drop_oldest",
        heartbeat: float = 15.0,
    ) -> None:
        if audience not in get_args(Audience) or slow not in get_args(SlowPolicy):
            raise InvalidInput("an audience is frontend_safe or internal; slow is drop_oldest or close")
        if max_history < 1 or heartbeat <= 0:
            raise InvalidInput("max_history is at least 1, heartbeat more than 0 seconds")
        self.session_id = session_id
        self.audience: Audience = audience
        self.owner = owner
        self._sealer = sealer
        self._clock = clock
        self._slow = slow
        self._heartbeat = heartbeat
        self._log = EventLog(max_history)

    def __repr__(self) -> str:
        return f"EventBridge(audience={self.audience!r}, events={self._log.last})"

    @property
    def last_id(self) -> int:
        """The number of the newest event; 0 before the first."""
        return self._log.last

    def emit(self, type: str, data: Mapping[str, object] | None = None) -> AppEvent:
        """An application's own event, filtered and sent.

        In ``data``, ``text`` (a string) and ``tool``, ``interrupt`` and ``error`` with exactly the fields of their
        descriptors become those fields of the event; everything else stays in its ``data``. Raises ``InvalidInput``
        for a type outside of the vocabulary or data that is no mapping; the message does not quote them. After
        ``close`` nothing is sent, and the event has the number 0.
        """
        if type not in EVENT_TYPES:
            raise InvalidInput("not an event type of contract v1")
        if data is not None and not isinstance(data, Mapping):
            raise InvalidInput("the data of an event is a mapping")
        known = self._known()
        fields = _typed(filtered(data or {}, known, self.audience))
        return self._append(AppEvent.model_validate({"type": type, **fields}), known)

    def publish(self, event: AppEvent) -> AppEvent:
        """An event of the gateway itself, whose identifiers and names are left alone and whose contents are filtered
        once more."""
        known = self._known()
        return self._append(filter_event(event, known, self.audience), known)

    def history(self) -> list[AppEvent]:
        """The events still held, filtered at what the session knows now."""
        return [self._current(entry).event for entry in self._log.after(None).entries]

    def subscribe(self, last_event_id: str | int | None = None, *, timeout: float | None = None) -> Iterator[AppEvent]:
        """The events after a cursor (from the oldest held, for ``None``), then each as it comes, until ``close``.

        Blocks the calling thread between events, at most ``timeout`` seconds, and then ends.
        """
        cursor = _number(last_event_id)
        while True:
            page = self._log.after(cursor)
            if page.lost and self._slow == "close" and cursor:
                return
            for entry in page.entries:
                yield self._current(entry).event
            cursor = page.last
            if page.closed or not self._log.wait(cursor, timeout):
                return

    async def asubscribe(self, last_event_id: str | int | None = None) -> AsyncIterator[AppEvent]:
        """The same for an event loop; only the loop's own task waits."""
        async for page in self._pages(_number(last_event_id)):
            for entry in page.entries if page is not None else ():
                yield self._current(entry).event

    async def generate_sse(self, last_event_id: str | int | None = None) -> AsyncIterator[str]:
        """The frames of a server-sent event stream, from ``Last-Event-ID`` on and without end until ``close``.

        A cursor that is not of this log, or whose next event is gone, gives one ``resync`` frame and then all events
        still held. Silence gives a comment every ``heartbeat`` seconds. Closing or cancelling the iterator leaves
        nothing behind.
        """
        yield sse.OPENING
        async for page in self._pages(_number(last_event_id)):
            if page is None:
                yield sse.HEARTBEAT
                continue
            if page.lost:
                yield sse.resync(page.oldest - 1, page.oldest, page.last)
            for entry in page.entries:
                yield self._frame(entry)

    def close(self) -> None:
        """End every subscription after what is held. Calling it again changes nothing."""
        self._log.close()

    async def _pages(self, cursor: int | None) -> AsyncIterator[Page | None]:
        """What there is after the cursor, again and again; ``None`` for a silence of ``heartbeat`` seconds."""
        first = True
        while True:
            page = self._log.after(cursor)
            if page.lost and self._slow == "close" and not first:
                return
            yield page
            first, cursor = False, page.last
            if page.closed:
                return
            while not await self._log.wait_async(cursor, self._heartbeat):
                yield None

    def _known(self) -> Known:
        return self._sealer.match(build_known_values)

    def _append(self, event: AppEvent, known: Known) -> AppEvent:
        stamp: dict[str, Any] = {"session_id": self.session_id, "timestamp": event.timestamp or self._clock()}
        added = self._log.append(lambda number: event.model_copy(update={"id": number, **stamp}), known)
        return added or event.model_copy(update={"id": 0, **stamp})

    def _current(self, entry: Entry) -> Filtered:
        """The entry at what the session knows now; what is held is replaced, so that it is scrubbed once."""
        known, state = self._known(), entry.state
        if known is not state.known:
            entry.state = state = Filtered(filter_event(state.event, known, self.audience), known)
        return state

    def _frame(self, entry: Entry) -> str:
        state = self._current(entry)
        if state.frame is None:
            entry.state = state = replace(state, frame=sse.encode(state.event))
        return state.frame or ""


def _typed(data: JsonValue) -> dict[str, Any]:
    """The fields of an event from filtered data: what has a place of its own there, and the rest."""
    fields: dict[str, Any] = {}
    rest = dict(data) if isinstance(data, dict) else {}
    if isinstance(rest.get("text"), str):
        fields["text"] = rest.pop("text")
    for name, descriptor in _DESCRIPTORS.items():
        if isinstance(rest.get(name), dict):
            try:
                fields[name] = descriptor.model_validate(rest[name])
            except ValidationError:  # it quotes its input, so it goes nowhere; the field stays in ``data``
                continue
            del rest[name]
    return {**fields, "data": rest}


def _number(cursor: str | int | None) -> int | None:
    """A ``Last-Event-ID`` as a number; -1, which no log knows, for anything that is none."""
    if cursor is None or isinstance(cursor, int):
        return cursor
    text = cursor.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else -1
