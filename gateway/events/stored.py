"""The stored log: one stream of events for all processes that work on a session, through the vault's store."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from sealgate.models.events import AppEvent, Audience

from .log import Entry, EventLog, Filtered
from .scrub import Known
from .sse import body

POLL: Final = 0.25
"""Seconds until another process' event is seen; this process' own are seen at once."""

_BATCH: Final = 500
_SPARE: Final = 100
"""Records beyond ``max_history`` that may stay until the next are dropped together."""


class StoredRecord(Protocol):
    """**Protocol:** a record with its number."""

    @property
    def sequence(self) -> int: ...  # noqa: D102  # the class says it
    @property
    def payload(self) -> bytes: ...  # noqa: D102


class RecordStore(Protocol):
    """**Protocol:** encrypted records of one session in order, numbered from 1 within a kind; a vault session's
    ``records``."""

    def append(self, kind: str, payload: bytes, *, durable: bool = True) -> int:
        """Adds a record and returns its number."""
        ...

    def read(self, kind: str, after: int = 0, limit: int = 1000) -> Sequence[StoredRecord]:
        """At most ``limit`` records with a higher number, in order."""
        ...

    def latest(self, kind: str) -> StoredRecord | None:
        """The last record, or ``None`` before the first."""
        ...

    def drop_before(self, kind: str, sequence: int) -> None:
        """Deletes records with a lower number."""
        ...


class _NothingKnown:
    """What was known when an event was read from the store: nothing, so that it is filtered before anybody sees it."""

    def suspects(self, text: str) -> bool:
        return False

    def outside(self, text: str) -> tuple[()]:
        return ()


_NOTHING_KNOWN: Final = _NothingKnown()


def _entry(record: StoredRecord, known: Known | None = None) -> Entry:
    """The place of a stored event in the ring; ``known`` is what it was filtered for, if that was here."""
    event = AppEvent.model_validate({**json.loads(record.payload), "id": record.sequence})
    return Entry(Filtered(event, known if known is not None else _NOTHING_KNOWN))


class StoredEventLog(EventLog):
    """An event log whose ring is a window on the store. Events are numbered by the store, so that processes agree.

    They are encrypted under the session's record key and gone with it. One that was written is not lost with this
    process, but may be with the power. Raises ``VaultError`` where the store or the session cannot be used.
    """

    def __init__(self, records: RecordStore, audience: Audience, max_history: int) -> None:
        super().__init__(max_history)
        self._records = records
        self._kind = f"event.{audience}"
        self._max_history = max_history
        self._asked = float("-inf")
        newest = records.latest(self._kind)
        self._last = newest.sequence if newest else 0
        self._kept = max(0, self._last - max_history)
        self._whole = False

    def append(self, make: Callable[[int], AppEvent], known: Known) -> AppEvent | None:
        """The event, stored and added; ``None`` once this log is closed."""
        if self._closed:
            return None
        event = make(0)
        number = self._records.append(self._kind, body(event).encode("ascii"), durable=False)
        self._refresh(own=number, known=known)
        if number - self._kept >= self._max_history + _SPARE:
            self._kept = number - self._max_history
            self._records.drop_before(self._kind, self._kept + 1)
        return event.model_copy(update={"id": number})

    def refresh(self) -> None:
        """Take over what other processes added, and at first what is there from before."""
        self._load()
        self._refresh()

    def wait(self, cursor: int, timeout: float | None) -> bool:
        """See ``EventLog.wait``; the store is asked every 0.25 seconds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = POLL if deadline is None else min(POLL, deadline - time.monotonic())
            if super().wait(cursor, max(left, 0)):
                return True
            self._refresh()
            if deadline is not None and time.monotonic() >= deadline:
                return self._last > cursor

    async def wait_async(self, cursor: int, seconds: float) -> bool:
        """See ``EventLog.wait_async``; the store is asked every 0.25 seconds, for all who wait together."""
        deadline = time.monotonic() + seconds
        while True:
            if await super().wait_async(cursor, max(0.0, min(POLL, deadline - time.monotonic()))):
                return True
            if time.monotonic() - self._asked >= POLL / 2:
                self._refresh()
            if time.monotonic() >= deadline:
                return self._last > cursor

    def _load(self) -> None:
        """Put what was stored before this log was made in front of the ring: only who reads it needs that."""
        with self._changed:
            if self._whole:
                return
            first, before = self._last - len(self._entries) + 1, list[Entry]()
            cursor = self._kept
            while cursor < first - 1 and (page := self._records.read(self._kind, after=cursor, limit=_BATCH)):
                before += [_entry(record) for record in page if record.sequence < first]
                cursor = page[-1].sequence
            self._entries = deque([*before, *self._entries], maxlen=self._max_history)
            self._whole = True

    def _refresh(self, own: int = 0, known: Known | None = None) -> None:
        """Take over what the store has beyond the ring. ``known`` is what the event ``own`` was filtered for."""
        with self._changed:
            before = self._last
            while page := self._records.read(self._kind, after=self._last, limit=_BATCH):
                for record in page:
                    self._entries.append(_entry(record, known if record.sequence == own else None))
                    self._last = record.sequence
            self._asked = time.monotonic()
            changed = self._last != before
            if changed:
                self._changed.notify_all()
        if changed:
            self._bells.ring()
