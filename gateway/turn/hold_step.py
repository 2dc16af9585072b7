"""The step at which every call that is left waits for somebody outside: take what was settled, wait, or pause the
turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sealgate.models.events import AppEvent, ErrorDescriptor, EventType
from sealgate.models.jsonvalue import JsonValue

from ..interrupts.approving import CANCELLED, ENDED_AS
from ..interrupts.ending import cancel_left
from ..interrupts.inputs import coerce
from ..interrupts.record import InterruptRecord
from ..services import Services
from .approve_step import take_decision
from .ask_step import question_of
from .changes import Asked, BodyPaused, TurnFailed, TurnPaused
from .closing import TIMED_OUT, lost, may_have_run
from .context import TurnContext
from .failure import fail_call
from .state import AskState, CallState, TurnState
from .waits import Effects, Wait

WARNING = 30.0
"""Seconds before a pause's time is over at which a turn that waits tells of it; WCAG 2.2.1 asks for 20 at least."""


def hold(context: TurnContext, state: TurnState) -> Effects[TurnState]:
    """The state after one pause that was settled; or the paused state, if the turn does not wait here."""
    waiting = [(call, interrupt) for call in state.calls if (interrupt := waits_for(call)) is not None]
    found = [(call, context.services.interrupts.get(interrupt)) for call, interrupt in waiting]
    over = [(call, record) for call, record in found if record is not None and record.state == "timed_out"]
    if over:
        return (yield from timed_out(context, state, over[0][0], [record for _call, record in found]))
    for call, record in found:
        if record is None or record.state != "pending":
            return (yield from _settled(context, state, call, record))
    if not context.followed:
        return context.advance(state, TurnPaused())
    yield from _wait(context, [interrupt for _call, interrupt in waiting])
    return state


def _wait(context: TurnContext, ids: list[str]) -> Effects[None]:
    """Wait here until one of the pauses has ended; whoever is to answer one is warned before its time is over."""
    services = context.services
    warned: set[str] = set()
    while True:
        found = [services.interrupts.get(interrupt) for interrupt in ids]
        waiting = [record for record in found if record is not None and record.state == "pending"]
        if len(waiting) < len(ids):
            return
        mortal = [record for record in waiting if record.expires_at is not None and record.id not in warned]
        for record in mortal:
            left = (record.expires_at or 0.0) - services.now()
            if left <= WARNING:
                warned.add(record.id)
                yield context.event("status", data={"interrupt": record.id, "expires_in": round(left, 3)})
        next_warning = min(
            ((record.expires_at or 0.0) - WARNING for record in mortal if record.id not in warned), default=None
        )
        yield Wait("handler", lambda until=next_warning: services.interrupts.wait(ids, until), inline=True)  # type: ignore[misc]


def waits_for(call: CallState) -> str | None:
    """The id of the pause that a call waits for, or ``None``."""
    if not call.held or call.phase == "done":
        return None
    pauses = [pause.interrupt_id for pause in call.pauses if not pause.answered]
    approvals = [approval.interrupt_id for approval in call.approvals if approval.decided == "pending"]
    ask = call.open_ask()
    asks = [ask.interrupt_id] if ask is not None else []
    return next(iter([*pauses, *approvals, *asks]), None)


def pauses_of(state: TurnState) -> list[str]:
    """The ids of every pause that a state knows of, settled or not."""
    return [
        interrupt
        for call in state.calls
        for interrupt in (
            *(ask.interrupt_id for ask in call.asks),
            *(approval.interrupt_id for approval in call.approvals),
            *(pause.interrupt_id for pause in call.pauses),
        )
        if interrupt
    ]


def end_left(services: Services, state: TurnState) -> list[AppEvent]:
    """Cancel what still waits of a turn that has ended; the events that tell of it and of the calls that never came
    back, published already.

    All at once: a turn that is abandoned gets no further than its next event.
    """
    left = cancel_left(services.interrupts, pauses_of(state))
    cancelled = [event(services, state, "interrupt.cancelled", interrupt=record.descriptor()) for record in left]
    unknown = [call for call in state.calls if may_have_run(call)]
    return [*cancelled, *(event(services, state, "tool.failed", tool=lost(call)) for call in unknown)]


def event(services: Services, state: TurnState, kind: EventType, **fields: Any) -> AppEvent:
    """An event of a turn that nobody runs any more, filtered and sent to every bridge."""
    place = {"turn_id": state.turn_id, "session_id": services.vault.name, "timestamp": services.now()}
    return services.publish(AppEvent(type=kind, **place, **fields))


def too_late(context: TurnContext, state: TurnState, call: CallState) -> Effects[TurnState]:
    """The state of a turn whose call was approved, and that went on with it when the time of that was over."""
    approval = call.approval("before")
    record = context.services.interrupts.get(approval.interrupt_id) if approval is not None else None
    return (yield from timed_out(context, state, call, [None if record is None else record.but(state="timed_out")]))


def timed_out(
    context: TurnContext, state: TurnState, call: CallState, records: Sequence[InterruptRecord | None]
) -> Effects[TurnState]:
    """The state of a turn that waited too long. Nothing that was decided about its other calls is done any more."""
    for record in records:
        if record is not None and record.state != "pending":
            yield context.event(ENDED_AS[record.state], interrupt=record.descriptor())
    failed = TurnFailed(code=TIMED_OUT, message=f"nobody answered about {call.tool} in time")
    yield context.event("error", error=ErrorDescriptor(code=failed.code, message=failed.message))
    return context.advance(state, failed)


def _settled(
    context: TurnContext, state: TurnState, call: CallState, record: InterruptRecord | None
) -> Effects[TurnState]:
    if record is None or record.state == "cancelled":
        if record is not None:
            yield context.event("interrupt.cancelled", interrupt=record.descriptor())
        return (yield from fail_call(context, state, call.id, f"InterruptCancelled: {CANCELLED}"))
    if record.kind == "approve":
        return (yield from take_decision(context, state, call, record))
    yield context.event("interrupt.resolved", interrupt=record.descriptor())
    return _answered(context, state, call, record)


def _answered(context: TurnContext, state: TurnState, call: CallState, record: InterruptRecord) -> TurnState:
    if record.kind == "pause":
        pauses = tuple(
            pause.but(answered=True, answer=record.answer) if pause.interrupt_id == record.id else pause
            for pause in call.pauses
        )
        return context.advance(state, BodyPaused(call_id=call.id, pauses=pauses))
    ask = next(ask for ask in call.asks if ask.interrupt_id == record.id)
    answer = _typed(context, call, ask, record)
    answered = ask.but(answered=True, answer=answer, asked=record.asked + 1, reason="")
    return context.advance(state, Asked(call_id=call.id, ask=answered))


def _typed(context: TurnContext, call: CallState, ask: AskState, record: InterruptRecord) -> JsonValue:
    """The answer with the tool's types, which whoever filed it did not have: a choice is the member that it names."""
    answer, question = record.answer, question_of(context, call.tool, ask.arg_name)
    if isinstance(answer, dict) and question.fields:
        clear = [one for one in question.fields if one.sensitive is None and one.input_type in ("boolean", "choice")]
        return {
            **answer,
            **{one.arg_name: coerce(answer[one.arg_name], one) for one in clear if one.arg_name in answer},
        }
    if record.sensitive is None and record.input_type in ("boolean", "choice"):
        return coerce(answer, question)
    return answer
