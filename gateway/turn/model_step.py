"""The step that gives the conversation to the model, and reads what it said."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from sealgate.models.errors import LeakPrevented, ModelFailed, SealgateError, TooManySteps
from sealgate.models.messages import AIMessage, SealedCall, SealedMessage
from sealgate.redaction import build_known_values

from ..tools.injection import placeholders_in
from ..tools.outcome import redact_error
from .changes import MessagesHidden, ModelAnswered
from .context import TurnContext
from .outgoing import check_outgoing, may_hold
from .planning import gated, plan_calls
from .specs import fixed_names, sealed_specs
from .state import CallState, TurnState
from .stream_step import ShownAnswer, pieces_of, text_of
from .waits import Effects, Wait, WaitTimedOut, is_coroutine


def call_model(context: TurnContext, state: TurnState) -> Effects[TurnState]:
    """The state after the model answered. Raises ``ModelFailed`` for a model that raised or answered nonsense, and
    ``TooManySteps`` when it was asked as often as it may be.
    """
    limit = context.services.limits.model_steps
    if state.model_steps >= limit:
        raise TooManySteps(f"the turn asked the model {limit} times without coming to an end", limit)
    prepared = _hidden(context, state)
    shown = ShownAnswer(context, f"{context.turn_id}/{state.model_steps + 1}")
    try:
        answer = yield from _complete(context, prepared, shown)
        _check_labels(context, answer)
        sealed = seal_answer(context, answer, already=shown.new_values)
        context.services.emitted.remember_message(sealed)
        yield from shown.finish(sealed.text())
    except BaseException:
        shown.discard()
        raise
    if sealed.text():  # An answer of tool calls alone says nothing; their own events tell of them.
        yield context.event("assistant.message", text=sealed.text(), data={"message_id": shown.message_id})
    calls = planned_calls(context, prepared, answer, sealed)
    return context.advance(prepared, ModelAnswered(answer=sealed, calls=calls))


def _hidden(context: TurnContext, state: TurnState) -> TurnState:
    """The state in which no message shows what has become known since it was said."""
    if not may_hold(context.services.vault.match(build_known_values), state.messages):
        return state
    messages = tuple(map(context.services.redactor.rescrub, state.messages))
    return state if messages == state.messages else context.advance(state, MessagesHidden(messages=messages))


def seal_answer(context: TurnContext, answer: AIMessage, *, already: int = 0) -> SealedMessage:
    """What a model said, redacted; ``already`` is how many of its new values were sealed while it came.

    Its own text may hold placeholders, also ones that nobody issued: they open nothing.
    """
    return context.services.redactor.redact_message(
        answer,
        max_new=max(0, context.services.limits.new_values - already),
        keep=lambda _placeholder: True,
        fixed=fixed_names(context.toolkit.specs()),
    )


def _complete(context: TurnContext, state: TurnState, shown: ShownAnswer) -> Effects[AIMessage]:
    known = partial(context.services.vault.match, build_known_values)
    tools = sealed_specs(context.services.redactor, context.toolkit.specs(), known)
    check_outgoing(known(), state.messages, tools)
    context.services.sent.record(state.messages, tools)
    model, messages = context.model, list(state.messages)
    if model is None or not callable(getattr(model, "complete", None)):
        raise ModelFailed("this turn has no model: a model has a method complete(messages, tools)")
    stream: Any = getattr(model, "stream", None)
    limits = context.services.limits
    if context.followed and callable(stream):
        answer = yield from _streamed(context, lambda: stream(messages, tools), shown, inline=is_coroutine(stream))
    else:
        inline = is_coroutine(model.complete)
        answer = yield from _answered(context, lambda: model.complete(messages, tools), limits.model_timeout, inline)
    return _checked(answer, limits.calls_a_step)


def _streamed(
    context: TurnContext, stream: Callable[[], object], shown: ShownAnswer, *, inline: bool
) -> Effects[object]:
    """The whole message, the last item of a model's stream; what comes before it is shown as it comes. The deadline is
    that of a whole answer.
    """
    until = time.monotonic() + context.services.limits.model_timeout
    pieces = pieces_of((yield from _answered(context, stream, context.services.limits.model_timeout, inline)))
    try:
        while True:
            left = max(0.0, until - time.monotonic())
            piece = yield from _answered(context, pieces.take, left, pieces.awaited)
            if isinstance(piece, AIMessage):
                return piece
            yield from shown.feed(text_of(piece))
    finally:
        pieces.close()


def _answered(context: TurnContext, call: Callable[[], object], timeout: float, inline: bool) -> Effects[object]:
    """What a call of the model gives within ``timeout`` seconds. Raises ``ModelFailed`` for whatever it raises."""
    try:
        return (yield Wait("model", call, timeout=timeout, inline=inline))
    except WaitTimedOut:
        failure = ModelFailed("the model did not answer in time", "Timeout")
    except (Exception, SystemExit) as error:
        failure = ModelFailed(f"the model failed: {_told(context, error)}", type(error).__name__)
    # Raised outside of the handlers above: even `from None` would keep the model's own exception as the context.
    raise failure


def _told(context: TurnContext, error: BaseException) -> str:
    """The type of what a model raised. What it said too, redacted, when it is ``ModelFailed``, which is for telling
    why, and unless it holds values that nobody knows yet: another exception may quote an endpoint's key.
    """
    if type(error) is not ModelFailed:
        return type(error).__name__
    try:
        return redact_error(context.services.redactor, "model", error, 0).removeprefix("ModelFailed: ")
    except SealgateError:
        return type(error).__name__


def _checked(answer: object, most: int) -> AIMessage:
    if not isinstance(answer, AIMessage):
        raise ModelFailed("the model answered with something that is not an AIMessage", type(answer).__name__)
    ids = [call.id for call in answer.tool_calls]
    if len(set(ids)) != len(ids) or any("/" in call_id for call_id in ids):
        raise ModelFailed("the model gave two calls one id, or an id with a slash")
    if len(ids) > most:
        raise ModelFailed(f"the model asked for more than {most} calls at once")
    return answer


def _check_labels(context: TurnContext, answer: AIMessage) -> None:
    """Nothing, if no id and no made-up name of a call holds a sealed value: they are recorded as they are.

    Raises ``LeakPrevented``; nothing of the answer is recorded then.
    """
    known = context.services.vault.match(build_known_values)
    for call in answer.tool_calls:
        made_up = (call.id,) if context.toolkit.has(call.name) else (call.id, call.name)
        if any(map(known.appears_in, made_up)):
            raise LeakPrevented("the id or the name of a call")


def planned_calls(
    context: TurnContext, state: TurnState, answer: AIMessage, sealed: SealedMessage
) -> tuple[CallState, ...]:
    """The calls to run. What the model wrote as plain values into a call opens for that call and no other."""
    written = {
        call.id: tuple(map(str, sorted(placeholders_in(call.arguments) - _quoted(raw.arguments))))
        for call, raw in zip(sealed.tool_calls, answer.tool_calls, strict=True)
    }
    calls = plan_calls(sealed, written, context.toolkit, state.results, context.services.new_id)
    for call in sealed.tool_calls:
        _audit_unknown(context, call)
    policy = context.services.policy
    return gated(calls, context.toolkit, context.config, policy.rules if policy is not None else None)


def _audit_unknown(context: TurnContext, call: SealedCall) -> None:
    """Write down that a placeholder was meant for a tool that is not registered. Its name is the model's own."""
    wanted = sorted(placeholders_in(dict(call.arguments)))
    if wanted and not context.toolkit.has(call.name):
        fields = {"kind": "inject", "cause": "UnknownTool", "placeholders": [str(one) for one in wanted]}
        context.services.audit("refused", {**fields, "tool": context.services.pseudonym(call.name)})


def _quoted(arguments: dict[str, object]) -> frozenset[object]:
    return frozenset(placeholders_in(arguments))  # type: ignore[arg-type]
