"""A clock that cannot be turned back: lifetimes end when their time went by, whoever sets the wall clock."""

from __future__ import annotations

from sealgate.gateway.testing import FakeClock
from sealgate.vault.clock import SteadyClock


class WallClock:
    """A clock without a monotonic side."""

    def __init__(self, now: float) -> None:
        self.time = now

    def now(self) -> float:
        return self.time


def test_time_goes_on_while_the_wall_clock_is_behind() -> None:
    clock = FakeClock(1000.0)
    steady = SteadyClock(clock)
    assert steady.now_ms() == 1_000_000
    clock.turn(-500)
    clock.advance(11)
    assert steady.now_ms() == 1_011_000


def test_it_follows_a_wall_clock_that_is_set_forward() -> None:
    clock = FakeClock(1000.0)
    steady = SteadyClock(clock)
    steady.now_ms()
    clock.turn(500)
    assert steady.now_ms() == 1_500_000


def test_the_stored_mark_is_never_gone_below_and_time_goes_on_from_it() -> None:
    clock = FakeClock(1000.0)
    steady = SteadyClock(clock)
    steady.raise_to(5_000_000)
    assert steady.now_ms() == 5_000_000
    clock.advance(2)
    assert steady.now_ms() == 5_002_000


def test_a_clock_without_a_monotonic_side_never_runs_backwards() -> None:
    clock = WallClock(1000.0)
    steady = SteadyClock(clock)
    assert steady.now_ms() == 1_000_000
    clock.time = 900.0
    assert steady.now_ms() == 1_000_000
