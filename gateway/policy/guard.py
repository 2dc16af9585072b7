"""The policy at the one place where values enter a call: what it needs to know, and the last word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TypeAlias

from sealgate.models.errors import GrantRefused
from sealgate.models.granting import is_own
from sealgate.models.grants import Inject
from sealgate.models.placeholder import Placeholder
from sealgate.models.policy import Destination
from sealgate.models.sealing import CallPart, Candidate
from sealgate.redaction import is_valid

from .decide import Rules, Wish
from .hosts import covered, host_of_email, host_of_name, host_of_url
from .uses import Uses, rule_key

TextsAt: TypeAlias = Callable[[str], Sequence[object]]
"""Everything that stands at a place of the injected arguments, and below it."""

_READERS = {"url": host_of_url, "email": host_of_email, "host": host_of_name}


class PolicyGuard:
    """A policy in one session. ``now`` is Unix time in seconds."""

    def __init__(self, rules: Rules, uses: Uses, now: Callable[[], float]) -> None:
        self.rules = rules
        self.uses = uses
        self.now = now

    def call(self, parts: Sequence[CallPart], *, approved: bool) -> CallGuard:
        """The guard of one call, to be entered before its values open."""
        return CallGuard(self, parts, approved=approved)


class CallGuard(AbstractContextManager["CallGuard"]):
    """The policy's view of one call. Uses are reserved when it is entered, and given back unless a value opened by
    them.
    """

    def __init__(self, guard: PolicyGuard, parts: Sequence[CallPart], *, approved: bool) -> None:
        self._guard = guard
        self._parts = parts
        self._approved = approved
        self._reserved: dict[tuple[int, str], tuple[str, str]] = {}
        self._used_up: dict[str, set[int]] = {}
        self._opened: set[tuple[int, str]] = set()

    def __enter__(self) -> CallGuard:
        for purpose, placeholders in self._parts:
            for number in self._guard.rules.of(purpose.tool, purpose.argument):
                most = self._guard.rules.all[number].uses
                for placeholder in placeholders if most is not None else ():
                    self._reserve(number, placeholder, purpose.call_id, most or 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for reserved, (key, call) in self._reserved.items():
            if error is not None or reserved not in self._opened:
                self._guard.uses.release(key, call)

    def refusal(self, texts_at: TextsAt, candidates: Sequence[Mapping[Placeholder, Candidate]]) -> GrantRefused | None:
        """Why the policy does not let these values into these parts; ``None`` if it does."""
        reached: dict[str, frozenset[int]] = {}
        for (purpose, _placeholders), opened in zip(self._parts, candidates, strict=True):
            if purpose.argument not in reached:
                reached[purpose.argument] = self._reached(purpose, texts_at)
            for candidate in opened.values():
                refused = self._decide(purpose, candidate, reached[purpose.argument])
                if refused is not None:
                    return refused
        return None

    def _reserve(self, number: int, placeholder: Placeholder, call: str, most: int) -> None:
        reserved = (number, placeholder.code)
        if reserved in self._reserved or number in self._used_up.get(placeholder.code, ()):
            return
        key = rule_key(self._guard.rules.all[number], placeholder.code)
        if self._guard.uses.reserve(key, call, most):
            self._reserved[reserved] = (key, call)
        else:
            self._used_up.setdefault(placeholder.code, set()).add(number)

    def _reached(self, purpose: Inject, texts_at: TextsAt) -> frozenset[int]:
        rules = self._guard.rules
        numbers = rules.of(purpose.tool, purpose.argument)
        return frozenset(number for number in numbers if reaches(rules.all[number].destination, texts_at))

    def _decide(self, purpose: Inject, candidate: Candidate, reached: frozenset[int]) -> GrantRefused | None:
        facts = candidate.facts
        if is_own(facts, purpose.written):
            return None
        placeholder = facts.placeholder
        decision = self._guard.rules.decide(
            Wish(
                tool=purpose.tool,
                place=purpose.argument,
                entity_types=valid_types(purpose, candidate),
                origins=facts.origins,
                age=None if facts.sealed_at is None else self._guard.now() - facts.sealed_at,
                reached=reached,
                used_up=frozenset(self._used_up.get(placeholder.code, ())),
                approved=self._approved,
            )
        )
        if decision.rule is None:
            return GrantRefused(purpose.tool, purpose.argument, placeholder.entity_type, decision.missing)
        self._opened.add((decision.rule, placeholder.code))
        return None


def valid_types(purpose: Inject, candidate: Candidate) -> tuple[str, ...]:
    """The types that a value may enter as: those it is valid as and, unless it was given for this very argument, that
    the annotation accepts."""
    granted = None if candidate.facts.placeholder in purpose.given else purpose.accepts
    text = candidate.value.text()
    return tuple(
        name
        for name in candidate.facts.entity_types
        if (granted is None or name in granted.entity_types) and is_valid(name, text)
    )


def reaches(destination: Destination | None, texts_at: TextsAt) -> bool:
    """Whether everything at the destination's argument is a host that it covers. Nothing there reaches nothing."""
    if destination is None:
        return False
    read = _READERS[destination.kind]
    found = texts_at(destination.argument)
    hosts = [read(text) if isinstance(text, str) else None for text in found]
    return bool(hosts) and all(host is not None and covered(destination.hosts, host) for host in hosts)
