"""A sight: what there is to see in one text, made once for all the matchers that look through it.

It holds the text in plain: it lives as long as the call that made it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from .encoded_words import LONG_TOKEN
from .encodings import rot13
from .fold import BARRIER, digits_of, fold_exact, places_of, symbols_of
from .projection import Projection, project, project_text, untagged
from .views import projection_views, text_views

MINIMUM_DIGITS: Final = 12
"""Digits from which a number is found however they are parted; fewer follow each other by chance in a long text."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, repr=False)
class Glance:
    """A view that leads nowhere back: folded, and all that its symbols may be read as."""

    exact: str
    turned: str


class View:
    """A view that leads back to the text, folded, with its symbols, its digits and their places."""

    def __init__(self, projection: Projection) -> None:
        self.projection = projection
        self.exact = fold_exact(projection.text)
        self._symbols: str | None = None
        self._digits: str | None = None

    # Until Python 3.12 a ``cached_property`` has one lock for all objects, which a child inherits as it was.
    @property
    def symbols(self) -> str:
        """Its letters and digits."""
        if self._symbols is None:
            self._symbols = symbols_of(self.exact)
        return self._symbols

    @property
    def digits(self) -> str:
        """Its digits."""
        if self._digits is None:
            self._digits = digits_of(self.exact)
        return self._digits

    def places(self) -> list[int]:
        """Where each of its symbols stands in ``exact``. Not kept: in a long text that is most of the memory."""
        return places_of(self.exact)

    def digit_places(self) -> list[int]:
        """Where each of its digits stands in ``exact``."""
        return [index for index, char in enumerate(self.exact) if "0" <= char <= "9" or char == BARRIER]


class _Replayed(Generic[Item]):
    """What an iterator yields, as often as it is asked for, and no further than it is asked for."""

    def __init__(self, source: Iterator[Item]) -> None:
        self._source = source
        self._seen: list[Item] = []

    def __iter__(self) -> Iterator[Item]:
        at = 0
        while True:
            if at == len(self._seen):
                try:
                    self._seen.append(next(self._source))
                except StopIteration:
                    return
            yield self._seen[at]
            at += 1


class Sight:
    """What there is to see in ``text``. A NUL in it is read as a space, but for those of ``masked``: nothing is joined
    across them. Thread-hostile."""

    def __init__(self, text: str, *, masked: bool = False) -> None:
        self.text = text if masked else text.replace(BARRIER, " ")
        self.glances = _Replayed(self._glances())
        self.views = _Replayed(self._views())

    def _glances(self) -> Iterator[Glance]:
        for read in _readings(self.text):
            for view in text_views(project_text(read), LONG_TOKEN):
                yield _glance(view)

    def _views(self) -> Iterator[View]:
        for read in _readings(self.text):
            yield from map(View, projection_views(project(read)))


def _glance(view: str) -> Glance:
    exact = fold_exact(view)
    symbols = symbols_of(exact)
    digits = digits_of(symbols)
    turned = f"{symbols}{BARRIER}{rot13(symbols)}{BARRIER}{symbols[::-1]}"
    if MINIMUM_DIGITS <= len(digits) < len(symbols):
        turned += BARRIER + digits
    return Glance(exact, turned)


def _readings(text: str) -> list[str]:
    """A text as a reader sees it, and as one does who sees its tag characters. The latter hide what they part."""
    shown = untagged(text)
    return [text] if shown is None else [text, shown]
