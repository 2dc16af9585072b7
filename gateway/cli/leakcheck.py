"""The leak checker: looks for values that it is told in everything that a run left behind.

It is independent of what it checks. It knows the values from the answers, imports nothing from the redactor, and
normalises both sides in its own code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sealgate.models.errors import InvalidInput, LimitExceeded

from .decodings import readings

MIN_LENGTH: Final = 4
"""Letters and digits of the shortest value that is looked for; below, chance alone would find it."""

MAX_PLACE: Final = 64 * 1024 * 1024
"""Code points or bytes of the largest place."""

_LONG: Final = 8
"""Letters and digits from which on a value is looked for anywhere; shorter ones are looked for as a whole token."""

_NOT_WORD: Final = re.compile(r"[\W_]+")
_INVISIBLE: Final = re.compile("[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
                               "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff]")  # fmt: skip
_TIMESTAMP: Final = re.compile(r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d(?:[.,]\d+)?|(?<!\d)\d{10}\.\d+")
_GAP: Final = r"[\W_]{0,4}"
"""What may stand between two digits of a short code: a few signs, no letter."""
_CODECS: Final = ("utf-16-le", "utf-16-be", "latin-1")
_FOREIGN_DIGIT: Final = re.compile(r"(?![0-9])\d")


@dataclass(frozen=True, slots=True)
class Leak:
    """A value that was found where it must not be: the name of the place, of the value, and how it was spelled.

    It never holds the value itself.
    """

    place: str
    name: str
    how: str

    def __str__(self) -> str:
        return f"{self.name} in {self.place} ({self.how})"


@dataclass(frozen=True, slots=True)
class LeakReport:
    """What was found, and the names of all places that were searched."""

    leaks: tuple[Leak, ...]
    places: tuple[str, ...]

    def __str__(self) -> str:
        count, places = len(self.leaks), len(self.places)
        return f"{count} {'leak' if count == 1 else 'leaks'} in {places} {'place' if places == 1 else 'places'}"


@dataclass(frozen=True, slots=True)
class _Needle:
    """One value in the forms that are searched for: literally, squeezed to letters and digits, or as a token.

    ``squeezed`` is empty for a value that is mostly signs; only its literal form says enough.
    """

    name: str
    literal: str = field(repr=False)
    squeezed: str = field(repr=False)
    token: re.Pattern[str] | None = field(repr=False)
    backwards: re.Pattern[str] | None = field(repr=False)

    def spelled_in(self, reading: _Reading) -> str | None:
        """How the value stands in a reading, ``None`` if it does not."""
        literal = self.literal in reading.text
        if self.token is not None and self.backwards is not None:
            if self.token.search(reading.folded):
                return "literal" if literal else "re-spelled"
            return "reversed" if self.backwards.search(reading.folded) else None
        if literal:
            return "literal"
        if self.squeezed and self.squeezed in reading.squeezed:
            return "re-spelled"
        return "reversed" if self.squeezed and self.squeezed[::-1] in reading.squeezed else None

    def encoded_in(self, content: bytes) -> str | None:
        """The encoding besides UTF-8 in which a value beyond ASCII stands in a binary file, or ``None``."""
        if self.literal.isascii() or self.token is not None:
            return None
        return next((codec for codec in _CODECS if self.literal.encode(codec, "backslashreplace") in content), None)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reading of a place, with its two normal forms."""

    text: str
    folded: str
    squeezed: str

    @classmethod
    def of(cls, text: str) -> _Reading:
        folded = _fold(text)
        return cls(text, _TIMESTAMP.sub(" ", folded), _NOT_WORD.sub("", folded))


def find_leaks(values: Mapping[str, str], places: Mapping[str, str | bytes]) -> LeakReport:
    """Every value (by its name) in every place (by its name) where it stands in any spelling or encoding.

    Found: the value itself; other separators, case, width, script of digits, invisible characters; UTF-16,
    percent-encoding, HTML and ``\\u`` escapes, base64 and hex at any offset, reversed, split over JSON strings, and two
    of these on top of each other. Values under 8 letters and digits are found as a whole token only, and not inside a
    time stamp or a decimal number. Not found: parts of a value, values spelled in words, compressed or encrypted ones.

    Raises ``InvalidInput`` for a value under 4 letters and digits, ``LimitExceeded`` for a place over 64 MiB.
    """
    needles = [_needle(name, value) for name, value in values.items()]
    leaks = [leak for place, content in places.items() for leak in _search(needles, place, content)]
    return LeakReport(tuple(leaks), tuple(places))


def read_files(paths: Iterable[Path]) -> dict[str, bytes]:
    """The bytes of those files that exist, by file name; for a database also its ``-wal``, ``-shm`` and
    ``-journal``."""
    with_journals = (Path(f"{path}{suffix}") for path in paths for suffix in ("", "-wal", "-shm", "-journal"))
    return {path.name: path.read_bytes() for path in with_journals if path.is_file()}


def _needle(name: str, value: str) -> _Needle:
    folded = _fold(value).strip()
    squeezed = _NOT_WORD.sub("", folded)
    if len(squeezed) < MIN_LENGTH and len(folded) < _LONG:
        raise InvalidInput(f"the value of {name!r} is too short to be told from chance")
    tokens = _token(folded, squeezed), _token(folded[::-1], squeezed[::-1])
    return _Needle(name, value, squeezed if len(squeezed) >= _LONG else "", *tokens)


def _token(folded: str, squeezed: str) -> re.Pattern[str] | None:
    """The pattern of a short value; ``None`` for a value that is long enough to be looked for anywhere."""
    if squeezed.isdigit() and len(squeezed) < _LONG:
        return re.compile(rf"(?<!\d)(?<!\d\.){_GAP.join(squeezed)}(?!\.?\d)")
    return re.compile(rf"(?<![^\W_]){re.escape(folded)}(?![^\W_])") if len(folded) < _LONG else None


def _search(needles: Iterable[_Needle], place: str, content: str | bytes) -> Iterable[Leak]:
    if len(content) > MAX_PLACE:
        raise LimitExceeded(f"{place} is too large to be searched", MAX_PLACE)
    found: dict[str, Leak] = {}
    for encoding, text in readings(content):
        reading = _Reading.of(text)
        for needle in needles:
            spelling = None if needle.name in found else needle.spelled_in(reading)
            if spelling is not None:
                found[needle.name] = Leak(place, needle.name, encoding or spelling)
    if isinstance(content, bytes):
        for needle in needles:
            codec = None if needle.name in found else needle.encoded_in(content)
            if codec is not None:
                found[needle.name] = Leak(place, needle.name, codec)
    return found.values()


def _fold(text: str) -> str:
    """Compatibility forms, case and the digits of every script made one; invisible characters dropped."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold()
    return _FOREIGN_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), folded)
