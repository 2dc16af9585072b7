"""One tool call outside of a turn: ``session.run_tool``. The same injection, the same redaction."""

from __future__ import annotations

from sealgate.models.errors import ToolFailed
from sealgate.models.messages import AIMessage, ToolCall, ToolMessage

from .context import TurnContext
from .model_step import planned_calls, seal_answer
from .state import TurnState
from .steps import Ask, CallModel, RunTool, Stop, after_model, next_step
from .turn import perform
from .waits import Effects


def run_single(context: TurnContext, call: ToolCall) -> Effects[ToolMessage]:
    """The tool's message: what a model would read of this call. Refusals and failures are in it, with
    ``status="error"``.

    Raises ``ToolFailed`` if the call would have to wait for a person outside.
    """
    services = context.services
    asked = AIMessage("", tool_calls=[call])
    sealed = seal_answer(context, asked)
    state = TurnState(turn_id=context.turn_id)
    state = after_model(state, sealed, planned_calls(context, state, asked, sealed))
    try:
        while not isinstance(step := next_step(state), (CallModel, Stop)):
            if not isinstance(step, (Ask, RunTool)) or (isinstance(step, Ask) and step.ask.out_of_band):
                services.audit("refused", {"kind": "inject", "tool": state.calls[-1].tool, "cause": "NotApproved"})
                raise ToolFailed("this call waits for an answer or an approval from outside; run it in a turn")
            state = yield from perform(context, state, step)
    finally:
        waiting = services.log.last()
        if waiting is None or waiting.status not in ("running", "interrupted"):
            services.vault.end_turn()  # Else the turn that waits beside this call still needs its values.
    ran = state.messages[-1]
    services.emitted.remember_message(ran)
    return ToolMessage(ran.content, tool_call_id=call.id, name=call.name, status=ran.status)
