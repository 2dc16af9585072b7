"""JSON values (pydantic's ``JsonValue``) and the one check that something is one."""

from __future__ import annotations

import math
from typing import Final

from pydantic import JsonValue

from .errors import LimitExceeded, NotJson

__all__ = ["MAX_DEPTH", "JsonValue", "check_json"]

MAX_DEPTH: Final = 64
"""Levels of nesting that are read; deeper input is refused."""


def check_json(value: object, path: str = "$", depth: int = 0) -> None:
    """Nothing, if ``value`` is JSON: the six types, string keys, finite numbers.

    Raises ``NotJson`` with the path to the first other thing (keys by their position, since a key can be a secret), and
    ``LimitExceeded`` below 64 levels.
    """
    if depth > MAX_DEPTH:
        raise LimitExceeded("JSON nested deeper than 64 levels", MAX_DEPTH)
    if isinstance(value, dict):
        for position, (key, item) in enumerate(value.items()):
            if not isinstance(key, str):
                raise NotJson(f"{path}{{{position}}}", f"{type(key).__name__} as a key")
            check_json(item, f"{path}{{{position}}}", depth + 1)
    elif isinstance(value, list):
        for position, item in enumerate(value):
            check_json(item, f"{path}[{position}]", depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise NotJson(path, "non-finite float")
    elif value is not None and type(value) not in (bool, int, float, str):
        raise NotJson(path, type(value).__name__)
