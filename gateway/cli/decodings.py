"""Every reading of a text or a file in which the leak checker looks for a value: as it stands, and decoded.

Written for the checker alone and sharing nothing with the redactor, so that a fault there cannot hide itself here.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Iterator
from typing import Final

_DEPTH: Final = 2
"""Encodings on top of each other that are undone: base64 of a percent-encoded text is read, a third layer is not."""

_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{8,}(?:(?:\r?\n|\\r|\\n)+[A-Za-z0-9+/_-]{4,})*")
_PERCENT: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_HEX: Final = re.compile(r"[0-9A-Fa-f](?:[ :-]?[0-9A-Fa-f]){7,}")
_ESCAPE: Final = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2}))")
_JSON_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')
_PRINTABLE: Final = re.compile(rb"[\t\n\r\x20-\x7e]{6,}")
_FENCE: Final = " \x1e "
"""Stands between decoded pieces, so that two of them never join into a value that was not there."""


def readings(content: str | bytes) -> Iterator[tuple[str, str]]:
    """Each reading of ``content`` with the name of what was undone, plain ones (named ``""``) first.

    Linear in the length of ``content``. Not undone: compression, encryption, ciphers, more than two layers.
    """
    text = content if isinstance(content, str) else _as_text(content)
    if text is None:
        # Whatever is encoded within a binary file is printable ASCII, of which there is little.
        assert isinstance(content, bytes)  # noqa: S101  # Text always reads as text.
        yield "", content.decode("utf-8", "replace")
        level = [("", _printable(content)), ("a wide encoding", _printable(content.replace(b"\0", b"")))]
    else:
        level = [("", text)]
    seen: set[int] = set()
    for depth in range(_DEPTH + 1):
        deeper: list[tuple[str, str]] = []
        for name, reading in level:
            if hash(reading) not in seen:
                seen.add(hash(reading))
                yield name, reading
                deeper.extend(_decoded(name, reading) if depth < _DEPTH else ())
        level = deeper


def _as_text(content: bytes) -> str | None:
    """The text of bytes that are UTF-8, or UTF-16 with its mark; ``None`` for a binary file."""
    codec = "utf-16" if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8"
    try:
        text = content.decode(codec)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _printable(content: bytes) -> str:
    return _FENCE.join(run.decode("ascii") for run in _PRINTABLE.findall(content))


def _decoded(name: str, text: str) -> Iterator[tuple[str, str]]:
    for decoder, decode in _DECODERS.items():
        decoded = decode(text)
        if decoded and decoded != text:
            yield f"{name} in {decoder}" if name else decoder, decoded


def _percent(text: str) -> str:
    return _PERCENT.sub(lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), text)


def _html(text: str) -> str:
    return html.unescape(text) if "&" in text else ""


def _escapes(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else ""


def _character(match: re.Match[str]) -> str:
    code = int(next(group for group in match.groups() if group), 16)
    return chr(code) if code <= 0x10FFFF else " "


def _base64(text: str) -> str:
    pieces = []
    for run in _BASE64.finditer(text):
        joined = re.sub(r"[\r\n]|\\[rn]", "", run[0]).replace("-", "+").replace("_", "/")
        # A run may have swallowed letters that stood before it, so each of the four alignments is tried.
        for offset in range(4):
            aligned = joined[offset:]
            pieces.append(base64.b64decode(aligned[: len(aligned) // 4 * 4] + _rest(aligned)))
    return _FENCE.join(map(_legible, pieces))


def _legible(decoded: bytes) -> str:
    """The text of what was decoded; of what is mostly no text, the printable runs."""
    text = decoded.decode("utf-8", "ignore")
    return text if len(text.encode("utf-8")) * 4 >= len(decoded) * 3 else _printable(decoded)


def _rest(aligned: str) -> str:
    """The last group of one to three symbols, padded; a single symbol holds no byte and is dropped."""
    rest = aligned[len(aligned) // 4 * 4 :]
    return rest + "=" * (4 - len(rest)) if len(rest) > 1 else ""


def _hex(text: str) -> str:
    pieces = []
    for run in _HEX.finditer(text):
        digits = re.sub(r"[ :-]", "", run[0])
        for offset in (0, 1):
            even = digits[offset : offset + (len(digits) - offset) // 2 * 2]
            pieces.append(binascii.unhexlify(even))
    return _FENCE.join(map(_legible, pieces))


def _joined(text: str) -> str:
    """The strings of a JSON text or of JSON lines joined, which is what a client makes of streamed pieces."""
    return "".join(string for string, colon in _JSON_STRING.findall(text) if not colon) if '"' in text else ""


_DECODERS: Final[dict[str, Callable[[str], str]]] = {
    "percent-encoding": _percent,
    "HTML escapes": _html,
    "escapes": _escapes,
    "base64": _base64,
    "hex": _hex,
    "split strings": _joined,
}
