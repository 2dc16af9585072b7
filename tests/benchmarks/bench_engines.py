"""How each storage engine grows: medians in µs by the values that a session holds, and four processes at once.

``python tests/benchmarks/bench_engines.py [URL …]``: a SQLite file in a temporary directory, and every URL
(``postgresql://…``, ``valkey://…``). What lies there is not touched: a schema or prefix is added, and stays.
Nothing is asserted; read durable figures as multiples of the disk's ``fdatasync``.
"""

from __future__ import annotations

import itertools
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor

from sealgate.models.grants import Restore
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault

KEY = bytes(range(32))
SIZES = (1, 1_000, 9_000)
FRESH: Iterator[int] = itertools.count()
BATCHES = 10


def fresh(count: int) -> list[SealRequest]:
    return [SealRequest(secret_of(f"value number {next(FRESH):09}"), "CUSTOM", "person") for _ in range(count)]


def median(action: Callable[[], object], rounds: int) -> float:
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1e6


def measured(vault: Vault, size: int) -> dict[str, float]:
    session = vault.session(f"size {size}")
    start = time.perf_counter()
    for at in range(0, size, 1_000):
        session.seal(fresh(min(1_000, size - at)))
    loaded = size / (time.perf_counter() - start)
    known = fresh(20)
    placeholders = session.seal(known)
    return {
        "load/s": loaded,
        "put 1": median(lambda: session.seal(fresh(1)), 15),
        "put 20": median(lambda: session.seal(fresh(20)), 10),
        "known 20": median(lambda: session.seal(known), 50),
        "open 1": median(lambda: session.open(placeholders[:1], Restore()), 30),
        "open 20": median(lambda: session.open(placeholders, Restore()), 20),
    }


def seal_batches(place: str, name: str) -> None:
    with Vault.open(place, KEY) as vault:
        session = vault.session("shared")
        for batch in range(BATCHES):
            values = [f"{name} {batch} {number}" for number in range(20)]
            session.seal([SealRequest(secret_of(value), "CUSTOM", "person") for value in values])


def processes(place: str) -> float:
    """Values a second of four processes that seal batches of 20 into one session."""
    with ProcessPoolExecutor(4) as pool:
        list(pool.map(seal_batches, [place] * 4, ["warm a", "warm b", "warm c", "warm d"]))
        start = time.perf_counter()
        list(pool.map(seal_batches, [place] * 4, "abcd"))
        return 4 * BATCHES * 20 / (time.perf_counter() - start)


def own(url: str) -> str:
    """The URL with a schema or prefix that nobody uses."""
    option = "schema" if url.startswith("postgres") else "prefix"
    return f"{url}{'&' if '?' in url else '?'}{option}=bench_{secrets.token_hex(6)}"


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        for place in (f"{directory}/vault.db", *map(own, sys.argv[1:])):
            print(place.partition(":")[0] if "://" in place else "sqlite")
            with Vault.open(place, KEY) as vault:
                for size in SIZES:
                    figures = measured(vault, size)
                    print(
                        f"  {size:>6} values ", "  ".join(f"{name} {figure:,.0f}" for name, figure in figures.items())
                    )
            print(f"  4 processes, batches of 20: {processes(place):,.0f} values/s")


if __name__ == "__main__":
    main()
