"""What may stand in an audit row: a closed list of fields, each with a grammar that no value is meant to pass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from sealgate.models.errors import InvalidInput
from sealgate.models.placeholder import STRICT

MAX_ITEMS: Final = 256
"""Items of the longest list; ``count`` says how many there were."""

_WORD: Final = re.compile(r"[A-Za-z0-9_.:/-]{1,128}\Z")
_GRANT: Final = re.compile(r"[A-Za-z0-9_.:/()=', -]{1,256}\Z")
_MAX_INT: Final = 2**53

WORDS: Final = frozenset((
    "approver", "argument", "call", "cause", "channel", "decision", "digest", "entity_type", "event", "interrupt",
    "kind", "model", "origin", "outcome", "reason", "status", "subject", "tool",
))  # fmt: skip
NUMBERS: Final = frozenset(("count", "expires", "gen", "number", "sequence", "size", "step", "total", "uses"))
LISTS: Final = frozenset(("entity_types", "origins", "tools"))


def checked(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields as they are stored. Raises ``InvalidInput``, naming the field, for one that may not be there."""
    return {name: _checked(name, value) for name, value in fields.items()}


def _checked(name: str, value: object) -> object:
    if name in WORDS and isinstance(value, str) and _WORD.match(value):
        return value
    if name in NUMBERS and type(value) is int and abs(value) <= _MAX_INT:
        return value
    if name == "missing" and isinstance(value, str) and _GRANT.match(value):
        return value
    if isinstance(value, list | tuple) and _is_list(name, value):
        return [str(item) for item in value[:MAX_ITEMS]]
    raise InvalidInput(f"{name!r} may not stand in the audit chain like this")


def _is_list(name: str, items: list[object] | tuple[object, ...]) -> bool:
    if name == "placeholders":
        return all(STRICT.fullmatch(str(item)) for item in items[:MAX_ITEMS])
    return name in LISTS and all(isinstance(item, str) and _WORD.match(item) for item in items)
