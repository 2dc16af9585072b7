"""Approving a tool call: the request, the decision, and which calls need one. Names on the wire are camelCase."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import ConfigDict, Field

from .envelope import CamelEnvelope
from .jsonvalue import JsonValue

RiskLevel = Literal["low", "medium", "high"]
Behavior = Literal["interrupt", "auto-approve"]

ALWAYS_ALLOW: Final = "always_allow"
"""The note of an approval that stands for the tool's further calls in the session."""


class ApprovalDecision(CamelEnvelope):
    """What is decided about a paused call.

    A payload without ``approved`` is a rejection, whatever else it holds; fields that are not of the decision are
    dropped. ``modified_arguments`` replace the call's when it is approved.
    """

    model_config = ConfigDict(extra="ignore")

    approved: bool = False
    note: str | None = Field(default=None, repr=False)
    modified_arguments: dict[str, JsonValue] | None = Field(default=None, repr=False)


class InterruptToolCall(CamelEnvelope):
    """The call of an ``InterruptRequest``; its arguments come under either name. Unknown fields pass through."""

    model_config = ConfigDict(extra="allow")

    id: str
    name: str
    parameters: dict[str, JsonValue] | None = Field(default=None, repr=False)
    arguments: dict[str, JsonValue] | None = Field(default=None, repr=False)


class InterruptRequest(CamelEnvelope):
    """A pause as it is published to a bus and to observers. Unknown fields pass through (redacted, as all of it)."""

    model_config = ConfigDict(extra="allow")

    interrupt_id: str
    tool_call: InterruptToolCall
    risk_level: RiskLevel


class InterruptDecision(CamelEnvelope):
    """A decision as it comes back over a bus. Unknown fields pass through (redacted, as all of it)."""

    model_config = ConfigDict(extra="allow")

    approved: bool = False
    note: str | None = Field(default=None, repr=False)
    modified_arguments: dict[str, JsonValue] | None = Field(default=None, repr=False)

    @property
    def always_allow(self) -> bool:
        """Whether the tool's further calls are approved with this one."""
        return self.approved and self.note == ALWAYS_ALLOW

    def decision(self) -> ApprovalDecision:
        """The decision alone, as the manager takes it."""
        return ApprovalDecision.model_validate(self.wire())


class PerToolApproval(CamelEnvelope):
    """One call of a batch that waits, and what was decided about it."""

    tool_call_id: str
    tool_name: str
    args: dict[str, JsonValue] = Field(repr=False)
    decision: Literal["pending", "approved", "rejected", "edited"] = "pending"
    edited_args: dict[str, JsonValue] | None = Field(default=None, repr=False)


class PerToolDispatchConfig(CamelEnvelope):
    """Which tools of a batch wait for a decision. A name in both lists is never interrupted."""

    always_interrupt: list[str] = Field(default_factory=list)
    never_interrupt: list[str] = Field(default_factory=list)
    default_behavior: Behavior = "auto-approve"
