"""The union of all findings: everything that anybody found stays covered, each stretch under one entity type.

The type is chosen by class (what the gateway knows, placeholders' look-alikes, what was asked for, secrets, validated
values, identifiers, names, places, dates), never by score alone: a phone number that a model scores higher as a date
must not go out because dates are left alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from sealgate.models.entities import entity_info
from sealgate.models.findings import Finding

KNOWN: Final = "known"
LITERAL: Final = "literal"
EXPECTED: Final = "expected"
REPEATED: Final = "repeated"

MODELS: Final = frozenset({"rampart", "spacy", "orthography"})
"""Recognizers whose boundaries are guesses."""

_SHORTEST_REMAINDER: Final = 4
"""Code points of the shortest rest of a model's finding that is worth hiding, unless it is capitalised."""

_RANKS: Final = {KNOWN: 0, LITERAL: 1, EXPECTED: 2}
_FAMILY_RANKS: Final = {
    "literal": 1, "secret": 3, "validated": 4, "identifier": 5, "answer": 5, "contact": 6, "place": 7, "name": 8,
    "date": 9,
}  # fmt: skip
FIXED: Final = 2
"""Ranks up to this keep their own boundaries whatever lies around them."""

_ABSORBERS: Final = frozenset({"secret", "validated", "identifier", "contact", "place", "answer"})
_GAP: Final = re.compile(r"[\s,.;/'’#>-]{0,6}\Z")
_MERGED_FAMILIES: Final = frozenset({"name", "place"})


def family_of(finding: Finding) -> str:
    """The family of a finding's entity type."""
    return entity_info(finding.entity_type).family


def rank_of(finding: Finding) -> int:
    """The class of a finding, the most certain first."""
    rank = _RANKS.get(finding.recognizer, _FAMILY_RANKS[family_of(finding)])
    # No check digit stands behind what a model takes for a number, so a cue in the words around it says more.
    return max(rank, _FAMILY_RANKS["contact"]) if finding.recognizer in MODELS else rank


def resolve(text: str, findings: Iterable[Finding]) -> list[Finding]:
    """Non-overlapping findings that cover the union of ``findings``, left to right; spans in code points of ``text``.

    Pieces of one name or address are merged. Where two findings overlap, the higher class keeps its boundaries and
    what sticks out of it remains a finding of its own, unless it is only punctuation.
    """
    merged = _merge_neighbours(text, _without_absorbed(_without_wider_guesses(list(findings))))
    taken: list[tuple[int, int]] = []
    resolved: list[Finding] = []
    for finding in sorted(merged, key=lambda item: (rank_of(item), item.start - item.end, -item.score, item.start)):
        for free in _free(taken, finding.start, finding.end):
            start, end = free if free == (finding.start, finding.end) else _remainder(text, *free, finding)
            if start < end:
                resolved.append(replace(finding, start=start, end=end))
        _take(taken, finding.start, finding.end)
    return sorted(resolved, key=lambda item: item.start)


def _without_wider_guesses(findings: list[Finding]) -> list[Finding]:
    """Without what a model takes for a value where a rule found the value itself in it: ``mail ada@example.org``."""
    ruled: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.recognizer not in MODELS and family_of(finding) not in _MERGED_FAMILIES:
            ruled.setdefault(finding.entity_type, []).append(finding)
    return [
        finding
        for finding in findings
        if finding.recognizer not in MODELS
        or not any(finding.start <= one.start and one.end <= finding.end for one in ruled.get(finding.entity_type, ()))
    ]


def _without_absorbed(findings: Iterable[Finding]) -> list[Finding]:
    """Without findings that lie in a larger one of a class that may swallow them."""
    kept: list[Finding] = []
    active: list[Finding] = []
    for finding in sorted(set(findings), key=lambda item: (item.start, -item.end, rank_of(item), -item.score)):
        active = [outer for outer in active if outer.end > finding.start]
        if any(_absorbs(outer, finding) for outer in active):
            continue
        kept.append(finding)
        active.append(finding)
    return kept


def _absorbs(outer: Finding, inner: Finding) -> bool:
    if outer.end < inner.end or rank_of(inner) <= FIXED:
        return (outer.start, outer.end) == (inner.start, inner.end) and rank_of(outer) <= rank_of(inner)
    if (outer.start, outer.end) == (inner.start, inner.end):
        return rank_of(outer) <= rank_of(inner)
    family = family_of(outer)
    if rank_of(outer) <= rank_of(inner):
        return True
    return family in _ABSORBERS and (family != "place" or rank_of(inner) >= _FAMILY_RANKS["place"])


def _merge_neighbours(text: str, findings: Sequence[Finding]) -> list[Finding]:
    """Adjacent pieces of a name, or of an address, with only a separator between, as one finding."""
    merged: list[Finding] = []
    last: dict[str, int] = {}
    for finding in findings:
        family = family_of(finding)
        at = last.get(family, -1)
        if family in _MERGED_FAMILIES and at >= 0 and rank_of(finding) > FIXED and _joins(text, merged[at], finding):
            merged[at] = _joined(merged[at], finding)
            continue
        if rank_of(finding) > FIXED:
            last[family] = len(merged)
        merged.append(finding)
    return merged


def _joins(text: str, left: Finding, right: Finding) -> bool:
    if right.start <= left.end:
        return True
    between = text[left.end : right.start]
    if family_of(left) == "name" and (left.entity_type != right.entity_type or "," in between or "\n" in between):
        return False
    if left.entity_type == right.entity_type == "LOCATION" and "\n" in between:
        return False
    return right.start - left.end <= 6 and _GAP.match(text[left.end : right.start]) is not None


def _joined(left: Finding, right: Finding) -> Finding:
    best = (
        left
        if (left.entity_type != "LOCATION", left.score) >= (right.entity_type != "LOCATION", right.score)
        else right
    )
    return replace(best, start=left.start, end=max(left.end, right.end))


def _free(taken: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """The parts of a range that nobody took yet. ``taken`` is sorted and without overlaps."""
    at = max(0, bisect_right(taken, (start, end)) - 1)
    free: list[tuple[int, int]] = []
    while at < len(taken) and taken[at][0] < end:
        if taken[at][1] > start:
            if taken[at][0] > start:
                free.append((start, taken[at][0]))
            start = max(start, taken[at][1])
        at += 1
    if start < end:
        free.append((start, end))
    return free


def _take(taken: list[tuple[int, int]], start: int, end: int) -> None:
    for part in _free(taken, start, end):
        taken.insert(bisect_right(taken, part), part)


def _remainder(text: str, start: int, end: int, finding: Finding) -> tuple[int, int]:
    """What is left of a finding beside a higher one, without separators; of a model's guess only what is a word."""
    start, end = _trimmed(text, start, end)
    if finding.recognizer in MODELS and end - start < _SHORTEST_REMAINDER and not text[start:end].istitle():
        return start, start
    return start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A range without separators at its ends; empty if it holds no letter or digit."""
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    return start, end
