"""Asking for approval: the envelope of a call, what binds a decision to it, and what a decision leaves behind."""

from __future__ import annotations

import json
from typing import Final

import anyio

from sealgate.models.approvals import ApprovalDecision, PerToolApproval, RiskLevel
from sealgate.models.errors import InterruptCancelled, InterruptTimeout
from sealgate.models.interrupts import ActionRequest, HumanInterrupt
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.messages import SealedCall

from ..services import Services
from ..turn.driver import refuse_running_loop
from .config import InterruptConfig
from .decisions import FULL, REVIEW
from .record import InterruptRecord

CANCELLED: Final = "Interrupt cancelled"
"""What whoever waits for a cancelled pause is told."""

_ALLOWED: Final = "interrupt.allowed"


class Approvals:
    """The approvals of one session: filing them, waiting for them, and the calls that are always allowed."""

    def __init__(self, services: Services, config: InterruptConfig) -> None:
        self._services = services
        self._config = config

    def file(
        self,
        call: SealedCall,
        *,
        stage: str = "before",
        risk: RiskLevel = "medium",
        secrets: bool = False,
        turn_id: str = "",
        result: JsonValue = None,
        timeout: float | None = None,
    ) -> InterruptRecord:
        """A new pending approval. ``timeout`` is in seconds; ``None`` takes the configuration's."""
        seconds = self._config.default_timeout if timeout is None else timeout
        return self._services.interrupts.file(
            InterruptRecord(
                id=self._services.new_id(),
                kind="approve",
                stage="after" if stage == "after" else "before",
                turn_id=turn_id,
                call_id=call.id,
                tool=call.name,
                arguments=call.arguments,
                risk=risk,
                receives_secrets=secrets,
                prompt=f"Approve {call.name}?" if stage == "before" else f"Show the result of {call.name}?",
                input_type="boolean",
                human=envelope(call, stage, result),
                expires_at=None if seconds is None else self._services.now() + seconds,
            )
        )

    def request(self, call: SealedCall, timeout: float | None) -> ApprovalDecision:
        """File an approval and wait for the decision in this thread."""
        refuse_running_loop("arequest_approval")
        return anyio.run(self.arequest, call, timeout)

    async def arequest(self, call: SealedCall, timeout: float | None) -> ApprovalDecision:  # noqa: ASYNC109 - it is filed
        """File an approval and wait for the decision. Raises ``InterruptTimeout`` or ``InterruptCancelled``."""
        filed = self.file(call, timeout=timeout)
        self._services.watchers.tell(filed)
        await self._services.interrupts.wait([filed.id])
        settled = self._services.interrupts.get(filed.id)
        if settled is None or settled.state == "cancelled":
            raise InterruptCancelled(CANCELLED)
        if settled.state == "timed_out":
            raise InterruptTimeout("nobody decided in time")
        return ApprovalDecision.model_validate(settled.decision or {})

    def decided(self, record: InterruptRecord, decision: ApprovalDecision) -> None:
        """Remember an approval that stands for the tool's further calls in this session by this approver."""
        if decision.approved and decision.note == "always_allow" and not record.receives_secrets:
            self._services.vault.records.replace(_ALLOWED, record.tool, json.dumps(record.approver).encode())

    def is_allowed(self, tool: str) -> bool:
        """Whether somebody has allowed a tool's further calls."""
        return self._services.vault.records.get(_ALLOWED, tool) is not None

    def audit(self, record: InterruptRecord) -> None:
        """Write how a pause ended to the audit chain."""
        decision = record.decision or {}
        verdict = "edited" if "modifiedArguments" in decision else "approved" if decision.get("approved") else "denied"
        fields: dict[str, object] = {
            "interrupt": record.id,
            "kind": record.kind,
            "status": record.state,
            **({"tool": record.tool} if record.tool else {}),
            **({"decision": verdict} if record.kind == "approve" and record.state == "resolved" else {}),
            **({"approver": self._services.pseudonym(record.approver)} if record.approver else {}),
        }
        self._services.audit(f"interrupt.{record.state}", fields)


def envelope(call: SealedCall, stage: str, result: JsonValue = None) -> HumanInterrupt:
    """The envelope that inspectors know: the call as a pending approval, and what may be answered."""
    approval = PerToolApproval(tool_call_id=call.id, tool_name=call.name, args=call.arguments)
    args: dict[str, JsonValue] = {"approvals": [approval.wire()]}
    if stage == "after":
        args["result"] = result
    action = "approve_tool_call" if stage == "before" else "review_tool_result"
    config = FULL if stage == "before" else REVIEW
    return HumanInterrupt(action_request=ActionRequest(action=action, args=args), config=config)
