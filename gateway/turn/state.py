"""The state of a turn: redacted JSON, recorded after each step, enough to go on from in another process."""

from __future__ import annotations

import json
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from sealgate.models.events import ErrorDescriptor
from sealgate.models.interrupts import InputType
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.messages import SealedMessage, sealing
from sealgate.models.response import Status

STATE_VERSION: Final = 1
"""Written into every recorded state; a reader refuses any other."""


Stage = Literal["before", "after"]
"""When a person decides about a call: before it runs, or about its result."""


class _State(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)

    def but(self, **changes: Any) -> Self:
        """A copy with these fields changed."""
        return self.model_copy(update=changes)


class AskState(_State):
    """One question of a call. ``answer`` is a placeholder, or clear JSON where the kind of question stays clear.

    ``asked`` counts the attempts so far, ``reason`` says what was wrong with the last one; ``expires_at`` is in Unix
    seconds.
    """

    interrupt_id: str
    arg_name: str
    prompt: str
    input_type: InputType = "text"
    choices: tuple[str, ...] = ()
    sensitive: str | bool | None = None
    number: int = 1
    total: int = 1
    attempts: int = 3
    asked: int = 0
    reason: str = ""
    out_of_band: bool = False
    expires_at: float | None = None
    answered: bool = False
    answer: JsonValue = None

    def words(self) -> str:
        """What the person reads: the prompt, after the reason for asking again."""
        return f"{self.reason}\n{self.prompt}" if self.reason else self.prompt


class ApprovalState(_State):
    """What a person decided about a call, before it ran or about its result.

    ``binding`` ties the decision to exactly this call, and to what the person was told of its ``values``.
    """

    interrupt_id: str
    stage: Stage
    decided: Literal["pending", "approved", "denied"] = "pending"
    note: str = ""
    binding: str = ""
    values: dict[str, JsonValue] = Field(default_factory=dict)
    expires_at: float | None = None


class PauseState(_State):
    """One ``interrupt()`` in a tool's body: what it asked, redacted, and the sealed answer once there is one."""

    interrupt_id: str
    payload: JsonValue = None
    response_schema: dict[str, Any] | None = None
    answered: bool = False
    answer: JsonValue = None


class CallState(_State):
    """One tool call, from the model or run first because another tool depends on it (``parent``).

    ``written`` are the placeholders of plain values that the model wrote into this very call, ``edited`` those of
    values that an approver put into it. ``requires`` pairs a tool with the argument that receives its result.
    ``gates`` are the stages at which a person has to approve.

    ``phase`` goes from waiting over started (and returned, where the result is reviewed) to done; ``held`` says that
    an answer or a decision from outside is awaited; ``pauses`` are the answers to ``interrupt()`` in the tool's body,
    by ordinal. ``content`` is what the model reads.
    """

    id: str
    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    written: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    parent: str | None = None
    asks: tuple[AskState, ...] = ()
    requires: tuple[tuple[str, str], ...] = ()
    gates: tuple[Stage, ...] = ()
    demanded: bool = False
    approvals: tuple[ApprovalState, ...] = ()
    pauses: tuple[PauseState, ...] = ()
    phase: Literal["waiting", "started", "returned", "done"] = "waiting"
    held: bool = False
    status: Literal["success", "error"] = "success"
    content: str = ""
    result: JsonValue = None
    final: bool = False
    idempotent: bool = False

    def approval(self, stage: Stage) -> ApprovalState | None:
        """The approval of a stage, once it was asked for."""
        return next((approval for approval in self.approvals if approval.stage == stage), None)

    def needs(self, stage: Stage) -> bool:
        """Whether a person still has to decide about a stage."""
        approval = self.approval(stage)
        return stage in self.gates and (approval is None or approval.decided == "pending")

    def open_ask(self) -> AskState | None:
        """The first question without an answer, top to bottom."""
        return next((ask for ask in self.asks if not ask.answered), None)


class TurnState(_State):
    """A turn. ``messages`` is the whole conversation as the model knows it, ``start`` the index of this turn's first
    message.

    ``results`` maps each tool that succeeded in this turn to its (sealed) result, for the tools that depend on it.
    """

    version: Literal[1] = STATE_VERSION
    turn_id: str
    agent: str = ""
    status: Status = "running"
    messages: tuple[SealedMessage, ...] = ()
    start: int = 0
    calls: tuple[CallState, ...] = ()
    results: dict[str, JsonValue] = Field(default_factory=dict)
    model_steps: int = 0
    refusals: int = 0
    response: str | None = None
    result: JsonValue = None
    result_tool: str | None = None
    error: ErrorDescriptor | None = None

    def call(self, call_id: str) -> CallState:
        """The call with this id. Raises ``KeyError`` if there is none."""
        found = next((call for call in self.calls if call.id == call_id), None)
        if found is None:
            raise KeyError("no such call in this turn")
        return found

    def key_of(self, call_id: str) -> str:
        """What names a call for ever: some models give the calls of each step the same ids, and a use or an approval
        of one is none of the other.
        """
        return f"{self.turn_id}/{self.model_steps}/{call_id}"

    def with_call(self, changed: CallState) -> TurnState:
        """The state with one call replaced."""
        calls = tuple(changed if call.id == changed.id else call for call in self.calls)
        return self.model_copy(update={"calls": calls})

    def to_json(self) -> bytes:
        """The recorded form: ASCII, so that lone surrogates survive."""
        return json.dumps(self.model_dump(mode="json")).encode()

    @classmethod
    def from_json(cls, recorded: bytes) -> TurnState:
        """The state that was recorded. Raises pydantic's ``ValidationError`` (without input) for anything else."""
        with sealing():
            return cls.model_validate(json.loads(recorded))
