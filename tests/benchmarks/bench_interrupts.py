"""Pending interrupts of one session: memory for each, and how long an answer takes beside few and beside many.

``python tests/benchmarks/bench_interrupts.py [COUNT]``; 10,000 unless told otherwise. Prints milliseconds and ratios;
no number here is asserted.
"""

from __future__ import annotations

import gc
import statistics
import sys
import tracemalloc
from time import perf_counter

from sealgate.gateway import Gateway, Session
from sealgate.gateway.interrupts.record import InterruptRecord
from sealgate.redaction import Detector

SAMPLES = 200


def file(session: Session, count: int) -> list[str]:
    """File that many asks; their ids."""
    services = session._services
    ids = [services.new_id() for _ in range(count)]
    for one in ids:
        services.interrupts.file(InterruptRecord(id=one, kind="ask", tool="tool", arg_name="value"), durable=False)
    return ids


def answer(session: Session, ids: list[str]) -> float:
    """Milliseconds of the median answer."""
    taken = []
    for number, one in enumerate(ids):
        begun = perf_counter()
        assert session.interrupts.answer(one, f"answer {number} of many").handled
        taken.append((perf_counter() - begun) * 1000)
    return statistics.median(taken)


def measured(count: int) -> tuple[float, float, float, float]:
    """Bytes for each pending one; milliseconds to file one, to answer one, and to list them all."""
    with Gateway.open(":memory:", detector=Detector(names=False)) as gateway:
        session = gateway.session("s1")
        file(session, 10)
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        ids = file(session, count)
        gc.collect()
        size = (tracemalloc.get_traced_memory()[0] - before) / count
        tracemalloc.stop()
        begun = perf_counter()
        file(session, SAMPLES)
        filing = (perf_counter() - begun) * 1000 / SAMPLES
        answering = answer(session, ids[:: max(1, count // SAMPLES)][:SAMPLES])
        begun = perf_counter()
        session.interrupts.pending()
        return size, filing, answering, (perf_counter() - begun) * 1000


def main() -> None:
    """Few, some and many."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"{'pending':>8} {'bytes each':>11} {'file ms':>8} {'answer ms':>10} {'ratio':>6} {'list all ms':>12}")
    first = None
    for count in sorted({100, most // 10, most}):
        size, filing, answering, listing = measured(count)
        first = first or answering
        print(
            f"{count:8} {size:11.0f} {filing:8.3f} {answering:10.3f} {answering / first:6.2f} {listing:12.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
