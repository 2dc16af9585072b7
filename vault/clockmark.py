"""The latest time that the vault has seen, stored under a MAC, so that a clock turned back revives nothing."""

from __future__ import annotations

from typing import Final

from .clock import SteadyClock
from .root import Root
from .store import Transaction

_NAME: Final = "clock"
_STEP: Final = 60_000
"""Milliseconds after which the mark is written again. A restart loses no more time, and none that was shown."""


def load_mark(transaction: Transaction, root: Root, clock: SteadyClock) -> None:
    """Raises the clock to the stored mark. Raises ``TamperDetected`` for one that was changed."""
    stored = transaction.meta.get(_NAME)
    if stored is not None:
        clock.raise_to(int.from_bytes(root.unprotect(_NAME, stored), "big"))


def keep_mark(transaction: Transaction, root: Root, clock: SteadyClock) -> None:
    """Stores the time, if the stored one is a minute old, or older than an end that somebody was told of."""
    now = clock.now_ms()
    if now >= clock.stored + _STEP or clock.seen > clock.stored:
        load_mark(transaction, root, clock)
        now = clock.now_ms()
        transaction.meta.put(_NAME, root.protect(_NAME, now.to_bytes(8, "big")))
        clock.raise_to(now)
