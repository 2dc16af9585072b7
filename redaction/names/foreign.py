"""Names in lines of other languages than English: by their capital letters, and by what the models half see in them.

The models know English. Elsewhere spaCy takes nouns and the beginnings of sentences for people, and rampart gives a
name a hundredth of what it gives an English one, but a noun less than that: only together do they say something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from sealgate.models.findings import Finding

from ..words import FOREIGN_WORDS, GERMAN_WORDS, GIVEN_NAMES, PLAIN_WORDS
from .code_lines import touches_code
from .orthography import Capitals
from .support import FAINT, Support

NAME: Final = "orthography"
"""The recognizer that findings of this module name."""

_WORD: Final = re.compile(r"(?<![\w@#/.\\])[^\W\d_]+(?:-[^\W\d_]+){0,4}(?![\w@/]|\.[^\W\d_])")
_ENDS_SENTENCE: Final = re.compile(r"[.!?…:;\"“”„«‹¿¡•]")
_QUOTE: Final = re.compile(r"[\"“”„«‹]\s?\Z")
_BETWEEN: Final = re.compile(r"[ \u00a0]?[-'’]?|[.] ?")
_NUMERAL: Final = re.compile(r"[IVX]{1,5}(?:er)?|er|re")
_ABBREVIATED: Final = frozenset({"dr", "prof", "ul", "św", "г", "ул", "им", "пр", "sr", "sra", "av", "st", "hr", "fr"})
_JOINTS: Final = frozenset(
    {
        "van", "der", "den", "de", "het", "ter", "ten", "von", "af", "av", "la", "le", "les", "du",
        "des", "d", "di", "da", "do", "dos", "das", "del", "della", "dei", "degli", "delle", "dello",
        "el", "al", "bin", "ben", "ibn", "abu", "san",
    }
)  # fmt: skip
"""Small words inside of names."""

_HEADS: Final = frozenset(
    {
        "De", "La", "Le", "Les", "Du", "Di", "Da", "Del", "Della", "El", "Los", "Las", "Den", "Der", "Van", "Von",
        "Ter", "Ten", "Mc", "Mac",
    }
)  # fmt: skip
"""Small words that begin a name with a capital."""

_PLACE_CUES: Final = frozenset({"в", "во", "на", "из", "у", "στο", "στη", "στην", "από"})
"""Words before a place in the scripts that no model reads."""

_ARTICLES: Final = frozenset(
    {
        "der", "die", "den", "dem", "des", "das", "ein", "eine", "einem", "einen", "einer", "eines", "kein", "keine",
        "keinen", "keinem", "keiner", "mein", "meine", "meinen", "meinem", "meiner", "dein", "deine", "deinen", "sein",
        "seine", "seinen", "seinem", "seiner", "ihr", "ihre", "ihren", "ihrem", "ihrer", "unser", "unsere", "unseren",
        "unserem", "unserer", "euer", "eure", "dieser", "diese", "dieses", "diesem", "diesen", "jeder", "jede", "jedes",
        "jedem", "jeden", "jener", "jene", "jenem", "jenen", "welcher", "welche", "welches", "viele", "vielen", "alle",
        "allen", "einige", "einigen", "mehrere", "zwei", "drei", "im", "ins", "am", "vom", "beim", "zum", "zur",
    }
)  # fmt: skip
"""What stands before nouns in German, and before names hardly ever."""

_ADJECTIVE: Final = re.compile(r"[a-zäöüß]+(?:e[nrsm]|(?<!t)e)")
_NOUN: Final = re.compile(
    r"[\w-]{3,}(?:ung|heit|keit|schaft|tion|tät)(?:s|en)?|[\w-]{3,}(?:ismus|niss?e?n?|tum|chen|ment|anz|enz|zeit|jahr|raum|werk|haus)s?",
    re.IGNORECASE,
)
"""Endings of German nouns."""

_ADJECTIVAL: Final = re.compile(r"[^\W\d_]{3}(?:[ыио]й|[ая]я|[ое]е|[ыи]е|[ое]го|[ое]му|[ыи]ми?|[ыи]х|[ую]ю|ей)\Z")
_VERB: Final = re.compile(r"(?:л|ла|ло|ли|[тс]я|сь|ть|ет|ёт|ит|[уюая]т|ен|ена)\Z")
_PAST: Final = re.compile(r"[аеёиоуыяш]л(а?)(?:ся|сь)?\Z")
"""Endings of Russian adjectives and verbs."""

_LITTLE: Final = 0.02
_GOOD: Final = 0.1
_SURE: Final = 0.5
_MARKED: Final = 0.75


class Mark(NamedTuple):
    """An entity type and the range in which spaCy sees it."""

    entity_type: str
    start: int
    end: int


class _Seen(NamedTuple):
    """A word, whether a sentence may begin with it, whether a quote or a clause does, spaCy's type of it, and rampart's
    score."""

    start: int
    end: int
    text: str
    first: bool
    quoted: bool
    relative: bool
    mark: str | None
    score: float
    place: bool


def foreign_names(
    text: str, start: int, end: int, capitals: Capitals, marks: Sequence[Mark], support: Support
) -> list[Finding]:
    """The people and places in a line (a range of ``text``) in which capitals mean what ``capitals`` says. ``marks``
    are spaCy's, of this line, in order."""
    words = _seen(text, start, end, marks, support)
    good = [_is_name(words, at, capitals) for at in range(len(words))]
    found: list[Finding] = []
    at = 0
    while at < len(words):
        if not good[at]:
            at += 1
            continue
        last = _last(text, words, good, at, capitals)
        first = _first(text, words, at)
        found.append(_finding(text, words[first : last + 1], words[at : last + 1]))
        at = last + 1
    return [one for one in found if not touches_code(text, one.start, one.end)]


def _seen(text: str, start: int, end: int, marks: Sequence[Mark], support: Support) -> list[_Seen]:
    words: list[_Seen] = []
    after, mark = start, 0
    for match in _WORD.finditer(text, start, end):
        while mark < len(marks) and marks[mark].end <= match.start():
            mark += 1
        marked = marks[mark].entity_type if mark < len(marks) and marks[mark].start < match.end() else None
        gap = text[after : match.start()]
        first = not words or (_ENDS_SENTENCE.search(gap) is not None and not _is_shortened(words[-1].text, gap))
        score, place = support.of(match.start(), match.end())
        quoted, relative = _QUOTE.search(gap) is not None, "," in gap
        words.append(_Seen(match.start(), match.end(), match.group(), first, quoted, relative, marked, score, place))
        after = match.end()
    return words


def _is_shortened(word: str, gap: str) -> bool:
    """Whether a full stop after a word may be that of an abbreviation."""
    short = len(word) == 1 or (len(word) <= 3 and word.istitle()) or word.lower() in _ABBREVIATED
    return gap in (". ", ".") and short


def _is_name(words: Sequence[_Seen], at: int, capitals: Capitals) -> bool:
    word = words[at]
    folded = word.text.casefold()
    if folded in GIVEN_NAMES and (word.text.istitle() or capitals is Capitals.NONE) and not word.quoted:
        return True
    if capitals is Capitals.NONE:
        small = folded in FOREIGN_WORDS or folded in GERMAN_WORDS or len(folded) < 3
        return word.score >= (_GOOD if word.mark is None else _LITTLE) and not small
    if not word.text[0].isupper() or len(word.text) == 1 or folded in FOREIGN_WORDS or folded in GERMAN_WORDS:
        return False
    if word.text.isupper():
        return word.score >= _SURE or (word.mark == "PERSON" and word.score >= _GOOD)
    if capitals is Capitals.ONLY:
        return _is_name_by_capitals(words, at)
    return word.score >= _least(words, at, capitals) and (folded not in PLAIN_WORDS or word.score >= _GOOD)


def _least(words: Sequence[_Seen], at: int, capitals: Capitals) -> float:
    """What rampart has to see in a capitalised word that is a name."""
    word = words[at]
    if word.first:
        return _GOOD if word.mark is None else _LITTLE
    if capitals is Capitals.NOUNS:
        return _SURE if _is_noun(words, at) else _GOOD if word.mark is None else _LITTLE
    return FAINT if word.mark is None else 0.0


def _is_noun(words: Sequence[_Seen], at: int) -> bool:
    """Whether a German word ends as nouns do, or an article or an adjective is before it."""
    word, before = words[at], words[at - 1] if at else None
    if _NOUN.fullmatch(word.text):
        return True
    if before is None or before.end + 1 != word.start or before.relative:
        return False
    small = before.text.lower()
    return small in _ARTICLES or (
        before.text.islower() and small not in GERMAN_WORDS and _ADJECTIVE.fullmatch(small) is not None
    )


def _is_name_by_capitals(words: Sequence[_Seen], at: int) -> bool:
    """Whether a word is a name by its capital and its place; adjectives before a noun are none ("Троянской войной")."""
    word = words[at]
    if word.quoted:
        return False
    after = words[at + 1] if at + 1 < len(words) and words[at + 1].start == word.end + 1 else None
    if after is None:
        return not word.first or word.score > 0
    if after.text.islower() and _ADJECTIVAL.search(word.text) and not _VERB.search(after.text):
        return after.text in FOREIGN_WORDS
    if word.first:
        return word.score > 0 or after.text.istitle() or _agree(word.text, after.text)
    return True


def _agree(word: str, verb: str) -> bool:
    """Whether a Russian word and what follows it are a subject and its verb in the past, of one gender."""
    ending = _PAST.search(verb)
    if ending is None or len(word) < 3:
        return False
    return (word[-1] in "ая") if ending[1] else word[-1] not in "аяоеыиуюь"


def _last(text: str, words: Sequence[_Seen], good: Sequence[bool], at: int, capitals: Capitals) -> int:
    """The last word of the name that begins with word ``at``."""
    last = at
    while True:
        after = last + 1
        while after < len(words) and words[after].text in _JOINTS and _adjoin(text, words, after) and after - last <= 3:
            after += 1
        if after >= len(words) or not _adjoin(text, words, after):
            return last
        if after > last + 1 and words[after].mark == "LOCATION" and words[at].mark == "PERSON":
            return last  # somebody of somewhere
        goes_on = good[after] or (after == last + 1 and _belongs(words[after], capitals))
        if not goes_on:
            return last
        last = after


def _belongs(word: _Seen, capitals: Capitals) -> bool:
    """Whether a word that says little alone belongs to the name before it: an initial, a numeral, a capitalised one."""
    if _NUMERAL.fullmatch(word.text) or (len(word.text) == 1 and word.text.isupper()):
        return True
    capital = word.text.istitle() and not word.first
    return capital and (word.score > 0 or capitals is not Capitals.NOUNS)


def _first(text: str, words: Sequence[_Seen], at: int) -> int:
    """The first word of the name that word ``at`` is in: with initials and small words that stand before it."""
    while at > 0 and _adjoin(text, words, at):
        before = words[at - 1]
        initial = len(before.text) == 1 and before.text.isupper() and text[before.end : before.end + 1] == "."
        if not (initial or (before.text in _HEADS and not before.first)):
            break
        at -= 1
    return at


def _adjoin(text: str, words: Sequence[_Seen], at: int) -> bool:
    return _BETWEEN.fullmatch(text, words[at - 1].end, words[at].start) is not None and not words[at].first


def _finding(text: str, whole: Sequence[_Seen], good: Sequence[_Seen]) -> Finding:
    place = all(word.mark == "LOCATION" or (word.place and word.score >= _SURE) for word in good)
    before = text[max(0, whole[0].start - 5) : whole[0].start].split()
    place = place or (bool(before) and before[-1].lower() in _PLACE_CUES)
    score = max(max(word.score, _MARKED if word.mark else _SURE) for word in good)
    return Finding("LOCATION" if place else "PERSON", whole[0].start, whole[-1].end, score, NAME)
