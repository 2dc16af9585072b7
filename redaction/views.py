"""Views: a text with its encodings seen through, level by level.

Each view is tried beside the text itself, never instead of it: what looks like an encoding may be the value. A view of
a ``Projection`` leads back to the original; one of a plain ``str`` does not and costs a tenth.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Final, TypeVar
from urllib.parse import unquote_to_bytes

from .edits import Edit, edited, projected
from .projection import Projection
from .spoken import said
from .wrappings import FENCE, spelled, unwrapped

MAX_LEVELS: Final = 3
"""Encodings on top of each other that are undone."""

MAX_VIEWS: Final = 12
"""Views of one text; beyond, the deepest are not tried."""

SHORTEST_TOKEN: Final = 4
"""Symbols of the shortest base64 or hex word that is decoded: three digits have four."""

LONG_TOKEN: Final = 16
"""Symbols of a base64 or hex word from which it may hold another encoding."""

_INFLATED: Final = 65_536
"""Bytes that a compressed word may hold; longer ones are not seen through."""

_ESCAPE: Final = re.compile(
    r"&#(?:0{0,16}[0-9]{1,7}|[xX]0{0,16}[0-9a-fA-F]{1,6});?|&[A-Za-z][A-Za-z0-9]{1,31};|(?:%[0-9a-fA-F]{2})+|(?:\\u[0-9a-fA-F]{4})+"
    r"|(?:\\x[0-9a-fA-F]{2})+|\\u\{[0-9a-fA-F]{1,6}\}|\\U[0-9a-fA-F]{8}|(?:\\[0-3][0-7]{2})+|\\[nrtbfv\"'/\\]"
)
_LOOSE: Final = re.compile(r"(?:=[0-9A-Fa-f]{2}|=\r?\n)+|\b0[xX][0-9a-fA-F]{2}(?:[, ]{1,2}0[xX][0-9a-fA-F]{2})*\b")
_WORD: Final = re.compile(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{SHORTEST_TOKEN},}}={{0,2}}")
_HEX: Final = re.compile("(?:[0-9a-fA-F]{2})+")
_NO_START: Final = frozenset("ghijklmnopqrstuv")
"""First symbols of base64 whose first byte continues a character of UTF-8, so that they start none; what they may start
is UTF-16 of Latin letters, whose second byte is zero, which the third symbol has to fit."""

_BASE32: Final = re.compile("[A-Z2-7]{16,}")
_WORDS: Final = {point: "a" if chr(point).isalnum() or chr(point) in "+/_-" else " " for point in range(128)}
_CONTROLS: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}


Text = TypeVar("Text", str, Projection)


def text_views(text: str, shortest: int = SHORTEST_TOKEN) -> Iterator[str]:
    """The text, then each view of it. ``shortest`` is the number of symbols from which words are decoded."""
    return _views(text, lambda view: view, edited, lambda read: _tokens(read, shortest))


def projection_views(projection: Projection) -> Iterator[Projection]:
    """The projection, then each view of it with the way back to the original. One decoded run leads back as a whole."""
    return _views(projection, lambda view: view.text, projected, lambda read: _tokens(read, SHORTEST_TOKEN))


def _views(
    first: Text,
    text_of: Callable[[Text], str],
    apply: Callable[[Text, list[Edit]], Text],
    tokens: Callable[[str], list[Edit]],
) -> Iterator[Text]:
    yield first
    level, count = [first], 1
    for _ in range(MAX_LEVELS):
        deeper: list[Text] = []
        for view in level:
            text = text_of(view)
            for edits in (_escapes(text), _loose(text), tokens(text), unwrapped(text), spelled(text), said(text)):
                if edits and count < MAX_VIEWS:
                    count += 1
                    deeper.append(apply(view, edits))
                    yield deeper[-1]
        level = deeper


def _escapes(text: str) -> list[Edit]:
    if "%" not in text and "&" not in text and "\\" not in text:
        return []
    found = ((run.start(), run.end(), _unescaped(run.group())) for run in _ESCAPE.finditer(text))
    return [Edit(start, end, plain.replace("\0", " ")) for start, end, plain in found if plain is not None]


def _unescaped(run: str) -> str | None:
    """What a run of escapes stands for; ``None`` if for nothing."""
    if run[0] == "&":
        plain = html.unescape(run)
        return None if plain == run else plain
    if run[0] == "%":
        return unquote_to_bytes(run).decode("utf-8", "ignore")
    if run[1] in _CONTROLS or not run[1].isalnum():
        return _CONTROLS.get(run[1], run[1])
    if run[1] in "01234567":
        return bytes(int(octal, 8) for octal in run.split("\\")[1:]).decode("utf-8", "ignore")
    if run[1] == "U" or run[2] == "{":
        point = int(run[2:].strip("{}"), 16)
        return chr(point) if point <= 0x10FFFF else None
    raw = bytes.fromhex(run.replace("\\u", "").replace("\\x", ""))
    return raw.decode("utf-16-be" if run[1] == "u" else "utf-8", "ignore")


def _loose(text: str) -> list[Edit]:
    """Runs that are as likely something else: ``=31`` and ``0x31``."""
    if "=" not in text and "0x" not in text and "0X" not in text:
        return []
    found = ((run.start(), run.end(), _loosened(run.group())) for run in _LOOSE.finditer(text))
    return [Edit(start, end, plain.replace("\0", " ")) for start, end, plain in found]


def _loosened(run: str) -> str:
    return bytes.fromhex("".join(re.findall(r"(?:=|0[xX])([0-9A-Fa-f]{2})", run))).decode("utf-8", "ignore")


def _tokens(text: str, shortest: int) -> list[Edit]:
    """The base64 and hex words of ``shortest`` symbols or more that hold readable text."""
    if "a" * shortest not in text.translate(_WORDS):
        return []
    found: list[Edit] = []
    for word in _WORD.finditer(text):
        plain = _decoded(word.group()) if word.end() - word.start() >= shortest else ""
        if plain:
            found.append(Edit(word.start(), word.end(), FENCE + plain + FENCE))
    return found


def _decoded(word: str) -> str:
    core = word.rstrip("=")
    plain = readable(bytes.fromhex(core)) if _HEX.fullmatch(core) else ""
    if not plain and _BASE32.fullmatch(core):
        plain = _from_base32(core)
    return plain or _from_base64(core)


def _from_base64(core: str) -> str:
    if core[0] in _NO_START and core[2:3] not in "ABCD":
        return ""
    standard = core.replace("-", "+").replace("_", "/")
    whole = standard[: len(standard) - (len(standard) % 4 == 1)]
    try:
        raw = base64.b64decode(whole + "=" * (-len(whole) % 4))
    except binascii.Error:
        return ""
    return readable(raw) or _inflated(raw)


def _inflated(raw: bytes) -> str:
    """The readable text that bytes hold in zlib's or gzip's format (RFC 1950, RFC 1952); empty if there is none."""
    if raw[:1] != b"\x78" and raw[:2] != b"\x1f\x8b":
        return ""
    try:
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 32)
        return readable(inflater.decompress(raw, _INFLATED))
    except zlib.error:
        return ""


def _from_base32(core: str) -> str:
    try:
        return readable(base64.b32decode(core + "=" * (-len(core) % 8)))
    except binascii.Error:
        return ""


def readable(raw: bytes) -> str:
    """The text that bytes hold, in UTF-8 or in UTF-16 of mostly Latin letters; empty if they hold none."""
    try:
        plain = raw.decode(_codec(raw))
    except UnicodeDecodeError:
        return ""
    return plain if plain.translate(_LAYOUT).isprintable() else ""


def _codec(raw: bytes) -> str:
    if len(raw) < 4 or 0 not in (raw[0], raw[1]):
        return "utf-8"
    return "utf-16-be" if raw[0] == 0 else "utf-16-le"


_LAYOUT: Final = dict.fromkeys(map(ord, "\n\r\t"), " ")
