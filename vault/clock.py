"""The time, as a parameter: nothing in the vault asks the operating system for it directly."""

from __future__ import annotations

import time
from typing import Final, Protocol


class Clock(Protocol):
    """**Protocol:** tells the time. ``now()`` is Unix time in seconds; the vault never lets it run backwards."""

    def now(self) -> float:
        """Unix time, in seconds."""
        ...


class SystemClock:
    """The wall clock of the machine."""

    def now(self) -> float:
        """Unix time, in seconds."""
        return time.time()


SYSTEM_CLOCK: Final[Clock] = SystemClock()


class SteadyClock:
    """Another clock, made monotone: it never tells less than it, or the vault's stored mark, told before.

    A wall clock that is turned back therefore prolongs no lifetime; one that is turned forward ends them early.
    """

    __slots__ = ("_clock", "_latest", "stored")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest = 0
        self.stored = 0

    def now_ms(self) -> int:
        """Unix time in milliseconds, never less than before."""
        now = int(self._clock.now() * 1000)
        self._latest = max(self._latest, now)
        return self._latest

    def raise_to(self, mark: int) -> None:
        """Takes over the mark (Unix time in milliseconds) that the vault stores; ``stored`` remembers it."""
        self.stored = max(self.stored, mark)
        self._latest = max(self._latest, mark)
