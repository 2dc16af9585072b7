"""The turn as a pure function: which step is next, and the state after it. No I/O, no clock, no randomness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from sealgate.models.events import ErrorDescriptor
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.messages import SealedMessage, sealing

from .state import ApprovalState, AskState, CallState, PauseState, Stage, TurnState

ENDED: Final = ("completed", "failed", "interrupted")
"""The statuses at which a turn stops."""


@dataclass(frozen=True, slots=True)
class CallModel:
    """Give the conversation to the model."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask a person for one argument of a call."""

    call_id: str
    ask: AskState


@dataclass(frozen=True, slots=True)
class RunTool:
    """Run a call whose arguments are complete."""

    call_id: str


@dataclass(frozen=True, slots=True)
class Approve:
    """Have a person decide about a call, before it runs or about its result."""

    call_id: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class Hold:
    """Every call that is left waits for somebody outside."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The turn has ended, or waits for somebody outside."""


Step: TypeAlias = CallModel | Ask | Approve | RunTool | Hold | Stop


def next_step(state: TurnState) -> Step:
    """The one step that a state leads to. A call that waits for somebody holds up only what depends on it."""
    if state.status in ENDED:
        return Stop()
    left = [call for call in state.calls if call.phase != "done"]
    if not left:
        return CallModel()
    call = next((call for call in left if not call.held and not _waits_for_another(call, left)), None)
    return Hold() if call is None else _step_of(call)


def _step_of(call: CallState) -> Step:
    if call.phase == "returned":
        return Approve(call.id, "after")
    if call.phase == "started":
        return RunTool(call.id)
    ask = call.open_ask()
    if ask is not None:
        return Ask(call.id, ask)
    return Approve(call.id, "before") if call.needs("before") else RunTool(call.id)


def _waits_for_another(call: CallState, left: list[CallState]) -> bool:
    needed = {tool for tool, _argument in call.requires}
    earlier = left[: next(index for index, other in enumerate(left) if other.id == call.id)]
    return any(other.tool in needed for other in earlier)


def after_model(state: TurnState, answer: SealedMessage, calls: tuple[CallState, ...]) -> TurnState:
    """The state after the model answered: its calls are to be run, or without any the turn is complete."""
    answered = state.but(messages=(*state.messages, answer), model_steps=state.model_steps + 1, calls=calls)
    if calls:
        return _settled(answered)
    return answered.but(status="completed", response=answer.text())


def after_attempt(state: TurnState, call_id: str, ask: AskState) -> TurnState:
    """The state after a question was asked, answered or not."""
    call = state.call(call_id)
    asks = tuple(ask if known.arg_name == ask.arg_name else known for known in call.asks)
    return state.with_call(call.but(asks=asks, held=False))


def after_hold(state: TurnState, call_id: str) -> TurnState:
    """The state after a call's question or approval was filed for somebody outside."""
    return state.with_call(state.call(call_id).but(held=True))


def after_decision(state: TurnState, call_id: str, approval: ApprovalState) -> TurnState:
    """The state after a person was asked about a call, or decided."""
    call = state.call(call_id)
    others = tuple(known for known in call.approvals if known.stage != approval.stage)
    held = approval.decided == "pending"
    return state.with_call(call.but(approvals=(*others, approval), held=held))


def after_edit(state: TurnState, call_id: str, arguments: dict[str, JsonValue], edited: tuple[str, ...]) -> TurnState:
    """The state after an approver changed the arguments of a call. The model finds its call as it was changed: beside
    a result of other arguments than its own it would take these for what was done.
    """
    changed = state.with_call(state.call(call_id).but(arguments=arguments, edited=edited))
    *before, asking = state.messages
    calls = tuple(
        call.model_copy(update={"arguments": arguments}) if call.id == call_id else call for call in asking.tool_calls
    )
    with sealing():
        return changed.but(messages=(*before, asking.model_copy(update={"tool_calls": calls})))


def after_body_pause(state: TurnState, call_id: str, pauses: tuple[PauseState, ...]) -> TurnState:
    """The state after a tool's body paused, or its pause was answered: the body is run again from its top."""
    held = any(not pause.answered for pause in pauses)
    return state.with_call(state.call(call_id).but(pauses=pauses, held=held, phase="waiting"))


def after_return(state: TurnState, call_id: str, content: str, result: JsonValue) -> TurnState:
    """The state after a tool returned whose result a person reviews before the model reads it."""
    return state.with_call(state.call(call_id).but(phase="returned", content=content, result=result))


def after_start(state: TurnState, call_id: str) -> TurnState:
    """The state that is recorded before a tool runs, so that a crash cannot run it twice."""
    return state.with_call(state.call(call_id).but(phase="started"))


def after_success(state: TurnState, call_id: str, content: str, result: JsonValue) -> TurnState:
    """The state after a tool returned; ``content`` is what the model reads, ``result`` its sealed value."""
    call = state.call(call_id).but(phase="done", status="success", content=content, result=result)
    return _settled(state.with_call(call).but(results={**state.results, call.tool: result}))


def after_failure(state: TurnState, call_id: str, content: str, *, refused: bool = False) -> TurnState:
    """The state after a call failed, for whatever reason; the model reads ``content`` on its next step. ``refused``
    calls held a value that had no right to be there.
    """
    failed = state.with_call(state.call(call_id).but(phase="done", status="error", content=content))
    return _settled(failed.but(refusals=state.refusals + refused))


def after_pause(state: TurnState) -> TurnState:
    """The state of a turn that waits for an answer from outside."""
    return state.but(status="interrupted")


def after_resume(state: TurnState) -> TurnState:
    """The state of a paused turn that goes on."""
    return state.but(status="running")


def after_error(state: TurnState, code: str, message: str) -> TurnState:
    """The state of a turn that cannot go on."""
    return state.but(status="failed", error=ErrorDescriptor(code=code, message=message))


def _settled(state: TurnState) -> TurnState:
    """When every call is done, their results become messages; a final tool that succeeded completes the turn."""
    if any(call.phase != "done" for call in state.calls):
        return state
    asked = [call for call in state.calls if call.parent is None]
    final = next((call for call in asked if call.final and call.status == "success"), None)
    settled = state.but(messages=(*state.messages, *map(tool_message, asked)), calls=())
    if final is None:
        return settled
    return settled.but(status="completed", result=final.result, result_tool=final.tool)


def tool_message(call: CallState) -> SealedMessage:
    """What the model reads of a call that has ended."""
    with sealing():
        return SealedMessage(
            role="tool", content=call.content, tool_call_id=call.id, name=call.tool, status=call.status
        )
