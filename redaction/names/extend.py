"""Findings of models grown over what belongs to them: surnames and initials beside a name, the rest of an address."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sealgate.models.findings import Finding

from ..union import family_of
from ..words import FOREIGN_WORDS, GERMAN_WORDS, is_plain
from .addresses import grown_addresses
from .code_lines import is_code_value
from .foreign import NAME
from .terms import is_term_word

_NEXT_WORD: Final = re.compile(
    r"[ ](?:(?:van|von|de|der|den|da|di|la|le|al|bin|el)[ ]){0,2}"
    r"([A-Z](?=\.)|[A-Z](?:[\w-]|'(?!s\b)){0,30})(?:(?<=[ ][A-Z])\.)?(?![\w@])"
    r"|[ ](\"[A-Z]\w+\")(?=[ ][A-Z])"
)
_WORD_BEFORE: Final = re.compile(r"(?<![\w'@.-])([A-Z][\w'-]{0,30}\.?)[ ]\Z")
_POSTCODE: Final = re.compile(r"[0-9]{5}(?:-[0-9]{4})?")
"""A postcode of most countries, which may stand alone."""

_NEARBY: Final = 4
"""Code points between a bare house number and the address that it belongs to."""


def grown(text: str, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, names and addresses of models grown, house numbers without an address left out."""
    places = [finding for finding in findings if family_of(finding) == "place"]
    others = [_grown(text, finding) for finding in findings if family_of(finding) != "place"]
    return [*others, *grown_addresses(text, [place for place in places if not _is_stray(text, place, places)])]


def _grown(text: str, finding: Finding) -> Finding:
    return _person(text, finding) if finding.entity_type == "PERSON" and finding.recognizer != NAME else finding


def _person(text: str, finding: Finding) -> Finding:
    start, end = finding.start, finding.end
    if not text[start:end].istitle() and not text[start].isupper():
        return finding
    for _ in range(2):
        after = _NEXT_WORD.match(text, end)
        word = (after[1] or after[2]) if after is not None else None
        if after is None or word is None or (_is_none(word) and not _is_last_initial(text, after.end(), word)):
            break
        end = after.end()
    before = _WORD_BEFORE.search(text, max(0, start - 32), start)
    if before is not None and not _is_none(before[1]):
        start = before.start()
    return replace(finding, start=start, end=end)


def _is_none(word: str) -> bool:
    """Whether a word beside a name is no part of it: an everyday one, in other languages too, a term, or code."""
    folded = word.strip(".").casefold()
    return (
        is_plain(word)
        or folded in FOREIGN_WORDS
        or folded in GERMAN_WORDS
        or is_code_value(word)
        or is_term_word(folded)
    )


def _is_last_initial(text: str, at: int, word: str) -> bool:
    """Whether a word is a letter that a name ends with, as in lists of surnames first: "Oduya Bryna A, a doctor"."""
    return len(word) == 1 and word != "I" and (at >= len(text) or text[at - 1] == "." or text[at] in ".,?!;\n")


def _is_stray(text: str, finding: Finding, places: Sequence[Finding]) -> bool:
    """Whether an address is only a number that is no postcode, and no place stands beside it."""
    value = text[finding.start : finding.end]
    if finding.entity_type != "STREET_ADDRESS" or any(char.isalpha() for char in value) or _POSTCODE.fullmatch(value):
        return False
    return not any(
        other is not finding
        and other.start - finding.end <= _NEARBY
        and finding.start - other.end <= _NEARBY
        and any(char.isalpha() for char in text[other.start : other.end])
        for other in places
    )
