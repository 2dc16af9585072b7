"""One rule: what a value of one entity type looks like. The tables in ``rules`` are made of these and are their own
tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from sealgate.models.entities import entity_info

Gate = Literal[
    "bare", "digit", "digits4", "digits7", "digits12", "at", "colon", "dot", "slash", "equals", "long", "marks"
]
"""A cheap fact about a text without which a rule cannot match, so it is not tried: how many digits it has, which marks,
a run of 16 key symbols, that it holds nothing but values."""

BEFORE: Final = 48
"""Code points before a value in which a cue counts."""

_GROUP: Final = re.compile("[A-Za-z0-9]+")
_PASSED: Final = 4
"""Groups that are passed over, one by one, before the next run is looked for: a date and a code before a value."""

AFTER: Final = 36
"""Code points after a value in which a cue counts."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of a table.

    ``pattern`` is a regular expression without case; its group ``value`` is the finding, or the whole match. It is
    linear or bounded: every repetition that can fail late has an upper bound. ``before`` and ``after`` are
    expressions of cues: with either given, one of them must stand near the value. ``unless`` is a cue before it
    that forbids the finding. ``valid`` looks at the value's text. In ``examples`` each value is marked
    «so»; ``counter_examples`` hold none that this rule may find. A rule that is for values ``alone`` looks only at
    texts that are nothing but values, like the answer to a question. ``gates`` must all hold; of ``words`` (lower case)
    one must stand in the text. ``part`` says of groups of digits whether they are written as a value is: where a run of
    groups is not valid as a whole, such parts of it are tried, because dates and other codes stand beside values.
    """

    name: str
    entity_type: str
    pattern: str
    score: float
    examples: tuple[str, ...]
    counter_examples: tuple[str, ...] = ()
    gates: tuple[Gate, ...] = ()
    words: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    unless: str = ""
    valid: Callable[[str], bool] | None = None
    part: re.Pattern[str] | None = None
    alone: bool = False
    flags: int = re.IGNORECASE
    _compiled: list[CompiledRule] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        entity_info(self.entity_type)

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """The spans of ``text`` (a projected text) that this rule takes for its entity type."""
        if not self._compiled:
            self._compiled.append(CompiledRule(self))
        return self._compiled[0].find(text)


class CompiledRule:
    """The expressions of a rule, compiled when the rule is first met: most sessions meet few of all rules."""

    __slots__ = ("_after", "_before", "_group", "_part", "_pattern", "_unless", "_valid")

    def __init__(self, rule: Rule) -> None:
        self._pattern = re.compile(rule.pattern, rule.flags)
        self._group: int | str = "value" if "value" in self._pattern.groupindex else 0
        self._before = re.compile(rule.before, re.IGNORECASE) if rule.before else None
        self._after = re.compile(rule.after, re.IGNORECASE) if rule.after else None
        self._unless = re.compile(rule.unless, re.IGNORECASE) if rule.unless else None
        self._valid = rule.valid
        self._part = rule.part

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """The spans of the value group wherever cues and validator agree."""
        at = passed = 0
        while (found := self._pattern.search(text, at)) is not None:
            at = found.end() if found.end() > found.start() else found.end() + 1
            start, end = found.span(self._group)
            if start < 0:
                continue
            if self._part is not None and self._valid is not None and not self._valid(text[start:end]):
                end, after = self._first_part(text, start, end)
                passed = 0 if end > start else passed + 1
                at = after if passed <= _PASSED else at
            if end > start and self._may_stand(text, start, end):
                yield start, end

    def _may_stand(self, text: str, start: int, end: int) -> bool:
        if not self._cued(text, start, end):
            return False
        if self._unless is not None and self._unless.search(text, max(0, start - BEFORE), start):
            return False
        return self._valid is None or self._valid(text[start:end])

    def _first_part(self, text: str, start: int, end: int) -> tuple[int, int]:
        """Where a valid part at the beginning of a run ends, ``start`` if there is none, and where to go on."""
        groups = list(_GROUP.finditer(text, start, end))
        for group in reversed(groups[:-1]):
            part = text[start : group.end()]
            if self._part is not None and self._part.fullmatch(part) and self._valid is not None and self._valid(part):
                return group.end(), group.end()
        return start, groups[1].start() if len(groups) > 1 else end

    def _cued(self, text: str, start: int, end: int) -> bool:
        if self._before is None and self._after is None:
            return True
        if self._before is not None and self._before.search(text, max(0, start - BEFORE), start):
            return True
        return self._after is not None and self._after.search(text, end, end + AFTER) is not None
