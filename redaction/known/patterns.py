"""Patterns: what each sealed value looks like to the automata that look for all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Final

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue

from ..reading.encodings import forms
from ..reading.fold import fold_exact, symbols_of
from ..reading.projection import project_text
from ..validators import machine_form
from .strength import is_long

_SHORTEST_FORM: Final = 9
"""Symbols of the shortest encoded form of a long value: eight symbols give more in any encoding."""

_KEPT: Final = 512
"""Values of which the tables are kept: a merge then costs no second look at each value. Of more, which are rarely
merged, they would take a kilobyte a value."""


Table = dict[str, Placeholder]


class Automaton:
    """Many patterns looked for in one pass. Empty ones find nothing."""

    __slots__ = ("_automaton", "_overlapping", "_placeholders")

    def __init__(self, patterns: Table, *, overlapping: bool = False) -> None:
        self._automaton = _automaton(list(patterns), overlapping) if patterns else None
        self._placeholders = list(patterns.values())
        self._overlapping = overlapping

    def find(self, text: str) -> Iterator[tuple[int, int, Placeholder]]:
        """Start and end (code points) and placeholder of each match."""
        if self._automaton is not None:
            for index, start, end in self._automaton.find_matches_as_indexes(text, overlapping=self._overlapping):
                yield start, end, self._placeholders[index]

    def touches(self, text: str) -> bool:
        """Whether there is any match."""
        return self._automaton is not None and bool(self._automaton.find_matches_as_indexes(text))


def _automaton(patterns: list[str], overlapping: bool) -> AhoCorasick:
    kind = MatchKind.Standard if overlapping else MatchKind.LeftmostLongest
    # Under a hundred patterns the default makes a table that takes five times as long to build, and is no faster.
    return AhoCorasick(patterns, matchkind=kind, store_patterns=False, implementation=Implementation.ContiguousNFA)


@dataclass(slots=True, repr=False)
class Tables:
    """The patterns of some values, by what they are looked up in; see ``Patterns``. Where values share a pattern, the
    first one's placeholder stands. Each spelling and encoding of a value is plaintext."""

    exact: Table = field(default_factory=dict)
    short: Table = field(default_factory=dict)
    plain: Table = field(default_factory=dict)
    folded: Table = field(default_factory=dict)
    hints: Table = field(default_factory=dict)
    spelled: Table = field(default_factory=dict)

    @classmethod
    def of(cls, values: Sequence[LiveValue]) -> Tables:
        """Those of the values."""
        tables = cls()
        for live in values:
            tables.exact.setdefault(live.value.text(), live.placeholder)
            for spelling in _spellings(live):
                tables._file(spelling, live.placeholder)
        return tables

    def __or__(self, later: Tables) -> Tables:
        return Tables(
            _joined(self.exact, later.exact),
            _joined(self.short, later.short),
            _joined(self.plain, later.plain),
            _joined(self.folded, later.folded),
            _joined(self.hints, later.hints),
            _joined(self.spelled, later.spelled),
        )

    def _file(self, text: str, placeholder: Placeholder) -> None:
        exact = fold_exact(project_text(text))
        symbols = symbols_of(exact)
        if is_long(symbols) or is_long(exact):
            self.plain.setdefault(exact, placeholder)
            whole = [symbols] if is_long(symbols) else []
            for form in (*whole, *_folded_forms(text, _SHORTEST_FORM)):
                self.folded.setdefault(form, placeholder)
            if not whole and exact:
                self.spelled.setdefault(exact, placeholder)
            return
        if symbols != exact and exact:
            self.spelled.setdefault(exact, placeholder)
        if symbols and (symbols == exact or len(symbols) >= 3):
            self.short.setdefault(symbols, placeholder)
        for form in (symbols, *_folded_forms(text, 1)) if symbols else ():
            self.hints.setdefault(form, placeholder)


def _joined(first: Table, later: Table) -> Table:
    return first | later | first


class Patterns:
    """The patterns of a session's live values.

    ``exact`` holds each value as it was sealed, ``placeholders`` the session's own; ``plain`` finds long values as they
    are spelled, ``folded`` their symbols and encoded forms. ``short`` holds the symbols of short values, ``spelled``
    finds those with punctuation, and ``hints`` finds whatever may lead to a short value. The tables
    of a few values are kept, as those are soon merged with others.
    """

    __slots__ = ("exact", "folded", "hints", "placeholders", "plain", "short", "spelled", "tables", "values")

    def __init__(self, values: Sequence[LiveValue], tables: Tables | None = None) -> None:
        tables = tables or Tables.of(values)
        self.values = tuple(values)
        self.tables = tables if len(self.values) <= _KEPT else None
        self.exact, self.short = tables.exact, tables.short
        self.placeholders = frozenset(live.placeholder for live in values)
        self.plain, self.folded = Automaton(tables.plain), Automaton(tables.folded)
        self.hints, self.spelled = Automaton(tables.hints), Automaton(tables.spelled, overlapping=True)


def merged(patterns: Sequence[Patterns], added: Sequence[LiveValue]) -> Patterns:
    """The patterns of all these values, the oldest first."""
    values = [*(live for each in patterns for live in each.values), *added]
    known = [each.tables for each in patterns if each.tables is not None]
    if len(values) > _KEPT or len(known) < len(patterns):
        return Patterns(values)
    return Patterns(values, reduce(or_, known, Tables()) | Tables.of(added))


def _spellings(live: LiveValue) -> set[str]:
    """The value as it was sealed, and as a tool gets it: a spoken code comes back from there as digits."""
    text = live.value.text()
    return {text, *(machine_form(entity_type, text) for entity_type in live.entity_types)}


def _folded_forms(text: str, shortest: int) -> list[str]:
    """The symbols of a value's encoded forms."""
    folded = (symbols_of(fold_exact(form)) for form in forms(text))
    return [form for form in folded if len(form) >= shortest]
