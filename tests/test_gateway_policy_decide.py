"""A policy decides as ten lines say, in the one place where values enter a call."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway import Accepts, Destination, Gateway, GrantRefused, Policy, Rule
from sealgate.gateway.policy.decide import Rules, Wish, is_within
from sealgate.gateway.policy.guard import PolicyGuard
from sealgate.gateway.policy.uses import Uses
from sealgate.gateway.tools.injection import Injection, inject
from sealgate.gateway.tools.places import Shape
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of

TYPES = ("PERSON", "USERNAME", "ORGANIZATION")
ORIGINS = ("person", "application", "tool:web", "tool:mail", "model")
PLACES = ("a", "b", "b.c", "b{}", "b{key}", "d[]")
HOSTS = ("one.example", "two.example", "evil.test")

Entry = tuple[tuple[str, ...], tuple[str, ...]]


def subsets(of: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(of), min_size=1, max_size=2, unique=True).map(tuple)


RULES = st.lists(
    st.builds(
        Rule,
        tool=st.sampled_from(["pay", "mail"]),
        argument=st.sampled_from(PLACES),
        types=subsets(TYPES),
        origins=subsets(ORIGINS),
        destination=st.none() | st.builds(Destination, argument=st.just("url"), hosts=subsets(HOSTS[:2])),
    ),
    max_size=5,
)
GRANTS = st.dictionaries(
    st.sampled_from(PLACES),
    st.builds(lambda types, origins: Accepts(*types, origins=origins), subsets(TYPES), subsets(ORIGINS)),
)
ENTRIES = st.lists(st.tuples(subsets(TYPES), subsets(ORIGINS)), min_size=1, max_size=2)
CALLS = st.dictionaries(st.sampled_from(PLACES), st.integers(0, 1), min_size=1, max_size=3)


def reference(rules: list[Rule], grants: dict[str, Accepts], tool: str, place: str, entry: Entry, host: str) -> bool:
    types, origins = map(set, entry)
    grant = grants.get(place) or (grants.get("b") if place.startswith("b") else None)
    if grant is None or not types & set(grant.entity_types) or not origins & set(grant.origins):
        return False
    return any(
        rule.tool == tool
        and is_within(place, rule.argument or "")
        and set(rule.types) & types & set(grant.entity_types)
        and set(rule.origins) & origins
        and (rule.destination is None or host in rule.destination.hosts)
        for rule in rules
    )


def shape_of(grants: dict[str, Accepts]) -> Shape:
    """A tool with a text, an object with one known field, a list and a URL."""
    whole = grants.get("b")
    inner = {step: Shape(grants.get(f"b{step}") or whole) for step in (".c", "{}", "{key}")}
    b = Shape(whole, fields={"c": ("c", inner[".c"])}, values=inner["{}"], keys=inner["{key}"])
    fields = {"a": Shape(grants.get("a")), "b": b, "d": Shape(items=Shape(grants.get("d[]"))), "url": Shape()}
    return Shape(fields={name: (name, shape) for name, shape in fields.items()})


def arguments_of(call: dict[str, int], sealed: list[Placeholder], host: str) -> dict[str, Any]:
    made: dict[str, Any] = {"url": f"https://{host}/x", "b": {"c": "", "free": ""}, "d": []}
    for place, which in call.items():
        token = str(sealed[which % len(sealed)])
        match place:
            case "a":
                made["a"] = token
            case "b.c":
                made["b"]["c"] = token
            case "b{}" | "b":
                made["b"]["free"] = f"see {token}"
            case "b{key}":
                made["b"][token] = "x"
            case _:
                made["d"].append(token)
    return made


COUNT = itertools.count()


@settings(max_examples=100, deadline=None)
@given(
    rules=RULES,
    grants=GRANTS,
    entries=ENTRIES,
    call=CALLS,
    tool=st.sampled_from(["pay", "mail"]),
    host=st.sampled_from(HOSTS),
)
def test_as_ten_lines_say(
    shared_gateway: Gateway,
    rules: list[Rule],
    grants: dict[str, Accepts],
    entries: list[Entry],
    call: dict[str, int],
    tool: str,
    host: str,
) -> None:
    vault = shared_gateway.session("decide")._services.vault
    sealed = []
    for types, origins in entries:
        value = secret_of(f"value {next(COUNT)} of a kind")
        requests = [SealRequest(value, name, origin) for name in types for origin in origins]
        sealed.append(vault.seal(requests)[0])
    injection = Injection("t/c", tool, arguments_of(call, sealed, host), shape_of(grants))
    places = {("b{}" if place == "b" else place): entries[which % len(entries)] for place, which in call.items()}
    if "b" in call and "b{}" in call:  # both stand in the same free member; the later one is what is there
        del places["b{}"]
        last = [which for place, which in call.items() if place in ("b", "b{}")][-1]
        places["b{}"] = entries[last % len(entries)]
    expected = all(reference(rules, grants, tool, place, entry, host) for place, entry in places.items())
    guard = PolicyGuard(Rules(Policy(version=1, rules=tuple(rules))), Uses(vault.records), lambda: 0.0)
    if expected:
        filled = inject(vault, injection, guard)
        assert not any(str(one) in str(filled) for one in sealed)
    else:
        with pytest.raises(GrantRefused) as refused:
            inject(vault, injection, guard)
        assert "value" not in refused.value.missing.replace("of this value", "")


TO_A = Destination(argument="u.x", hosts=("a.example",))


def rule(**fields: Any) -> Rule:
    return Rule(**{"tool": "t", "argument": "a", "types": ("PERSON",), **fields})


def wish(**fields: Any) -> Wish:
    return Wish(**{"tool": "t", "place": "a", "entity_types": ("PERSON",), "origins": ("person",), **fields})


@pytest.mark.parametrize(
    ("rules", "asked", "missing"),
    [
        ([], wish(), "a policy rule for PERSON"),
        ([rule(tool="u")], wish(), "a policy rule for PERSON"),
        ([rule(argument="ab")], wish(), "a policy rule for PERSON"),
        ([rule(argument="a.b")], wish(), "a policy rule for PERSON"),
        ([rule(types=("USERNAME",))], wish(), "a policy rule for this entity type"),
        ([rule(origins=("application",))], wish(), "a policy rule for an origin of this value"),
        ([rule(destination=TO_A)], wish(), "a destination in argument 'u' that the policy allows"),
        ([rule(lifetime=5.0)], wish(age=6.0), "a value that is younger, by the policy"),
        ([rule(lifetime=5.0)], wish(), "a value that is younger, by the policy"),
        ([rule(uses=1)], wish(used_up=frozenset({0})), "a use that is left, by the policy"),
        ([rule(approval=True)], wish(), "an approval, by the policy"),
        ([rule(types=("PIN",)), rule(approval=True), rule(origins=("model",))], wish(), "an approval, by the policy"),
    ],
)  # fmt: skip
def test_what_is_missing_is_told(rules: list[Rule], asked: Wish, missing: str) -> None:
    decision = Rules(Policy(version=1, rules=tuple(rules))).decide(asked)
    assert (decision.allowed, decision.missing) == (False, missing)


@pytest.mark.parametrize(
    ("rules", "asked", "number"),
    [
        ([rule()], wish(), 0),
        ([rule()], wish(place="a.b[]"), 0),
        ([rule(types=("USERNAME",)), rule()], wish(), 1),
        ([rule(lifetime=5.0)], wish(age=5.0), 0),
        ([rule(approval=True)], wish(approved=True), 0),
        ([rule(uses=1), rule()], wish(used_up=frozenset({0})), 1),
        ([rule(destination=TO_A)], wish(reached=frozenset({0})), 0),
    ],
)
def test_the_first_rule_that_allows_it_decides(rules: list[Rule], asked: Wish, number: int) -> None:
    assert Rules(Policy(version=1, rules=tuple(rules))).decide(asked).rule == number


def test_purposes_of_the_application_are_open_until_a_rule_names_them() -> None:
    rules = Rules(Policy(version=1, rules=(Rule(purpose="restore", types=("PERSON",), lifetime=10.0),)))
    assert rules.names("restore")
    assert not rules.names("reveal")
    assert rules.releases("restore", ("PERSON",), ("person",), 10.0)
    assert not rules.releases("restore", ("PERSON",), ("tool:web",), 1.0)
    assert not rules.releases("restore", ("PIN",), ("person",), 1.0)
    assert not rules.releases("restore", ("PERSON",), ("person",), None)
