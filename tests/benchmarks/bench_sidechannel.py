"""What the time of an answer tells: medians of a hit, a miss and the refusals, and Welch's t between them.

``python tests/benchmarks/bench_sidechannel.py [calls]``: a SQLite vault in a temporary directory, 10,000 calls of each
kind unless told otherwise, in random order, so that all see the same machine. The slowest twentieth of each kind is cut
off, as is usual for such tests (Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?", 2017).

A hit decrypts and is audited, so it differs from a miss, as it may: the caller is told which of the two it was. What a
caller is told the same of must not differ: of a placeholder that nobody issued and one that another session issued, or
of rows that were changed in one place or another. ``|t|`` above 4.5 is a difference that repeats.
Nothing is asserted: read the figures on a machine that does nothing else.
"""

from __future__ import annotations

import contextlib
import math
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

from sealgate.models.errors import SealgateError
from sealgate.models.grants import Accepts, Inject
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault

KEY = bytes(range(32))
KEPT = 0.95


class Time:
    """A clock that this benchmark turns."""

    seconds = 1_800_000_000.0

    def now(self) -> float:
        return self.seconds


def actions(vault: Vault, clock: Time) -> dict[str, Callable[[], object]]:
    """One call of each kind."""
    session, other = vault.session("s1"), vault.session("s2")
    hit, tampered, changed = session.seal([request("hit value"), request("changed one"), request("changed two")])
    [short] = session.seal([SealRequest(secret_of("short one"), "CUSTOM", "person", ttl=5.0)])
    [foreign] = other.seal([request("foreign 1")])
    row = vault._shared.store.session(bytes.fromhex(session.id))
    with vault._shared.store.write() as transaction:
        for placeholder, at in ((tampered, 20), (changed, -1)):
            [stored] = transaction.entries.by_code(row.sid if row else 0, placeholder.code)
            ct = bytearray(stored.ct)
            ct[at] ^= 1
            transaction.entries.replace([stored._replace(ct=bytes(ct))])
    clock.seconds += 10

    def use(placeholder: Placeholder) -> Callable[[], object]:
        return lambda: session.open([placeholder], Inject("c", "tool", "argument", Accepts("CUSTOM")))

    return {
        "hit": use(hit),
        "miss": use(Placeholder("CUSTOM", "00000000")),
        "wrong session": use(foreign),
        "expired": use(short),
        "tampered early": use(tampered),
        "tampered late": use(changed),
    }


def request(value: str) -> SealRequest:
    return SealRequest(secret_of(value), "CUSTOM", "person")


def measured(kinds: dict[str, Callable[[], object]], calls: int) -> dict[str, list[float]]:
    """Microseconds of every call, by kind, without the slowest ones."""
    order = [name for name in kinds for _ in range(calls)]
    random.Random(1).shuffle(order)
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    for name in order:
        action = kinds[name]
        start = time.perf_counter_ns()
        with contextlib.suppress(SealgateError):
            action()
        taken[name].append((time.perf_counter_ns() - start) / 1000)
    return {name: sorted(values)[: int(len(values) * KEPT)] for name, values in taken.items()}


def welch(one: list[float], other: list[float]) -> float:
    """Welch's t for two samples of unequal variance."""
    spread = statistics.variance(one) / len(one) + statistics.variance(other) / len(other)
    return (statistics.fmean(one) - statistics.fmean(other)) / math.sqrt(spread)


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    clock = Time()
    with tempfile.TemporaryDirectory() as directory, Vault.open(f"{directory}/vault.db", KEY, clock=clock) as vault:
        # A refusal is a durable row of the audit chain; the disk's time would hide every other.
        whole = vault._shared.store.write
        vault._shared.store.write = lambda *, durable=True: whole(durable=False)  # type: ignore[method-assign]
        taken = measured(actions(vault, clock), calls)
    for name, values in taken.items():
        against = welch(values, taken["miss"])
        print(f"{name:<16} median {statistics.median(values):8.1f} us   t against a miss {against:8.1f}")
    print(f"tampered early against late: t = {welch(taken['tampered early'], taken['tampered late']):.1f}")


if __name__ == "__main__":
    main()
