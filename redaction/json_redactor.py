"""The redactor of JSON: every string, every key and every number; the same shape with placeholders in it."""

from __future__ import annotations

from sealgate.models.jsonvalue import JsonValue, check_json

from .batch import Batch
from .planner import Planner, Scope


def redact_json(planner: Planner, value: JsonValue, scope: Scope, *, max_new: int | None = None) -> JsonValue:
    """A copy of ``value`` with placeholders in its strings and keys. A number that is hit is sealed whole with its type
    and becomes a placeholder string; booleans and ``None`` never are. A member's key counts as a cue for its value.

    Raises ``NotJson`` for anything that JSON cannot carry, ``LimitExceeded`` for nesting below 64 levels or an integer
    of more than 13,000 bits, and what ``Planner.plan`` and ``plan.commit`` raise; then nothing was stored.
    """
    check_json(value)
    batch = Batch(planner, scope)
    redacted = batch.json(value)
    batch.commit(max_new=max_new)
    return redacted()
