"""What a model half sees: how likely each piece of a text is anything private, far below what it would report."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

FAINT: Final = 0.01
"""The least score that is kept. In languages that rampart was hardly taught, it gives names this, and nouns less."""


class Support:
    """Scores of pieces of a text, added from left to right (windows may overlap), asked for by range."""

    def __init__(self) -> None:
        self._ends: list[int] = []
        self._pieces: list[tuple[int, int, float, bool]] = []

    def add(self, start: int, end: int, score: float, *, place: bool) -> None:
        """A piece, in code points, its score, and whether it would be a place."""
        if self._ends and end < self._ends[-1]:
            return  # the overlap of two windows, which was read with more before it
        self._ends.append(end)
        self._pieces.append((start, end, score, place))

    def of(self, start: int, end: int) -> tuple[float, bool]:
        """The best score in a range, and whether that piece would be a place; 0 where the model saw nothing."""
        best, place = 0.0, False
        for at in range(bisect_left(self._ends, start + 1), len(self._pieces)):
            first, _, score, is_place = self._pieces[at]
            if first >= end:
                break
            if score > best:
                best, place = score, is_place
        return best, place
