"""The event vocabulary, contract ``v1``: what a stream yields and a browser gets."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from .interrupts import InterruptDescriptor

EventType = Literal[
    "session.started", "session.ended", "turn.started", "assistant.chunk", "assistant.message", "tool.started",
    "tool.completed",
    "tool.failed", "interrupt.requested", "interrupt.resolved", "interrupt.timeout", "interrupt.cancelled",
    "redaction.applied", "status",
    "hook.fired", "final", "error",
]  # fmt: skip

EVENT_TYPES: Final[tuple[str, ...]] = get_args(EventType)
CONTRACT_VERSION: Final = "v1"

Audience = Literal["frontend_safe", "internal"]


class ToolDescriptor(BaseModel):
    """A tool call in an event; arguments and result hold placeholders."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    name: str
    status: Literal["started", "completed", "failed"]
    args: dict[str, Any] = Field(default_factory=dict)
    result: Any = None
    error: str | None = None


class ErrorDescriptor(BaseModel):
    """Why a turn failed: a stable ``code`` and redacted text."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    code: str
    message: str = ""


class AppEvent(BaseModel):
    """One event. ``type`` is of the closed vocabulary; only the fields that belong to it are set.

    ``id`` is its number for one audience, from 1; ``timestamp`` in Unix seconds. ``data`` holds what the type has no
    descriptor for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    type: EventType
    contract_version: Literal["v1"] = CONTRACT_VERSION
    id: int = 0
    session_id: str = ""
    turn_id: str = ""
    timestamp: float = 0.0
    text: str | None = None
    tool: ToolDescriptor | None = None
    interrupt: InterruptDescriptor | None = None
    error: ErrorDescriptor | None = None
    data: dict[str, Any] = Field(default_factory=dict)
