"""How each storage engine grows: medians in µs by the values that a vault holds, and four processes at once.

``python tests/benchmarks/bench_engines.py [URL …]``: a SQLite file in a temporary directory, and every URL
(``postgresql://…``, ``valkey://…``). What lies there is not touched: a schema or prefix is added, and stays.

A session holds at most 10,000 values, so larger vaults have several sessions; what is measured happens in the last
one. ``put`` seals new values, durably; ``get`` opens them, with an audit row each. ``fdatasync`` is the disk's own time
beside each line: a durable figure means something as a multiple of it. Nothing is asserted.
"""

from __future__ import annotations

import itertools
import os
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import valkey

from sealgate.models.grants import Restore
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault, VaultSession

KEY = bytes(range(32))
SIZES = (1, 1_000, 10_000, 100_000)
SESSION = 9_000
"""Values that are loaded into one session: what is measured needs some room."""

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


def load(vault: Vault, count: int) -> tuple[VaultSession, float]:
    """Seals so many values in batches of 1,000: the last session, and values a second."""
    session, start, left = vault.session(f"size {count} 0"), time.perf_counter(), count
    for number in itertools.count():
        session = vault.session(f"size {count} {number}")
        for _ in range(0, min(left, SESSION), 1_000):
            session.seal(fresh(min(1_000, left)))
            left -= min(1_000, left)
        if not left:
            break
    return session, count / (time.perf_counter() - start)


def measured(vault: Vault, place: str, count: int, sync: Callable[[], None]) -> dict[str, float]:
    vault.purge()
    before = size(place)
    session, loaded = load(vault, count)
    vault.purge()
    stored = (size(place) - before) / count
    known = fresh(20)
    placeholders = session.seal(known)
    return {
        "fdatasync": median(sync, 20),
        "put 1": median(lambda: session.seal(fresh(1)), 30),
        "put 20": median(lambda: session.seal(fresh(20)), 20),
        "known 20": median(lambda: session.seal(known), 50),
        "get 1": median(lambda: session.open(placeholders[:1], Restore()), 50),
        "get 20": median(lambda: session.open(placeholders, Restore()), 30),
        "load/s": loaded,
        "bytes/value": stored,
    }


def size(place: str) -> int:
    """Bytes that the entries take, with their indexes."""
    if place.startswith("postgres"):
        plain, _, schema = place.partition("&schema=")
        query = f"SELECT pg_total_relation_size('{schema}.entry')"
        with psycopg.connect(plain) as connection:
            return int((connection.execute(query.encode()).fetchone() or (0,))[0])
    if "://" in place:
        client: Any = valkey.Valkey.from_url(place.partition("prefix=")[0].rstrip("?&"))
        names = [f"{{{place.partition('prefix=')[2]}}}:{name}" for name in ("e:*", "ei:*", "ec:*", "eo:*")]
        keys = [key for name in names for key in client.scan_iter(name)]
        return sum(int(client.memory_usage(key, samples=0)) for key in keys)
    return sum(one.stat().st_size for one in Path(place).parent.glob("vault.db*"))


def syncing(directory: str) -> Callable[[], None]:
    """Writes 4 KiB and has the disk flush them."""
    fd = os.open(f"{directory}/sync", os.O_RDWR | os.O_CREAT, 0o600)

    def sync() -> None:
        os.pwrite(fd, bytes(4096), 0)
        os.fdatasync(fd)

    return sync


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
                for count in SIZES:
                    figures = measured(vault, place, count, syncing(directory))
                    cells = "  ".join(f"{name} {figure:,.0f}" for name, figure in figures.items())
                    print(f"  {count:>7,} values  {cells}", flush=True)
            print(f"  4 processes, batches of 20: {processes(place):,.0f} values/s")


if __name__ == "__main__":
    main()
