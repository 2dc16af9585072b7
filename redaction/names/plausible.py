"""Whether what a model takes for a name is one: shared by all models, because all of them see names in code, in
sentence openings and in everyday words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sealgate.models.findings import Finding

from ..words import GIVEN_NAMES, NAME_WORDS, is_plain
from .code_lines import is_code_line, is_code_text, is_code_value, touches_code
from .terms import is_term

_LINE: Final = 300
"""Code points on either side of a finding that count as its line."""

_SURE: Final = 0.85
"""The score from which a lower-case name counts in a line of mixed case."""

_FAIR: Final = 0.6
"""The same for one with a common given name."""


@dataclass(frozen=True, slots=True)
class Prose:
    """A text with what its names have to be measured by."""

    text: str
    code: bool

    @classmethod
    def of(cls, text: str) -> Prose:
        """The text, looked at as a whole."""
        return cls(text, is_code_text(text))

    def name(self, entity_type: str, start: int, end: int, score: float, recognizer: str) -> Finding | None:
        """A model's span as a finding, trimmed to its words; ``None`` where it is no name."""
        start, end = self._trimmed(start, end)
        value = self.text[start:end]
        if not value or "\n" in value or is_plain(value) or is_code_value(value) or touches_code(self.text, start, end):
            return None
        if (entity_type == "PERSON" and any(map(str.isdigit, value))) or is_term(self.text, start, end):
            return None
        line = self._line(start, end)
        if not (line.islower() or line.isupper()):
            capitals = sum(word[:1].isupper() for word in re.split(r"[\s-]+", value))
            if capitals == 0 and (self.code or score < (_FAIR if _is_given(value) else _SURE)):
                return None
            if capitals < 2 and (self.code or is_code_line(line)):
                return None
        elif self.code:
            return None
        return Finding(entity_type, start, end, score, recognizer)

    def _line(self, start: int, end: int) -> str:
        begin = self.text.rfind("\n", max(0, start - _LINE), start) + 1 or max(0, start - _LINE)
        stop = self.text.find("\n", end, end + _LINE)
        return self.text[begin : stop if stop >= 0 else end + _LINE]

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        """Without punctuation at the ends, a leading article and a trailing possessive."""
        text = self.text
        while start < end and not text[start].isalnum():
            start += 1
        while start < end and not text[end - 1].isalnum():
            end -= 1
        for article in ("the ", "a ", "an "):
            if text[start:end].lower().startswith(article):
                start += len(article)
        if text[start:end].endswith("'s"):
            end -= 2
        return start, end


def _is_given(value: str) -> bool:
    """Whether a word of a value is a given name."""
    return any(word in GIVEN_NAMES or word in NAME_WORDS for word in value.split())
