"""The event names of other producers, in our vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sealgate.models.events import EVENT_TYPES

WIRE_NAMES: Final[dict[str, str]] = {
    "session_start": "session.started",
    "session_end": "session.ended",
    "assistant_chunk": "assistant.chunk",
    "system_tool_start": "tool.started",
    "system_tool_chunk": "status",
    "system_tool_complete": "tool.completed",
    "system_tool_error": "tool.failed",
    "model_tool_complete": "tool.completed",
    "interrupt_request": "interrupt.requested",
    "interrupt_required": "interrupt.requested",
    "interrupt_resolved": "interrupt.resolved",
    "interrupt_timeout": "interrupt.timeout",
    "status_message": "status",
    "status_message_chunk": "status",
    "update": "status",
    "progress_update": "status",
    "agent_assignment": "status",
    "assignment_received": "status",
    "assignment_completed": "status",
    "hook_fired": "hook.fired",
    "final": "final",
    "error": "error",
}
"""mAIvn's wire names; ``tool_event`` and ``enrichment`` depend on what they hold."""

PARTIAL_NAMES: Final = frozenset(("status_message_chunk", "system_tool_chunk"))
"""Names of status events that bring their text in pieces."""

_TOOL_STATUS: Final = {
    **dict.fromkeys(("completed", "complete", "success", "succeeded", "done"), "tool.completed"),
    **dict.fromkeys(("failed", "error", "failure", "cancelled"), "tool.failed"),
}


def event_type(name: object, body: Mapping[str, Any]) -> str | None:
    """Our type of a named event; ``None`` for what has none here, such as heartbeats."""
    if not isinstance(name, str):
        return None
    if name in EVENT_TYPES:
        return name
    if name == "tool_event":
        tool = body.get("tool")
        status = tool.get("status") if isinstance(tool, Mapping) else body.get("status")
        return _TOOL_STATUS.get(status if isinstance(status, str) else "", "tool.started")
    if name == "enrichment":
        return "redaction.applied" if _is_redaction(body) else "status"
    return WIRE_NAMES.get(name)


def _is_redaction(body: Mapping[str, Any]) -> bool:
    enrichment = body.get("enrichment")
    phase = enrichment.get("phase") if isinstance(enrichment, Mapping) else body.get("phase")
    return "redaction" in body or (isinstance(phase, str) and "redact" in phase)
