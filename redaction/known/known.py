"""Known values: every sealed value of a session found in a text, re-spelled, encoded or split.

A value of at least 8 symbols and about 26 bits is found anywhere: in any case, with any or no separators, in
full-width or other scripts' digits, with invisible characters between, and in the encodings of ``encodings``. A shorter
one is found only as a maximal token, in the text and in each decoding or joining of it, because its few digits occur
by chance in every longer number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from sealgate.models.placeholder import STRICT, Placeholder, from_match
from sealgate.models.sealing import LiveValue

from ..reading.encodings import MINIMUM_REVERSED, rot13
from ..reading.fold import BARRIER
from ..reading.sight import MINIMUM_DIGITS, Glance, Sight, View
from .layers import Layers
from .short_tokens import short_tokens


class KnownHit(NamedTuple):
    """A sealed value in a text. ``start`` and ``end`` in code points; ``exact`` if it stands there exactly as it was
    sealed under ``placeholder``."""

    start: int
    end: int
    placeholder: Placeholder
    exact: bool


_Found = tuple[int, int, Placeholder]


class KnownValues:
    """A matcher over all live values of a session. It holds plaintext: keep it where ``Sealer.match`` put it."""

    __slots__ = ("_patterns",)

    def __init__(self, values: Sequence[LiveValue] | Layers) -> None:
        self._patterns = values if isinstance(values, Layers) else Layers.of(values)

    def extended(self, added: Sequence[LiveValue]) -> KnownValues:
        """A matcher over these and the added values, at the cost of the added ones; this one is not changed."""
        return KnownValues(self._patterns.extended(added))

    def __repr__(self) -> str:
        return f"KnownValues({len(self._patterns.exact)} values)"

    def __bool__(self) -> bool:
        return bool(self._patterns.exact)

    def exact(self, text: str) -> Placeholder | None:
        """The placeholder of the value that is exactly ``text``; ``None`` if none is."""
        return self._patterns.exact.get(text)

    def suspects(self, text: str | Sight) -> bool:
        """Whether ``text`` may hold a value. False is certain, for any breaks in it that are no letters or digits, and
        takes one pass whose cost does not depend on how many values there are; true has to be looked into."""
        return bool(self._patterns.exact) and any(map(self._touches, _sight(text).glances))

    def find(self, text: str | Sight) -> list[KnownHit]:
        """Every sealed value in ``text``, left to right, without overlaps. Matchers that look through one text share a
        ``Sight`` of it."""
        sight = _sight(text)
        return self._hits(sight) if self.suspects(sight) else []

    def outside(self, text: str) -> list[KnownHit]:
        """Every sealed value outside of strict placeholders. A placeholder that is none of this session's own and that
        holds a value is text like any other."""
        sight = Sight(text)
        return self._hits(self._masked(sight)) if self.suspects(sight) else []

    def long_ranges(self, text: str) -> list[tuple[int, int]]:
        """Where long values stand in ``text``, left to right, without overlaps. They are too long to be guessed."""
        sight = Sight(text)
        if not self.suspects(sight):
            return []
        return merged(view.projection.span(start, end) for view in sight.views for start, end, _ in self._long(view))

    def scrub(self, text: str) -> str:
        """``text`` with each sealed value replaced by its placeholder. Strict placeholders in it stay as they are."""
        pieces: list[str] = []
        at = 0
        for hit in self.outside(text):
            pieces += (text[at : hit.start], str(hit.placeholder))
            at = hit.end
        return "".join(pieces) + text[at:] if pieces else text

    def appears_in(self, text: str) -> bool:
        """Whether a sealed value stands in ``text`` outside of strict placeholders."""
        return bool(self.outside(text))

    def _touches(self, glance: Glance) -> bool:
        """Whether a value, an encoded form or the symbols of a short value stand in what a glance shows."""
        patterns, turned = self._patterns, glance.turned
        found = patterns.folded.touches(turned) or patterns.hints.touches(turned)
        return found or patterns.spelled.touches(glance.exact)

    def _masked(self, sight: Sight) -> Sight:
        masked = STRICT.sub(self._mask, sight.text) if "[" in sight.text else sight.text
        return sight if masked == sight.text else Sight(masked, masked=True)

    def _mask(self, found: re.Match[str]) -> str:
        token = found.group()
        known = self._patterns.issued(from_match(found))
        return BARRIER * len(token) if known or not self._hits(Sight(token)) else token

    def _hits(self, sight: Sight) -> list[KnownHit]:
        return _resolved(sight.text, [hit for view in sight.views for hit in self._in_view(sight.text, view)])

    def _in_view(self, text: str, view: View) -> Iterator[KnownHit]:
        for start, end, placeholder in (*self._long(view), *self._short(view.exact)):
            span = view.projection.span(start, end)
            found = self._patterns.exact.get(text[span.start : span.end])
            yield KnownHit(span.start, span.end, found or placeholder, found is not None)

    def _long(self, view: View) -> Iterator[_Found]:
        """Long values as they are spelled, and their symbols forwards, in ROT13 and backwards."""
        yield from self._patterns.plain.find(view.exact)
        symbols = view.symbols
        folded = self._patterns.folded
        found = [*folded.find(symbols), *folded.find(rot13(symbols))]
        size = len(symbols)
        found += [(size - end, size - start, placeholder) for start, end, placeholder in folded.find(symbols[::-1])]
        places = view.places() if found else []
        yield from ((places[start], places[end - 1] + 1, placeholder) for start, end, placeholder in found)
        yield from self._digits(view)

    def _digits(self, view: View) -> Iterator[_Found]:
        """Long numbers whose digits stand in a text in order, whatever else is between them."""
        found = [hit for hit in self._patterns.folded.find(view.digits) if hit[1] - hit[0] >= MINIMUM_DIGITS]
        places = view.digit_places() if found else []
        yield from ((places[start], places[end - 1] + 1, placeholder) for start, end, placeholder in found)

    def _short(self, exact: str) -> Iterator[_Found]:
        """Short values as whole tokens; the longer of them backwards and in ROT13 too."""
        short = self._patterns.short
        for start, end, key in short_tokens(exact) if short else ():
            placeholder = short.get(key)
            if placeholder is None and len(key) >= MINIMUM_REVERSED:
                placeholder = short.get(key[::-1]) or short.get(rot13(key))
            if placeholder is not None:
                yield start, end, placeholder
        for start, end, placeholder in self._patterns.spelled.find(exact):
            if _ends_token(exact, start, end):
                yield start, end, placeholder


class _KnownValuesBuilder:
    """Fulfils ``models.sealing.ExtendingBuilder``."""

    def __call__(self, values: Sequence[LiveValue]) -> KnownValues:
        return KnownValues(values)

    def extend(self, built: KnownValues, added: Sequence[LiveValue]) -> KnownValues:
        return built.extended(added)


build_known_values: Final = _KnownValuesBuilder()
"""Makes the matcher of a session's live values; pass it to ``Sealer.match``, which keeps and extends what it made."""


def _sight(text: str | Sight) -> Sight:
    return Sight(text) if isinstance(text, str) else text


def _ends_token(text: str, start: int, end: int) -> bool:
    """Whether no letter or digit goes on at either end of a range."""
    before = start > 0 and text[start].isalnum() and text[start - 1].isalnum()
    return not (before or (end < len(text) and text[end - 1].isalnum() and text[end].isalnum()))


def merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The union of ranges as ranges, left to right."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


_SEPARATORS: Final = " \t\r\n,;.:-/"
"""What may stand between two values and be left of a hit over both."""


def _resolved(text: str, hits: Iterable[KnownHit]) -> list[KnownHit]:
    """Overlaps resolved: what stands there as it was sealed comes first, unless a longer hit holds it; then the
    leftmost, longest hit. What sticks out of what was kept stays hidden too, if it is more than separators."""
    ordered = sorted(hits, key=lambda item: (item.start, -item.end, not item.exact))
    first = _whole(ordered)
    kept, at, covered = list(first), 0, 0
    for hit in ordered:
        while at < len(first) and first[at].end <= hit.start:
            at += 1
        start = max(hit.start, covered)
        for other in (*_until(first, at, hit.end), hit._replace(start=hit.end)):
            if (start, other.start) == (hit.start, hit.end):
                kept.append(hit)
            elif text[start : other.start].strip(_SEPARATORS):
                kept.append(hit._replace(start=start, end=other.start, exact=False))
            start = max(start, other.end)
        covered = max(covered, hit.end)
    return sorted(kept, key=lambda item: item.start)


def _whole(ordered: Iterable[KnownHit]) -> list[KnownHit]:
    """The exact hits that no longer one holds, without overlaps."""
    found: list[KnownHit] = []
    reach = 0
    for hit in ordered:
        if hit.exact and hit.end > reach and (not found or hit.start >= found[-1].end):
            found.append(hit)
        reach = max(reach, hit.end)
    return found


def _until(hits: list[KnownHit], at: int, end: int) -> Iterator[KnownHit]:
    """Those from the one at a place to the last that begins before ``end``."""
    while at < len(hits) and hits[at].start < end:
        yield hits[at]
        at += 1
