"""The step that asks a person for one argument of a call."""

from __future__ import annotations

from sealgate.models.errors import InvalidAnswer
from sealgate.models.interrupts import InterruptDescriptor
from sealgate.models.jsonvalue import JsonValue

from ..interrupts.answer import take_answer
from ..interrupts.handlers import bind_handler
from ..interrupts.question import Question
from ..tools.outcome import redact_error
from .changes import Asked, TurnPaused
from .context import TurnContext
from .failure import fail_call
from .state import AskState, TurnState
from .steps import Ask
from .waits import Effects, Wait, WaitTimedOut, is_coroutine


def ask_person(context: TurnContext, state: TurnState, step: Ask) -> Effects[TurnState]:
    """The state after one attempt: answered, to be asked again, failed, or waiting for an answer from outside.

    Whatever a handler raises fails the call and not the turn; a vault, audit or detection failure goes through.
    """
    call = state.call(step.call_id)
    question = question_of(context, call.tool, step.ask.arg_name)
    yield context.event("interrupt.requested", interrupt=descriptor(step.ask, call.tool))
    if step.ask.out_of_band:
        return context.advance(state, TurnPaused())
    try:
        raw = yield _asking(question, step.ask)
    except WaitTimedOut:
        yield context.event("interrupt.timeout", interrupt=descriptor(step.ask, call.tool))
        return (yield from fail_call(context, state, step.call_id, "InterruptTimeout: nobody answered in time"))
    except (Exception, SystemExit) as error:
        text = redact_error(context.services.redactor, call.tool, error, context.services.limits.new_values)
        yield context.event("interrupt.cancelled", interrupt=descriptor(step.ask, call.tool))
        return (yield from fail_call(context, state, step.call_id, text))
    return (yield from _read(context, state, step, question, raw))


def question_of(context: TurnContext, tool: str, arg_name: str) -> Question:
    """The question of a registered tool for one of its arguments."""
    return next(question for question in context.toolkit.get(tool).questions if question.arg_name == arg_name)


def descriptor(ask: AskState, tool: str) -> InterruptDescriptor:
    """A question as a frontend renders it."""
    return InterruptDescriptor(
        id=ask.interrupt_id,
        prompt=ask.words(),
        arg_name=ask.arg_name,
        tool_name=tool,
        input_type=ask.input_type,
        choices=list(ask.choices),
        number=ask.number,
        total=ask.total,
        expires_at=ask.expires_at,
    )


def _asking(question: Question, ask: AskState) -> Wait:
    handler = bind_handler(question)
    return Wait(
        "handler", lambda: handler(ask.words()), timeout=question.timeout, inline=is_coroutine(question.handler)
    )


def _read(context: TurnContext, state: TurnState, step: Ask, question: Question, raw: object) -> Effects[TurnState]:
    try:
        answer: JsonValue = take_answer(context.services.redactor, context.services.vault, question, raw)
    except InvalidAnswer as refused:
        return (yield from _again(context, state, step, str(refused)))
    ask = step.ask.but(answered=True, answer=answer, asked=step.ask.asked + 1, reason="")
    yield context.event("interrupt.resolved", interrupt=descriptor(ask, state.call(step.call_id).tool))
    return context.advance(state, Asked(call_id=step.call_id, ask=ask))


def _again(context: TurnContext, state: TurnState, step: Ask, reason: str) -> Effects[TurnState]:
    ask = step.ask.but(asked=step.ask.asked + 1, reason=reason)
    if ask.asked < ask.attempts:
        return context.advance(state, Asked(call_id=step.call_id, ask=ask))
    yield context.event("interrupt.cancelled", interrupt=descriptor(ask, state.call(step.call_id).tool))
    return (yield from fail_call(context, state, step.call_id, f"InvalidAnswer: {reason}"))
