"""Tokens: the base64 words of a text, decoded."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

_LONG_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}")


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
