"""What detection reports, and what a redaction gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from .placeholder import Placeholder


class Span(NamedTuple):
    """A half-open range of a text, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A span that is to be hidden, with what it is and who found it. It holds no text.

    ``start`` and ``end`` are code points of the input; ``score`` is between 0 and 1; ``recognizer`` names the rule or
    model; ``placeholder`` is what stands there now, ``None`` before it was sealed.
    """

    entity_type: str
    start: int
    end: int
    score: float
    recognizer: str
    placeholder: Placeholder | None = None


@dataclass(frozen=True, slots=True)
class Redaction:
    """The result of ``session.redact``: the text with placeholders, and what was found.

    ``text`` is safe to show to a model; ``findings`` are in the order of the text and do not overlap.
    """

    text: str
    findings: tuple[Finding, ...] = field(default=())

    def __str__(self) -> str:
        return self.text


class RestoredText(str):
    """A restored text: a plain ``str`` that also knows which placeholders stayed closed, in ``unresolved``."""

    unresolved: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, unresolved: tuple[str, ...]) -> RestoredText:
        """The text with its report."""
        restored = cls(text)
        restored.unresolved = unresolved
        return restored
