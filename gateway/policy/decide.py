"""The decision: whether a policy lets one value into one place of one call. Pure; nothing else decides by a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sealgate.models.policy import Policy, Rule


@dataclass(frozen=True, slots=True)
class Wish:
    """One value on its way into one place of a call.

    ``entity_types`` are those that the value is valid as and the annotation accepts. ``age`` is in seconds, ``None`` if
    unknown. ``reached`` and ``used_up`` hold the numbers of rules: those whose destination the call names, and those
    that have no use left for this value.
    """

    tool: str
    place: str
    entity_types: tuple[str, ...]
    origins: tuple[str, ...]
    age: float | None = None
    reached: frozenset[int] = frozenset()
    used_up: frozenset[int] = frozenset()
    approved: bool = False


class Decision(NamedTuple):
    """``rule`` is the number of the rule that allows it; without one ``missing`` says what is, value-free."""

    rule: int | None
    missing: str = ""

    @property
    def allowed(self) -> bool:
        """Whether the value may go there."""
        return self.rule is not None


class Rules:
    """A policy's rules for tools by tool and argument, so that a decision does not depend on how many others there
    are."""

    __slots__ = ("_approved", "_by_argument", "_by_purpose", "all")

    def __init__(self, policy: Policy) -> None:
        self.all: tuple[Rule, ...] = policy.rules
        self._by_purpose: dict[str, list[Rule]] = {}
        self._approved = frozenset(rule.tool for rule in policy.rules if rule.approval)
        self._by_argument: dict[tuple[str, str], list[int]] = {}
        for number, rule in enumerate(policy.rules):
            self._by_purpose.setdefault(rule.purpose, []).append(rule)
            if rule.purpose == "inject":
                self._by_argument.setdefault((rule.tool or "", _first(rule.argument or "")), []).append(number)

    def of(self, tool: str, place: str) -> list[int]:
        """The numbers of the rules for a place of a tool, or for what it lies in."""
        numbers = self._by_argument.get((tool, _first(place)), ())
        return [number for number in numbers if is_within(place, self.all[number].argument or "")]

    def demands_approval(self, tool: str) -> bool:
        """Whether some value reaches a tool only after an approval."""
        return tool in self._approved

    def names(self, purpose: str) -> bool:
        """Whether some rule is about a purpose of the application."""
        return bool(self._by_purpose.get(purpose))

    def releases(self, purpose: str, types: Sequence[str], origins: Sequence[str], age: float | None) -> bool:
        """Whether a rule lets a value out for a purpose of the application."""
        return any(
            set(rule.types) & set(types)
            and set(rule.origins) & set(origins)
            and (rule.lifetime is None or (age is not None and age <= rule.lifetime))
            for rule in self._by_purpose.get(purpose, ())
        )

    def decide(self, wish: Wish) -> Decision:
        """Whether some rule allows it. What no rule allows is refused."""
        furthest, missing = -1, f"a policy rule for {wish.entity_types[0] if wish.entity_types else 'this type'}"
        for number in self.of(wish.tool, wish.place):
            step = _lacking(self.all[number], number, wish)
            if step is None:
                return Decision(number)
            if step > furthest:
                furthest, missing = step, _spelled(self.all[number], step)
        return Decision(None, missing)


def is_within(place: str, of: str) -> bool:
    """Whether a place is another one, or lies in it."""
    return place == of or (place.startswith(of) and place[len(of)] in ".[{")


def _first(place: str) -> str:
    for end, char in enumerate(place):
        if char in ".[{":
            return place[:end]
    return place


def _lacking(rule: Rule, number: int, wish: Wish) -> int | None:
    """The first step at which a rule does not allow it."""
    if not any(name in rule.types for name in wish.entity_types):
        return 0
    if not any(origin in rule.origins for origin in wish.origins):
        return 1
    if rule.destination is not None and number not in wish.reached:
        return 2
    if rule.lifetime is not None and (wish.age is None or wish.age > rule.lifetime):
        return 3
    if rule.uses is not None and number in wish.used_up:
        return 4
    return 5 if rule.approval and not wish.approved else None


def _spelled(rule: Rule, step: int) -> str:
    at = rule.destination.argument if rule.destination else ""
    return (  # in the order in which a rule is held against a value
        "a policy rule for this entity type",
        "a policy rule for an origin of this value",
        f"a destination in argument {_first(at)!r} that the policy allows",
        "a value that is younger, by the policy",
        "a use that is left, by the policy",
        "an approval, by the policy",
    )[step]
