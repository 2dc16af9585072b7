"""Asking for approval: the envelope of a call, what binds a decision to it, and what a decision leaves behind."""

from __future__ import annotations

import json
from typing import Final

import anyio

from sealgate.models.approvals import ALWAYS_ALLOW, ApprovalDecision, PerToolApproval, RiskLevel
from sealgate.models.errors import InterruptCancelled, InterruptTimeout
from sealgate.models.events import AppEvent, EventType
from sealgate.models.interrupts import ActionRequest, HumanInterrupt
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.messages import SealedCall

from ..services import Services
from ..turn.driver import refuse_running_loop
from .config import InterruptConfig
from .decisions import FULL, REVIEW
from .ending import cancel_left
from .record import InterruptRecord
from .values import VALUES, values_of

CANCELLED: Final = "Interrupt cancelled"
"""What whoever waits for a cancelled pause is told."""

_ALLOWED: Final = "interrupt.allowed"

ENDED_AS: Final[dict[str, EventType]] = {
    "resolved": "interrupt.resolved",
    "timed_out": "interrupt.timeout",
    "cancelled": "interrupt.cancelled",
}
"""The event that tells of a pause's end."""


class Approvals:
    """The approvals of one session: filing them, waiting for them, and the calls that are always allowed."""

    def __init__(self, services: Services, config: InterruptConfig) -> None:
        self._services = services
        self._config = config

    def file(
        self,
        call: SealedCall,
        *,
        id: str | None = None,
        stage: str = "before",
        risk: RiskLevel = "medium",
        secrets: bool = False,
        turn_id: str = "",
        result: JsonValue = None,
        timeout: float | None = None,
        editable: tuple[str, ...] | None = None,
        place: tuple[int, int] = (1, 1),
    ) -> InterruptRecord:
        """A new pending approval, or the one that was filed under this id before. ``timeout`` is in seconds; ``None``
        takes the configuration's. ``place`` is its number of how many.
        """
        seconds = self._config.default_timeout if timeout is None else timeout
        return self._services.interrupts.file(
            InterruptRecord(
                id=id or self._services.new_id(),
                kind="approve",
                stage="after" if stage == "after" else "before",
                turn_id=turn_id,
                call_id=call.id,
                tool=call.name,
                arguments=call.arguments,
                risk=risk,
                receives_secrets=secrets,
                editable=editable,
                number=place[0],
                total=place[1],
                prompt=f"Approve {call.name}?" if stage == "before" else f"Show the result of {call.name}?",
                input_type="boolean",
                human=envelope(call, stage, result, values_of(self._services.vault, call.arguments, result)),
                expires_at=None if seconds is None else self._services.now() + seconds,
            )
        )

    def request(self, call: SealedCall, timeout: float | None) -> ApprovalDecision:
        """File an approval and wait for the decision in this thread."""
        refuse_running_loop("arequest_approval")
        return anyio.run(self.arequest, call, timeout)

    async def arequest(self, call: SealedCall, timeout: float | None) -> ApprovalDecision:  # noqa: ASYNC109 - it is filed
        """File an approval and wait for the decision. Raises ``InterruptTimeout`` or ``InterruptCancelled``; a wait
        that is cancelled from outside cancels the approval.
        """
        filed = self.file(call, timeout=timeout)
        self._publish("interrupt.requested", filed)
        self._services.watchers.tell(filed)
        try:
            await self._services.interrupts.wait([filed.id])
        except BaseException:
            self._abandon(filed)
            raise
        settled = self._services.interrupts.get(filed.id) or filed.but(state="cancelled")
        self._publish(ENDED_AS[settled.state], settled)
        if settled.state == "timed_out":
            raise InterruptTimeout("nobody decided in time")
        if settled.state == "cancelled":
            raise InterruptCancelled(CANCELLED)
        return ApprovalDecision.model_validate(settled.decision or {})

    def _abandon(self, filed: InterruptRecord) -> None:
        for left in cancel_left(self._services.interrupts, [filed.id]):
            self._publish("interrupt.cancelled", left)

    def _publish(self, kind: EventType, record: InterruptRecord) -> None:
        services = self._services
        about = {"approved": bool((record.decision or {}).get("approved"))} if record.state == "resolved" else {}
        services.publish(
            AppEvent(
                type=kind,
                session_id=services.vault.name,
                timestamp=services.now(),
                interrupt=record.descriptor(),
                data=about,
            )
        )

    def decided(self, record: InterruptRecord, decision: ApprovalDecision) -> None:
        """Remember an approval that stands for the tool's further calls in this session.

        That of somebody who is not the session's subject stands for one call only, and letting a result through says
        nothing about running the tool again.
        """
        if record.stage == "after":
            return
        own = record.approver is None or self._services.vault.subject in (None, record.approver)
        if own and decision.approved and decision.note == ALWAYS_ALLOW and not record.receives_secrets:
            self._services.vault.records.replace(_ALLOWED, record.tool, json.dumps(record.approver).encode())

    def is_allowed(self, tool: str) -> bool:
        """Whether somebody has allowed a tool's further calls."""
        return self._services.vault.records.get(_ALLOWED, tool) is not None


def envelope(
    call: SealedCall, stage: str, result: JsonValue = None, values: dict[str, JsonValue] | None = None
) -> HumanInterrupt:
    """The envelope that inspectors know: the call as a pending approval, and what may be answered. ``values`` tells of
    the values behind its placeholders, as ``values_of`` does.
    """
    approval = PerToolApproval(tool_call_id=call.id, tool_name=call.name, args=call.arguments)
    args: dict[str, JsonValue] = {"approvals": [approval.wire()]}
    if stage == "after":
        args["result"] = result
    if values:
        args[VALUES] = values
    action = "approve_tool_call" if stage == "before" else "review_tool_result"
    config = FULL if stage == "before" else REVIEW
    return HumanInterrupt(action_request=ActionRequest(action=action, args=args), config=config)
