"""What a capital letter says in a line: in English that models have to be asked, in German that the word is a noun,
elsewhere that it begins a sentence or a name."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from ..words import FOREIGN_WORDS, GERMAN_WORDS, GIVEN_NAMES, NAME_WORDS, PLAIN_WORDS

_WORD: Final = re.compile(r"(?<![\w@#/.])[^\W\d_]+(?![\w@/]|\.[^\W\d_])")
_OTHER_LETTERS: Final = re.compile(r"[\u0370-\u03ff\u0400-\u052f\u0531-\u058f]")
"""Letters of the scripts beside Latin that have capitals: Greek, Cyrillic, Armenian."""

_BOTH: Final = frozenset(
    {
        "all", "also", "bis", "but", "den", "die", "door", "far", "for", "fort", "had", "hat", "her", "him", "his",
        "hut", "lot", "mag", "main", "met", "most", "must", "over", "pan", "per", "pin", "pour", "sans", "son", "tag",
        "tact", "tal", "tot", "van", "war", "was", "will", "wit",
    }
)  # fmt: skip
"""Words of English and of another language, which say nothing of which it is."""

_UNKNOWN: Final = 4
"""Words in no list, from which a line without a known one is taken for foreign, if they are most of it."""


_PARTICLE: Final = 3
"""Letters of the longest particle inside of a name."""


class Capitals(Enum):
    """What capital letters mean: ``ENGLISH``, ``NOUNS`` (German), ``NAMES`` (other languages in Latin letters),
    ``ONLY`` (scripts that the models were not taught; names there go by their capitals alone), and ``NONE`` where a
    line of another language is written in a single case."""

    ENGLISH = "english"
    NOUNS = "nouns"
    NAMES = "names"
    ONLY = "only"
    NONE = "none"


def is_other_script(text: str) -> bool:
    """Whether most letters of ``text`` are of a script with capitals that the models were not taught."""
    others = len(_OTHER_LETTERS.findall(text)) if not text.isascii() else 0
    return others * 2 > sum(map(str.isalpha, text))


def capitals_of(text: str, unsure: Capitals = Capitals.ENGLISH) -> Capitals:
    """What capitals mean in ``text``, by its small words; ``unsure`` for a text that has none."""
    if is_other_script(text):
        return Capitals.ONLY
    small = german = foreign = english = unknown = 0
    before = ""
    for match in _WORD.finditer(text):
        word, folded = match.group(), match.group().casefold()
        joins = before[:1].isupper() and text[match.end() + 1 : match.end() + 2].isupper()
        if joins and word.islower() and len(word) <= _PARTICLE:
            continue  # a particle in a name ("Juan de la Cruz") says nothing of the sentence around it
        in_german, in_foreign = folded in GERMAN_WORDS, folded in FOREIGN_WORDS
        begins = word.islower() or not before
        if in_german or (in_foreign and begins):
            small += 1
            german += in_german and begins
            foreign += in_foreign and begins
        elif len(word) > 2 and folded not in _BOTH and (word.islower() or word.isupper()):
            known = folded in PLAIN_WORDS or folded in NAME_WORDS or folded in GIVEN_NAMES
            english, unknown = english + known, unknown + (not known)
            small += not known and not word.isascii() and word.islower()
        elif begins and not word.isascii() and folded not in GIVEN_NAMES:
            small += 1
        before = word
    if small + unknown <= english or (small == 0 and unknown < _UNKNOWN):
        return Capitals.ENGLISH if english else unsure
    if (small == 0 and unknown <= 2 * english) or (small == 1 and small + unknown < 2 * english):
        return Capitals.ENGLISH
    return Capitals.NOUNS if german >= max(foreign, 1) or (small and not foreign and not unknown) else Capitals.NAMES
