"""A policy as people read it: what each tool can ever receive, and under which conditions."""

from __future__ import annotations

from typing import NamedTuple

from sealgate.models.policy import Policy, Rule


class Receives(NamedTuple):
    """One line of the list. ``target`` is ``tool.place`` for a tool, else the purpose."""

    target: str
    types: tuple[str, ...]
    origins: tuple[str, ...]
    conditions: tuple[str, ...]

    def __str__(self) -> str:
        line = f"{self.target}  {', '.join(self.types)}  from {', '.join(self.origins)}"
        return "; ".join((line, *self.conditions))


def receives(policy: Policy) -> tuple[Receives, ...]:
    """Every rule, sorted by what it allows."""
    lines = [Receives(target_of(rule), rule.types, rule.origins, conditions_of(rule)) for rule in policy.rules]
    return tuple(sorted(lines))


def target_of(rule: Rule) -> str:
    """Where a rule lets values go."""
    return f"{rule.tool}.{rule.argument}" if rule.purpose == "inject" else f"({rule.purpose})"


def conditions_of(rule: Rule) -> tuple[str, ...]:
    """What a rule asks for besides type and origin."""
    found: list[str] = []
    if rule.destination is not None:
        hosts = ", ".join(rule.destination.hosts)
        found.append(f"only if the {rule.destination.kind} in {rule.destination.argument} is at {hosts}")
    if rule.uses is not None:
        found.append(f"at most {rule.uses} call{'s' if rule.uses > 1 else ''} for one value")
    if rule.lifetime is not None:
        found.append(f"within {rule.lifetime:g} s of sealing")
    if rule.approval:
        found.append("after an approval of the very call")
    return tuple(found)
