"""Folding: a text without case, and without everything that is not a letter or a digit, with the way back."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

BARRIER: Final = "\x00"
"""Stands for a code point that nothing may be joined across; folding keeps it."""

_NOT_SYMBOL: Final = re.compile(r"(?:[^\w\x00]|_)+")
_NO_SYMBOLS: Final = bytes(point for point in range(1, 128) if not chr(point).isalnum())
"""What ``_NOT_SYMBOL`` matches in ASCII."""
_NOT_DIGIT: Final = re.compile(r"[^0-9\x00]+")
_NO_DIGITS: Final = bytes(point for point in range(1, 128) if not chr(point).isdigit())
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_PRIVATE: Final = 0xF0000
"""Lone surrogates are no text for the automaton; each is read as one private-use character instead."""


_LATIN: Final = str.maketrans("авекмнорстухіјѕһԁԛԝαβεζικορτχ", "abekmhopctyxijshdqwabezikoptx")
"""Cyrillic and Greek letters that look like Latin ones, in either case (Unicode's confusables, UTS #39)."""


def fold_exact(text: str) -> str:
    """``text`` without case and without the accents of its letters, letters that look like Latin ones as those; of the
    same length in code points. For comparing with a text folded likewise, not for reading."""
    if text.isascii():
        return text.lower()
    lowered = "".join([_lower(char) for char in text]).translate(_LATIN)
    return _SURROGATE.sub(lambda found: chr(_PRIVATE + ord(found.group()) - 0xD800), lowered)


@lru_cache(maxsize=4096)
def _lower(char: str) -> str:
    for lowered in (char.casefold(), char.lower()):
        if len(lowered) == 1:
            return _without_accents(lowered)
    return char


def _without_accents(char: str) -> str:
    pieces = unicodedata.normalize("NFD", char)
    return pieces[0] if all(map(unicodedata.combining, pieces[1:])) else char


def symbols_of(exact: str) -> str:
    """The letters and digits (and barriers) of a case-folded text."""
    if exact.isascii():
        return exact.encode("ascii").translate(None, _NO_SYMBOLS).decode("ascii")
    return _NOT_SYMBOL.sub("", exact)


def digits_of(exact: str) -> str:
    """The ASCII digits (and barriers) of a text."""
    if exact.isascii():
        return exact.encode("ascii").translate(None, _NO_DIGITS).decode("ascii")
    return _NOT_DIGIT.sub("", exact)


def places_of(exact: str) -> list[int]:
    """For each symbol of ``symbols_of(exact)`` its place in ``exact``, in code points."""
    return [index for index, char in enumerate(exact) if char.isalnum() or char == BARRIER]
