"""Pieces that rules share: what may stand between a cue and its value, and what a value of an identifier looks like."""

from __future__ import annotations

import re
from typing import Final

LINK: Final = (
    r"(?:[\s\"'`*_]{0,4}(?:is|was|are|as|reads|says|would be|will be|ends? in|ending in|[:=#,>(\[-]{1,2}|ending with|ending|on the back|on (?:my|the) card|of|for|on file|my|the|your|you|number"
    r"|num|no|nr|code|id|card|to|you requested|i got|sent|provided|below|here)\.?[\s\"'`*_#]{0,4}){0,5}[\s\"'`*#:=(\[]{0,4}"
)
"""Up to five connecting words or marks between a cue and its value ("number is: ")."""

NUMBER_WORD: Final = r"(?:[ _-]{0,2}(?:numbers?|num|no|nr|nummer|num[eé]ro|code|id|identifier|card|key|#))?\.?"
"""An optional word for "number" after a cue."""

ID_VALUE: Final = (
    r"(?<![A-Za-z0-9])(?P<value>(?=[A-Z0-9._/-]{0,24}[0-9])[A-Z0-9](?:[A-Z0-9._/-]{0,38}[A-Z0-9])?"
    r"(?:[ -](?=[A-Z]{0,3}[0-9])[0-9A-Z]{1,6}(?![A-Za-z0-9.])){0,6})"
)
"""A word of letters and digits with at least one digit, perhaps with further groups that hold digits."""


def has_digits(count: int) -> _HasDigits:
    """A validator: at least ``count`` decimal digits."""
    return _HasDigits(count)


class _HasDigits:
    def __init__(self, count: int) -> None:
        self._count = count

    def __call__(self, value: str) -> bool:
        return sum(char.isdigit() for char in value) >= self._count and not _PLAIN.fullmatch(value)


_PLAIN: Final = re.compile(
    r"(?:19|20)[0-9]{2}|[0-9]{1,5}[.,][0-9]{1,2}|(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32,64}"
)
"""Years, amounts, dates, UUIDs and hashes, which no cue makes an identifier."""


def cued(words: str) -> str:
    """A pattern that starts with one of ``words`` as a whole word, then a word for "number", then the links."""
    return rf"(?<![A-Za-z0-9])(?:{words})s?{NUMBER_WORD}(?![A-Za-z]){LINK}"


FLAGS: Final = re.IGNORECASE
