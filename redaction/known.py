"""Known values: every sealed value of a session found in a text, re-spelled, encoded or split.

A value of at least 8 symbols and about 26 bits is found anywhere: in any case, with any or no separators, in
full-width or other scripts' digits, with invisible characters between, as HTML, percent or ``\\u`` escapes, in base64
and in hex. A shorter one is found only as a maximal token, in the text and in each decoding or joining of it, because
its few digits occur by chance in every longer number.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from ahocorasick_rs import AhoCorasick, MatchKind

from sealgate.models.placeholder import STRICT, Placeholder
from sealgate.models.sealing import LiveValue

from .fold import BARRIER, fold_exact, places_of, symbols_of
from .projection import Projection, decoded, project
from .strength import is_long
from .tokens import decoded_tokens, joined_runs, words

_SHORTEST_ENCODING: Final = 9
"""Symbols of the shortest encoded form that is looked for: eight symbols of a value give more in any encoding."""


class KnownHit(NamedTuple):
    """A sealed value in a text. ``start`` and ``end`` in code points; ``exact`` if it stands there exactly as it was
    sealed under ``placeholder``."""

    start: int
    end: int
    placeholder: Placeholder
    exact: bool


class KnownValues:
    """A matcher over all live values of a session. It holds plaintext: keep it where ``Sealer.match`` put it."""

    __slots__ = ("_exact", "_folded", "_folded_for", "_plain", "_plain_for", "_short", "_short_plain")

    def __init__(self, values: Sequence[LiveValue]) -> None:
        self._exact: dict[str, Placeholder] = {}
        self._short: dict[str, Placeholder] = {}
        self._short_plain: dict[str, Placeholder] = {}
        plain: dict[str, Placeholder] = {}
        folded: dict[str, Placeholder] = {}
        for live in values:
            text = live.value.text()
            self._exact.setdefault(text, live.placeholder)
            self._file(text, live.placeholder, plain, folded)
        self._plain, self._plain_for = _automaton(plain)
        self._folded, self._folded_for = _automaton(folded)

    def _file(
        self, text: str, placeholder: Placeholder, plain: dict[str, Placeholder], folded: dict[str, Placeholder]
    ) -> None:
        projection = project(text).text
        spelled = fold_exact(projection)
        symbols = symbols_of(spelled)
        if is_long(symbols):
            folded.setdefault(symbols, placeholder)
            plain.setdefault(spelled, placeholder)
            for encoded in _encodings(text):
                folded.setdefault(encoded, placeholder)
        elif is_long(spelled):
            plain.setdefault(spelled, placeholder)
            for encoded in _encodings(text):
                folded.setdefault(encoded, placeholder)
        elif symbols == spelled and symbols:
            self._short.setdefault(symbols, placeholder)
        elif spelled:
            self._short_plain.setdefault(spelled, placeholder)
            if len(symbols) >= 3:
                self._short.setdefault(symbols, placeholder)

    def __repr__(self) -> str:
        return f"KnownValues({len(self._exact)} values)"

    def __bool__(self) -> bool:
        return bool(self._exact)

    def exact(self, text: str) -> Placeholder | None:
        """The placeholder of the value that is exactly ``text``; ``None`` if none is."""
        return self._exact.get(text)

    def find(self, text: str) -> list[KnownHit]:
        """Every sealed value in ``text``, left to right, without overlaps."""
        if not self._exact:
            return []
        projection = project(text)
        hits = list(self._in_view(text, projection))
        through = decoded(projection)
        if through is not None:
            hits.extend(self._in_view(text, through))
        for start, end, inner in decoded_tokens(projection):
            placeholder = self._first(inner)
            if placeholder is not None:
                span = projection.span(start, end)
                hits.append(KnownHit(span.start, span.end, placeholder, exact=False))
        return _leftmost_longest(hits)

    def scrub(self, text: str) -> str:
        """``text`` with each sealed value replaced by its placeholder. Strict placeholders in it stay as they are."""
        pieces: list[str] = []
        at = 0
        for hit in self.find(_masked(text)) if self._exact else ():
            pieces += (text[at : hit.start], str(hit.placeholder))
            at = hit.end
        return "".join(pieces) + text[at:] if pieces else text

    def appears_in(self, text: str) -> bool:
        """Whether a sealed value stands in ``text`` outside of strict placeholders."""
        return bool(self._exact) and bool(self.find(_masked(text)))

    def _first(self, text: str) -> Placeholder | None:
        """The placeholder of the first value in a decoded token; escapes in it are not decoded again."""
        return next((hit.placeholder for hit in self._in_view(text, project(text))), None)

    def _in_view(self, text: str, view: Projection) -> Iterable[KnownHit]:
        exact = fold_exact(view.text)
        for start, end, placeholder in self._spans(view.text, exact):
            span = view.span(start, end)
            found = self._exact.get(text[span.start : span.end])
            yield KnownHit(span.start, span.end, found or placeholder, found is not None)

    def _spans(self, text: str, exact: str) -> Iterable[tuple[int, int, Placeholder]]:
        if self._plain is not None:
            for index, start, end in self._plain.find_matches_as_indexes(exact):
                yield start, end, self._plain_for[index]
        if self._folded is not None:
            matches = self._folded.find_matches_as_indexes(symbols_of(exact))
            places = places_of(exact) if matches else []
            yield from ((places[start], places[end - 1] + 1, self._folded_for[index]) for index, start, end in matches)
        if self._short:
            tokens = (*words(exact), *joined_runs(exact))
            yield from ((start, end, self._short[key]) for start, end, key in tokens if key in self._short)
        yield from self._short_spelled(exact)

    def _short_spelled(self, exact: str) -> Iterable[tuple[int, int, Placeholder]]:
        """Short values with punctuation in them, where no letter or digit goes on at either end."""
        for key, placeholder in self._short_plain.items():
            at = exact.find(key)
            while at >= 0:
                end = at + len(key)
                if _ends_token(exact, at, key[0], -1) and _ends_token(exact, end, key[-1], 0):
                    yield at, end, placeholder
                at = exact.find(key, end)


def build_known_values(values: Sequence[LiveValue]) -> KnownValues:
    """The matcher of a session's live values; pass it to ``Sealer.match``, which caches by function."""
    return KnownValues(values)


def _automaton(patterns: dict[str, Placeholder]) -> tuple[AhoCorasick | None, list[Placeholder]]:
    if not patterns:
        return None, []
    return AhoCorasick(list(patterns), matchkind=MatchKind.LeftmostLongest), list(patterns.values())


def _ends_token(text: str, at: int, edge: str, offset: int) -> bool:
    beyond = at + offset
    return not (edge.isalnum() and 0 <= beyond < len(text) and text[beyond].isalnum())


def _encodings(text: str) -> list[str]:
    """The folded symbols of a value in hex, and in base64 at each of the three byte alignments."""
    raw = text.encode("utf-8", "surrogatepass")
    forms = [raw.hex(), base64.b32encode(raw).decode().rstrip("=").casefold()]
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + raw).decode()
        first = (0, 2, 3)[offset]
        tail = (len(raw) + offset) % 3
        last = len(encoded) - (0, 3, 2)[tail]
        forms.append(re.sub(r"[+/=]", "", encoded[first:last]).casefold())
    return [form for form in forms if len(form) >= _SHORTEST_ENCODING]


def _masked(text: str) -> str:
    return STRICT.sub(lambda found: BARRIER * len(found.group()), text) if "[" in text else text


def _leftmost_longest(hits: list[KnownHit]) -> list[KnownHit]:
    """Overlaps resolved: the leftmost, longest hit first; what sticks out of it on the right stays hidden too."""
    kept: list[KnownHit] = []
    for hit in sorted(hits, key=lambda item: (item.start, -item.end, not item.exact)):
        if not kept or hit.start >= kept[-1].end:
            kept.append(hit)
        elif hit.end > kept[-1].end:
            kept.append(hit._replace(start=kept[-1].end, exact=False))
    return kept
