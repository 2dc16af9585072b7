"""Digits as people say and type them: "double four", "four two, no, four three", "4 8-2", "oh", with fillers.

Both the reader of expected answers and the machine form of a sealed one-time code use this, so a code that was said
aloud is injected as its digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ahocorasick_rs import AhoCorasick, Implementation

from .edits import Edit
from .wrappings import FENCE

_UNITS: Final = {
    "zero": "0", "oh": "0", "o": "0", "nought": "0", "naught": "0", "one": "1", "two": "2", "three": "3", "four": "4",
    "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "niner": "9",
}  # fmt: skip
_TEENS: Final = {
    "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16",
    "seventeen": "17", "eighteen": "18", "nineteen": "19",
}  # fmt: skip
_TENS: Final = {
    "twenty": "2", "thirty": "3", "forty": "4", "fourty": "4", "fifty": "5", "sixty": "6", "seventy": "7",
    "eighty": "8", "ninety": "9",
}  # fmt: skip
_TIMES: Final = {"double": 2, "triple": 3, "treble": 3, "quadruple": 4}
_FILLERS: Final = frozenset(
    [
        "um",
        "uh",
        "er",
        "erm",
        "hmm",
        "then",
        "and",
        "dash",
        "hyphen",
        "space",
        "dot",
        "point",
        "followed",
        "by",
        "comma",
        "so",
        "like",
        "ok",
        "okay",
    ]
)
_CORRECTIONS: Final = frozenset(["no", "nope", "sorry", "wait", "actually", "correction", "oops", "rather", "scratch"])
_CORRECTION_REST: Final = frozenset(["i", "mean", "that", "it's", "its", "is", "make", "not", "meant"])

_TOKEN: Final = re.compile(r"[0-9]+|[A-Za-z][A-Za-z']*|[^\sA-Za-z0-9]")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z']*")
_SPEAKING: Final = frozenset((*_UNITS, *_TEENS, *_TENS, *_TIMES))
_JOINERS: Final = frozenset("-–—.,:;/·_ '\"")


class Run(NamedTuple):
    """A run of digits in a text: its range in code points, the digits as meant, and whether any was spoken."""

    start: int
    end: int
    digits: str
    spoken: bool


_SAID: Final = AhoCorasick(
    [word for word in (*_UNITS, *_TEENS, *_TENS) if len(word) > 2], implementation=Implementation.DFA
)
_SHORTEST_SAID: Final = 3
"""Digits of the shortest number that is looked for as words: a CVV has three."""


def said(text: str) -> list[Edit]:
    """The runs of three or more digits in a text of which some are spoken, with what they say."""
    searched = text.lower() if text.isascii() else text.lower().encode("ascii", "replace").decode()
    if len(_SAID.find_matches_as_indexes(searched)) < _SHORTEST_SAID or not _speaks(text):
        return []
    return [
        Edit(run.start, run.end, FENCE + run.digits + FENCE)
        for run in runs(text)
        if run.spoken and len(run.digits) >= _SHORTEST_SAID
    ]


def _speaks(text: str) -> bool:
    """Whether any token says a number. Parts of words do not, and many have one in them ("sentence", "phone")."""
    return not _SPEAKING.isdisjoint(map(str.lower, _WORD.findall(text)))


class _Piece(NamedTuple):
    start: int
    end: int
    digits: str
    spoken: bool
    kind: str


def runs(text: str) -> list[Run]:
    """The digit runs of ``text`` (a projected text), left to right: groups with separators, fillers and corrections
    between them. A correction replaces as many digits as it says, or all if it says as many or more."""
    found: list[Run] = []
    current: list[_Piece] = []
    corrected = False
    for piece in _pieces(text):
        if piece.kind == "digits":
            current.append(piece)
        elif piece.kind in ("joiner", "filler") and current:
            continue
        elif piece.kind == "correction" and current:
            corrected = True
            current.append(piece)
        else:
            found += _closed(current)
            current = []
    found += _closed(current)
    return found if corrected or found else []


def spoken_digits(text: str) -> str:
    """The digits that a whole value spells, spoken or typed; empty if it spells none."""
    return "".join(run.digits for run in runs(text))


def _closed(pieces: list[_Piece]) -> list[Run]:
    while pieces and pieces[-1].kind != "digits":
        pieces = pieces[:-1]
    if not pieces:
        return []
    groups: list[str] = [""]
    for piece in pieces:
        if piece.kind == "correction":
            groups.append("")
        else:
            groups[-1] += piece.digits
    digits = groups[0]
    for group in groups[1:]:
        digits = group if len(group) >= len(digits) else digits[: len(digits) - len(group)] + group
    return [Run(pieces[0].start, pieces[-1].end, digits, any(piece.spoken for piece in pieces))]


def _pieces(text: str) -> Iterator[_Piece]:
    tokens = list(_TOKEN.finditer(text))
    at = 0
    while at < len(tokens):
        token = tokens[at]
        word = token.group().lower()
        if word.isdigit():
            yield _Piece(token.start(), token.end(), word, False, "digits")
        elif word in _TIMES and at + 1 < len(tokens):
            repeated = _UNITS.get(tokens[at + 1].group().lower(), tokens[at + 1].group())
            if len(repeated) == 1 and repeated.isdigit():
                yield _Piece(token.start(), tokens[at + 1].end(), repeated * _TIMES[word], True, "digits")
                at += 1
            else:
                yield _Piece(token.start(), token.end(), "", False, "other")
        else:
            piece, used = _word(tokens, at, word)
            yield piece
            at += used - 1
        at += 1


def _word(tokens: list[re.Match[str]], at: int, word: str) -> tuple[_Piece, int]:
    token = tokens[at]
    start, end = token.span()
    if word in _UNITS or word in _TEENS:
        return _Piece(start, end, _UNITS.get(word) or _TEENS[word], True, "digits"), 1
    if word in _TENS:
        unit, used = _unit_after(tokens, at)
        return _Piece(start, tokens[at + used - 1].end(), _TENS[word] + unit, True, "digits"), used
    if word in _CORRECTIONS:
        used = 1
        while at + used < len(tokens) and tokens[at + used].group().lower() in _CORRECTION_REST | _CORRECTIONS | {","}:
            used += 1
        return _Piece(start, end, "", False, "correction"), used
    if word == "i" and at + 1 < len(tokens) and tokens[at + 1].group().lower() in ("mean", "meant"):
        return _Piece(start, end, "", False, "correction"), 2
    kind = "filler" if word in _FILLERS else "joiner" if word in _JOINERS else "other"
    return _Piece(start, end, "", False, kind), 1


def _unit_after(tokens: list[re.Match[str]], at: int) -> tuple[str, int]:
    """The unit of "forty two" or "forty-two" with the number of tokens used; "0" for "forty" alone."""
    after = at + 1
    if after < len(tokens) and tokens[after].group() == "-":
        after += 1
    word = tokens[after].group().lower() if after < len(tokens) else ""
    if word in _UNITS and _UNITS[word] != "0":
        return _UNITS[word], after - at + 1
    return "0", 1
