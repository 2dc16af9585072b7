"""The bridge: a session's events on their way to whoever watches, with nothing sealed in them."""

from __future__ import annotations

import copy
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Final, Literal, Self, get_args

from pydantic import BaseModel, JsonValue, ValidationError

from sealgate.models.errors import InvalidInput, SealgateError
from sealgate.models.events import EVENT_TYPES, AppEvent, Audience, ErrorDescriptor, ToolDescriptor
from sealgate.models.interrupts import InterruptDescriptor
from sealgate.models.processlock import ProcessLock
from sealgate.models.sealing import Sealer

from ..frames import without_locals
from ..logs.scope import remember
from . import sse
from .filter import filter_event, filtered
from .holdback import PIECES, Stream, Streams, discards, ended_by, is_piece
from .log import EventLog, Page
from .reader import Reader
from .scrub import Known
from .stored import RecordStore, StoredEventLog

SlowPolicy = Literal["drop_oldest", "close"]

_PAGE: Final = 32
"""Events that a subscriber takes from the log at once: what one holds that reads no further."""

_STREAM_NAMES: Final = ("partial", "stream", "message_id", "assistant_id", "tool_call_id", "id")
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

    ``subject`` is whose session it is; see ``watched_by``. Without one nobody is the owner of its values.

    ``max_history`` events are held for everybody. A subscriber that falls further behind misses the oldest and is told
    so by one ``resync`` (``slow="drop_oldest"``), or is disconnected and comes back with its cursor
    (``slow="close"``). ``heartbeat`` is in seconds. With ``records`` (a vault session's) the events are kept in the
    store, and the bridges of all processes on that session are one stream; without, each process has its own.

    Raises ``InvalidInput`` for parameters outside of these.
    """

    def __init__(
        self,
        session_id: str,
        *,
        sealer: Sealer,
        audience: Audience = "frontend_safe",
        subject: str | None = None,
        clock: Callable[[], float] = time.time,
        max_history: int = 1000,
        slow: SlowPolicy = "drop_oldest",
        heartbeat: float = 15.0,
        records: RecordStore | None = None,
    ) -> None:
        if audience not in get_args(Audience) or slow not in get_args(SlowPolicy):
            raise InvalidInput("an audience is frontend_safe or internal; slow is drop_oldest or close")
        if max_history < 1 or heartbeat <= 0:
            raise InvalidInput("max_history is at least 1, heartbeat more than 0 seconds")
        self.session_id = session_id
        self.audience: Audience = audience
        self.subject = subject
        self.owner: str | None = None
        self._clock = clock
        self._slow = slow
        self._heartbeat = heartbeat
        self._log = EventLog(max_history) if records is None else StoredEventLog(records, audience, max_history)
        remember(sealer)
        self._reader = Reader(self._log, sealer, audience)
        self._order = ProcessLock()
        self._streams = Streams()

    def __repr__(self) -> str:
        return f"EventBridge(audience={self.audience!r}, events={self._log.last})"

    def watched_by(self, owner: str) -> Self:
        """The same bridge for one watcher, with the same events and numbers.

        To the session's subject placeholders of cards and accounts are shown as ``•••• 9921``, to anybody else as they
        are. The caller has made sure of who is watching.
        """
        view = copy.copy(self)
        view.owner = owner
        view._reader = self._reader.for_owner(owner == self.subject)
        return view

    @property
    def last_id(self) -> int:
        """The number of the newest event; 0 before the first."""
        return self._log.last

    @without_locals
    def emit(self, type: str, data: Mapping[str, object] | None = None) -> AppEvent:
        """An application's own event, filtered and sent.

        In ``data``, ``text`` (a string) and ``tool``, ``interrupt`` and ``error`` with exactly the fields of their
        descriptors become those fields of the event; everything else stays in its ``data``. The text of an
        ``assistant.chunk``, and of a ``status`` whose data says ``partial: true``, may wait for more of its stream. It
        leaves at the latest with the next event that is no chunk, status or hook; while all of it waits, the event that
        is returned has the number 0. An ``assistant.chunk`` whose data says ``discard: true`` takes back its stream
        before it, and what waited of that never leaves. Raises ``InvalidInput`` for a type outside of the vocabulary or
        data that is no mapping; the message does not quote them. After ``close`` nothing is sent, and the event has the
        number 0.
        """
        if type not in EVENT_TYPES:
            raise InvalidInput("not an event type of contract v1")
        if data is not None and not isinstance(data, Mapping):
            raise InvalidInput("the data of an event is a mapping")
        known = self._reader.known()
        given, chunk = dict(data or {}), None
        if isinstance(given.get("text"), str) and is_piece(type, given):
            chunk = str.__str__(given.pop("text"))
        fields = _typed(filtered(given, known, self.audience))
        return self._send(AppEvent.model_validate({"type": type, **fields}), chunk, known)

    @without_locals
    def publish(self, event: AppEvent, *, ours: bool = False) -> AppEvent:
        """An event as ``normalize_stream`` gives it, filtered and sent. Of its identifiers and names only values of
        eight letters and digits or more are taken out: a PIN is a part of many a number. Chunks wait as in ``emit``.

        With ``ours``, an event that the gateway wrote, in whose identifiers and names no value can be.
        """
        known = self._reader.known()
        chunk = event.text if is_piece(event.type, event.data) else None
        rest = event if chunk is None else event.model_copy(update={"text": None})
        return self._send(filter_event(rest, known, self.audience, ours=ours), chunk, known)

    def history(self) -> list[AppEvent]:
        """The events still held, filtered at what the session knows now."""
        self._log.refresh()
        return list(self._reader.events(self._log.after(None).entries))

    def since(self, cursor: int) -> tuple[list[AppEvent], int]:
        """The events with a higher number that are held, without waiting, and the number of the last."""
        page = self._log.after(cursor)
        return list(self._reader.events(page.entries)), page.last

    def subscribe(self, last_event_id: str | int | None = None, *, timeout: float | None = None) -> Iterator[AppEvent]:
        """The events after a cursor (from the oldest held, for ``None``), then each as it comes, until ``close``.

        Blocks the calling thread between events, at most ``timeout`` seconds, and then ends.
        """
        cursor, first = _number(last_event_id), True
        self._log.refresh()
        while True:
            page = self._log.after(cursor, _PAGE)
            if self._too_slow(page, first):
                return
            yield from self._reader.events(page.entries)
            cursor, first = page.upto, False
            if page.closed or not self._log.wait(cursor, timeout):
                return

    async def asubscribe(self, last_event_id: str | int | None = None) -> AsyncIterator[AppEvent]:
        """The same for an event loop; only the loop's own task waits."""
        async for page in self._pages(_number(last_event_id)):
            for event in self._reader.events(page.entries) if page is not None else ():
                yield event

    async def generate_sse(self, last_event_id: str | int | None = None) -> AsyncIterator[str]:
        """The frames of a server-sent event stream, from ``Last-Event-ID`` on and without end until ``close``.

        A cursor that is not of this log, or whose next event is gone, gives one ``resync`` frame and then all events
        still held. Silence gives a comment every ``heartbeat`` seconds. Closing or cancelling the iterator leaves
        nothing behind. Raises a ``VaultError`` where the session cannot be read any more, in a silence at its comment.
        """
        yield sse.OPENING
        async for page in self._pages(_number(last_event_id)):
            if page is None:
                yield sse.HEARTBEAT
                continue
            if page.lost:
                yield sse.resync(page.oldest - 1, page.oldest, page.last)
            for frame in self._reader.frames(page.entries):
                yield frame

    def close(self) -> None:
        """Let go what waits, and end every subscription after what is held. Calling it again changes nothing."""
        with self._order:
            try:
                self._flush(self._reader.known(), PIECES)
            except SealgateError:  # without the session's knowledge what waits cannot be filtered, so it never leaves
                self._streams.clear()
            self._log.close()

    async def _pages(self, cursor: int | None) -> AsyncIterator[Page | None]:
        """What there is after the cursor, again and again; ``None`` for a silence of ``heartbeat`` seconds."""
        first = True
        self._log.refresh()
        while True:
            page = self._log.after(cursor, _PAGE)
            if self._too_slow(page, first):
                return
            yield page
            first, cursor = False, page.upto
            if page.closed:
                return
            while not await self._log.wait_async(cursor, self._heartbeat):
                self._reader.known()  # a session that somebody else has shredded has no silence either
                yield None

    def _too_slow(self, page: Page, first: bool) -> bool:
        return page.lost and not first and self._slow == "close"

    def _send(self, event: AppEvent, chunk: str | None, known: Known) -> AppEvent:
        """An event in its turn: chunks wait, and what ends a block lets them go first."""
        with self._order:
            if chunk is None:
                if discards(event.type, event.data):
                    self._streams.drop(_stream_of(event))
                self._flush(known, ended_by(event.type))
                return self._append(event, known)
            key = _stream_of(event)
            text = self._streams.feed(key, chunk, known)
            for stream, rest in self._streams.overdue(known):
                self._append_chunk(stream, rest, known)
            event = event.model_copy(update={"text": text})
            return self._append(event, known) if text or len(event.data) > len(key.names) else self._stamped(event, 0)

    def _flush(self, known: Known, kinds: tuple[str, ...]) -> None:
        for stream, rest in self._streams.flush(known, kinds):
            self._append_chunk(stream, rest, known)

    def _append_chunk(self, stream: Stream, text: str, known: Known) -> None:
        event = {"type": stream.kind, "turn_id": stream.turn_id, "text": text, "data": dict(stream.names)}
        self._append(AppEvent.model_validate(event), known)

    def _append(self, event: AppEvent, known: Known) -> AppEvent:
        return self._log.append(lambda number: self._stamped(event, number), known) or self._stamped(event, 0)

    def _stamped(self, event: AppEvent, number: int) -> AppEvent:
        timestamp = event.timestamp or self._clock()
        return event.model_copy(update={"id": number, "session_id": self.session_id, "timestamp": timestamp})


def _stream_of(event: AppEvent) -> Stream:
    """What tells an event's stream from others: its turn, and the identifiers among its data."""
    names = ((name, event.data.get(name)) for name in _STREAM_NAMES)
    return Stream(
        event.type, event.turn_id, tuple((name, value) for name, value in names if isinstance(value, str | bool))
    )


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
