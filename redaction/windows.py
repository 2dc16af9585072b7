"""Windows: a text cut into pieces that a small model reads at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

SIZE: Final = 480
"""Code points of the longest window."""

OVERLAP: Final = 64
"""Code points that two windows of one long line share, so that a name at the cut is whole in one of them."""


class Window(NamedTuple):
    """A half-open range of a text, in code points."""

    start: int
    end: int


def windows(text: str) -> Iterator[Window]:
    """The windows of ``text`` that hold a letter: whole lines together as far as they fit, long lines in overlapping
    pieces cut at spaces."""
    start = 0
    end = 0
    for line_start, line_end in _lines(text):
        if end > start and line_end - start > SIZE:
            yield from _lettered(text, start, end)
            start = line_start
        end = line_end
        while end - start > SIZE:
            cut = _cut(text, start + SIZE)
            yield from _lettered(text, start, cut)
            start = max(start + 1, _cut(text, cut - OVERLAP))
    if end > start:
        yield from _lettered(text, start, end)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, at + len(line)
        at += len(line)


def _cut(text: str, at: int) -> int:
    """The place after the last space before ``at``, at most 64 code points back; else ``at``."""
    space = text.rfind(" ", max(0, at - OVERLAP), at)
    return space + 1 if space >= 0 else at


def _lettered(text: str, start: int, end: int) -> Iterator[Window]:
    if any(char.isalpha() for char in text[start:end]):
        yield Window(start, end)
