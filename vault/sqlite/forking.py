"""A fork waits until no thread of this process is inside SQLite, so that the child inherits nothing half done.

A child may not use its parent's connections, and does not. But SQLite keeps the locks of a file in memory, one list for
all connections of a process: a child that is forked in the middle of a transaction would believe for ever that its own
process holds the writer's lock (sqlite.org/howtocorrupt.html, section 2.6).
"""

from __future__ import annotations

import os
import threading
from typing import Final, Protocol
from weakref import WeakSet

PATIENCE: Final = 5.0
"""Seconds that a fork waits for each store. Then it goes on: a thread may fork inside a transaction of its own."""


class Pausing(Protocol):
    """**Protocol:** what can be brought to rest for a moment."""

    def pause(self) -> None:
        """Waits until nothing is under way, at most ``PATIENCE`` seconds, and lets nothing begin."""
        ...

    def resume(self) -> None:
        """Lets things go on, in the process that was paused."""
        ...


_known: WeakSet[Pausing] = WeakSet()
_one_fork = threading.Lock()
_paused: list[Pausing] = []


def pauses_at_forks(store: Pausing) -> None:
    """Has a store paused whenever this process forks, for as long as somebody holds it."""
    _known.add(store)


def _before() -> None:
    _one_fork.acquire()
    _paused.extend(_known)
    for store in _paused:
        store.pause()


def _after_in_parent() -> None:
    while _paused:
        _paused.pop().resume()
    _one_fork.release()


def _after_in_child() -> None:
    global _one_fork  # noqa: PLW0603 - the parent's is held by the thread that forked
    _paused.clear()  # The stores find out by themselves that they are in another process.
    _one_fork = threading.Lock()


os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
