"""Bells: waking the tasks of other threads' event loops, once a loop however many wait there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from sealgate.models.processlock import ProcessLock


class Bells:
    """Who waits, by event loop. ``ring`` may be called from any thread; a loop that is gone is forgotten."""

    def __init__(self) -> None:
        self._lock = ProcessLock()
        self._waiting: dict[asyncio.AbstractEventLoop, set[asyncio.Event]] = {}
        self._called: set[asyncio.AbstractEventLoop] = set()

    @contextmanager
    def bell(self) -> Iterator[asyncio.Event]:
        """An event of the running loop that the next ``ring`` sets; withdrawn at the end of the block."""
        loop = asyncio.get_running_loop()
        event = asyncio.Event()
        with self._lock:
            self._waiting.setdefault(loop, set()).add(event)
        try:
            yield event
        finally:
            with self._lock:
                waiting = self._waiting.get(loop, set())
                waiting.discard(event)
                if not waiting:
                    self._waiting.pop(loop, None)

    def ring(self) -> None:
        """Wake everybody who waits. Rings that a busy loop has not heard yet are one."""
        with self._lock:
            loops = [loop for loop in self._waiting if loop not in self._called]
            self._called.update(loops)
        for loop in loops:
            try:
                loop.call_soon_threadsafe(self._sound, loop)
            except RuntimeError:  # the loop was closed, and its tasks with it
                with self._lock:
                    self._waiting.pop(loop, None)
                    self._called.discard(loop)

    def _sound(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            self._called.discard(loop)
            waiting = list(self._waiting.get(loop, ()))
        for event in waiting:
            event.set()

    def __len__(self) -> int:
        return sum(len(waiting) for waiting in self._waiting.values())
