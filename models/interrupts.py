"""What crosses the wire when a turn pauses for a person. Field names are those of the envelopes that inspectors
know."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

InputType = Literal["text", "password", "number", "boolean", "choice"]
InterruptKind = Literal["ask", "approve"]


class ActionRequest(BaseModel):
    """What is to be done, and with which (redacted) arguments."""

    model_config = ConfigDict(frozen=True)

    action: str
    args: dict[str, Any] = Field(default_factory=dict)


class HumanInterruptConfig(BaseModel):
    """Which kinds of response an interrupt allows."""

    model_config = ConfigDict(frozen=True)

    allow_ignore: bool = False
    allow_respond: bool = False
    allow_edit: bool = False
    allow_accept: bool = False


class HumanInterrupt(BaseModel):
    """The envelope of a pause, in the shape of LangGraph's ``interrupt()`` payload."""

    model_config = ConfigDict(frozen=True)

    action_request: ActionRequest
    config: HumanInterruptConfig
    description: str | None = None


class InterruptDescriptor(BaseModel):
    """One pause as a frontend renders it.

    ``number`` of ``total`` is its place among the tool's prompts, top to bottom. ``expires_at`` is in Unix seconds,
    ``None`` for no deadline.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kind: InterruptKind = "ask"
    prompt: str = ""
    arg_name: str = ""
    tool_name: str = ""
    input_type: InputType = "text"
    choices: list[str] = Field(default_factory=list)
    number: int = 1
    total: int = 1
    human: HumanInterrupt | None = None
    expires_at: float | None = None
