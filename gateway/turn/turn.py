"""One turn: steps until it ends, each performed, then recorded, before the next."""

from __future__ import annotations

import traceback
from collections import Counter
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from pydantic import BaseModel

from sealgate.models.errors import SealgateError, TurnCancelled, TurnError, VaultError
from sealgate.models.events import AppEvent, ErrorDescriptor
from sealgate.models.interrupts import InterruptDescriptor
from sealgate.models.placeholder import find_all
from sealgate.models.response import SessionResponse

from .approve_step import ask_approval
from .ask_step import ask_person
from .changes import TurnFailed
from .closing import closed
from .context import TurnContext
from .hold_step import end_left, hold, waits_for
from .model_step import call_model
from .specs import strings_of
from .state import TurnState
from .steps import Approve, Ask, CallModel, Hold, RunTool, Step, Stop, next_step
from .tool_step import run_tool
from .waits import Abandoned, Effects


def run_turn(context: TurnContext, state: TurnState) -> Effects[TurnState]:
    """The state at which the turn stopped. An error that ends it is recorded and announced first, then raised."""
    current, unexpected, left = state, None, False
    try:
        while not isinstance(step := next_step(current), Stop):
            current = yield from perform(context, current, step)
    except SealgateError as error:
        yield from _ended(context, error)
        raise
    except Abandoned:
        context.services.watchers.abort()
        yield from _ended(context, TurnCancelled("the turn was cancelled"))
        raise
    except GeneratorExit:
        left = True  # Its driver goes away as in a crash: whoever goes on with it still needs its values.
        raise
    except Exception as error:
        unexpected = TurnError(f"the turn failed inside: {type(error).__name__} at {place_of(error)}")
        yield from _ended(context, unexpected)
    finally:
        if current.status != "interrupted" and not left:
            context.services.vault.end_turn()
    if unexpected is not None:
        # Raised outside of the handler: even `from None` would keep an exception that may hold a value as the context.
        raise unexpected
    if current.status != "interrupted":
        yield from end_left(context.services, current)
        yield context.event("final", text=current.response, data={"status": current.status})
    return current


def announce(context: TurnContext, state: TurnState) -> Effects[None]:
    """That a conversation or a turn begins, and what was sealed in its new messages: counts by entity type, no
    placeholder.
    """
    if state.start == 0:
        yield context.event("session.started")
    yield context.event("turn.started")
    found = Counter(
        placeholder.entity_type
        for message in state.messages[state.start :]
        for text in strings_of(message.content)
        for _start, _end, placeholder in find_all(text)
    )
    if found:
        yield context.event("redaction.applied", data={"entity_types": dict(sorted(found.items()))})


def response_of(context: TurnContext, state: TurnState) -> SessionResponse:
    """What ``invoke`` returns for a state at which a turn stopped."""
    return SessionResponse(
        status=state.status,
        session_id=context.services.vault.name,
        turn_id=state.turn_id,
        response=state.response,
        result=_result(context, state),
        interrupts=_open_pauses(context, state),
        error=state.error,
        messages=(closed(state) if state.status == "failed" else state.messages)[state.start :],
        steps=state.model_steps,
    )


def place_of(error: BaseException) -> str:
    """File and line of the innermost frame: what may be said of an unexpected error, whose text may hold a value."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown place"


def _open_pauses(context: TurnContext, state: TurnState) -> list[InterruptDescriptor]:
    if state.status != "interrupted":
        return []
    ids = [interrupt for call in state.calls if (interrupt := waits_for(call)) is not None]
    records = [record for interrupt in ids if (record := context.services.interrupts.get(interrupt)) is not None]
    return [record.descriptor() for record in records if record.state == "pending"]


def code_of(error: BaseException) -> str:
    """The stable code of an error: the name of its type in snake case."""
    name = type(error).__name__
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


def perform(context: TurnContext, state: TurnState, step: Step) -> Effects[TurnState]:
    """The state after one step."""
    if isinstance(step, CallModel):
        return (yield from call_model(context, state))
    if isinstance(step, Ask):
        return (yield from ask_person(context, state, step))
    if isinstance(step, Approve):
        return (yield from ask_approval(context, state, step))
    if isinstance(step, Hold):
        return (yield from hold(context, state))
    if isinstance(step, RunTool):
        return (yield from run_tool(context, state, step))
    raise TurnCancelled("the turn has stopped")


def _ended(context: TurnContext, error: SealgateError) -> Effects[None]:
    """Record and announce why the turn ends. A store that fails cannot record that it failed."""
    failed = TurnFailed(code=code_of(error), message=str(error))
    left: list[AppEvent] = []
    with suppress(VaultError):
        last = context.services.log.last()
        context.advance(last, failed)
        if last is not None:
            left = end_left(context.services, last)
    told = context.event("error", error=ErrorDescriptor(code=failed.code, message=failed.message))
    yield from (*left, told)


def _result(context: TurnContext, state: TurnState) -> object:
    """The final tool's object, made without validation: its sealed fields are placeholder strings."""
    if state.result_tool is None:
        return None
    target = context.toolkit.get(state.result_tool).target
    if isinstance(target, type) and issubclass(target, BaseModel) and isinstance(state.result, dict):
        fields: dict[str, Any] = dict(state.result)
        return target.model_construct(**fields)
    return state.result
