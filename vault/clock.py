"""The time, as a parameter: nothing in the vault asks the operating system for it directly."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol, runtime_checkable


class Clock(Protocol):
    """**Protocol:** tells the time. ``now()`` is Unix time in seconds; the vault never lets it run backwards."""

    def now(self) -> float:
        """Unix time, in seconds."""
        ...


@runtime_checkable
class MonotonicClock(Protocol):
    """**Protocol:** a clock that can also tell how much time went by, whoever sets the wall clock."""

    def monotonic(self) -> float:
        """Seconds since some moment; never less than before."""
        ...


class SystemClock:
    """The wall clock of the machine."""

    def now(self) -> float:
        """Unix time, in seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()


SYSTEM_CLOCK: Final[Clock] = SystemClock()


class SteadyClock:
    """Another clock, made monotone: it never tells less than it, or the vault's stored mark, told before.

    While the wall clock is behind, time goes on with the monotonic clock, if the clock has one. So a wall clock that is
    turned back prolongs no lifetime in this process; one that is turned forward ends them early.

    ``stored`` is the mark that the vault stores, as far as this process knows, and ``seen`` the latest end of a
    lifetime that somebody was told of: both in Unix milliseconds, 0 for none.
    """

    __slots__ = ("_clock", "_latest", "_mark", "_monotonic", "seen", "stored")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest = 0.0
        self._monotonic: Callable[[], float] = clock.monotonic if isinstance(clock, MonotonicClock) else lambda: 0.0
        self._mark = self._monotonic()
        self.stored = self.seen = 0

    def now_ms(self) -> int:
        """Unix time in milliseconds, never less than before."""
        mark = self._monotonic()
        elapsed = max(0.0, mark - self._mark) * 1000
        self._mark = mark
        self._latest = max(self._latest + elapsed if self._latest else 0.0, self._clock.now() * 1000)
        return int(self._latest)

    def raise_to(self, mark: int) -> None:
        """Takes over the mark (Unix time in milliseconds) that the vault stores; ``stored`` remembers it."""
        self.stored = max(self.stored, mark)
        self._latest = max(self._latest, mark)
