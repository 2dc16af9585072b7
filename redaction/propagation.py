"""Propagation: a value that was found once in a text is hidden wherever else it stands in that text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sealgate.models.findings import Finding
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue
from sealgate.models.secretvalue import SecretValue

from .known.known import KnownValues
from .known.strength import is_weak
from .reading.sight import Sight
from .union import KNOWN, LITERAL, REPEATED, family_of
from .words import is_word

_FAMILIES: Final = frozenset({"secret", "validated", "identifier", "name"})
_MOST_NAMES: Final = 200
"""Names taken from the e-mail addresses of one text, so that the search stays linear."""

_SHORTEST: Final = 4
"""Code points of the shortest part of a name that is looked for on its own."""


def repeats(text: str, found: Sequence[Finding], sight: Sight | None = None) -> list[Finding]:
    """Further occurrences of found values in ``text``, re-spelled ones too; none of everyday words or weak values.
    ``sight`` is one of ``text``, if there is one already."""
    values: dict[str, str] = {}
    for finding in found:
        if finding.recognizer in (KNOWN, LITERAL) or family_of(finding) not in _FAMILIES:
            continue
        for value in _spellings(text[finding.start : finding.end], finding):
            values.setdefault(value, finding.entity_type)
    if not values or _nothing_repeats(text, values):
        return []
    matcher = KnownValues(
        [LiveValue(SecretValue(value), Placeholder(name, "00000000"), (name,)) for value, name in values.items()]
    )
    taken = {(finding.start, finding.end) for finding in found}
    return [
        Finding(hit.placeholder.entity_type, hit.start, hit.end, 0.8, REPEATED)
        for hit in matcher.find(sight or text)
        if (hit.start, hit.end) not in taken and _same_case(text, hit.start, hit.end, values)
    ]


def named_by_addresses(text: str, found: Sequence[Finding]) -> list[Finding]:
    """Capitalised words that an e-mail address in the text spells ("Jana Brown" beside jana.brown@…), also where one
    letter of them was lost to a question mark."""
    names: list[Finding] = []
    for finding in found:
        if finding.entity_type != "EMAIL_ADDRESS" or len(names) >= _MOST_NAMES:
            continue
        local = text[finding.start : finding.end].split("@", maxsplit=1)[0]
        for part in re.findall(r"[A-Za-z]{4,30}", local):
            if not is_word(part):
                names += [
                    Finding("PERSON", match.start(), match.end(), 0.7, "email-name")
                    for match in re.finditer(_with_one_lost(part), text)
                    if match.end() <= finding.start or match.start() >= finding.end
                ]
    return names


def _with_one_lost(word: str) -> str:
    """The word capitalised, or with a question mark for its first or last letter."""
    head, tail = word[:-1], word[1:]
    spelled = (word.capitalize(), word.upper(), "?" + tail.lower(), head.capitalize() + "?")
    return r"(?<![\w@.])(?:" + "|".join(map(re.escape, spelled)) + r")(?![\w@])"


def _spellings(value: str, finding: Finding) -> list[str]:
    """The value itself and, of a name, each part that says enough on its own."""
    parts = value.split() if family_of(finding) == "name" else []
    parts = [part for part in parts if len(part) >= _SHORTEST and part[0].isupper() and part.isalpha()]
    return [candidate for candidate in (value, *parts) if not is_weak(candidate)]


def _same_case(text: str, start: int, end: int, values: dict[str, str]) -> bool:
    """A lower-case word is no repetition of a capitalised name that is a single word."""
    piece = text[start:end]
    return piece in values or not piece.isalpha() or not piece.islower()


def _nothing_repeats(text: str, values: dict[str, str]) -> bool:
    lowered = text.casefold()
    return all(lowered.count(value.casefold()) <= 1 for value in values)
