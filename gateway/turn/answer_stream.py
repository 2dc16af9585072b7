"""A model's answer on its way to a browser, piece by piece, redacted before any of it shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ..events.holdback import MAX_BLOCK, open_block

MIN_UNIT: Final = 64
"""Code points of the shortest unit: a redaction of less is not worth its time."""

LONG_UNIT: Final = 512
"""Code points without the end of a sentence from which the end of any line will do."""

LONGEST_UNIT: Final = 2048
"""Code points without the end of a line from which the end of any word will do. A word is never cut."""

CONTEXT: Final = 800
"""Code points before a unit, at least, that are read again with it: names and cues may stand there."""

_SENTENCE: Final = re.compile(
    r"(?:\b[a-z]\w{1,40}|\w{5}|\d|[)\]\"'”’»*`])[.!?…:;]{1,3}[)\]\"'”’»*`]{0,3}\s+|[。！？]\s*|\n[ \t]*\n\s*"
)
"""Where a sentence or a paragraph ends. A short capitalised word before the full stop may be a title, an initial or a
street (``Dr.``, ``J.``, ``Ave.``), and what it belongs to goes on."""
_LINE: Final = re.compile(r"\n\s*")
_WORD: Final = re.compile(r"\s+")
_LEVELS: Final = ((MIN_UNIT, _SENTENCE), (LONG_UNIT, _LINE), (LONGEST_UNIT, _WORD))


class Span(NamedTuple):
    """Where something was found, in code points, and what."""

    start: int
    end: int
    entity_type: str


MAX_RESTARTS: Final = 3
"""Times that what was shown is replaced before the end; then the rest waits for the end."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a browser is to be told: a text that goes on what it has, or with ``discard`` one that it starts anew
    with.
    """

    text: str = field(default="", repr=False)
    discard: bool = False


class AnswerStream:
    """The text of one answer. ``feed`` gives what may be shown after a piece, ``finish`` what is left.

    The unit of release is the sentence, the line where sentences are long, the word where lines are. Whole units alone
    are redacted, each together with some 800 code points before it, by ``redact`` (raw text → sealed text, storing
    what it finds). A unit leaves when the next one is whole too and changes nothing of what is found in it; ``find``
    tells that, as spans, and stores nothing. What comes later still is not known yet, and may change what has left, as
    a name that is recognised only there: then everything is redacted again and replaces it (``discard``). In the end
    the whole message decides: what was shown since the last ``discard``, and the rest, are exactly its text.

    An open key block waits as a whole, up to 16,384 code points. Nothing here bounds the length of the answer.
    """

    def __init__(self, redact: Callable[[str], str], find: Callable[[str], list[Span]]) -> None:
        self._redact = redact
        self._find = find
        self._next = ""
        self._waiting: list[str] = []
        self._units: list[str] = []
        self._context = ""
        self._marks: list[tuple[int, int]] = [(0, 0)]
        self._shown = ""
        self._restarts = 0

    @property
    def shown(self) -> bool:
        """Whether a browser has some of the text."""
        return bool(self._shown)

    def feed(self, piece: str) -> Shown:
        """What may be shown after this piece; often nothing. Raises what ``redact`` raises."""
        if self._restarts > MAX_RESTARTS:
            return Shown()
        self._waiting.append(piece)
        if not any(map(str.isspace, piece)):
            return Shown()
        waiting = "".join(self._waiting)
        ends = units_of(waiting)
        if not ends:
            self._waiting = [waiting]
            return Shown()
        self._waiting = [waiting[ends[-1] :]]
        last = ends[-2] if len(ends) > 1 else 0
        return self._settled(self._next + waiting[:last], waiting[last : ends[-1]])

    def finish(self, sealed: str) -> Shown:
        """What is left of the whole message's text."""
        if sealed.startswith(self._shown):
            return Shown(sealed[len(self._shown) :])
        return Shown(sealed, discard=True)

    def _settled(self, before: str, unit: str) -> Shown:
        """What leaves once the unit after it is whole: ``before``, if that changes nothing in it."""
        self._next = unit
        if not before:
            return Shown()
        text = self._context + before
        found = [span for span in self._found_in(text + unit) if span.start < len(text)]
        if self._found_in(text) != found and len(before) < LONGEST_UNIT:
            self._next = before + unit
            return Shown()
        return self._released(before)

    def _found_in(self, text: str) -> list[Span]:
        return [span for span in self._find(text) if len(self._context) < span.end]

    def _released(self, unit: str) -> Shown:
        self._units.append(unit)
        left = self._shown[self._marks[0][1] :]
        sealed = self._redact(self._context + unit)
        if not sealed.startswith(left):
            return self._restarted()
        fresh = sealed[len(left) :]
        self._shown += fresh
        self._context += unit
        self._marks.append((self._marks[-1][0] + len(unit), len(self._shown)))
        self._forget()
        return Shown(fresh)

    def _restarted(self) -> Shown:
        """Everything so far again, which is what the whole message will be more like than its parts are."""
        self._restarts += 1
        if self._restarts > MAX_RESTARTS:
            self._waiting = []
            return Shown()
        self._context = "".join(self._units)
        sealed = self._redact(self._context)
        told = Shown(sealed, discard=True)
        if sealed.startswith(self._shown):
            told = Shown(sealed[len(self._shown) :])
        self._shown = sealed
        self._marks = [(0, 0), (len(self._context), len(sealed))]
        return told

    def _forget(self) -> None:
        """Drop what need not be read again: whole units, as only their redacted text is known for itself."""
        begun = self._marks[0][0]
        while len(self._marks) > 1 and self._marks[-1][0] - self._marks[1][0] >= CONTEXT:
            del self._marks[0]
        self._context = self._context[self._marks[0][0] - begun :]


def units_of(text: str) -> list[int]:
    """Where the whole units of a text that waits end; none, if there is none. Depends on nothing but the text."""
    block = open_block(text) if len(text) <= MAX_BLOCK else -1
    whole = text if block < 0 else text[:block]
    for shortest, ending in _LEVELS:
        if len(whole) < shortest:
            return []
        ends = [0]
        for found in ending.finditer(whole):
            # What ends with the text may go on: a full stop before a digit, a line break before more of an address.
            if found.end() < len(text) and found.end() - ends[-1] >= MIN_UNIT:
                ends.append(found.end())
        if len(ends) > 1:
            return ends[1:]
    return []
