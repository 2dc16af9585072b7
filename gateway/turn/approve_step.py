"""The step that has a person decide about a call: before it runs, or about its result."""

from __future__ import annotations

import hashlib

from sealgate.models.approvals import ApprovalDecision
from sealgate.models.errors import ToolFailed
from sealgate.models.messages import SealedCall

from ..interrupts.approving import Approvals
from ..interrupts.record import InterruptRecord
from ..tools.injection import Injection, placeholders_in
from ..tools.outcome import as_text
from ..tools.tool import Tool
from .arguments import complete_arguments
from .changes import CallSucceeded, Decided, Edited
from .context import TurnContext
from .failure import fail_call
from .numbering import place_of_approval
from .state import ApprovalState, CallState, TurnState
from .steps import Approve
from .waits import Effects

WITHHELD = "result withheld"
"""What the model reads of a result that a person did not let through."""


def ask_approval(context: TurnContext, state: TurnState, step: Approve) -> Effects[TurnState]:
    """The state after the approval was filed; or after the call, if its tool is always allowed in this session."""
    call = state.call(step.call_id)
    tool = context.toolkit.get(call.tool)
    approvals = Approvals(context.services, context.config)
    try:
        injection = complete_arguments(context, tool, call, state)
    except ToolFailed as failed:  # Nobody is asked about a call that cannot run.
        return (yield from fail_call(context, state, call.id, f"ToolFailed: {failed}"))
    if step.stage == "before" and not (call.demanded or tool.receives_secrets) and approvals.is_allowed(call.tool):
        approved = ApprovalState(interrupt_id="", stage="before", decided="approved")
        return context.advance(state, Decided(call_id=call.id, approval=bound(context, tool, call, state, approved)))
    sealed = SealedCall(id=call.id, name=call.tool, arguments=injection.arguments)
    record = approvals.file(
        sealed,
        id=pause_id(context, state, call, step.stage),
        stage=step.stage,
        editable=_editable(tool),
        place=place_of_approval(state, call.id, step.stage),
        risk=tool.risk_level,
        secrets=tool.receives_secrets,
        turn_id=context.turn_id,
        result=call.result,
    )
    yield context.event("interrupt.requested", interrupt=record.descriptor())
    context.services.watchers.tell(record)
    pending = ApprovalState(interrupt_id=record.id, stage=step.stage, expires_at=record.expires_at)
    return context.advance(state, Decided(call_id=call.id, approval=pending))


def take_decision(
    context: TurnContext, state: TurnState, call: CallState, record: InterruptRecord
) -> Effects[TurnState]:
    """The state after a decision that was filed is known here."""
    decision = ApprovalDecision.model_validate(record.decision or {})
    yield context.event("interrupt.resolved", interrupt=record.descriptor(), data={"approved": decision.approved})
    if record.stage == "after":
        return (yield from _reviewed(context, state, call, record, decision))
    if not decision.approved:
        state = context.advance(state, Decided(call_id=call.id, approval=_denied(call, record, decision)))
        return (yield from fail_call(context, state, call.id, denial(decision.note)))
    if decision.modified_arguments is not None:
        # Whoever sees the placeholder of an answer or of private data may not send its value somewhere else with it.
        before = placeholders_in([*call.arguments.values(), *record.arguments.values()])
        edited = placeholders_in(list(decision.modified_arguments.values())) - before
        change = Edited(call_id=call.id, arguments=decision.modified_arguments, edited=tuple(map(str, sorted(edited))))
        state = context.advance(state, change)
    return _approved(context, state, call.id, record)


def bound(
    context: TurnContext, tool: Tool, call: CallState, state: TurnState, approval: ApprovalState
) -> ApprovalState:
    """The approval, tied to exactly this call."""
    injection = complete_arguments(context, tool, call, state)
    return approval.but(binding=binding_of(context, tool, call, injection, approval))


def binding_of(context: TurnContext, tool: Tool, call: CallState, injection: Injection, approval: ApprovalState) -> str:
    """An HMAC over session, subject, call, tool and its schema, the complete arguments by their placeholders, and
    the expiry.
    """
    schema = hashlib.sha256(tool.spec.model_dump_json().encode("utf-8", "surrogatepass")).hexdigest()
    parts = (injection.call_id, tool.name, schema, as_text(dict(injection.arguments)), str(approval.expires_at))
    return context.services.vault.bind("approval/1", *parts)


def is_bound(context: TurnContext, tool: Tool, call: CallState, injection: Injection) -> bool:
    """Whether a person approved exactly this call, with exactly these arguments, if somebody has to."""
    approval = call.approval("before")
    if "before" not in call.gates:
        return True
    if approval is None or approval.decided != "approved":
        return False
    return approval.binding == binding_of(context, tool, call, injection, approval)


def _approved(context: TurnContext, state: TurnState, call_id: str, record: InterruptRecord) -> TurnState:
    call = state.call(call_id)
    tool = context.toolkit.get(call.tool)
    approval = ApprovalState(interrupt_id=record.id, stage="before", decided="approved", expires_at=record.expires_at)
    return context.advance(state, Decided(call_id=call_id, approval=bound(context, tool, call, state, approval)))


def _reviewed(
    context: TurnContext, state: TurnState, call: CallState, record: InterruptRecord, decision: ApprovalDecision
) -> Effects[TurnState]:
    if not decision.approved:
        state = context.advance(state, Decided(call_id=call.id, approval=_denied(call, record, decision)))
        return (yield from fail_call(context, state, call.id, WITHHELD))
    return context.advance(state, CallSucceeded(call_id=call.id, content=call.content, result=call.result))


def denial(note: str | None) -> str:
    """What the model reads of a call that a person did not approve."""
    return "Denied: the call was not approved" + (f": {note}" if note else "")


def pause_id(context: TurnContext, state: TurnState, call: CallState, place: str) -> str:
    """The id of a pause at one place of a call: the same after a crash, so that it is filed once; 128 bits of an HMAC
    that only the session can make.
    """
    return context.services.vault.bind("interrupt/1", state.key_of(call.id), place)


def _denied(call: CallState, record: InterruptRecord, decision: ApprovalDecision) -> ApprovalState:
    return ApprovalState(
        interrupt_id=record.id,
        stage=record.stage,
        decided="denied",
        note=decision.note or "",
        expires_at=record.expires_at,
    )


def _editable(tool: Tool) -> tuple[str, ...] | None:
    """The arguments that an approver may edit: those that the model fills; ``None`` for any name."""
    if tool.spec.parameters.get("additionalProperties"):
        return None
    return tuple(tool.spec.parameters.get("properties", {}))
