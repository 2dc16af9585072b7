"""Tokens: the words of a text, digit groups read as one number, and base64 or hex words decoded."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from .projection import Projection

_WORD: Final = re.compile(r"[^\W_]+")
_DIGIT_RUN: Final = re.compile(r"[0-9]+(?:[ \t\n.,;:_/|-]{1,2}[0-9]+)+")
_LETTER_RUN: Final = re.compile(r"(?<![^\W_])[^\W_](?:[ .,_-]{1,2}[^\W_](?![^\W_]))+")
_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{4,}={0,2}")
_LONG_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX: Final = re.compile(r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}){3,}(?![0-9a-fA-F])")


def words(text: str) -> Iterator[tuple[int, int, str]]:
    """Each maximal run of letters and digits with its range (code points)."""
    for found in _WORD.finditer(text):
        yield found.start(), found.end(), found.group()


def joined_runs(text: str) -> Iterator[tuple[int, int, str]]:
    """Each maximal run of separated digit groups, or of separated single symbols, as the one token it spells."""
    for pattern in (_DIGIT_RUN, _LETTER_RUN):
        for found in pattern.finditer(text):
            yield found.start(), found.end(), re.sub(r"[\W_]+", "", found.group())


def decoded_tokens(projection: Projection) -> Iterator[tuple[int, int, str]]:
    """The base64 and hex words of a text that hold readable text, with their range in the projection."""
    text = projection.text
    for found in _BASE64.finditer(text):
        plain = from_base64(found.group())
        if plain:
            yield found.start(), found.end(), plain
    for found in _HEX.finditer(text):
        plain = _readable(bytes.fromhex(found.group()))
        if plain:
            yield found.start(), found.end(), plain


def from_base64(word: str) -> str:
    """The readable text that a base64 word (either alphabet, padded or not) holds; empty if there is none."""
    core = word.rstrip("=").replace("-", "+").replace("_", "/")
    if len(core) % 4 == 1:
        return ""
    try:
        return _readable(base64.b64decode(core + "=" * (-len(core) % 4), validate=True))
    except binascii.Error:
        return ""


def _readable(raw: bytes) -> str:
    try:
        plain = raw.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return plain if plain.replace("\n", " ").replace("\t", " ").replace("\r", " ").isprintable() else ""


def decoded_words(text: str) -> Iterator[tuple[int, int, str]]:
    """The base64 words of at least 16 symbols that hold readable text, with their range."""
    for found in _LONG_BASE64.finditer(text):
        plain = from_base64(found.group())
        if plain:
            yield found.start(), found.end(), plain
