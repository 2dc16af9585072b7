"""The vault's speed, printed: µs an operation and how it grows, beside private-data-vault where that is installed.

Run it with ``python tests/benchmarks/bench_vault.py``. Durable figures depend on the disk: read them as multiples of
the ``fdatasync`` of the same run. Nothing is asserted.
"""

from __future__ import annotations

import importlib.util
import io
import itertools
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from sealgate.models.grants import Restore
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import LocalKeys, Vault, VaultSession

KEY = bytes(range(32))
FRESH: Iterator[int] = itertools.count()


def request(value: str) -> SealRequest:
    return SealRequest(secret_of(value), "CUSTOM", "person")


def fresh(count: int) -> list[SealRequest]:
    return [request(f"value number {next(FRESH):09}") for _ in range(count)]


def median(action: Callable[[], object], rounds: int) -> float:
    """Median of one call, in µs."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1e6


def interleaved(actions: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Medians in µs of actions that take turns, so that all see the same disk."""
    taken: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            start = time.perf_counter()
            action()
            taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) * 1e6 for name, values in taken.items()}


def synced(directory: str) -> Callable[[], None]:
    fd = os.open(os.path.join(directory, "sync"), os.O_RDWR | os.O_CREAT, 0o600)

    def write() -> None:
        os.pwrite(fd, b"x" * 4096, 0)
        os.fdatasync(fd)

    return write


def filled(vault: Vault, name: str, size: int) -> tuple[VaultSession, list[SealRequest]]:
    session = vault.session(name)
    requests = fresh(size)
    for at in range(0, size, 1000):
        session.seal(requests[at : at + 1000])
    return session, requests


def ours(vault: Vault, size: int) -> dict[str, Callable[[], object]]:
    session, requests = filled(vault, f"size {size}", size)
    known = requests[:20]
    [placeholder] = session.seal(requests[:1])
    twenty = session.seal(known)
    return {
        "put new (FULL)": lambda: session.seal(fresh(1)),
        "put 20 new (FULL)": lambda: session.seal(fresh(20)),
        "put known": lambda: session.seal(requests[:1]),
        "put 20 known": lambda: session.seal(known),
        "look up and decrypt": lambda: session.facts([placeholder]),
        "open, audited (NORMAL)": lambda: session.open([placeholder], Restore()),
        "open 20, audited (NORMAL)": lambda: session.open(twenty, Restore()),
        "match, cached": lambda: session.match(len),
    }


def peer(directory: str, size: int) -> dict[str, Callable[[], object]]:
    if importlib.util.find_spec("private_data_vault") is None:
        return {}
    module: Any = importlib.import_module("private_data_vault")
    vault = module.LocalVault(os.path.join(directory, f"peer-{size}"), KEY)
    values = {f"[CUSTOM_{number}]": f"value number {number:09}" for number in range(size)}
    vault.store_value_map("t", "r", json.dumps(values).encode())

    def put(count: int) -> None:
        new = {f"[CUSTOM_{next(FRESH)}]": f"value number {number:09}" for number in range(count)}
        vault.merge_value_map("t", "r", json.dumps(new).encode())

    return {
        "peer: put new": lambda: put(1),
        "peer: put 20 new": lambda: put(20),
        "peer: get": lambda: json.loads(vault.load_value_map("t", "r")),
    }


def growth(directory: str) -> None:
    with Vault.open(os.path.join(directory, "growth.db"), KEY) as vault:
        for size in (1, 1000, 8500):
            actions = {"fdatasync": synced(directory), **ours(vault, size), **peer(directory, size)}
            print(f"\n{size} values in the session, µs (median of turns)")
            found = interleaved(actions, 60)
            for name, value in found.items():
                print(f"  {name:28}{value:12.1f}")
            if "peer: get" in found:
                print(f"  put: {found['peer: put new'] / found['put new (FULL)']:.1f}x the peer's speed", end=", ")
                print(f"get: {found['peer: get'] / found['look up and decrypt']:.1f}x")


def hot(directory: str) -> None:
    with Vault.open(os.path.join(directory, "hot.db"), KEY) as vault:
        print("\nhot loops, µs (median)")
        for name, action in ours(vault, 1000).items():
            print(f"  {name:28}{median(action, 100 if 'new' in name else 1000):12.1f}")


def bulk(directory: str) -> None:
    path = os.path.join(directory, "bulk.db")
    with Vault.open(path, KEY) as vault:
        start = time.perf_counter()
        sessions, requests = zip(*(filled(vault, f"s{number}", 10_000) for number in range(10)), strict=True)
        taken = time.perf_counter() - start
        vault.purge()
        print(
            f"\n100,000 values in batches of 1,000: {100_000 / taken:,.0f}/s, {os.path.getsize(path) / 1e5:.0f} B each"
        )
        one = vault.session("of one value")
        [few], [many] = one.seal(fresh(1)), sessions[5].seal(requests[5][:1])
        for placeholder, session, where in ((few, one, "in a session of 1"), (many, sessions[5], "in one of 10,000")):
            taken = median(lambda placeholder=placeholder, session=session: session.facts([placeholder]), 2000)  # type: ignore[misc]
            print(f"look up and decrypt among 100,000 values, {where}: {taken:.1f} µs")
        start = time.perf_counter()
        sessions[0].match(len)
        print(f"first match over 10,000 values: {(time.perf_counter() - start) * 1e3:.0f} ms")
        start = time.perf_counter()
        vault.backup(io.BytesIO())
        print(f"backup: {(time.perf_counter() - start) * 1e3:.0f} ms")
        start = time.perf_counter()
        for session in sessions:
            session.shred()
        print(f"shred of 100,000 values, in ten sessions: {(time.perf_counter() - start) * 1e3:.0f} ms")


def keys(directory: str) -> None:
    path = os.path.join(directory, "keys.db")
    with Vault.open(path, KEY) as vault:
        for number in range(2000):
            vault.session(f"s{number}")
        start = time.perf_counter()
        count = vault.rotate(LocalKeys([KEY, KEY[::-1]]))
        print(f"\nrotation: {count / (time.perf_counter() - start):,.0f} sessions/s")
    print(f"open: {median(lambda: Vault.open(path, LocalKeys([KEY, KEY[::-1]])).close(), 20) / 1000:.1f} ms")


def threads(directory: str) -> None:
    with Vault.open(os.path.join(directory, "threads.db"), KEY) as vault:
        print()
        for count in (1, 4, 16):
            session = vault.session(f"threads {count}")
            batches = [fresh(1) for _ in range(20 * count)]
            start = time.perf_counter()
            with ThreadPoolExecutor(count) as pool:
                list(pool.map(session.seal, batches))
            print(f"{count} threads, one value each (FULL): {len(batches) / (time.perf_counter() - start):,.0f}/s")


def seal_batches(path: str) -> None:
    with Vault.open(path, KEY) as vault:
        session = vault.session(f"process {os.getpid()}")
        for batch in range(50):
            session.seal([request(f"value {os.getpid()} {batch} {place}") for place in range(20)])


def processes(directory: str) -> None:
    path = os.path.join(directory, "processes.db")
    Vault.open(path, KEY).close()
    with ProcessPoolExecutor(4) as pool:
        list(pool.map(time.sleep, [0.2] * 4))
        start = time.perf_counter()
        list(pool.map(seal_batches, [path] * 4))
        print(f"4 processes, batches of 20 (FULL): {4 * 50 * 20 / (time.perf_counter() - start):,.0f} values/s")


def main() -> None:
    """Prints everything."""
    with tempfile.TemporaryDirectory() as directory:
        hot(directory)
        growth(directory)
        bulk(directory)
        keys(directory)
        threads(directory)
        processes(directory)


if __name__ == "__main__":
    main()
