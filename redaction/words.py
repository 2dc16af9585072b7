"""Everyday English words, so that one is neither taken for a name nor looked for outside of where it was found."""

from __future__ import annotations

from importlib.resources import files
from typing import Final


def _read(name: str) -> frozenset[str]:
    return frozenset((files(__package__) / "data" / name).read_text("utf-8").casefold().split())


PLAIN_WORDS: Final = _read("words.txt")
"""About 13,000 words in all their forms, case-folded, that are hardly ever the name of a person or a place."""

NAME_WORDS: Final = _read("name_words.txt")
"""Words that are names as well (may, will, mark, rose), case-folded."""

GIVEN_NAMES: Final = _read("given_names.txt")
"""About 1,600 common given names of Europe, lower case, some in Cyrillic and Greek; models miss them where they stand
alone."""

GERMAN_WORDS: Final = _read("german_words.txt")
"""Articles, pronouns, prepositions, conjunctions, forms of common verbs, adverbs, greetings and the most common nouns
of German, lower case, without those that are English words or names."""

FOREIGN_WORDS: Final = _read("foreign_words.txt")
"""The same of some twenty other languages of Europe, which write only names with a capital; nouns of Russian alone."""


def is_word(text: str) -> bool:
    """Whether ``text`` is one everyday word, perhaps one that is a name as well."""
    folded = text.casefold()
    return folded in PLAIN_WORDS or folded in NAME_WORDS


def is_plain(text: str) -> bool:
    """Whether every word of ``text`` is an everyday word that is no name."""
    return all(word.strip("'’.,-").casefold() in PLAIN_WORDS for word in text.split())
