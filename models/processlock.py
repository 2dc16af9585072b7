"""Locks and forks: of its parent's threads only the one that forked goes on in a child, and nobody else would ever
release what they held."""

from __future__ import annotations

import logging  # noqa: F401 - see below
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

PATIENCE: Final = 60.0
"""Seconds that a fork waits for the locks that it waits for, all together. Loading a model takes many on a busy
machine, and a child that is forked in the middle of an import can never import that module."""


class ProcessLock:
    """A lock that a child has for itself: ``threading.Lock``, free in each new process. What it protects may be half
    changed there; it is for what stays usable then. Not reentrant; also good for a ``threading.Condition``."""

    __slots__ = ("_born", "_lock", "_pid")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._born = self._pid = os.getpid()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock; false if it was not free within ``timeout`` seconds."""
        if self._pid != os.getpid():
            with _RENEWING:
                if self._pid != os.getpid():
                    self._lock, self._pid = threading.Lock(), os.getpid()
        return self._lock.acquire(blocking, timeout)

    def release(self) -> None:
        """Let it go. Raises ``RuntimeError`` if it is not held, but for a thread that took it before it forked."""
        if self._born == self._pid or self._lock.locked():
            self._lock.release()

    def locked(self) -> bool:
        """Whether somebody in this process holds it."""
        return self._pid == os.getpid() and self._lock.locked()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_failure: object) -> None:
        self.release()


def waited_for() -> threading.Lock:
    """A lock for what must not be inherited in the middle of something: a fork waits until it is free, and has it. For
    modules, which keep theirs for ever."""
    lock = threading.Lock()
    _awaited.append(lock)
    return lock


@contextmanager
def unforked() -> Iterator[None]:
    """A block that no fork falls into: one of another thread waits until nobody is inside, at most ``PATIENCE``
    seconds, and lets nobody in meanwhile. Any number of threads may be inside, also one in the other. For what a child
    would inherit half done and could never end: an import, a model that runs.
    """
    if _own.depth == 0:
        _gate.enter()
    _own.depth += 1
    try:
        yield
    finally:
        _own.depth -= 1
        if _own.depth == 0:
            _gate.leave()


class _Gate:
    """Who is inside, and whether somebody may come."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._inside = 0
        self._shut = False

    def enter(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._shut, PATIENCE)
            self._inside += 1

    def leave(self) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    def shut(self, own: int) -> None:
        """Wait until nobody but the caller is inside, and let nobody in: the lock stays taken over the fork."""
        self._changed.acquire()
        self._shut = True
        self._changed.wait_for(lambda: self._inside <= own, PATIENCE)

    def open(self, inside: int | None = None) -> None:
        """Let the others go on; with ``inside``, in a process in which there are only so many."""
        self._inside = self._inside if inside is None else inside
        self._shut = False
        self._changed.notify_all()
        self._changed.release()


class _Own(threading.local):
    depth = 0


_gate: Final = _Gate()
_own: Final = _Own()
_RENEWING: Final = threading.RLock()
_awaited: Final[list[threading.Lock]] = []
_taken: Final[list[threading.Lock]] = []


def _before() -> None:
    _RENEWING.acquire()
    _gate.shut(min(_own.depth, 1))
    deadline = time.monotonic() + PATIENCE
    _taken.extend(lock for lock in _awaited if lock.acquire(timeout=max(0.0, deadline - time.monotonic())))


def _after_in_parent() -> None:
    _go_on(None)


def _go_on(inside: int | None) -> None:
    while _taken:
        _taken.pop().release()
    _gate.open(inside)
    _RENEWING.release()


def _after_in_child() -> None:
    for lock in _awaited:
        if lock not in _taken and lock.locked():
            lock.release()  # Its thread is not here. What it was at may fail; nobody waits for it for ever.
    _go_on(min(_own.depth, 1))


# What registers first is asked last before a fork. The logging module holds its lock over the whole fork, and must not
# have it yet while a thread that loads a model, and needs it for that, is waited for.
os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
