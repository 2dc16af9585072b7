"""Windows: a text cut into pieces that a small model reads at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..words import NAME_WORDS, PLAIN_WORDS

SIZE: Final = 480
"""Code points of the longest window."""

OVERLAP: Final = 64
"""Code points that two windows of one long line share, so that a name at the cut is whole in one of them."""


_WORDS: Final = re.compile(r"[^\W\d_]+")
_CAPITAL_INSIDE: Final = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]+")
"""A capitalised word that does not begin a sentence."""

_LONG_NUMBER: Final = re.compile(r"[0-9][0-9 .()-]{3,}[0-9]")
_SHORT_FORMS: Final = frozenset(
    {
        "a", "i", "o", "s", "t", "m", "d", "ll", "re", "ve", "don", "doesn", "didn", "won", "wouldn", "couldn",
        "shouldn", "isn", "aren", "wasn", "weren", "hasn", "haven", "hadn", "can",
    }
)  # fmt: skip
"""What is left of short words and contractions between apostrophes."""


_SHORT_TEXT: Final = 960
"""Code points of a text that is one message rather than a document."""


class Window(NamedTuple):
    """A half-open range of a text, in code points."""

    start: int
    end: int


def windows(text: str) -> Iterator[Window]:
    """The windows of ``text``: neighbouring lines together as far as they fit, long lines in overlapping pieces cut at
    spaces. Lines that hold only everyday words and short numbers are in none, as there is nothing in them to find; but
    a short text with one line worth reading is read whole, since lines of one address belong together."""
    lines = list(_lines(text))
    worth = [_is_worth_reading(text[line_start:line_end]) for line_start, line_end in lines]
    whole = any(worth) and len(text) <= _SHORT_TEXT
    start = end = 0
    for (line_start, line_end), is_worth in zip(lines, worth, strict=True):
        if not (whole or is_worth):
            continue
        if line_start != end or line_end - start > SIZE:
            if end > start:
                yield Window(start, end)
            start = line_start
        end = line_end
        while end - start > SIZE:
            cut = _cut(text, start + SIZE)
            yield Window(start, cut)
            start = max(start + 1, _cut(text, cut - OVERLAP))
    if end > start:
        yield Window(start, end)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, at + len(line)
        at += len(line)


def _cut(text: str, at: int) -> int:
    """The place after the last space before ``at``, at most 64 code points back; else ``at``."""
    space = text.rfind(" ", max(0, at - OVERLAP), at)
    return space + 1 if space >= 0 else at


def _is_worth_reading(line: str) -> bool:
    words = _WORDS.findall(line)
    if not words:
        return False
    if _LONG_NUMBER.search(line) or _CAPITAL_INSIDE.search(line):
        return True
    return not all(_is_everyday(word) for word in words)


def _is_everyday(word: str) -> bool:
    folded = word.lower()
    return folded in PLAIN_WORDS or folded in _SHORT_FORMS or (word == folded and folded in NAME_WORDS)
