"""The event log: the last events of one session for one audience, numbered from 1, and who waits for more."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import cast

from sealgate.models.events import AppEvent
from sealgate.models.processlock import ProcessLock

from .bells import Bells
from .scrub import Known


@dataclass(frozen=True, slots=True)
class Filtered:
    """An event as it was filtered for what was known then, and its frame once somebody asked for it."""

    event: AppEvent
    known: Known
    frame: str | None = None


@dataclass(slots=True)
class Entry:
    """One place of the ring. ``state`` is replaced as a whole, so that threads never mix two of them."""

    state: Filtered


@dataclass(frozen=True, slots=True)
class Page:
    """The entries after a cursor, up to the number ``upto``. ``lost``: the cursor is not of this log, or what came next
    is gone. ``oldest`` and ``last`` are the numbers of what the log holds; ``closed`` says that nothing more comes."""

    entries: list[Entry]
    lost: bool
    oldest: int
    upto: int
    last: int
    closed: bool


class EventLog:
    """A ring of at most ``max_history`` events, written from any thread and read by any number of subscribers.

    The ring is the only buffer: a subscriber holds a number and one page, so that memory does not depend on how slow
    it is.
    """

    def __init__(self, max_history: int) -> None:
        self._lock = ProcessLock()
        self._changed = threading.Condition(cast("threading.Lock", self._lock))
        self._entries: deque[Entry] = deque(maxlen=max_history)
        self._bells = Bells()
        self._last = 0
        self._closed = False

    @property
    def last(self) -> int:
        """The number of the newest event; 0 before the first."""
        return self._last

    @property
    def closed(self) -> bool:
        """Whether nothing can be added any more."""
        return self._closed

    def append(self, make: Callable[[int], AppEvent], known: Known) -> AppEvent | None:
        """The event that ``make`` builds for its number, added; ``None`` once the log is closed."""
        with self._changed:
            if self._closed:
                return None
            event = make(self._last + 1)
            self._last += 1
            self._entries.append(Entry(Filtered(event, known)))
            self._changed.notify_all()
        self._bells.ring()
        return event

    def close(self) -> None:
        """Nothing more is added; everybody who waits is told. What is held can still be read."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._bells.ring()

    def refresh(self) -> None:
        """Take over what others added; in memory there is nobody else."""

    def after(self, cursor: int | None, most: int | None = None) -> Page:
        """The ``most`` entries, or all, with a number above ``cursor``; from the oldest that is held for ``None`` or a
        cursor that is lost."""
        with self._lock:
            held = len(self._entries)
            oldest = self._last - held + 1
            lost = cursor is not None and not oldest - 1 <= cursor <= self._last
            skip = 0 if cursor is None or lost else cursor - oldest + 1
            end = held if most is None else min(held, skip + most)
            entries = list(islice(self._entries, skip, end))
            return Page(entries, lost, oldest, oldest + end - 1, self._last, self._closed and end == held)

    def wait(self, cursor: int, timeout: float | None) -> bool:
        """Block until there is an event after ``cursor`` or the log is closed; whether that came within ``timeout``
        seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closed or self._last > cursor, timeout)

    async def wait_async(self, cursor: int, seconds: float) -> bool:
        """The same in an event loop, without a thread. Cancelling it leaves nothing behind."""
        with self._bells.bell() as bell:
            if self._closed or self._last > cursor:
                return True
            try:
                async with asyncio.timeout(seconds):
                    await bell.wait()
            except TimeoutError:
                return False
            return True
