"""How long a vault may use its keys before its key service is asked again.

A key that was disabled or taken away in the service ends access within ``cache_ttl`` seconds this way. Nothing runs in
the background: keys that nobody uses stay in memory until the next use, which drops them.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable

from sealgate.models.errors import KeyUnavailable

from ..clock import SteadyClock
from ..opener import load_again
from ..root import Root
from ..sqlite.lockfile import DEADLINE
from ..store import Store
from .provider import ExpiringProvider, KeyProvider


class KeyLease:
    """The key-encryption keys of an open vault, and when they lapse. ``drop`` drops what was unwrapped with them."""

    def __init__(self, store: Store, root: Root, clock: SteadyClock) -> None:
        self._store = store
        self._root = root
        self._clock = clock
        self._pid = os.getpid()
        self._turn = threading.Lock()
        self._until = self._next()
        self.drop: Callable[[], None] = lambda: None

    def check(self) -> None:
        """Nothing while the keys may be used; else asks the provider for them again, at most one thread at a time.

        Raises ``KeyUnavailable``, ``WrongKey`` and ``TamperDetected`` if they are not given; then none is left here,
        and the next use asks again.
        """
        if self._clock.now_ms() >= self._until:
            self._ask()

    def _ask(self) -> None:
        if self._pid != os.getpid():  # The lock may have been held by a thread that the fork left behind.
            self._turn, self._pid = threading.Lock(), os.getpid()
        if not self._turn.acquire(timeout=DEADLINE):
            raise KeyUnavailable("the key service keeps another thread waiting", retryable=True)
        try:
            if self._clock.now_ms() < self._until:
                return
            self.drop()
            try:
                fresh = load_again(self._store, self._root)
            except BaseException:
                self._root.lapse()
                raise
            self._root.renew(fresh)
            self._until = self._next()
        finally:
            self._turn.release()

    def _next(self) -> float:
        ttl = ttl_of(self._root.provider)
        return math.inf if ttl is None else self._clock.now_ms() + ttl * 1000


def ttl_of(provider: KeyProvider) -> float | None:
    """Seconds for which keys that this provider gave may be used; ``None`` for as long as the vault is open."""
    return provider.cache_ttl if isinstance(provider, ExpiringProvider) else None
