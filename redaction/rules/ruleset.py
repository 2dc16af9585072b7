"""A set of rules, applied to a text by what the text has: of some 260 rules a chat turn meets a few dozen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, get_args

from ahocorasick_rs import AhoCorasick, MatchKind

from sealgate.models.findings import Finding

from ..reading.projection import Projection
from .rule import Gate, Rule

_BIT: Final = {gate: 1 << index for index, gate in enumerate(get_args(Gate))}
_MARKS: Final = {"at": "@", "colon": ":", "dot": ".", "slash": "/", "equals": "="}
_DIGITS: Final = {"digit": 1, "digits4": 4, "digits7": 7, "digits12": 12}

_DIGIT: Final = re.compile(r"[0-9]")
_LONG: Final = re.compile(r"[A-Za-z0-9+/_=-]{16}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

_BARE_LENGTH: Final = 80
"""Code points of the longest text that can be values only."""

_BARE_WORD: Final = r"(?:(?=[\w/+-]{0,20}[0-9])[\w/+-]{1,30}\)?|(?=[\w./-]{0,20}[0-9])\w+(?:[.]\w+){2,4}[/-]?\w*|(?!(?:UPC|EAN|GTIN|ISBN|ISSN|SKU|PID|DOI|RFC|ASIN|UTC)\b)[A-Z]{1,4}|and)"
_BARE: Final = re.compile(rf"\W*{_BARE_WORD}(?:[\s,;(]{{1,3}}{_BARE_WORD}){{0,8}}\W*\Z")
"""A text of values only: every word holds a digit or is a few capitals."""


class RuleSet:
    """Rules, applied to a projection by their gates and words."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._plain: list[tuple[int, Rule]] = []
        self._spoken: dict[str, list[tuple[int, Rule]]] = {}
        for rule in self.rules:
            entry = (_needed(rule), rule)
            if not rule.words:
                self._plain.append(entry)
            for word in rule.words:
                self._spoken.setdefault(word, []).append(entry)
        self._words = list(self._spoken)
        self._finder = AhoCorasick(self._words, matchkind=MatchKind.Standard) if self._words else None

    def find(self, projection: Projection) -> list[Finding]:
        """All findings of all rules, in the original's code points; they may overlap."""
        text = projection.text
        found: list[Finding] = []
        for rule in self._applicable(text):
            for start, end in rule.find(text):
                span = projection.span(start, end)
                found.append(Finding(rule.entity_type, span.start, span.end, rule.score, rule.name))
        return found

    def _applicable(self, text: str) -> list[Rule]:
        missing = ~facts_of(text)
        rules = [rule for needed, rule in self._plain if not needed & missing]
        named = {
            rule.name: rule for word in self._heard(text) for needed, rule in self._spoken[word] if not needed & missing
        }
        return [*rules, *named.values()]

    def _heard(self, text: str) -> set[str]:
        """The words of all rules that stand in a text, found in one pass."""
        if self._finder is None:
            return set()
        lowered = text.lower()
        legible = lowered if lowered.isascii() else _SURROGATE.sub(" ", lowered)
        return {self._words[index] for index, _, _ in self._finder.find_matches_as_indexes(legible, overlapping=True)}


def _needed(rule: Rule) -> int:
    needed = _BIT["bare"] if rule.alone else 0
    for gate in rule.gates:
        needed |= _BIT[gate]
    return needed


def facts_of(text: str) -> int:
    """The gates that hold for a text, one bit each."""
    facts = sum(_BIT[name] for name, mark in _MARKS.items() if mark in text)
    if _DIGIT.search(text):
        digits = sum(map(str.isdigit, text))
        facts |= sum(_BIT[name] for name, count in _DIGITS.items() if digits >= count)
        if len(text) <= _BARE_LENGTH and _BARE.match(text):
            facts |= _BIT["bare"]
    if _LONG.search(text):
        facts |= _BIT["long"]
    if sum(map(text.count, ":-.")) >= 2:
        facts |= _BIT["marks"]
    return facts
