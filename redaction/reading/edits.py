"""Edits: ranges of a text replaced by what they stand for, with the way back to the original."""

from __future__ import annotations

from typing import NamedTuple

from .projection import Projection


class Edit(NamedTuple):
    """A range of a text (code points), and what it stands for."""

    start: int
    end: int
    plain: str


def edited(text: str, edits: list[Edit]) -> str:
    """The text with the edits, which are in order and do not overlap, made in it."""
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += (text[at : edit.start], edit.plain)
        at = edit.end
    return "".join(parts) + text[at:]


def projected(source: Projection, edits: list[Edit]) -> Projection:
    """Likewise; every code point of an edit leads back to its whole range."""
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    length = len(source.text)
    for edit in (*edits, Edit(length, length, "")):
        starts.extend(source.starts[at : edit.start] if source.starts is not None else range(at, edit.start))
        ends.extend(source.ends[at : edit.start] if source.ends is not None else range(at + 1, edit.start + 1))
        if edit.plain:
            span = source.span(edit.start, edit.end)
            starts.extend([span.start] * len(edit.plain))
            ends.extend([span.end] * len(edit.plain))
        at = edit.end
    return Projection(edited(source.text, edits), starts, ends)
