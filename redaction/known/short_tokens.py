"""Short tokens: where a short value would stand as a whole token, alone or joined from what separators broke up.

Its few digits also stand in prices, times, versions, addresses and lists of small numbers. Those are other tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

SHORTEST_JOIN: Final = 4
"""Symbols of the shortest value that is joined over spaces, hyphens and slashes."""

SHORTEST_LOOSE_JOIN: Final = 6
"""Symbols of the shortest value that is joined over what lists and numbers are written with, or out of the middle of a
longer run: six digits hardly come together by chance, four do."""

LONGEST_JOIN: Final = 7
"""Symbols of the longest value that is looked for by tokens; from eight on it is found anywhere."""

Token = tuple[int, int, str]
"""Start and end in code points, and the symbols."""

_WORD: Final = re.compile(r"[^\W_]+")
_OTHER: Final = re.compile(
    r"(?<![0-9a-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-z])"
    r"|(?<![0-9a-z:])(?=[0-9:]{0,40}(?:[a-f]|::))(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}(?![0-9a-z:])"
    r"|(?<![0-9a-z.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9a-z.])"
    r"|(?<![0-9.,])(?P<thousands>[0-9]{1,3}(?:,[0-9]{3}){1,6})(?:\.[0-9]{1,9})?(?![0-9])(?!,[0-9])"
    r"|(?<![0-9.])(?P<whole>[0-9]{1,19})\.(?P<part>[0-9]{1,19})(?![0-9])(?!\.[0-9])"
    r"|(?<![0-9:])[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?![0-9])(?!:[0-9])"
    r"|(?<![0-9-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])(?!-[0-9])"
)
"""Identifiers, addresses, numbers, times and dates: tokens with punctuation inside."""

_SINGLE: Final = re.compile(r"(?<![^\W_])[^\W_](?:[ \t\n.,;:_/|*`'\"-]{1,5}[^\W_](?![^\W_]))+")
_GROUPS: Final = re.compile(r"(?<![^\W_])[0-9]+(?:[ \t\n.,;:_/|*-]{1,2}[0-9]+(?![^\W_]))+")
_LOOSE: Final = re.compile(r"[.,;:\n]")


def short_tokens(exact: str) -> Iterator[Token]:
    """The tokens of a case-folded text that may equal a short value: words, ``831,942`` and ``831942.0`` as the number
    that they are, and separated symbols or digit groups as what they spell together."""
    others = [(found.start(), found.end(), found) for found in _OTHER.finditer(exact)]
    yield from (token for _, _, found in others for token in _number(found))
    yield from _outside(others, exact)
    for pattern in (_SINGLE, _GROUPS):
        for found in pattern.finditer(exact):
            yield from _joined(exact, found.start(), found.end())


def _number(found: re.Match[str]) -> Iterator[Token]:
    """An integer, however it is formatted."""
    if found["thousands"] and found.end("thousands") == found.end():
        yield found.start(), found.end(), found["thousands"].replace(",", "")
    elif found["part"] and not found["part"].strip("0"):
        yield found.start(), found.end(), found["whole"]


def _outside(others: list[tuple[int, int, re.Match[str]]], exact: str) -> Iterator[Token]:
    """The words that are no part of another token."""
    place = 0
    for found in _WORD.finditer(exact):
        while place < len(others) and others[place][1] <= found.start():
            place += 1
        if place == len(others) or found.end() <= others[place][0]:
            yield found.start(), found.end(), found.group()


def _joined(exact: str, start: int, end: int) -> Iterator[Token]:
    """A run as one token, and the stretches of it that are long enough to be no accident."""
    run = exact[start:end]
    symbols = "".join(_WORD.findall(run))
    if _OTHER.fullmatch(run) is None and len(symbols) <= LONGEST_JOIN:
        if len(symbols) >= (SHORTEST_LOOSE_JOIN if _LOOSE.search(run) else SHORTEST_JOIN):
            yield start, end, symbols
        return
    yield from _stretches(run, start)


def _stretches(run: str, start: int) -> Iterator[Token]:
    words = [(found.start() + start, found.end() + start, found.group()) for found in _WORD.finditer(run)]
    for first, (begin, _, _) in enumerate(words):
        symbols = ""
        for _, end, word in words[first : first + LONGEST_JOIN]:
            symbols += word
            if len(symbols) > LONGEST_JOIN:
                break
            if len(symbols) >= SHORTEST_LOOSE_JOIN and end - begin > len(symbols):
                yield begin, end, symbols
