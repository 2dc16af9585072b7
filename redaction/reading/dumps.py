"""Dumps: bytes as tools and programs write them out — hex dumps, uuencode, Ascii85, UTF-7, a call for each character.

Each form has a mark that ordinary text lacks and that is looked for first, so a text without one costs a few searches.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from .edits import Edit
from .encoded_words import readable
from .wrappings import FENCE

_DUMP_MARK: Final = "0000"
"""Stands in the offsets of the first 64 KB of a hex dump."""

_DUMP_LINE: Final = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-fA-F]{7,8}"
    r"(?::[ ](?P<xxd>(?:[0-9a-fA-F]{2,8}[ ]){0,15}[0-9a-fA-F]{2,8})(?:[ ]{2,48}[^\r\n]{1,16})?"
    r"|[ ]{1,2}(?P<plain>(?:[0-9a-fA-F]{2}[ ]{1,2}){0,15}[0-9a-fA-F]{2})(?![0-9A-Za-z])"
    r"(?:[ ]{1,64}[|>][^\r\n]{0,16}[|<]?)?)"
    r"(?P<end>[ ]{0,4}(?:\r?\n)?)"
)
"""A line of ``xxd`` (offset with a colon, groups, two spaces, text), or of ``hexdump -C`` and ``od`` (pairs, then the
text between bars)."""

_BETWEEN: Final = re.compile(r"\n[ \t]{0,16}")
"""What stands between two lines of a dump: the end of the first, and how the second is indented."""

_UU_MARK: Final = "begin "
_UU_BEGIN: Final = re.compile(r"begin [0-7]{3,4} [^\r\n]{1,255}\r?\n")
_UU_LINE: Final = re.compile(r"[!-M][ -`]{1,84}(?:\r?\n|\Z)")

_ASCII85_MARK: Final = "<~"
_ASCII85: Final = re.compile(r"<~[!-uz\s]{1,65536}~>")

_CALL_MARKS: Final = ("hr(", "HR(", "har(", "HAR(", "hrW(")
_CALL: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:uni|n)?ch(?:a?r|rw)\([ ]?(?P<code>0x[0-9a-f]{1,6}|[0-9]{1,7})[ ]?\)", re.IGNORECASE
)
_JOINT: Final = re.compile(r"[\s+.&|,<>~;\"'`]{0,12}")
"""What stands between two calls whose characters are put together."""

_UTF7_MARK: Final = "+A"
_UTF7: Final = re.compile(r"(?:(?<![A-Za-z0-9+/=])\+A[A-Za-z0-9+/]{2,4096}|\+A[A-Za-z0-9/]{2,512}+(?=-))-?")
"""A run of UTF-16 in base64 (RFC 2152); the first unit of Latin, Greek and signs begins with ``A``. After a letter a
minus has to end it."""

_CONTROL: Final = re.compile(r"[\0-\x08\x0e-\x1f\x7f-\x9f]")


def dumped(text: str) -> list[Edit]:
    """The runs of a text that are written so, with what they hold; in order and without overlaps."""
    found: list[Edit] = []
    if _DUMP_MARK in text:
        found += _hex_dumps(text)
    if _UU_MARK in text:
        found += _uuencoded(text)
    if "~" in text and _ASCII85_MARK in text:
        found += _ascii85(text)
    if "(" in text and any(mark in text for mark in _CALL_MARKS):
        found += _calls(text)
    if "+" in text and _UTF7_MARK in text:
        found += _utf7(text)
    return _apart(sorted(found)) if found else found


def _apart(edits: list[Edit]) -> list[Edit]:
    kept: list[Edit] = []
    for edit in edits:
        if not kept or kept[-1].end <= edit.start:
            kept.append(edit)
    return kept


def _fenced(start: int, end: int, raw: bytes) -> list[Edit]:
    plain = readable(raw)
    return [Edit(start, end, FENCE + plain + FENCE)] if plain else []


def _hex_dumps(text: str) -> list[Edit]:
    """Lines of a dump that follow each other are one run."""
    found: list[Edit] = []
    start = end = -1
    digits: list[str] = []
    for line in _DUMP_LINE.finditer(text):
        if end < 0 or _BETWEEN.fullmatch(text, end - 1, line.start()) is None:
            found += _dump(start, end, digits)
            start, digits = line.start(), []
        digits.append((line["xxd"] or line["plain"]).replace(" ", ""))
        end = line.end()
    return found + _dump(start, end, digits)


def _dump(start: int, end: int, digits: list[str]) -> list[Edit]:
    joined = "".join(digits)
    return _fenced(start, end, bytes.fromhex(joined)) if joined and len(joined) % 2 == 0 else []


def _uuencoded(text: str) -> list[Edit]:
    found: list[Edit] = []
    at = 0
    while (begin := _UU_BEGIN.search(text, at)) is not None:
        at, rows = begin.end(), list[bytes]()
        while (line := _UU_LINE.match(text, at)) is not None:
            try:
                rows.append(binascii.a2b_uu(line.group()))
            except binascii.Error:
                break
            at = line.end()
        found += _fenced(begin.start(), at, b"".join(rows))
    return found


def _ascii85(text: str) -> list[Edit]:
    found: list[Edit] = []
    for run in _ASCII85.finditer(text):
        try:
            raw = base64.a85decode(run.group(), adobe=True)
        except ValueError:
            continue
        found += _fenced(*run.span(), raw)
    return found


def _calls(text: str) -> list[Edit]:
    """Runs of two calls or more, with nothing but what joins them between."""
    found: list[Edit] = []
    start = end = -1
    plain = ""
    for call in _CALL.finditer(text):
        if end < 0 or _JOINT.fullmatch(text, end, call.start()) is None:
            found += [Edit(start, end, FENCE + plain + FENCE)] if len(plain) > 1 else []
            start, plain = call.start(), ""
        code = int(call["code"], 0) if call["code"][:2].lower() == "0x" else int(call["code"])
        plain += chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else " "
        end = call.end()
    return found + ([Edit(start, end, FENCE + plain + FENCE)] if len(plain) > 1 else [])


def _utf7(text: str) -> list[Edit]:
    found: list[Edit] = []
    for run in _UTF7.finditer(text):
        core = run.group()[1:].rstrip("-")
        core = core[: len(core) - (len(core) % 4 == 1)]
        raw = base64.b64decode(core + "=" * (-len(core) % 4))
        plain = raw[: len(raw) // 2 * 2].decode("utf-16-be", "ignore")
        if plain and _CONTROL.search(plain) is None:
            found.append(Edit(*run.span(), plain))
    return found
