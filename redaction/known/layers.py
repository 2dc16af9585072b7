"""Layers of patterns: a value that is added costs a small layer of its own, not all the automata again.

A layer is merged into the one below once it has an eighth of its values, so there are few of them, and each value is
built anew a number of times that grows with the logarithm of how many there are.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Sequence
from typing import Final

from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue

from .patterns import Automaton, Patterns, merged

_RATIO: Final = 8
_SMALL: Final = 32
"""Values that one layer holds in any case: building so few costs less than looking through another layer."""


class Automata:
    """One automaton of each layer, looked through one after another."""

    __slots__ = ("_automata",)

    def __init__(self, automata: Sequence[Automaton]) -> None:
        self._automata = automata

    def find(self, text: str) -> Iterator[tuple[int, int, Placeholder]]:
        """Start and end (code points) and placeholder of each match."""
        for automaton in self._automata:
            yield from automaton.find(text)

    def touches(self, text: str) -> bool:
        """Whether there is any match."""
        return any(automaton.touches(text) for automaton in self._automata)


class Layers:
    """The patterns of a session's live values, the oldest layer first. Where two hold a value, the older one counts."""

    __slots__ = ("_layers", "exact", "folded", "hints", "plain", "short", "spelled")

    def __init__(self, patterns: Sequence[Patterns]) -> None:
        self._layers = tuple(patterns)
        self.exact = ChainMap(*(each.exact for each in patterns))
        self.short = ChainMap(*(each.short for each in patterns))
        self.plain = Automata([each.plain for each in patterns])
        self.folded = Automata([each.folded for each in patterns])
        self.hints = Automata([each.hints for each in patterns])
        self.spelled = Automata([each.spelled for each in patterns])

    @classmethod
    def of(cls, values: Sequence[LiveValue]) -> Layers:
        """All values in one layer."""
        return cls([Patterns(values)] if values else [])

    def issued(self, placeholder: Placeholder) -> bool:
        """Whether a placeholder is one of these values'."""
        return any(placeholder in each.placeholders for each in self._layers)

    def extended(self, added: Sequence[LiveValue]) -> Layers:
        """These and the added values; this object is not changed."""
        below, size = list(self._layers), len(added)
        top: list[Patterns] = []
        while below and (size * _RATIO >= len(below[-1].values) or size + len(below[-1].values) <= _SMALL):
            top.insert(0, below.pop())
            size += len(top[0].values)
        return Layers([*below, merged(top, added)])
