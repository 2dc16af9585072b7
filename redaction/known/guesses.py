"""Guesses: tokens in texts from tools, pages and models that look like a live secret with a small guess space.

A page that lists 0000 to 9999 would show a PIN as the one hole. So at most three distinct tokens of a secret's shape
are ever compared with it; all further ones are sealed unseen, each run of them as one span, whatever they are. Nothing
here knows the secret: only its shape, and how many tokens of that shape were compared so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sealgate.models.entities import entity_info
from sealgate.models.guessing import compare
from sealgate.models.sealing import GuessCounter, LiveValue

from ..reading.encodings import MINIMUM_REVERSED
from ..reading.fold import BARRIER, fold_exact, symbols_of
from ..reading.projection import project_text
from ..reading.sight import Sight, View
from ..reading.spoken import runs
from ..validators import machine_form
from .short_tokens import LONGEST_JOIN, short_tokens

GUESS: Final = "guess"
"""The recognizer of what is sealed because it might be a guess."""

GUESS_TYPE: Final = "ID_NUMBER"
"""The entity type that it is shown as, right or wrong."""


class Token(NamedTuple):
    """A token of a live secret's shape: its range in code points, its symbols, and the codes of those secrets."""

    start: int
    end: int
    symbols: str
    codes: frozenset[str]


class GuessShapes:
    """The shapes of a session's live small secrets: ``00aa0`` for two digits, two letters and a digit."""

    __slots__ = ("_codes",)

    def __init__(self, values: Sequence[LiveValue]) -> None:
        codes: dict[str, set[str]] = {}
        for live in values:
            if any(entity_info(name).small for name in live.entity_types):
                for shape in _shapes_of(live):
                    codes.setdefault(shape, set()).add(live.placeholder.code)
        self._codes = {shape: frozenset(found) for shape, found in codes.items()}

    def __bool__(self) -> bool:
        return bool(self._codes)

    def tokens(self, text: str) -> list[Token]:
        """Every token of such a shape, in the text and in what it encodes, left to right."""
        found = {token for view in Sight(text).views for token in self._in_view(view)}
        return sorted(found, key=lambda token: (token.start, token.end, token.symbols))

    def _in_view(self, view: View) -> Iterator[Token]:
        spoken = ((run.start, run.end, run.digits) for run in runs(view.projection.text) if run.spoken)
        for start, end, symbols in (*short_tokens(view.exact), *spoken):
            codes = self._codes.get(shape_of(symbols))
            if codes is not None:
                span = view.projection.span(start, end)
                yield Token(span.start, span.end, symbols, codes)


def build_guess_shapes(values: Sequence[LiveValue]) -> GuessShapes:
    """The shapes of a session's live values; pass it to ``Sealer.match``, which caches by function."""
    return GuessShapes(values)


def shape_of(symbols: str) -> str:
    """The kind of each symbol: ``0`` for digits, ``a`` for the others."""
    return "".join("0" if symbol.isdigit() else "a" for symbol in symbols)


def guessed_spans(text: str, shapes: GuessShapes, counter: GuessCounter) -> list[tuple[int, int]]:
    """The ranges of ``text`` that are to be sealed unseen, each a run of tokens with nothing but separators between.

    The tokens up to the third distinct one over the life of their secrets are left to be compared; counting them is
    stored before they are.
    """
    tokens = shapes.tokens(text.replace(BARRIER, " ")) if shapes else []
    if not tokens:
        return []
    groups: dict[frozenset[str], list[Token]] = {}
    for token in tokens:
        groups.setdefault(token.codes, []).append(token)
    hidden = [
        token
        for codes, found in groups.items()
        for token in found[counter.admit(sorted(codes), [token.symbols for token in found]) :]
    ]
    return _joined(text, sorted((token.start, token.end) for token in hidden))


def is_guessable(value: str, entity_type: str) -> bool:
    """Whether a value, as it is or as a machine gets it, is a short number or code that could be tried out."""
    return any(
        0 < len(symbols) <= LONGEST_JOIN and any(map(str.isdigit, symbols))
        for symbols in map(_symbols_of, (value, machine_form(entity_type, value)))
    )


class MemoryCounter:
    """Counts in memory, for a sealer that keeps no count of its own. Fulfils ``models.sealing.GuessCounter``."""

    def __init__(self) -> None:
        self._compared: dict[str, list[str]] = {}

    def admit(self, codes: Sequence[str], tokens: Sequence[str]) -> int:
        """See ``GuessCounter.admit``."""
        return min((compare(self._compared.setdefault(code, []), tokens) for code in codes), default=0)


def _shapes_of(live: LiveValue) -> set[str]:
    """The shapes in which a short secret is looked for, backwards too."""
    text = live.value.text()
    spellings = {text, *(machine_form(name, text) for name in live.entity_types)}
    short = [found for found in map(_symbols_of, spellings) if 0 < len(found) <= LONGEST_JOIN]
    backwards = [found[::-1] for found in short if len(found) >= MINIMUM_REVERSED]
    return {shape_of(found) for found in (*short, *backwards)}


def _symbols_of(text: str) -> str:
    return symbols_of(fold_exact(project_text(text)))


def _joined(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    runs_found: list[tuple[int, int]] = []
    for start, end in spans:
        before = runs_found[-1] if runs_found else None
        if before is not None and not any(map(_separates, text[before[1] : start])):
            runs_found[-1] = (before[0], max(before[1], end))
        else:
            runs_found.append((start, end))
    return runs_found


def _separates(char: str) -> bool:
    return char.isalnum() or char == BARRIER
