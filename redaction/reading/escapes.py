"""Escapes: one level of HTML, percent, ``\\u`` and ``\\x`` seen through, for detection."""

from __future__ import annotations

import html
import re
from typing import Final
from urllib.parse import unquote_to_bytes

from .edits import Edit, projected
from .projection import Projection

_ESCAPE: Final = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});|(?:%[0-9a-fA-F]{2})+|(?:\\u[0-9a-fA-F]{4})+|(?:\\x[0-9a-fA-F]{2})+"
)


def decoded(projection: Projection) -> Projection | None:
    """The same text with one level of HTML, percent, ``\\u`` and ``\\x`` escapes seen through; ``None`` where there is
    none. All code points of one escape run lead back to the whole run."""
    text = projection.text
    if "%" not in text and "&" not in text and "\\" not in text:
        return None
    runs = _ESCAPE.finditer(text)
    edits = [Edit(run.start(), run.end(), plain) for run in runs if (plain := _decode(run.group()))]
    return projected(projection, edits) if edits else None


def _decode(escape: str) -> str:
    """What an escape run stands for; empty if it stands for nothing."""
    if escape[0] == "&":
        plain = html.unescape(escape)
        return "" if plain == escape else plain
    if escape[0] == "%":
        return unquote_to_bytes(escape).decode("utf-8", "ignore")
    width = 6 if escape[1] == "u" else 4
    units = [int(escape[at + 2 : at + width], 16) for at in range(0, len(escape), width)]
    if width == 4:
        return bytes(units).decode("utf-8", "ignore")
    return b"".join(unit.to_bytes(2, "big") for unit in units).decode("utf-16-be", "ignore")
