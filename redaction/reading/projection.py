"""The projection: how a text reads to a rule. Look-alike characters folded, invisible ones dropped, with the way back.

Detection runs on ``Projection.text``; ``Projection.span`` gives the range of the original that a projected range came
from, so nothing outside of a finding ever changes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sealgate.models.findings import Span

_LOOKALIKES: Final = {
    "‘": "'",
    "’": "'",
    "‚": "'",
    "‛": "'",
    "“": '"',
    "”": '"',
    "„": '"',
    "″": '"',
    "′": "'",
    "−": "-",
    "İ": "I",
    "ı": "i",
    "\u2800": " ",
}
"""What NFKC leaves; the Turkish letters because ``re.IGNORECASE`` takes them for I, the empty Braille pattern because
it shows as a space."""

_BY_CATEGORY: Final = {"Cf": "", "Zs": " ", "Pd": "-", "Zl": "\n", "Zp": "\n"}
"""Invisible characters, spaces, dashes and line separators by their Unicode category."""

_MARK: Final = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
"""Blocks of combining marks for any script: accents, and what underlines, strikes through or encloses a character."""

_UNSEEN: Final = re.compile(
    f"[{_MARK}\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
"""What is dropped besides: marks that make no letter of their own with what they stand on, fillers, variation selectors
(the default-ignorable code points of Unicode that are no ``Cf``)."""

_COMPOSED: Final = re.compile(
    f"[^{_MARK}](?:[{_MARK}\u0653-\u0655\u3099\u309a]{{1,30}}|[\u1161-\u1175][\u11a8-\u11c2]?)|[\uac00-\ud7a3][\u11a8-\u11c2]"
)
"""A letter and its accents, or a Korean syllable, in pieces. At most 30 marks, as Unicode's stream-safe format has."""

_LONGEST_FOLD: Final = 4
"""Code points; compatibility characters that unfold to more (a whole Arabic phrase) stay as they are."""


@dataclass(frozen=True, slots=True)
class Projection:
    """A projected text. ``starts`` and ``ends`` give, for each of its code points, the half-open range of the original;
    ``None`` where the text is its own projection."""

    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    def span(self, start: int, end: int) -> Span:
        """The original's range under the projected range ``start`` to ``end``, which is not empty."""
        if self.starts is None or self.ends is None:
            return Span(start, end)
        return Span(self.starts[start], self.ends[end - 1])


_TAGS: Final = {0xE0000 + point: chr(point) for point in range(0x20, 0x7F)}


def untagged(text: str) -> str | None:
    """The text with Unicode's tag characters, which no reader sees and every model does, as the ASCII that they stand
    for, of the same length in code points; ``None`` if it has none."""
    if text.isascii():
        return None
    shown = text.translate(_TAGS)
    return None if shown == text else shown


def project(text: str) -> Projection:
    """NFKC by character, letters in pieces put together, digits of every script as ASCII, exotic spaces and dashes as
    plain ones, zero-width characters, loose marks and soft hyphens dropped. ASCII text is its own projection."""
    if text.isascii():
        return Projection(text)
    if not unicodedata.is_normalized("NFC", text):
        return _composed(text)
    folded = [_fold(char) for char in text]
    if all(len(part) == 1 for part in folded):
        return Projection("".join(folded), range(len(text)), range(1, len(text) + 1))
    starts = [index for index, part in enumerate(folded) for _ in part]
    return Projection("".join(folded), starts, [index + 1 for index in starts])


def project_text(text: str) -> str:
    """``project(text).text``, without the way back and several times faster."""
    if text.isascii():
        return text
    whole = text if unicodedata.is_normalized("NFC", text) else _COMPOSED.sub(_compose, text)
    return whole.translate(_FOLDED)


def _compose(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", found.group())


def _composed(text: str) -> Projection:
    """The projection of a text in which letters stand in pieces: each is put together first."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for found in (*_COMPOSED.finditer(text), None):
        start, end = found.span() if found is not None else (len(text), len(text))
        pieces = [(text[index], index, index + 1) for index in range(at, start)]
        for piece, first, last in [*pieces, (_compose(found), start, end)] if found is not None else pieces:
            folded = piece.translate(_FOLDED)
            parts.append(folded)
            starts.extend([first] * len(folded))
            ends.extend([last] * len(folded))
        at = end
    return Projection("".join(parts), starts, ends)


class _Folded(dict[int, str]):
    """Code points with what they fold to, learned as they come; forgotten when there are too many."""

    def __missing__(self, point: int) -> str:
        if len(self) >= _MAX_FOLDED:
            self.clear()
        folded = self[point] = _fold(chr(point))
        return folded


_FOLDED: Final = _Folded()
_MAX_FOLDED: Final = 8192


@lru_cache(maxsize=8192)
def _fold(char: str) -> str:
    if char.isascii():
        return char
    if _UNSEEN.match(char):
        return ""
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    known = _LOOKALIKES.get(char, _BY_CATEGORY.get(category))
    if known is not None or category == "Cs":
        return char if known is None else known
    unfolded = unicodedata.normalize("NFKC", char)
    return unfolded if len(unfolded) <= _LONGEST_FOLD else char
