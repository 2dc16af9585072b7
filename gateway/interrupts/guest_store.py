"""Where a guest bus keeps requests and decisions for some minutes: six operations, as key-value servers have them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import time
from typing import Any, Final, Protocol, runtime_checkable

from sealgate.models.errors import TooManyInterrupts
from sealgate.vault import VaultSession

MAX_KEYS: Final = 10_000
"""Keys of one store."""

MAX_QUEUED: Final = 1_000
"""Entries of one list."""

_KIND: Final = "guest"


class GuestInterruptStore(Protocol):
    """**Protocol:** the store of a guest bus. Any server with Redis' operations can be one.

    Values are text. What has expired is gone. ``lpush`` and ``rpop`` make a queue; ``rpop`` is atomic: of two who take
    one entry, one gets it.
    """

    def get(self, key: str) -> str | bytes | None:
        """The value of a key, or ``None``."""
        ...

    def setex(self, key: str, seconds: int, value: str) -> object:
        """Store a value that expires."""
        ...

    def delete(self, key: str) -> object:
        """Remove a key; nothing if there is none."""
        ...

    def lpush(self, key: str, value: str) -> object:
        """Add to the front of a list."""
        ...

    def rpop(self, key: str) -> str | bytes | None:
        """Take the last of a list, or ``None``."""
        ...

    def expire(self, key: str, seconds: int) -> object:
        """Let a key expire that many seconds from now."""
        ...


@runtime_checkable
class NotifyingStore(Protocol):
    """**Protocol:** a store that wakes whoever waits, so that nobody has to look again and again."""

    def changed(self, key: str, timeout: float) -> None:
        """Return when the key was written, at the latest after ``timeout`` seconds."""
        ...


@dataclass(slots=True)
class _Kept:
    """One key: a text or a list, and when it expires, in Unix seconds."""

    value: str | None = field(default=None, repr=False)
    queue: list[str] = field(default_factory=list, repr=False)
    expires: float | None = None


def _pushed(kept: _Kept, value: str) -> None:
    if len(kept.queue) >= MAX_QUEUED:
        raise TooManyInterrupts("too many requests are queued for one chat", MAX_QUEUED)
    kept.queue.insert(0, value)


class MemoryGuestStore:
    """A store in this process, for one that asks and answers itself. It wakes whoever waits.

    Raises ``TooManyInterrupts`` beyond 10,000 keys and 1,000 entries of a list.
    """

    def __init__(self, now: Callable[[], float] = time) -> None:
        self._now = now
        self._kept: dict[str, _Kept] = {}
        self._changed = threading.Condition()

    def get(self, key: str) -> str | None:
        """The value of a key, or ``None``."""
        with self._changed:
            kept = self._live(key)
            return kept.value if kept is not None else None

    def setex(self, key: str, seconds: int, value: str) -> None:
        """Store a value that expires."""
        with self._changed:
            self._make(key)
            self._kept[key] = _Kept(value=value, expires=self._now() + seconds)
            self._changed.notify_all()

    def delete(self, key: str) -> None:
        """Remove a key."""
        with self._changed:
            self._kept.pop(key, None)

    def lpush(self, key: str, value: str) -> None:
        """Add to the front of a list."""
        with self._changed:
            _pushed(self._make(key), value)
            self._changed.notify_all()

    def rpop(self, key: str) -> str | None:
        """Take the last of a list, or ``None``."""
        with self._changed:
            kept = self._live(key)
            return kept.queue.pop() if kept is not None and kept.queue else None

    def expire(self, key: str, seconds: int) -> None:
        """Let a key expire that many seconds from now."""
        with self._changed:
            kept = self._live(key)
            if kept is not None:
                kept.expires = self._now() + seconds

    def changed(self, key: str, timeout: float) -> None:
        """Return when the key was written, at the latest after ``timeout`` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._live(key) is not None, timeout)

    def _live(self, key: str) -> _Kept | None:
        kept = self._kept.get(key)
        if kept is not None and kept.expires is not None and self._now() >= kept.expires:
            del self._kept[key]
            return None
        return kept

    def _make(self, key: str) -> _Kept:
        kept = self._live(key)
        if kept is None:
            if len(self._kept) >= MAX_KEYS:
                for stale in list(self._kept):
                    self._live(stale)
            if len(self._kept) >= MAX_KEYS:
                raise TooManyInterrupts("the store of the guest bus is full", MAX_KEYS)
            kept = self._kept[key] = _Kept()
        return kept


class VaultGuestStore:
    """A store on the vault of a session, encrypted under its keys, for processes that share the vault."""

    def __init__(self, vault: VaultSession, now: Callable[[], float] = time) -> None:
        self._records = vault.records
        self._now = now

    def get(self, key: str) -> str | None:
        """The value of a key, or ``None``."""
        kept = self._read(self._records.get(_KIND, key))
        return kept.value if kept is not None else None

    def setex(self, key: str, seconds: int, value: str) -> None:
        """Store a value that expires."""
        kept = _Kept(value=value, expires=self._now() + seconds)
        self._records.replace(_KIND, key, _encoded(kept), newest=MAX_KEYS)

    def delete(self, key: str) -> None:
        """Remove a key."""
        self._records.discard(_KIND, key)

    def lpush(self, key: str, value: str) -> None:
        """Add to the front of a list."""
        self._change(key, lambda kept: _pushed(kept, value), make=True)

    def rpop(self, key: str) -> str | None:
        """Take the last of a list, or ``None``."""
        taken: list[str] = []
        self._change(key, lambda kept: taken.extend([kept.queue.pop()] if kept.queue else []))
        return taken[0] if taken else None

    def expire(self, key: str, seconds: int) -> None:
        """Let a key expire that many seconds from now."""

        def until(kept: _Kept) -> None:
            kept.expires = self._now() + seconds

        self._change(key, until)

    def _change(self, key: str, change: Callable[[_Kept], Any], *, make: bool = False) -> None:
        def changed(stored: bytes | None) -> bytes | None:
            kept = self._read(stored) or (_Kept() if make else None)
            if kept is None:
                return None
            change(kept)
            return _encoded(kept)

        self._records.change(_KIND, key, changed, newest=MAX_KEYS)

    def _read(self, stored: bytes | None) -> _Kept | None:
        if stored is None:
            return None
        kept = _Kept(**json.loads(stored))
        return None if kept.expires is not None and self._now() >= kept.expires else kept


def _encoded(kept: _Kept) -> bytes:
    return json.dumps({"value": kept.value, "queue": kept.queue, "expires": kept.expires}).encode()
