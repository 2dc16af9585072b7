"""Hooks around a tool: they see what a model would see, and cannot change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Literal, TypeAlias

from sealgate.models.jsonvalue import JsonValue

Hook: TypeAlias = Callable[[dict[str, Any]], object]
"""Called before or after a tool with ``hook_payload``; may be asynchronous. What it returns is dropped, and what it
raises never fails the tool: the type's name is told in an event."""

Stage: TypeAlias = Literal["before", "after"]


def hook_payload(
    stage: Stage,
    tool: str,
    tool_id: str,
    arguments: Mapping[str, JsonValue],
    result: JsonValue = None,
    error: str | None = None,
) -> dict[str, Any]:
    """What one hook gets: ``stage``, ``tool``, ``tool_id`` (of the call), ``arguments``, ``result``, ``error``.

    Everything in it holds placeholders. It is a copy, so that a hook that writes into it changes nothing else.
    """
    return {
        "stage": stage,
        "tool": tool,
        "tool_id": tool_id,
        "arguments": deepcopy(dict(arguments)),
        "result": deepcopy(result),
        "error": error,
    }
