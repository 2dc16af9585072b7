"""What a grant costs: the policy's decision, the injection of a call, and how both grow with the policy.

Run ``python tests/benchmarks/bench_grants.py``. Nothing here is a test: it prints CPU microseconds of the best of
several runs, and for each its ratio to the smallest policy.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable

from sealgate.gateway import Accepts, Destination, Gateway, Policy, Rule
from sealgate.gateway.policy.decide import Rules, Wish
from sealgate.gateway.policy.guard import PolicyGuard
from sealgate.gateway.policy.hosts import covered, host_of_url
from sealgate.gateway.policy.uses import Uses
from sealgate.gateway.tools.contexts import fill
from sealgate.gateway.tools.injection import Injection, inject
from sealgate.gateway.tools.places import Shape
from sealgate.models.grants import Inject
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import VaultSession

SIZES = (1, 10, 100, 1_000, 10_000)
VALUES = 5


def best(run: Callable[[], object], *, times: int, rounds: int = 40) -> float:
    """CPU microseconds of this thread for one run, in the best round."""
    found = []
    for _ in range(rounds):
        start = time.thread_time()
        for _ in range(times):
            run()
        found.append((time.thread_time() - start) / times)
    return min(found) * 1e6


def policy_of(size: int) -> Policy:
    """A policy of ``size`` rules, the last of which is the one that allows the call."""
    others = [
        Rule(tool=f"tool_{number // 10}", argument=f"argument_{number % 10}", types=("PERSON",))
        for number in range(size - 1)
    ]
    to = Destination(argument="url", hosts=("api.bank.example",))
    mine = Rule(tool="pay", argument="to", types=("PERSON",), destination=to)
    return Policy(version=1, rules=(*others, mine))


def sealed(session: VaultSession) -> list[Placeholder]:
    requests = [SealRequest(secret_of(f"Person Number{number}"), "PERSON", "person") for number in range(VALUES)]
    return session.seal(requests)


def injection_of(placeholders: list[Placeholder]) -> Injection:
    shape = Shape(fields={"to": ("to", Shape(items=Shape(Accepts("PERSON")))), "url": ("url", Shape())})
    arguments: dict[str, JsonValue] = {
        "to": [str(one) for one in placeholders],
        "url": "https://api.bank.example/charge",
    }
    return Injection("turn/call", "pay", arguments, shape)


def decisions() -> None:
    wish = Wish("pay", "to[]", ("PERSON",), ("person",), 1.0)
    base = 0.0
    for size in SIZES:
        rules = Rules(policy_of(size))
        asked = Wish(wish.tool, wish.place, wish.entity_types, wish.origins, 1.0, frozenset({size - 1}))
        took = best(lambda rules=rules, asked=asked: rules.decide(asked), times=1_000)  # type: ignore[misc]
        base = base or took
        print(f"grant check, {size:>6} rules        {took:9.2f} us   x{took / base:.2f}")


def injections(where: str, location: str) -> None:
    base = 0.0
    with Gateway.open(location, key=b"k" * 32) as gateway:
        session = gateway.session("bench")._services.vault
        placeholders = sealed(session)
        injection = injection_of(placeholders)
        part = Inject("turn/call", "pay", "to[]", Accepts("PERSON"))
        plain = best(lambda: session.open_call([(part, placeholders)], lambda _parts: None), times=25)
        print(f"vault alone, {VALUES} values, {where:<10} {plain:9.2f} us")
        bare = best(lambda: inject(session, injection), times=25)
        print(f"injection, no policy, {where:<10}  {bare:9.2f} us")
        for size in SIZES:
            guard = PolicyGuard(Rules(policy_of(size)), Uses(session.records), time.time)
            took = best(lambda guard=guard: inject(session, injection, guard), times=25)  # type: ignore[misc]
            base = base or took
            print(f"injection, {size:>6} rules, {where:<10} {took:9.2f} us   x{took / base:.2f}")


def parts() -> None:
    url = "https://api.bank.example/charge"
    print(f"host of a URL                      {best(lambda: host_of_url(url), times=2_000):9.2f} us")
    host = host_of_url(url)
    assert host is not None
    patterns = [f"host{number}.example" for number in range(99)] + ["api.bank.example"]
    print(f"host against 100 patterns          {best(lambda: covered(patterns, host), times=500):9.2f} us")
    one = Placeholder("PERSON", "K7Q2MXB4")
    text = f"https://api.bank.example/{one}?q={one}"
    print(f"two values into a URL              {best(lambda: fill(text, {one: 'Jane Roe'}), times=2_000):9.2f} us")


def main() -> None:
    decisions()
    parts()
    injections("in memory", ":memory:")
    with tempfile.TemporaryDirectory() as directory:
        injections("on disk", os.path.join(directory, "vault.db"))


if __name__ == "__main__":
    main()
