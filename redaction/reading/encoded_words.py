"""Encoded words: the base64, base32 and hex in a text, compressed or not, and the text that it holds."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from typing import Final

from .edits import Edit
from .wrappings import FENCE

SHORTEST_TOKEN: Final = 4
"""Symbols of the shortest base64 or hex word that is decoded: three digits have four."""

LONG_TOKEN: Final = 16
"""Symbols of a base64 or hex word from which it may hold another encoding."""

ROOM: Final = 65_536
"""Bytes that the compressed words of a text may add to it together, or as many as it has code points: a word of a
hundred symbols can hold a megabyte. What goes beyond is not seen through."""

_WORD: Final = re.compile(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{SHORTEST_TOKEN},}}={{0,2}}")
_PART: Final = re.compile(rf"[^/]{{{SHORTEST_TOKEN},}}")
_SHORTEST_LINE: Final = 40
"""Symbols of a line from which its word may go on in the next: MIME wraps at 76 (RFC 2045), PEM at 64 (RFC 7468)."""

_WRAPPED: Final = re.compile(rf"(?:[A-Za-z0-9+/_-]{{{_SHORTEST_LINE},}}\r?\n)+[A-Za-z0-9+/_-]+={{0,2}}")

_HEX: Final = re.compile("(?:[0-9a-fA-F]{2})+")
_BASE32: Final = re.compile("[A-Z2-7]{16,}")
_NO_START: Final = frozenset("ghijklmnopqrstuv")
"""First symbols of base64 whose first byte continues a character of UTF-8, so that they start none; what they may start
is UTF-16 of Latin letters, whose second byte is zero, which the third symbol has to fit."""

_BLOCKS: Final = frozenset({3, 4, 5})
"""The last three bits of bytes that begin a compressed block, the last one or not. Nothing else marks them, so what
does not end where it says is none."""

_PADDING: Final = 2
"""Bytes that a word may hold beyond."""

_WORDS: Final = {point: "a" if chr(point).isalnum() or chr(point) in "+/_-" else " " for point in range(128)}
_CONTROL: Final = re.compile(r"[\0-\x08\x0e-\x1f\x7f-\x9f]")
_BYTE_ORDER: Final = (b"\xff\xfe", b"\xfe\xff")


def encoded_words(text: str, shortest: int = SHORTEST_TOKEN) -> list[Edit]:
    """The words of ``shortest`` symbols or more that hold readable text, with that text; a word that is wrapped over
    lines as one."""
    if "a" * shortest not in text.translate(_WORDS):
        return []
    reader = _Reader(shortest, max(ROOM, len(text)))
    found: list[Edit] = []
    tried = 0
    for word in _WORD.finditer(text):
        start, end = word.span()
        if start < tried and found and found[-1].end > start:
            continue
        lines = _WRAPPED.match(text, start) if start >= tried and end - start >= _SHORTEST_LINE else None
        if lines is not None:
            tried = lines.end()
            whole = reader.whole(lines)
            if whole:
                found += whole
                continue
        if end - start >= shortest:
            found += reader.word(word)
    return found


def readable(raw: bytes) -> str:
    """The text that bytes hold, in UTF-8 or in UTF-16 of mostly Latin letters; empty if they hold none, or if half of
    it is control characters."""
    try:
        plain = raw.decode(_codec(raw))
    except UnicodeDecodeError:
        return ""
    if plain.isprintable() or 2 * len(_CONTROL.findall(plain)) < len(plain):
        return plain.replace("\0", " ")
    return ""


class _Reader:
    """Reads the words of one text. ``room`` is how much longer than they are their texts may be together."""

    def __init__(self, shortest: int, room: int) -> None:
        self._shortest = shortest
        self._room = room

    def whole(self, lines: re.Match[str]) -> list[Edit]:
        """What lines hold that are one word."""
        pieces = lines.group().split()
        if any(len(piece) % 4 for piece in pieces[:-1]):
            return []
        return self._edits(lines, "".join(pieces), 0)

    def word(self, word: re.Match[str]) -> list[Edit]:
        """What a word holds, or the parts of a path: a slash is also a symbol of base64."""
        found = self._edits(word, word.group(), 0)
        if found or "/" not in word.group():
            return found
        parts = (part for part in _PART.finditer(word.group()) if part.end() - part.start() >= self._shortest)
        return [edit for part in parts for edit in self._edits(part, part.group(), word.start())]

    def _edits(self, run: re.Match[str], word: str, offset: int) -> list[Edit]:
        plain = self._plain(word)
        return [Edit(run.start() + offset, run.end() + offset, FENCE + plain + FENCE)] if plain else []

    def _plain(self, word: str) -> str:
        core = word.rstrip("=")
        plain = self._text(bytes.fromhex(core)) if _HEX.fullmatch(core) else ""
        if not plain and _BASE32.fullmatch(core):
            plain = self._text(_from_base32(core))
        return plain or self._text(_from_base64(core))

    def _text(self, raw: bytes) -> str:
        return readable(raw) or self._inflated(raw)

    def _inflated(self, raw: bytes) -> str:
        """The readable text that bytes hold in zlib's or gzip's format, or as DEFLATE makes them (RFC 1950 to 1952);
        empty if there is none."""
        if self._room <= 0 or not raw:
            return ""
        headed = raw[:1] == b"\x78" or raw[:2] == b"\x1f\x8b"
        if not headed and raw[0] & 7 not in _BLOCKS:
            return ""
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32 if headed else -zlib.MAX_WBITS)
        try:
            plain = unpacker.decompress(raw, self._room)
        except zlib.error:
            return ""
        if not headed and (len(unpacker.unused_data) > _PADDING or not (unpacker.eof or len(plain) >= self._room)):
            return ""
        self._room -= len(plain)
        return readable(plain)


def _from_base64(core: str) -> bytes:
    if core[0] in _NO_START and core[2:3] not in "ABCD":
        return b""
    standard = core.replace("-", "+").replace("_", "/")
    whole = standard[: len(standard) - (len(standard) % 4 == 1)]
    try:
        return base64.b64decode(whole + "=" * (-len(whole) % 4))
    except binascii.Error:
        return b""


def _from_base32(core: str) -> bytes:
    try:
        return base64.b32decode(core + "=" * (-len(core) % 8))
    except binascii.Error:
        return b""


def _codec(raw: bytes) -> str:
    if raw[:2] in _BYTE_ORDER:
        return "utf-16"
    zeros = raw.count(0)
    if len(raw) < 4 or 3 * zeros < len(raw):
        return "utf-8"
    return "utf-16-be" if 2 * raw[::2].count(0) > zeros else "utf-16-le"
