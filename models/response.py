"""What ``invoke`` returns."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from .events import ErrorDescriptor
from .interrupts import InterruptDescriptor
from .messages import SealedMessage

Status = Literal["pending", "running", "waiting_for_tools", "completed", "failed", "interrupted"]


class SessionResponse(BaseModel):
    """The outcome of a turn, with placeholders throughout.

    ``response`` is the assistant's last text. ``result`` is the final tool's object, a copy whose sealed fields are
    placeholder strings (open it with ``session.reveal``). ``interrupts`` are the open pauses when ``status`` is
    ``interrupted``; ``error`` says why it ``failed``.
    """

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, defer_build=True)

    status: Status
    session_id: str
    turn_id: str
    response: str | None = None
    result: Any = None
    interrupts: list[InterruptDescriptor] = Field(default_factory=list)
    error: ErrorDescriptor | None = None
    messages: tuple[SealedMessage, ...] = ()
    steps: int = 0
