"""Wrappings: what stands between the characters of a text without being part of it, and characters as numbers.

Markup and terminal sequences show a reader nothing of themselves; a list of bytes is how a program prints a text.
"""

from __future__ import annotations

import re
from typing import Final

from .edits import Edit

FENCE: Final = "\x1e"
"""Stands on both sides of what was decoded from a word, so that it does not grow together with its surroundings."""

_INLINE: Final = (
    "a|abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time"
    "|tt|u|var|wbr"
)
_UNSHOWN: Final = re.compile(
    rf"(?P<joins></?(?i:{_INLINE})(?:[\s/][^<>]{{0,512}})?>|<!--(?:[^-]|-(?!->)){{0,512}}-->"
    r"|\x1b\[[0-?]{0,32}[ -/]{0,4}[@-~]|\x9b[0-?]{0,32}[@-~]|\x1b\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)|\x1b[@-Z\\^_])"
    r"|</?[A-Za-z][^<>]{0,512}>"
)
"""HTML's phrasing elements and comments, and the control sequences of ECMA-48, join what is around them; other elements
part it."""

_BYTE: Final = "(?:9|1[03]|3[2-9]|[4-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])"
_CODES: Final = re.compile(rf"(?<![0-9.]){_BYTE}(?:(?:[,;]\s{{0,16}}|\s{{1,16}}){_BYTE}){{2,}}(?!\.?[0-9])")
_BITS: Final = re.compile(r"(?<![0-9])[01]{8}(?:[\s,_]{0,2}[01]{8}){2,}(?![0-9])")
_SHAPES: Final = bytes(
    ord("0" if chr(byte).isdigit() else "," if chr(byte) in ",; \r\n\t[_" else "x") for byte in range(256)
)
"""What bytes are in a list of numbers; ``bytes.translate`` is several times faster than an expression."""

_BITS_ONLY: Final = bytes.maketrans(b"1", b"0")
_NEIGHBOURS: Final = (b",00,0", b",000,0", b",00,,0", b",000,,0")
"""One of these stands in the shapes of any list of numbers."""


def unwrapped(text: str) -> list[Edit]:
    """The markup and the terminal sequences of a text, each replaced by nothing or by a space."""
    if "<" not in text and "\x1b" not in text and "\x9b" not in text:
        return []
    return [Edit(*found.span(), "" if found["joins"] else " ") for found in _UNSHOWN.finditer(text)]


def spelled(text: str) -> list[Edit]:
    """Runs of three or more bytes in binary or decimal (with a comma, a semicolon, spaces or line ends between; no
    controls but tab and line ends), with what they spell."""
    raw = text.encode("ascii", "replace")
    shapes = raw.translate(_SHAPES)
    while b",,," in shapes:
        shapes = shapes.replace(b",,", b",")
    found: list[Edit] = []
    if any(pair in shapes for pair in _NEIGHBOURS):
        found += [_edit(run, [int(code) for code in re.findall("[0-9]+", run[0])]) for run in _CODES.finditer(text)]
    if b"00000000" in shapes and b"00000000" in raw.translate(_BITS_ONLY):
        found += [_edit(run, [int(bits, 2) for bits in re.findall("[01]{8}", run[0])]) for run in _BITS.finditer(text)]
    return sorted(found)


def _edit(run: re.Match[str], codes: list[int]) -> Edit:
    plain = bytes(codes).decode("utf-8", "ignore").replace("\0", " ")
    return Edit(run.start(), run.end(), FENCE + plain + FENCE)
