"""The advisory lock beside a vault's file: one writer or checkpointer at a time, over all processes.

SQLite 3.7.0 to 3.51.2 can lose a committed write when a checkpoint resets the write-ahead log at the wrong moment
(sqlite.org/wal.html, "The WAL-reset bug"). Every write and every checkpoint of the vault holds this lock.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sealgate.models.errors import StoreUnavailable

DEADLINE: Final = 30.0
"""Seconds that a writer waits for its turn."""

_FIRST_PAUSE: Final = 0.0002
_LONGEST_PAUSE: Final = 0.005


class LockFile:
    """``flock`` on ``path``, which is made with mode 0600 and never deleted. Not reentrant; one thread at a time."""

    __slots__ = ("_fd", "_path")

    def __init__(self, path: str) -> None:
        self._path = path
        self._fd: int | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds the lock. Raises ``StoreUnavailable`` when it cannot be had within 30 seconds."""
        self.acquire()
        try:
            yield
        finally:
            self.release()

    def acquire(self) -> None:
        """Takes the lock; raises as ``held`` does."""
        self._wait(self._open())

    def release(self) -> None:
        """Gives the lock back."""
        if self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Closes the descriptor. After a fork this leaves the parent's lock alone."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _open(self) -> int:
        if self._fd is None:
            try:
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            except FileNotFoundError:
                raise StoreUnavailable("the vault's folder does not exist") from None
            except OSError:
                raise StoreUnavailable("the vault's lock file could not be opened") from None
        return self._fd

    @staticmethod
    def _wait(fd: int) -> None:
        pause, deadline = _FIRST_PAUSE, time.monotonic() + DEADLINE
        while True:
            try:
                return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise StoreUnavailable("the vault stayed locked by another process") from None
                time.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            except OSError:
                raise StoreUnavailable("the vault's file system has no locks") from None
