"""Names by both models, line by line: English ones as each model sees them, others by what both see together."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from typing import Final, NamedTuple

from sealgate.models.findings import Finding

from ..words import FOREIGN_WORDS, GERMAN_WORDS, GIVEN_NAMES, is_word
from .code_lines import is_code_line
from .foreign import Mark, foreign_names
from .names import SpacyNames
from .orthography import Capitals, capitals_of
from .plausible import Prose
from .rampart import RampartNames
from .support import FAINT, Support

_SCORE: Final = 0.75
_NAMES: Final = frozenset({"PERSON", "LOCATION"})

_SEEN_TOO: Final = 0.1
"""What rampart has to see in a word with a capital inside of a sentence, and in what spaCy takes for a name in lower
case."""

_CAPITALISED: Final = re.compile(r"(?<![\w@#/.'’-])(?:[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{2,30}|[A-Z]{4,20})(?![\w@]|\.\w)")
_INSIDE: Final = re.compile(r"[a-z,;&] \Z")
"""What stands before a word that no sentence begins with."""

_CUT: Final = re.compile(
    r"(?<![\w@#])[@#][\w.]*|https?:\S*|(?<=\s)[:;|>~*–—-]+(?=\s)|[\U0001f000-\U0001faff\u2600-\u27bf]+"
)
"""What stands between names in posts."""

_SEEN_FIRST: Final = 0.3
"""What rampart has to see in a capitalised word that a sentence may begin with."""

_YEAR: Final = re.compile(r"(?:^|[^\W\d_] )(?:1[0-9]{3}|20[0-9]{2})\Z")
_WORDS: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SMALL_WORDS: Final = FOREIGN_WORDS | GERMAN_WORDS
_SMALL: Final = 3
"""Letters of a word that may be an abbreviation in an address."""

_HOUSE: Final = re.compile(r"[0-9][0-9 /-]{0,12}(?:[a-z]|bis|ter)?")


_BOTH: Final = 0.9
"""The score of a name in lower case that both models see."""


class _Line(NamedTuple):
    start: int
    end: int
    capitals: Capitals
    mixed: bool


class ModelNames:
    """Findings of ``rampart`` and of spaCy's ``ner``."""

    def __init__(self) -> None:
        self._rampart, self._spacy = RampartNames(), SpacyNames()

    def recognize(self, text: str) -> list[Finding]:
        """The findings in a projected text."""
        found, support = self._rampart.read(text)
        marks = self._spacy.read(text)
        prose = Prose.of(text)
        lines = _lines(prose)
        starts = [line.start for line in lines]
        kept: list[Finding] = []
        marked: dict[int, list[Mark]] = defaultdict(list)
        for finding in found:
            line = lines[bisect_right(starts, finding.start) - 1]
            if _stays(text, line, finding):
                kept.append(finding)
        for mark in marks:
            marked[bisect_right(starts, mark[1]) - 1].append(Mark(*mark))
        for at, line in enumerate(lines):
            kept += _in_line(prose, line, marked[at], support)
        return kept


def _lines(prose: Prose) -> list[_Line]:
    """The lines of the text; one whose small words say nothing is taken for what the whole text is."""
    pieces = prose.text.splitlines(keepends=True) or [""]
    whole = Capitals.ENGLISH if prose.code or len(pieces) == 1 else capitals_of(prose.text)
    lines: list[_Line] = []
    start = 0
    for piece in pieces:
        english = prose.code or is_code_line(piece)
        capitals = Capitals.ENGLISH if english else capitals_of(piece, whole)
        mixed = not (piece.islower() or piece.isupper())
        if capitals is not Capitals.ENGLISH and not mixed:
            capitals = Capitals.NONE
        lines.append(_Line(start, start + len(piece), capitals, mixed))
        start += len(piece)
    return lines


def _stays(text: str, line: _Line, finding: Finding) -> bool:
    """Whether what rampart sees counts as it is: in English, or if it is no name and no year. In lines of other
    languages that use capitals, names in lower case need a given name."""
    if line.capitals is Capitals.ENGLISH:
        return True
    value = text[finding.start : finding.end]
    if finding.entity_type in _NAMES:
        return line.mixed and value.islower() and not GIVEN_NAMES.isdisjoint(value.split())
    if line.capitals is Capitals.NONE:
        return True
    return finding.entity_type != "STREET_ADDRESS" or _is_address(text, finding.end, value)


def _is_address(text: str, end: int, value: str) -> bool:
    """Whether a piece of an address is a name or a number, but no year, no ordinal and no part of a sentence."""
    before_town = text[end : end + 1] == " " and text[end + 1 : end + 2].isupper()
    if _YEAR.search(value) and not before_town:
        return False
    words = [word for word in _WORDS.findall(value) if word.casefold() not in _SMALL_WORDS]
    small = sum(word.islower() and len(word) > _SMALL for word in words)
    return (any(word[0].isupper() for word in words) and small <= 1) or _HOUSE.fullmatch(value) is not None


def _in_line(prose: Prose, line: _Line, marks: list[Mark], support: Support) -> list[Finding]:
    if line.capitals is Capitals.ENGLISH:
        pieces = [piece for mark in marks for piece in _pieces(prose.text, mark)]
        found = [*(_marked(prose, line, piece, support) for piece in pieces), *_half_seen(prose, line, support)]
        return [one for one in found if one is not None]
    return foreign_names(prose.text, line.start, line.end, line.capitals, marks, support)


def _half_seen(prose: Prose, line: _Line, support: Support) -> list[Finding | None]:
    """Capitalised words in which rampart sees something, too little for a finding of its own."""
    if not line.mixed or prose.code or is_code_line(prose.text[line.start : line.end]):
        return []
    found = []
    for word in _CAPITALISED.finditer(prose.text, line.start, line.end):
        score, place = support.of(word.start(), word.end())
        inside = _INSIDE.search(prose.text, max(0, word.start() - 2), word.start()) is not None
        if score >= (_SEEN_TOO if inside else _SEEN_FIRST) and not is_word(word.group()):
            kind = "LOCATION" if place else "PERSON"
            found.append(prose.name(kind, word.start(), word.end(), score, "rampart"))
    return found


def _pieces(text: str, mark: Mark) -> list[Mark]:
    """A mark without the handles, hashtags, URLs and faces in it."""
    pieces = []
    start = mark.start
    for cut in _CUT.finditer(text, mark.start, mark.end):
        pieces.append(Mark(mark.entity_type, start, cut.start()))
        start = cut.end()
    return [piece for piece in [*pieces, Mark(mark.entity_type, start, mark.end)] if piece.start < piece.end]


def _marked(prose: Prose, line: _Line, mark: Mark, support: Support) -> Finding | None:
    """What spaCy sees, if rampart sees something of it too where capitals say little: at the beginning of the line, and
    where there are none."""
    seen, _ = support.of(mark.start, mark.end)
    score = _SCORE
    if not line.mixed:
        if seen < FAINT:
            return None
    elif prose.text[mark.start : mark.end].islower() and seen >= _SEEN_TOO:
        score = _BOTH
    elif not seen and not prose.text[line.start : mark.start].strip():
        return None
    return prose.name(mark.entity_type, mark.start, mark.end, score, "spacy")
