"""Coverage: which entity types a detector can find, by what, and which it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sealgate.models.entities import ENTITY_TYPES

from .rules import ALL_RULES

NEVER_DETECTED: Final = frozenset({"ANSWER", "CUSTOM", "LITERAL"})
"""Types that only the gateway gives: an answer, a known value, a placeholder's look-alike."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """``found`` names the recognizers of each entity type that can be found; ``not_found`` lists the types of the table
    that nothing here finds (values of these types have to be known or asked for). ``languages`` are those in which
    names are found by a model; shapes and checksums know no language, cues are mostly English."""

    found: dict[str, tuple[str, ...]]
    not_found: tuple[str, ...]
    languages: tuple[str, ...]


def coverage_of(models: dict[str, frozenset[str]]) -> Coverage:
    """The coverage of the rules and of ``models``: the entity types of each by its name."""
    found: dict[str, list[str]] = {}
    for rule in ALL_RULES:
        found.setdefault(rule.entity_type, []).append(rule.name)
    for name, types in models.items():
        for entity_type in sorted(types):
            found.setdefault(entity_type, []).append(name)
    return Coverage(
        {name: tuple(found[name]) for name in sorted(found)},
        tuple(sorted(set(ENTITY_TYPES) - set(found) - NEVER_DETECTED)),
        ("en",) if models else (),
    )
