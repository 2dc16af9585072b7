"""The step that has a person decide about a call: before it runs, or about its result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from sealgate.models.approvals import ApprovalDecision
from sealgate.models.errors import ToolFailed
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.messages import SealedCall

from ..interrupts.approving import Approvals
from ..interrupts.record import InterruptRecord
from ..interrupts.values import VALUES, still_true, values_of
from ..tools.injection import Injection, placeholders_in
from ..tools.tool import Tool
from .arguments import complete_arguments
from .changes import CallSucceeded, Decided, Edited
from .closing import WITHHELD, denial
from .context import TurnContext
from .failure import fail_call
from .numbering import place_of_approval
from .state import ApprovalState, CallState, TurnState
from .steps import Approve
from .waits import Effects


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
        return context.advance(
            state,
            Decided(call_id=call.id, approval=_bound(context, tool, injection.call_id, injection.arguments, approved)),
        )
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
        hidden = context.toolkit.get(call.tool).hidden()  # of which the model knows nothing
        own = {name: value for name, value in decision.modified_arguments.items() if name not in hidden}
        change = Edited(call_id=call.id, arguments=own, edited=tuple(map(str, sorted(edited))))
        state = context.advance(state, change)
        context.services.emitted.remember_message(state.messages[-1])
    return _approved(context, state, call.id, record, decision)


def _bound(
    context: TurnContext, tool: Tool, key: str, arguments: Mapping[str, JsonValue], approval: ApprovalState
) -> ApprovalState:
    """The approval, tied to the call ``key`` with exactly these arguments and to what is told of their values."""
    told = {**values_of(context.services.vault, dict(arguments)), **approval.values}
    used = map(str, placeholders_in(list(arguments.values())))
    approval = approval.but(values={one: told[one] for one in sorted(used)})
    return approval.but(binding=_binding_of(context, tool, key, arguments, approval))


def _binding_of(
    context: TurnContext, tool: Tool, key: str, arguments: Mapping[str, JsonValue], approval: ApprovalState
) -> str:
    """An HMAC over session, subject, call, tool and its schema, the complete arguments by their placeholders, what was
    told of the values behind these, and the expiry.
    """
    schema = hashlib.sha256(tool.spec.model_dump_json().encode("utf-8", "surrogatepass")).hexdigest()
    seen = json.dumps([dict(arguments), approval.values], sort_keys=True)
    return context.services.vault.bind("approval/2", key, tool.name, schema, seen, str(approval.expires_at))


def is_bound(context: TurnContext, tool: Tool, call: CallState, injection: Injection) -> bool:
    """Whether a person approved exactly this call, with exactly these arguments, if somebody has to; and was told of
    their values what is still true.
    """
    approval = call.approval("before")
    if "before" not in call.gates:
        return True
    if approval is None or approval.decided != "approved":
        return False
    now = values_of(context.services.vault, dict(injection.arguments))
    binding = _binding_of(context, tool, injection.call_id, injection.arguments, approval)
    return approval.binding == binding and still_true(approval.values, now)


def is_late(context: TurnContext, call: CallState) -> bool:
    """Whether the time of an approval was over before the call that was approved began."""
    approval = call.approval("before")
    if approval is None or approval.decided != "approved" or approval.expires_at is None or call.pauses:
        return False
    return context.services.now() >= approval.expires_at


def _approved(
    context: TurnContext, state: TurnState, call_id: str, record: InterruptRecord, decision: ApprovalDecision
) -> TurnState:
    """The state after a call was approved as it was shown: what comes from elsewhere than the model is what it was when
    the person was asked, whatever it is now.
    """
    call = state.call(call_id)
    tool = context.toolkit.get(call.tool)
    arguments = dict(record.arguments)
    if decision.modified_arguments is not None:
        hidden = tool.hidden()
        own = {name: value for name, value in decision.modified_arguments.items() if name not in hidden}
        arguments = {**own, **{name: value for name, value in arguments.items() if name in hidden}}
    told = record.human.action_request.args.get(VALUES) if record.human is not None else None
    approval = ApprovalState(
        interrupt_id=record.id,
        stage="before",
        decided="approved",
        values=told if isinstance(told, dict) else {},
        expires_at=record.expires_at,
    )
    approval = _bound(context, tool, state.key_of(call_id), arguments, approval)
    return context.advance(state, Decided(call_id=call_id, approval=approval))


def _reviewed(
    context: TurnContext, state: TurnState, call: CallState, record: InterruptRecord, decision: ApprovalDecision
) -> Effects[TurnState]:
    if not decision.approved:
        state = context.advance(state, Decided(call_id=call.id, approval=_denied(call, record, decision)))
        return (yield from fail_call(context, state, call.id, WITHHELD))
    return context.advance(state, CallSucceeded(call_id=call.id, content=call.content, result=call.result))


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
