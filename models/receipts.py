"""What the interrupt manager gives back: typed records that are always true, so that old boolean checks still hold.

``if receipt`` says nothing; ask ``handled`` or ``cancelled``.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .approvals import ApprovalDecision, InterruptToolCall
from .envelope import CamelEnvelope

InterruptState = Literal["pending", "resolved", "timed_out", "cancelled", "unknown"]
Verdict = Literal["approved", "edited", "denied"]


class Receipt(CamelEnvelope):
    """The base of the receipts."""

    def __bool__(self) -> Literal[True]:
        return True


class InterruptResolveReceipt(Receipt):
    """Whether a decision was filed. ``interrupt_id`` is the one that was asked for, known or not;
    ``resolved_decision`` is there when it was filed, redacted."""

    handled: bool
    resolved_decision: ApprovalDecision | None = None
    interrupt_id: str


class InterruptCancelReceipt(Receipt):
    """Whether an interrupt was cancelled, and the state in which it was found."""

    cancelled: bool
    interrupt_id: str
    tool_call: InterruptToolCall | None = None
    session_id: str | None = None
    state: InterruptState


class InterruptDestroyReceipt(Receipt):
    """What a manager that was torn down has cancelled."""

    cancelled_count: int
    cancelled_ids: list[str] = Field(default_factory=list)


class InterruptDecisionRecord(CamelEnvelope):
    """How a pause ended, as it stands in the audit chain: no value, and a pseudonym for the approver."""

    interrupt_id: str
    kind: Literal["ask", "approve", "pause"]
    state: InterruptState
    tool: str | None = None
    verdict: Verdict | None = None
    approver: str | None = None
