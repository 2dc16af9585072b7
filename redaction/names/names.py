"""Names of people and places by spaCy's small English model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sealgate.models.processlock import unforked, waited_for

from ..words import PLAIN_WORDS, is_word
from .ner import load_ner
from .orthography import is_other_script

_LABELS: Final = {"PERSON": "PERSON", "GPE": "LOCATION", "LOC": "LOCATION", "FAC": "LOCATION"}

_CHUNK: Final = 4_000
"""Code points of one piece of text; spaCy's memory grows with the piece."""

_AT_ONCE: Final = 8_000
"""Code points of the pieces that are read together."""

_CAPITALISED: Final = re.compile(r"(?<![^\W_])[^\W\d_a-z][^\W\d_]*")
_WORD: Final = re.compile(r"[^\W\d_][^\W\d_'’]*")

_RUNNING: Final = waited_for()


class SpacyNames:
    """People and places, on lines with a capitalised word that is not an everyday one; lines in a single case are read
    again in title case."""

    def read(self, text: str) -> list[tuple[str, int, int]]:
        """Entity types with the ranges that the model takes for one, unchecked, in the order of the text."""
        pieces = [(start, _as_read(piece)) for start, piece in _pieces(text)]
        wanted = [(start, read) for start, read in pieces if read is not None]
        return _entities(wanted) if wanted else []


def _entities(wanted: list[tuple[int, str]]) -> list[tuple[str, int, int]]:
    """The model's people and places. One thread at a time, in memory zones: otherwise spaCy keeps every word that it
    ever saw."""
    found: list[tuple[str, int, int]] = []
    ner = load_ner()
    for batch in _batches(wanted):
        with unforked(), _RUNNING, ner.pipeline.memory_zone():
            read = ner.transitions.read([ner.pipeline.tokenizer(piece) for _, piece in batch])
        for (at, _), entities in zip(batch, read, strict=True):
            found += [(_LABELS[label], at + start, at + end) for label, start, end in entities if label in _LABELS]
    return found


def _batches(wanted: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """The pieces, as many together as the model may read at once."""
    batch: list[tuple[int, str]] = []
    room = _AT_ONCE
    for item in wanted:
        if batch and len(item[1]) > room:
            yield batch
            batch, room = [], _AT_ONCE
        batch.append(item)
        room -= len(item[1])
    yield batch


def _pieces(text: str) -> list[tuple[int, str]]:
    """The text in lines, long ones cut at a space near 4,000 code points."""
    pieces: list[tuple[int, str]] = []
    start = 0
    for line in text.splitlines(keepends=True):
        at = 0
        while len(line) - at > _CHUNK:
            cut = line.rfind(" ", at + _CHUNK // 2, at + _CHUNK)
            cut = cut if cut > 0 else at + _CHUNK
            pieces.append((start + at, line[at:cut]))
            at = cut
        pieces.append((start + at, line[at:]))
        start += len(line)
    return pieces


def _as_read(piece: str) -> str | None:
    """The piece as the model reads it; ``None`` if no name can be in it."""
    if not any(char.isalpha() for char in piece) or is_other_script(piece):
        return None
    if piece.isupper() or piece.islower():
        titled = _WORD.sub(lambda word: _title(word.group()), piece)
        return titled if len(titled) == len(piece) and titled != piece.lower() else None
    names = (word.group() for word in _CAPITALISED.finditer(piece))
    return piece if any(name.casefold() not in PLAIN_WORDS for name in names) else None


def _title(word: str) -> str:
    return word.lower() if is_word(word) else word[0].upper() + word[1:].lower()
