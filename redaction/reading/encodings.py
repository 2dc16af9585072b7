"""Encodings: the ways to write a text that are seen through when sealed values are looked for.

One table for the scanner and for whoever tests it. ``minimum`` is the least number of a value's symbols (letters and
digits) from which it is found in that encoding; a shorter value is too likely to stand there by chance. A value under
eight symbols has to be a whole token of the decoded text.
"""

from __future__ import annotations

import base64
import codecs
import gzip
import html
import json
import quopri
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

MINIMUM_REVERSED: Final = 6
"""Symbols from which a value is looked for backwards and in ROT13: a PIN read backwards is somebody's year of birth."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """One way to write a text; ``encode`` is total on texts without lone surrogates."""

    name: str
    encode: Callable[[str], str]
    minimum: int = 3


def _base64(text: str, before: bytes = b"", codec: str = "utf-8") -> str:
    return base64.b64encode(before + text.encode(codec)).decode()


def _bytes(pattern: str) -> Callable[[str], str]:
    """Every byte of the UTF-8 text by one format."""
    return lambda text: "".join(pattern.format(byte) for byte in text.encode())


def _points(pattern: str) -> Callable[[str], str]:
    """Every code point by one format."""
    return lambda text: "".join(pattern.format(ord(char)) for char in text)


def _units(text: str) -> str:
    """Every UTF-16 code unit as a JSON escape."""
    raw = text.encode("utf-16-be")
    return "".join(f"\\u{raw[at]:02x}{raw[at + 1]:02x}" for at in range(0, len(raw), 2))


def _deflated(text: str) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(text.encode()) + packer.flush()


def _utf7(text: str) -> str:
    """All of the text as one shifted run (RFC 2152)."""
    return f"+{_base64(text, codec='utf-16-be').rstrip('=')}-"


def _dump(text: str, offset: str, group: int, shown: str) -> str:
    """A hex dump, sixteen bytes a line."""
    raw = text.encode()
    lines = []
    for at in range(0, len(raw), 16):
        row = raw[at : at + 16]
        hexed = row.hex(" ", -group) if group > 1 else row.hex(" ")
        printed = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append(offset.format(at) + f"{hexed:<47}"[: 39 if group > 1 else 47] + shown.format(printed))
    return "\n".join(lines)


def rot13(text: str) -> str:
    """Latin letters moved by thirteen places; its own inverse."""
    return text.translate(_ROT13)


_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_ROT13: Final = str.maketrans(
    _LETTERS + _LETTERS.upper(), (_LETTERS[13:] + _LETTERS[:13]) + (_LETTERS[13:] + _LETTERS[:13]).upper()
)

_LOOKALIKES: Final = str.maketrans("aeopcxyijsABEKMHOPCTX", "аеорсхуіјѕАВЕКМНОРСТХ")
_DIGITS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

ENCODINGS: Final = (
    Encoding("base64", _base64),
    Encoding("base64, URL alphabet", lambda text: base64.urlsafe_b64encode(text.encode()).decode()),
    Encoding("base64 without padding", lambda text: _base64(text).rstrip("=")),
    Encoding("base64 at offset 1", lambda text: _base64(text, b" ")),
    Encoding("base64 at offset 2", lambda text: _base64(text, b"> ")),
    Encoding("base64 of UTF-16", lambda text: _base64(text, codec="utf-16-le"), 6),
    Encoding("base64 of UTF-16 with a byte order mark", lambda text: _base64(text, codec="utf-16"), 6),
    Encoding("base64 twice", lambda text: _base64(_base64(text)), 8),
    Encoding("base32", lambda text: base64.b32encode(text.encode()).decode(), 8),
    Encoding("hex", lambda text: text.encode().hex()),
    Encoding("hex, upper case", lambda text: text.encode().hex().upper()),
    Encoding("hex with separators", lambda text: text.encode().hex(":"), 8),
    Encoding("hex of UTF-16", lambda text: text.encode("utf-16-be").hex(), 6),
    Encoding("percent", lambda text: quote(text, safe="")),
    Encoding("percent, every byte", _bytes("%{:02X}")),
    Encoding("percent, twice", lambda text: quote(_bytes("%{:02X}")(text), safe="")),
    Encoding("percent, every unit", lambda text: _units(text).replace("\\", "%")),
    Encoding("HTML, named", html.escape),
    Encoding("HTML, decimal", _points("&#{};")),
    Encoding("HTML, hexadecimal", _points("&#x{:x};")),
    Encoding("JSON string", lambda text: json.dumps(text)[1:-1]),
    Encoding("JSON, every unit", _units),
    Encoding("Python, every byte", _bytes("\\x{:02x}")),
    Encoding("Python, every code point", _points("\\U{:08x}")),
    Encoding("Python repr", lambda text: repr(text)[1:-1]),
    Encoding("octal", _bytes("\\{:03o}")),
    Encoding("JavaScript code points", _points("\\u{{{:x}}}")),
    Encoding("C bytes", lambda text: ", ".join(f"0x{byte:02x}" for byte in text.encode())),
    Encoding("binary", lambda text: " ".join(f"{byte:08b}" for byte in text.encode())),
    Encoding("binary without spaces", lambda text: "".join(f"{byte:08b}" for byte in text.encode())),
    Encoding("decimal bytes", lambda text: ", ".join(str(byte) for byte in text.encode())),
    Encoding("decimal bytes, a line each", lambda text: ",\n  ".join(str(byte) for byte in text.encode())),
    Encoding("zlib in hex", lambda text: zlib.compress(text.encode()).hex()),
    Encoding("zlib in base64", lambda text: base64.b64encode(zlib.compress(text.encode())).decode()),
    Encoding("DEFLATE in base64", lambda text: base64.b64encode(_deflated(text)).decode(), 20),
    Encoding("gzip in base64", lambda text: base64.b64encode(gzip.compress(text.encode())).decode()),
    Encoding("HTML, an element each", lambda text: "".join(f"<b>{char}</b>" for char in html.escape(text)), 3),
    Encoding("Unicode tags", lambda text: "".join(chr(0xE0000 + ord(c)) if " " <= c <= "~" else c for c in text)),
    Encoding("look-alike letters", lambda text: text.translate(_LOOKALIKES)),
    Encoding(
        "digits in words", lambda text: re.sub("[0-9]", lambda found: f" {_DIGITS[int(found.group())]} ", text), 4
    ),
    Encoding("terminal colours", lambda text: "".join(f"\x1b[3{at % 8}m{char}" for at, char in enumerate(text))),
    Encoding("quoted-printable", lambda text: quopri.encodestring(text.encode(), quotetabs=True).decode()),
    Encoding("quoted-printable, every byte", _bytes("={:02X}")),
    Encoding("hex dump of xxd", lambda text: _dump(text, "{:08x}: ", 2, "  {}")),
    Encoding("hex dump of hexdump -C", lambda text: _dump(text, "{:08x}  ", 1, "  |{}|")),
    Encoding("uuencode", lambda text: codecs.encode(text.encode(), "uu").decode()),
    Encoding("Ascii85", lambda text: base64.a85encode(text.encode(), adobe=True).decode()),
    Encoding("UTF-7", _utf7),
    Encoding("UTF-7, every unit", lambda text: "".join(map(_utf7, text))),
    Encoding("chr calls", lambda text: "+".join(f"chr({ord(char)})" for char in text)),
    Encoding("CHAR calls", lambda text: " || ".join(f"CHAR(0x{ord(char):X})" for char in text)),
    Encoding("UTF-16 little-endian", lambda text: text.encode("utf-16-le").decode("latin-1"), 3),
    Encoding("UTF-16 big-endian", lambda text: text.encode("utf-16-be").decode("latin-1"), 3),
    Encoding("reversed", lambda text: text[::-1], MINIMUM_REVERSED),
    Encoding("ROT13", rot13, MINIMUM_REVERSED),
)
"""Every encoding that is seen through, alone and most of them on top of each other, up to three."""


def forms(text: str) -> list[str]:
    """The encodings of a value that keep its shape wherever it starts, for the scanner to look for: hex, base32 and the
    part of its base64 that depends on it alone, at each of the three byte alignments."""
    raw = text.encode("utf-8", "surrogatepass")
    found = [raw.hex(), base64.b32encode(raw).decode().rstrip("=")]
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + raw).decode()
        first = (0, 2, 3)[offset]
        last = len(encoded) - (0, 3, 2)[(len(raw) + offset) % 3]
        found.append(encoded[first:last])
    return found
