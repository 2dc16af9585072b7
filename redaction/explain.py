"""Explanations: everything that was found in a text, which of it counts, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sealgate.models.findings import Finding

from .rules import ALL_RULES
from .union import EXPECTED, KNOWN, LITERAL, MODELS, REPEATED

_RULES: Final = {rule.name: rule for rule in ALL_RULES}
_REASONS: Final = {
    KNOWN: "a value that this session holds",
    LITERAL: "it reads as a placeholder",
    EXPECTED: "it is what was asked for",
    REPEATED: "a value found elsewhere in this text",
    "orthography": "a capitalised word of another language, in which the models see enough",
    "email-name": "an e-mail address in this text spells it",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """One finding with ``chosen`` (whether it decides what stands there now) and ``reason``; it holds no text."""

    finding: Finding
    chosen: bool
    reason: str


def explained(found: list[Finding], resolved: list[Finding]) -> list[Explanation]:
    """All findings in the order of the text; those that the union left, or cut others by, are chosen."""
    kept = {(item.entity_type, item.recognizer, item.start, item.end) for item in resolved}
    everything = sorted({*found, *resolved}, key=lambda item: (item.start, -item.end, item.recognizer))
    return [
        Explanation(item, (item.entity_type, item.recognizer, item.start, item.end) in kept, reason_of(item))
        for item in everything
    ]


def reason_of(finding: Finding) -> str:
    """Why a recognizer took this span, in one sentence without text of it."""
    known = _REASONS.get(finding.recognizer)
    if known is not None:
        return known
    if finding.recognizer in MODELS:
        return f"the model {finding.recognizer} takes it for one (score {finding.score:.2f})"
    name, _, decoded = finding.recognizer.partition("/")
    rule = _RULES.get(name)
    if rule is None:
        return f"the recognizer {finding.recognizer} found it"
    parts = ["the shape"]
    parts += ["a checksum or validator"] if rule.valid is not None else []
    parts += ["a cue beside it"] if rule.before or rule.after or rule.words else []
    seen = ", seen through an encoding" if decoded else ""
    return f"the rule {name}: {' and '.join(parts)}{seen}"
