"""Everyday English words, so that one is neither taken for a name nor looked for outside of where it was found."""

from __future__ import annotations

from importlib.resources import files
from typing import Final


def _read(name: str) -> frozenset[str]:
    return frozenset((files(__package__) / "data" / name).read_text("utf-8").split())


PLAIN_WORDS: Final = _read("words.txt")
"""About 13,000 words in all their forms, case-folded, that are hardly ever the name of a person or a place."""

NAME_WORDS: Final = _read("name_words.txt")
"""Words that are names as well (may, will, mark, rose), case-folded."""

GIVEN_NAMES: Final = _read("given_names.txt")
"""About 900 common given names, lower case; models miss them where they stand alone."""


def is_word(text: str) -> bool:
    """Whether ``text`` is one everyday word, perhaps one that is a name as well."""
    folded = text.casefold()
    return folded in PLAIN_WORDS or folded in NAME_WORDS


def is_plain(text: str) -> bool:
    """Whether every word of ``text`` is an everyday word that is no name."""
    return all(word.strip("'’.,-").casefold() in PLAIN_WORDS for word in text.split())
