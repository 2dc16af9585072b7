"""Patterns: what each sealed value looks like to the automata that look for all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ahocorasick_rs import AhoCorasick, MatchKind

from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue

from .encodings import forms
from .fold import fold_exact, symbols_of
from .projection import project_text
from .strength import is_long
from .validators import machine_form

_SHORTEST_FORM: Final = 9
"""Symbols of the shortest encoded form of a long value: eight symbols give more in any encoding."""


class Automaton:
    """Many patterns looked for in one pass. Empty ones find nothing."""

    __slots__ = ("_automaton", "_overlapping", "_placeholders")

    def __init__(self, patterns: dict[str, Placeholder], *, overlapping: bool = False) -> None:
        kind = MatchKind.Standard if overlapping else MatchKind.LeftmostLongest
        self._automaton = AhoCorasick(list(patterns), matchkind=kind, store_patterns=False) if patterns else None
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


class Patterns:
    """The patterns of a session's live values.

    ``exact`` holds each value as it was sealed, ``placeholders`` the session's own; ``plain`` finds long values as they
    are spelled, ``folded`` their symbols and encoded forms. ``short`` holds the symbols of short values, ``spelled``
    finds those with punctuation, and ``hints`` finds whatever may lead to a short value.
    """

    __slots__ = ("exact", "folded", "hints", "placeholders", "plain", "short", "spelled")

    def __init__(self, values: Sequence[LiveValue]) -> None:
        self.exact: dict[str, Placeholder] = {}
        self.short: dict[str, Placeholder] = {}
        self.placeholders = frozenset(live.placeholder for live in values)
        tables: tuple[dict[str, Placeholder], ...] = ({}, {}, {}, {})
        for live in values:
            self.exact.setdefault(live.value.text(), live.placeholder)
            for spelling in _spellings(live):
                self._file(spelling, live.placeholder, *tables)
        plain, folded, hints, spelled = tables
        self.plain, self.folded = Automaton(plain), Automaton(folded)
        self.hints, self.spelled = Automaton(hints), Automaton(spelled, overlapping=True)

    def _file(
        self,
        text: str,
        placeholder: Placeholder,
        plain: dict[str, Placeholder],
        folded: dict[str, Placeholder],
        hints: dict[str, Placeholder],
        spelled: dict[str, Placeholder],
    ) -> None:
        exact = fold_exact(project_text(text))
        symbols = symbols_of(exact)
        if is_long(symbols) or is_long(exact):
            plain.setdefault(exact, placeholder)
            whole = [symbols] if is_long(symbols) else []
            for form in (*whole, *_folded_forms(text, _SHORTEST_FORM)):
                folded.setdefault(form, placeholder)
            if not whole and exact:
                spelled.setdefault(exact, placeholder)
            return
        if symbols != exact and exact:
            spelled.setdefault(exact, placeholder)
        if symbols and (symbols == exact or len(symbols) >= 3):
            self.short.setdefault(symbols, placeholder)
        for form in (symbols, *_folded_forms(text, 1)) if symbols else ():
            hints.setdefault(form, placeholder)


def _spellings(live: LiveValue) -> set[str]:
    """The value as it was sealed, and as a tool gets it: a spoken code comes back from there as digits."""
    text = live.value.text()
    return {text, *(machine_form(entity_type, text) for entity_type in live.entity_types)}


def _folded_forms(text: str, shortest: int) -> list[str]:
    """The symbols of a value's encoded forms."""
    folded = (symbols_of(fold_exact(form)) for form in forms(text))
    return [form for form in folded if len(form) >= shortest]
