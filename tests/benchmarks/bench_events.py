"""Tool events of about 1 KB, emitted, filtered and encoded: a CPU-second's worth, and how the cost grows.

Run it with ``python tests/benchmarks/bench_events.py [--peer PYTHON]``. ``PYTHON`` is the interpreter of an environment
with ``maivn==2.3.0``; its bridge (``frontend_safe``, which looks at no values) then takes turns with ours on the same
payload. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from sealgate.gateway.events import sse
from sealgate.gateway.events.bridge import EventBridge
from sealgate.models.placeholder import ALPHABET, Placeholder
from sealgate.models.sealing import LiveValue
from sealgate.models.secretvalue import SecretValue
from sealgate.redaction.known.known import build_known_values

ROUNDS: Final = 15
EVENTS: Final = 300
"""Events of one round."""

PEER: Final = """
import asyncio, json, sys, time
from maivn.events import EventBridge
payload = json.loads(sys.stdin.readline())
async def main():
    bridge = EventBridge("s1", audience="frontend_safe")
    for line in sys.stdin:
        start = time.process_time()
        for _ in range(int(line)):
            await bridge.emit_tool_event("lookup_orders", "call_1", "completed", args=payload["args"],
                                         result=payload["result"])
            bridge.stream_queue_get_nowait().to_sse()
        print(time.process_time() - start, flush=True)
asyncio.run(main())
"""
"""The peer's side; it answers each number of events with the CPU seconds that they took."""


class Fixed:
    """A sealer that holds given values."""

    def __init__(self, values: Sequence[LiveValue]) -> None:
        self._values = values
        self._built: dict[Any, Any] = {}

    def match(self, build: Callable[[Sequence[LiveValue]], Any]) -> Any:
        """The matcher, built once."""
        if build not in self._built:
            self._built[build] = build(self._values)
        return self._built[build]


def live_values(count: int) -> Iterator[LiveValue]:
    """Cards, accounts, mail addresses, names and, one in fifty, a one-time code."""
    draw = random.Random(7)
    for number in range(count):
        digits = "".join(draw.choices("0123456789", k=16))
        kinds = (digits, digits[:10], f"user{number}.{digits[:5]}@example.org", f"Person{number} Name{digits[:4]}")
        text = digits[:6] if number % 50 == 0 else kinds[number % 4]
        code = "".join(draw.choices(ALPHABET, k=8))
        yield LiveValue(SecretValue(text), Placeholder("CUSTOM", code), ("CUSTOM",))


def tool_event(orders: int) -> dict[str, Any]:
    """What a tool returned; seven orders are about 1 KB of JSON."""
    draw = random.Random(3)
    result = [
        {
            "id": f"ord_{draw.randrange(10**9)}", "sku": "SKU-42", "qty": 2, "price": 19.99, "status": "shipped",
            "note": "left at the front desk",
        }
        for _ in range(orders)
    ]  # fmt: skip
    args = {"customer": "[PERSON_K7Q2MXB4]", "limit": 10, "since": "2026-11-30T12:00:00Z"}
    return {"name": "lookup_orders", "args": args, "result": {"orders": result}, "elapsed_ms": 12.5}


def bridge_with(count: int, **options: Any) -> EventBridge:
    """A bridge of a session with so many values."""
    return EventBridge("s1", sealer=Fixed(list(live_values(count))), **options)  # type: ignore[arg-type]  # never seals


def seconds(action: Callable[[], object], count: int) -> float:
    """CPU seconds of so many calls."""
    start = time.process_time()
    for _ in range(count):
        action()
    return time.process_time() - start


def sending(bridge: EventBridge, payload: dict[str, Any]) -> Callable[[], str]:
    """Emit, filter, encode."""
    return lambda: sse.encode(bridge.emit("tool.completed", payload))


def throughput(peer: str | None) -> None:
    """Events a CPU-second, in turns."""
    payload = tool_event(7)
    print(f"events a CPU-second, payload {len(json.dumps(payload))} bytes")
    runs = {f"sealgate, {count:>6} values": sending(bridge_with(count), payload) for count in (0, 100, 1_000, 10_000)}
    taken: dict[str, list[float]] = {name: [] for name in runs}
    other = peer_process(peer, payload) if peer else None
    for action in runs.values():
        seconds(action, EVENTS)  # the matcher is built at the first event
    for _ in range(ROUNDS):
        for name, action in runs.items():
            taken[name].append(EVENTS / seconds(action, EVENTS))
        if other is not None:
            taken.setdefault("maivn 2.3.0, no values", []).append(EVENTS / ask(other))
    if other is not None:
        other.communicate()
    for name, rates in taken.items():
        print(f"  {name:<26} {statistics.median(rates):>8.0f}   ({min(rates):.0f} to {max(rates):.0f})")


def peer_process(python: str, payload: dict[str, Any]) -> subprocess.Popen[str]:
    """The peer, warm."""
    process = subprocess.Popen([python, "-c", PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    process.stdin.write(json.dumps(payload) + "\n")
    ask(process)
    return process


def ask(process: subprocess.Popen[str]) -> float:
    """CPU seconds that the peer needs for one round."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{EVENTS}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def growth() -> None:
    """Microseconds over payload size, with and without a value in it, and over the number of values."""
    bridge = bridge_with(1_000)
    secret = next(iter(list(live_values(3))[1:])).value.text()
    print("CPU microseconds an event, 1,000 values")
    for orders in (1, 7, 70, 700):
        payload = tool_event(orders)
        size, count = len(json.dumps(payload)), max(3, 400 // orders)
        clean = seconds(sending(bridge, payload), count) / count * 1e6
        dirty = seconds(sending(bridge, {**payload, "found": secret}), count) / count * 1e6
        print(f"  {size:>7} bytes {clean:>9.0f}   with a value in it {dirty:>9.0f}")
    print("milliseconds to build the matcher after a value was sealed")
    for count in (100, 1_000, 10_000):
        values = list(live_values(count))
        start = time.process_time()
        build_known_values(values)
        print(f"  {count:>6} values {(time.process_time() - start) * 1e3:>8.1f}")


async def subscribers(count: int) -> float:
    """CPU milliseconds for each of 20 events that so many subscribers get as frames."""
    bridge = bridge_with(100)
    payload = tool_event(7)

    async def watch() -> int:
        return sum([1 async for _ in bridge.generate_sse()])

    tasks = [asyncio.create_task(watch()) for _ in range(count)]
    await asyncio.sleep(0)
    start = time.process_time()
    for _ in range(20):
        bridge.emit("tool.completed", payload)
        await asyncio.sleep(0.001)
    bridge.close()
    await asyncio.gather(*tasks)
    return (time.process_time() - start) * 1000 / 20


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="the interpreter of an environment with maivn==2.3.0")
    throughput(parser.parse_args().peer)
    growth()
    print("CPU milliseconds an event for all subscribers together")
    for count in (1, 10, 100, 1_000):
        print(f"  {count:>6} subscribers {asyncio.run(subscribers(count)):>8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
