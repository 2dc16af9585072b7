"""The lenient reader of placeholders: what models and people do to a placeholder's surroundings, never to its symbols.

Tolerated: the case of all letters, backslashes before punctuation, HTML escapes of it, bold inside the brackets, one
line break after an underscore, missing brackets. Another or a missing symbol is never guessed at.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sealgate.models.entities import ENTITY_TYPES, MAX_TYPE_LENGTH
from sealgate.models.placeholder import ALPHABET, STRICT, Placeholder, from_match

_UNDERSCORE: Final = r"(?:\\?_|&\#95;|&\#x5f;|&lowbar;)"
_BREAK: Final = r"[ \t]{0,4}\n?[ \t]{0,4}"
_DOT: Final = r"(?:\\?\.|&\#46;|&period;)"
_OPEN: Final = r"(?:\\?\[|&\#91;|&\#x5b;|&lbrack;|&lsqb;)[ ]?\*{0,3}"
_CLOSE: Final = r"\*{0,3}[ ]?(?:\\?\]|&\#93;|&\#x5d;|&rbrack;|&rsqb;)"
_SYMBOL: Final = f"[{ALPHABET}]"

_TAIL: Final = re.compile(
    rf"{_UNDERSCORE}{_BREAK}(?P<code>{_SYMBOL}{{13}}|{_SYMBOL}{{8}})(?![A-Za-z0-9])"
    rf"(?:{_DOT}(?P<form>{_SYMBOL}{{5}}|{_SYMBOL}{{3}})(?![A-Za-z0-9]))?(?P<close>{_CLOSE})?",
    re.IGNORECASE,
)
_HEAD: Final = re.compile(
    rf"(?P<open>{_OPEN})?(?<![A-Za-z0-9])(?P<type>[A-Z][A-Z0-9]{{0,39}}(?:{_UNDERSCORE}{_BREAK}[A-Z0-9]{{1,39}}){{0,8}})\Z",
    re.IGNORECASE,
)
_WINDOW: Final = 160
"""Code points before a code in which its type and bracket must stand: 40 symbols, each underscore as an escape."""


class LenientPlaceholder(NamedTuple):
    """A placeholder as somebody spelled it, with its span in code points; ``strict`` if spelled exactly."""

    start: int
    end: int
    placeholder: Placeholder
    strict: bool


def find_lenient(text: str) -> list[LenientPlaceholder]:
    """Every strict token, and every lenient spelling whose entity type is in the table; left to right, no overlaps."""
    found = [LenientPlaceholder(m.start(), m.end(), from_match(m), strict=True) for m in STRICT.finditer(text)]
    if "_" not in text and "&" not in text:
        return found
    taken = {item.start for item in found}
    covered = [(item.start, item.end) for item in found]
    for tail in _TAIL.finditer(text):
        item = _with_head(text, tail)
        if item is not None and item.start not in taken and not _inside(item, covered):
            found.append(item)
    return _without_overlaps(sorted(found))


def _inside(item: LenientPlaceholder, covered: list[tuple[int, int]]) -> bool:
    low, high = 0, len(covered)
    while low < high:
        middle = (low + high) // 2
        if covered[middle][1] <= item.start:
            low = middle + 1
        else:
            high = middle
    return low < len(covered) and covered[low][0] < item.end


def _without_overlaps(items: list[LenientPlaceholder]) -> list[LenientPlaceholder]:
    kept: list[LenientPlaceholder] = []
    for item in items:
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
    return kept


def _with_head(text: str, tail: re.Match[str]) -> LenientPlaceholder | None:
    begin = max(0, tail.start() - _WINDOW)
    window = text[begin : tail.start()]
    for head in _heads(window):
        entity_type = _type_of(head["type"])
        if entity_type is None:
            continue
        code = tail["code"].upper()
        placeholder = Placeholder(entity_type, code, (tail["form"] or "").upper())
        return LenientPlaceholder(begin + head.start(), tail.end(), placeholder, strict=False)
    return None


def _heads(window: str) -> list[re.Match[str]]:
    """The possible types at the end of a window, the longest first: each starts where a word does."""
    starts = [
        m.start() for m in re.finditer(r"(?<![A-Za-z0-9])(?:\\?\[|&#91;|&#x5b;|&lbrack;|&lsqb;|[A-Za-z])", window)
    ]
    matches = (_HEAD.match(window, start) for start in starts[-24:])
    return [found for found in matches if found is not None]


def _type_of(spelled: str) -> str | None:
    """The table's name of a type spelled with escapes, line breaks and any case; ``None`` for others."""
    name = re.sub(rf"{_UNDERSCORE}{_BREAK}", "_", spelled, flags=re.IGNORECASE).upper()
    if name in ENTITY_TYPES:
        return name
    custom = re.fullmatch(r"CUSTOM_[A-Z][A-Z0-9_]{0,31}", name)
    return name if custom is not None and len(name) <= MAX_TYPE_LENGTH else None
