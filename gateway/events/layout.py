"""The layout: all texts of a payload as one, so that it is searched once and a value split over several is found.

Values come first, grouped by the names of the fields that they stand under, then keys. So the pieces of a value stand
beside each other whether they were the items of an array, the fields of an object or one field of many objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

BORDER: Final = "\x1e"
"""Stands between texts: no word, number or encoding goes on across it."""

SHORTEST_SPLIT: Final = 4
"""Symbols of the shortest value that is looked for split over several texts: ``[1, 2, 3]`` is no CVV."""

_FIRST_POINT: Final = 0x20
_LAST_POINT: Final = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Segment:
    """Texts side by side, with ``gap`` between. ``leaves`` are their numbers."""

    text: str
    leaves: list[int]
    gap: str = ""

    def starts(self, texts: list[str]) -> list[int]:
        """The first code point of each text; each ends where the next begins, less the gap."""
        sizes = (len(texts[leaf]) + len(self.gap) for leaf in self.leaves[:-1])
        return list(accumulate(sizes, initial=0))


class Layout:
    """The texts of JSON data, numbered in the order of a walk: each key before its value, arrays in order.

    Groups are numbered too: 0 is the data itself, and ``below`` gives the group of a field. An item of an array is in
    its array's group.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._owners: list[int] = []
        self._keys: list[int] = []
        self._groups: dict[int, list[int]] = {}
        self._below: dict[tuple[int, str], int] = {}

    def key(self, text: str) -> str:
        """A key, noted."""
        self._keys.append(len(self.texts))
        self._owners.append(-1)
        self.texts.append(text)
        return text

    def value(self, text: str, group: int) -> str:
        """A value's text, noted."""
        members = self._groups.get(group)
        if members is None:
            members = self._groups[group] = []
        members.append(len(self.texts))
        self._owners.append(group)
        self.texts.append(text)
        return text

    def below(self, group: int, key: str) -> int:
        """The group of the field ``key`` under a group."""
        return self._below.setdefault((group, key), len(self._below) + 1)

    def marks(self) -> int:
        """How much was noted so far."""
        return len(self.texts)

    def forget(self, marks: int) -> None:
        """Take back what was noted since."""
        while len(self.texts) > marks:
            owner = self._owners.pop()
            (self._keys if owner < 0 else self._groups[owner]).pop()
            self.texts.pop()

    def keys(self) -> str:
        """All keys, with borders between."""
        return BORDER.join([self.texts[leaf] for leaf in self._keys])

    def whole(self) -> Segment:
        """Everything, with borders between."""
        order = [leaf for group in self._groups.values() for leaf in group] + self._keys
        return self._segment(order, BORDER)

    def walked(self) -> Segment | None:
        """Everything in the order of the walk, run together, if a key holds more than words: it may be part of a value
        that goes on under it."""
        if all(self.texts[key].replace("_", "a").isalpha() for key in self._keys):
            return None
        return self._segment(list(range(len(self.texts))), "")

    def joined(self) -> Iterator[Segment]:
        """Each group of two or more texts, run together and with spaces between."""
        for group in self._groups.values():
            if len(group) > 1:
                yield self._segment(group, " ")
                yield self._segment(group, "")

    def code_points(self) -> Iterator[Segment]:
        """Each group of numbers that may spell a text, as that text."""
        for group in self._groups.values():
            if len(group) >= SHORTEST_SPLIT and _point(self.texts[group[0]]):
                points = [_point(self.texts[leaf]) for leaf in group]
                if all(points):
                    yield Segment("".join(points), group)

    def _segment(self, leaves: list[int], gap: str) -> Segment:
        return Segment(gap.join([self.texts[leaf] for leaf in leaves]), leaves, gap)


def _point(text: str) -> str:
    """The character of a code point spelled in decimal; empty if it is none that could be seen."""
    if not text.isascii() or not text.isdigit() or len(text) > 7:
        return ""
    number = int(text)
    return chr(number) if _FIRST_POINT <= number <= _LAST_POINT else ""
