"""Scrubbing JSON data: the sealed values in it replaced by placeholders, wherever and however they stand there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from pydantic import JsonValue

from sealgate.models.placeholder import Placeholder

from .layout import SHORTEST_SPLIT, Layout, Segment
from .plain import put


class Hit(Protocol):
    """**Protocol:** where a sealed value stands in a text; ``start`` and ``end`` in code points."""

    @property
    def start(self) -> int: ...  # noqa: D102  # the class says it
    @property
    def end(self) -> int: ...  # noqa: D102
    @property
    def placeholder(self) -> Placeholder: ...  # noqa: D102


class Known(Protocol):
    """**Protocol:** what is sealed in a session, as something that can be looked for."""

    def suspects(self, text: str) -> bool:
        """Whether a value may stand in the text, whole or broken by anything that is no letter or digit. False is
        certain, and cheap; the text may hold placeholders."""
        ...

    def outside(self, text: str) -> Sequence[Hit]:
        """Every value in the text outside of placeholders, left to right, without overlaps."""
        ...


class Edit(NamedTuple):
    """A range of one text, and what comes in its place."""

    start: int
    end: int
    text: str


def scrub(value: JsonValue, layout: Layout, known: Known, pieces: Known | None = None) -> JsonValue:
    """Data, laid out, with the sealed values of its strings, keys and numbers replaced; the very same data if there
    is none. ``pieces`` looks through the texts that several of its texts make together; without it ``known`` does.

    A value that is split over several texts leaves its placeholder in the first and nothing in the others. A number
    that a value stood in becomes a string.
    """
    points = list(layout.code_points())
    whole = layout.whole()
    walked = layout.walked()
    joining = known if pieces is None else pieces
    suspected = (whole, *points) if walked is None else (whole, walked, *points)
    if not any(joining.suspects(segment.text) for segment in suspected):
        return value
    edits: dict[int, list[Edit]] = {}
    _collect(edits, whole, layout.texts, known, shortest=0)
    for segment in (*layout.joined(), *((walked,) if walked else ())):
        _collect(edits, segment, layout.texts, joining, shortest=SHORTEST_SPLIT)
    for segment in points:
        _collect_points(edits, segment, layout.texts, joining)
    return _Rebuild(layout.texts, edits).value(value) if edits else value


def scrub_text(text: str, known: Known) -> str:
    """A text with its sealed values replaced; the very same text if there is none."""
    if not known.suspects(text):
        return text
    return edited(text, [Edit(hit.start, hit.end, str(hit.placeholder)) for hit in known.outside(text)])


def _collect(edits: dict[int, list[Edit]], segment: Segment, texts: list[str], known: Known, *, shortest: int) -> None:
    """The edits of every hit in a segment; with ``shortest``, only of those that are split and long enough."""
    hits = known.outside(segment.text)
    starts = segment.starts(texts) if hits else []
    for hit in hits:
        pieces = list(_pieces(segment.leaves, starts, texts, hit))
        symbols = sum(char.isalnum() for char in segment.text[hit.start : hit.end]) if shortest else 0
        if shortest and (len(pieces) < 2 or symbols < shortest):
            continue
        for number, (leaf, start, end) in enumerate(pieces):
            edits.setdefault(leaf, []).append(Edit(start, end, "" if number else str(hit.placeholder)))


def _collect_points(edits: dict[int, list[Edit]], segment: Segment, texts: list[str], known: Known) -> None:
    """The edits of every value that numbers spell: each number is one character of it."""
    for hit in known.outside(segment.text):
        for number, leaf in enumerate(segment.leaves[hit.start : hit.end]):
            edit = Edit(0, len(texts[leaf]), "" if number else str(hit.placeholder))
            edits.setdefault(leaf, []).append(edit)


def _pieces(leaves: list[int], starts: list[int], texts: list[str], hit: Hit) -> Iterator[tuple[int, int, int]]:
    """The leaves under a hit, each with its own part of it."""
    place = bisect_right(starts, hit.start) - 1
    while place < len(leaves) and starts[place] < hit.end:
        leaf, first = leaves[place], starts[place]
        low, high = max(hit.start - first, 0), min(hit.end - first, len(texts[leaf]))
        if low < high:
            yield leaf, low, high
        place += 1


def edited(text: str, edits: list[Edit]) -> str:
    """The text with its edits made; where two overlap, the first counts and the rest of the other is removed too."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= at:
            parts += (text[at : edit.start], edit.text)
        at = max(at, edit.end)
    return "".join(parts) + text[at:]


class _Rebuild:
    """One more walk, in the order in which the layout numbered the texts."""

    def __init__(self, texts: list[str], edits: dict[int, list[Edit]]) -> None:
        self._texts = texts
        self._edits = edits
        self._leaf = -1

    def value(self, value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            found: dict[str, JsonValue] = {}
            for key, item in value.items():
                safe = self._text(key)
                put(found, str(safe), self.value(item))
            return found
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return value if value is None or isinstance(value, bool) else self._text(value)

    def _text(self, given: str | int | float) -> JsonValue:
        self._leaf += 1
        edits = self._edits.get(self._leaf)
        return given if edits is None else edited(self._texts[self._leaf], edits)
