"""The step that asks a person for one argument of a call."""

from __future__ import annotations

from collections.abc import Callable

from sealgate.models.errors import InterruptNotPending, InvalidAnswer, TooManyInterrupts
from sealgate.models.jsonvalue import JsonValue

from ..interrupts.answer import take_answer
from ..interrupts.fitting import told_rules
from ..interrupts.question import Question
from ..interrupts.record import FieldRecord, InterruptRecord, answer_facts
from ..tools.outcome import redact_error
from .changes import Asked, CallHeld
from .collecting import collect
from .context import TurnContext
from .failure import fail_call
from .state import AskState, CallState, TurnState
from .steps import Ask
from .waits import Effects, WaitTimedOut


def ask_person(context: TurnContext, state: TurnState, step: Ask) -> Effects[TurnState]:
    """The state after one attempt: answered, to be asked again, failed, or held until an answer comes from outside.

    Whatever a handler raises fails the call and not the turn; a vault, audit or detection failure goes through.
    """
    call = state.call(step.call_id)
    question = question_of(context, call.tool, step.ask.arg_name)
    record = record_of(context, call, step.ask, question)
    if step.ask.asked == 0:
        try:
            record = context.services.interrupts.file(record, durable=step.ask.out_of_band)
        except TooManyInterrupts as beyond:
            return (yield from fail_call(context, state, call.id, f"{type(beyond).__name__}: {beyond}"))
        context.services.watchers.tell(record)
    yield context.event("interrupt.requested", interrupt=record.descriptor())
    if step.ask.out_of_band or record.state != "pending":
        return context.advance(state, CallHeld(call_id=call.id))
    return (yield from _asked(context, state, step, question, record))


def question_of(context: TurnContext, tool: str, arg_name: str) -> Question:
    """The question of a registered tool for one of its arguments."""
    return next(question for question in context.toolkit.get(tool).questions if question.arg_name == arg_name)


def record_of(context: TurnContext, call: CallState, ask: AskState, question: Question) -> InterruptRecord:
    """A question as it is filed. One for a secret waits ten minutes at most, unless the limits say otherwise."""
    limit = context.services.limits.secret_ask_timeout if question.secret else None
    seconds = min((bound for bound in (question.timeout, limit) if bound is not None), default=None)
    return InterruptRecord(
        id=ask.interrupt_id,
        kind="ask",
        turn_id=context.turn_id,
        call_id=call.id,
        tool=call.tool,
        prompt=ask.words(),
        arg_name=ask.arg_name,
        input_type=ask.input_type,
        choices=ask.choices,
        sensitive=ask.sensitive,
        number=ask.number,
        total=ask.total,
        attempts=ask.attempts,
        asked=ask.asked,
        confirm=question.confirm,
        digits=question.digits,
        form=tuple(map(FieldRecord.of, question.fields)),
        rules=question.schema or told_rules(question.annotation),
        **answer_facts(question),
        expires_at=None if seconds is None else context.services.now() + seconds,
    )


def _asked(
    context: TurnContext, state: TurnState, step: Ask, question: Question, record: InterruptRecord
) -> Effects[TurnState]:
    try:
        raw, again = yield from collect(context, question, step.ask.words())
    except WaitTimedOut:
        _end(context, record, "timed_out")
        yield context.event("interrupt.timeout", interrupt=record.descriptor())
        return (yield from fail_call(context, state, step.call_id, "InterruptTimeout: nobody answered in time"))
    except (Exception, SystemExit) as error:
        text = redact_error(context.services.redactor, record.tool, error, context.services.limits.new_values)
        return (yield from _cancelled(context, state, record, text))
    return (yield from _read(context, state, step, question, record, raw, again))


def _read(
    context: TurnContext,
    state: TurnState,
    step: Ask,
    question: Question,
    record: InterruptRecord,
    raw: object,
    again: object,
) -> Effects[TurnState]:
    services = context.services
    try:
        filed = _take(context, record, lambda: take_answer(services.redactor, services.vault, question, raw, again))
    except InvalidAnswer as refused:
        return (yield from _again(context, state, step, record, str(refused)))
    except InterruptNotPending:
        return (yield from _cancelled(context, state, record, "InterruptCancelled: Interrupt cancelled"))
    ask = step.ask.but(answered=True, answer=filed.answer, asked=step.ask.asked + 1, reason="")
    yield context.event("interrupt.resolved", interrupt=filed.descriptor())
    return context.advance(state, Asked(call_id=step.call_id, ask=ask))


def _take(context: TurnContext, record: InterruptRecord, read: Callable[[], JsonValue]) -> InterruptRecord:
    """The pause with this answer, or with the one that somebody else filed while the handler asked."""
    table = context.services.interrupts
    try:
        return table.take(record.id, lambda _claimed: {"answer": read()})
    except InterruptNotPending:
        other = table.get(record.id)
        if other is None or other.state != "resolved":
            raise
        return other


def _again(
    context: TurnContext, state: TurnState, step: Ask, record: InterruptRecord, reason: str
) -> Effects[TurnState]:
    ask = step.ask.but(asked=step.ask.asked + 1, reason=reason)
    if ask.asked < ask.attempts:
        return context.advance(state, Asked(call_id=step.call_id, ask=ask))
    return (yield from _cancelled(context, state, record, f"InvalidAnswer: {reason}"))


def _cancelled(context: TurnContext, state: TurnState, record: InterruptRecord, text: str) -> Effects[TurnState]:
    _end(context, record, "cancelled")
    yield context.event("interrupt.cancelled", interrupt=record.descriptor())
    return (yield from fail_call(context, state, record.call_id, text))


def _end(context: TurnContext, record: InterruptRecord, how: str) -> None:
    try:
        context.services.interrupts.settle(record.id, lambda pending: pending.but(state=how), late=True)
    except InterruptNotPending:
        return
