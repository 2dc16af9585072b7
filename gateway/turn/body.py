"""A tool's body with the real values in it, and what happens when it pauses in the middle."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Final

from pydantic import BaseModel

from sealgate.models.grants import Inject
from sealgate.models.interrupts import ActionRequest, HumanInterrupt, HumanInterruptConfig
from sealgate.models.jsonvalue import JsonValue

from ..interrupts.memo import within_call
from ..interrupts.record import InterruptRecord
from ..interrupts.scratchpad import GraphInterrupt, InterruptScratchpad, Pause
from ..tools.injection import placeholders_in
from ..tools.outcome import as_text
from ..tools.tool import Tool
from .approve_step import pause_id
from .changes import BodyPaused
from .context import TurnContext
from .state import CallState, PauseState, TurnState
from .waits import Effects

PAUSED: Final = object()
"""What a body that paused comes back with."""


def scratchpad_of(context: TurnContext, state: TurnState, call: CallState) -> InterruptScratchpad:
    """The pauses of a call so far. Answers are restored for its body alone, by the grant of having been given to it."""
    restorer, redactor = context.services.restorer, context.services.redactor

    def restored(answer: JsonValue) -> JsonValue:
        given = placeholders_in(answer)
        return restorer.restore_json(answer, Inject(state.key_of(call.id), call.tool, "interrupt", given=given))

    return InterruptScratchpad(
        [Pause(pause.payload, pause.response_schema, pause.answer) for pause in call.pauses],
        redact=lambda payload: redactor.redact_json(payload, origin="application"),
        restore=restored,
        static=context.config.is_static(call.tool),
    )


def running(tool: Tool, validated: BaseModel, pad: InterruptScratchpad, call_id: str) -> Callable[[], object]:
    """The body, to be called once; it comes back with ``PAUSED`` where it pauses, in a task group too. What it does
    once is remembered under ``call_id``.

    The values are in the closure, and in no frame that an exception of the tool keeps.
    """
    if inspect.iscoroutinefunction(tool.target):
        return lambda: _awaited(pad, call_id, lambda: tool.call(validated))

    def run() -> object:
        with pad.running(), within_call(call_id):
            try:
                outcome = tool.call(validated)
            except GraphInterrupt:
                return PAUSED
        return _awaited(pad, call_id, lambda: outcome) if inspect.isawaitable(outcome) else outcome

    return run


async def _awaited(pad: InterruptScratchpad, call_id: str, call: Callable[[], object]) -> object:
    with pad.running(), within_call(call_id):
        try:
            outcome = call()
            return await outcome if isinstance(outcome, Awaitable) else outcome
        except GraphInterrupt:
            return PAUSED
        except BaseExceptionGroup as group:
            if group.split(GraphInterrupt)[1] is not None:
                raise
            return PAUSED


def pause_body(context: TurnContext, state: TurnState, call: CallState, pause: Pause) -> Effects[TurnState]:
    """The state after a body paused: the pause is filed, and the body runs again from its top once it is answered."""
    record = context.services.interrupts.file(_record(context, state, call, pause))
    yield context.event("interrupt.requested", interrupt=record.descriptor())
    context.services.watchers.tell(record)
    return context.advance(state, paused_at(call, record))


def paused_at(call: CallState, record: InterruptRecord) -> BodyPaused:
    """The change of a body that paused where ``record`` says."""
    paused = PauseState(interrupt_id=record.id, payload=record.payload, response_schema=record.response_schema)
    return BodyPaused(call_id=call.id, pauses=(*call.pauses, paused))


def filed_pause(context: TurnContext, state: TurnState, call: CallState) -> InterruptRecord | None:
    """The next pause of a call's body if it was filed before the process ended: then the body paused for certain."""
    return context.services.interrupts.get(pause_id(context, state, call, f"pause {len(call.pauses)}"))


def _record(context: TurnContext, state: TurnState, call: CallState, pause: Pause) -> InterruptRecord:
    seconds = context.config.default_timeout
    config = HumanInterruptConfig(allow_respond=True)
    request = ActionRequest(action="interrupt", args={"payload": pause.payload})
    return InterruptRecord(
        id=pause_id(context, state, call, f"pause {len(call.pauses)}"),
        kind="pause",
        turn_id=context.turn_id,
        call_id=call.id,
        tool=call.tool,
        prompt=as_text(pause.payload),
        payload=pause.payload,
        response_schema=pause.schema,
        number=len(call.pauses) + 1,
        total=len(call.pauses) + 1,
        human=HumanInterrupt(action_request=request, config=config),
        expires_at=None if seconds is None else context.services.now() + seconds,
    )
