"""What ``sealgate redact --explain`` prints: everything that was found, which of it counts, and why; never a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sealgate.redaction import Explanation

from .streams import write_json, write_text


def write_explanations(explanations: Sequence[Explanation], *, as_json: bool) -> None:
    """A line a finding, those that decide what stands in the text marked with ``*``; or all as one JSON list."""
    if as_json:
        write_json([_described(explanation) for explanation in explanations])
    else:
        write_text("".join(map(_line, explanations)) or "nothing was found\n")


def _described(explanation: Explanation) -> dict[str, Any]:
    finding = explanation.finding
    return {
        "entity_type": finding.entity_type,
        "start": finding.start,
        "end": finding.end,
        "score": finding.score,
        "recognizer": finding.recognizer,
        "chosen": explanation.chosen,
        "reason": explanation.reason,
    }


def _line(explanation: Explanation) -> str:
    finding = explanation.finding
    mark = "*" if explanation.chosen else " "
    place = f"{finding.start}-{finding.end}"
    return f"{mark} {place:>11}  {finding.entity_type:<22} {explanation.reason}\n"
