"""The changes of a turn, as the log records them: each is redacted JSON, and the state is what they add up to."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from sealgate.models.jsonvalue import JsonValue
from sealgate.models.messages import SealedMessage, sealing

from . import steps
from .state import ApprovalState, AskState, CallState, PauseState, TurnState


class _Change(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)


class TurnBegan(_Change):
    """A new turn, with the conversation that it starts from."""

    kind: Literal["turn.began"] = "turn.began"
    state: TurnState


class MessagesHidden(_Change):
    """Messages said earlier, after what has become known since was hidden in them."""

    kind: Literal["messages.hidden"] = "messages.hidden"
    messages: tuple[SealedMessage, ...]

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return state.but(messages=self.messages)


class ModelAnswered(_Change):
    """The model's message and the calls that it leads to."""

    kind: Literal["model.answered"] = "model.answered"
    answer: SealedMessage
    calls: tuple[CallState, ...] = ()

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_model(state, self.answer, self.calls)


class Asked(_Change):
    """A question was asked, answered or not."""

    kind: Literal["asked"] = "asked"
    call_id: str
    ask: AskState

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_attempt(state, self.call_id, self.ask)


class CallHeld(_Change):
    """A call waits for somebody outside."""

    kind: Literal["call.held"] = "call.held"
    call_id: str

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_hold(state, self.call_id)


class Decided(_Change):
    """A person was asked about a call, or decided."""

    kind: Literal["decided"] = "decided"
    call_id: str
    approval: ApprovalState

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_decision(state, self.call_id, self.approval)


class Edited(_Change):
    """An approver changed the arguments of a call."""

    kind: Literal["edited"] = "edited"
    call_id: str
    arguments: dict[str, JsonValue]
    edited: tuple[str, ...] = ()

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_edit(state, self.call_id, self.arguments, self.edited)


class BodyPaused(_Change):
    """A tool's body paused, or its pause was answered."""

    kind: Literal["body.paused"] = "body.paused"
    call_id: str
    pauses: tuple[PauseState, ...]

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_body_pause(state, self.call_id, self.pauses)


class CallReturned(_Change):
    """A tool returned, and a person reviews its result."""

    kind: Literal["call.returned"] = "call.returned"
    call_id: str
    content: str
    result: JsonValue

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_return(state, self.call_id, self.content, self.result)


class CallStarted(_Change):
    """A tool is about to run."""

    kind: Literal["call.started"] = "call.started"
    call_id: str

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_start(state, self.call_id)


class CallSucceeded(_Change):
    """A tool returned."""

    kind: Literal["call.succeeded"] = "call.succeeded"
    call_id: str
    content: str
    result: JsonValue

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_success(state, self.call_id, self.content, self.result)


class CallFailed(_Change):
    """A call failed; ``refused`` says that it held a value that had no right to be there."""

    kind: Literal["call.failed"] = "call.failed"
    call_id: str
    content: str
    refused: bool = False

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_failure(state, self.call_id, self.content, refused=self.refused)


class TurnPaused(_Change):
    """The turn waits for somebody outside."""

    kind: Literal["turn.paused"] = "turn.paused"

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_pause(state)


class TurnResumed(_Change):
    """A paused turn goes on."""

    kind: Literal["turn.resumed"] = "turn.resumed"

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_resume(state)


class TurnFailed(_Change):
    """The turn cannot go on."""

    kind: Literal["turn.failed"] = "turn.failed"
    code: str
    message: str

    def after(self, state: TurnState) -> TurnState:
        """The state after it."""
        return steps.after_error(state, self.code, self.message)


Change: TypeAlias = (
    TurnBegan
    | MessagesHidden
    | ModelAnswered
    | Asked
    | CallHeld
    | Decided
    | Edited
    | BodyPaused
    | CallStarted
    | CallReturned
    | CallSucceeded
    | CallFailed
    | TurnPaused
    | TurnResumed
    | TurnFailed
)
"""Every change there is. ``TurnBegan`` needs no state before it."""

_ADAPTER: Final[TypeAdapter[Change]] = TypeAdapter(
    Annotated[Change, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)


def apply(state: TurnState | None, change: Change) -> TurnState:
    """The state after a change. Pure: the same changes give the same state, here and in a replay."""
    if isinstance(change, TurnBegan):
        return change.state
    if state is None:
        raise ValueError("the first change of a turn is that it began")
    return change.after(state)


def encode(change: Change, after: TurnState) -> bytes:
    """A log row: the change, its turn, and the digest of the state after it, so that a replay sees where it
    diverges.
    """
    row = {"turn": after.turn_id, "change": change.model_dump(mode="json"), "after": digest(after)}
    return json.dumps(row).encode()


def decode(row: bytes) -> tuple[str, Change, str]:
    """Turn, change and digest of a log row."""
    read = json.loads(row)
    with sealing():
        return read["turn"], _ADAPTER.validate_python(read["change"]), read["after"]


def digest(state: TurnState) -> str:
    """SHA-256 of a state's recorded form, in hex."""
    return hashlib.sha256(state.to_json()).hexdigest()
