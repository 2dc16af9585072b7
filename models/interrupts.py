"""What crosses the wire when a turn pauses for a person. Field names are those of the envelopes that inspectors
know."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .approvals import ApprovalDecision, PerToolApproval
from .envelope import Envelope
from .jsonvalue import JsonValue

InputType = Literal["text", "password", "number", "boolean", "choice"]
InterruptKind = Literal["ask", "approve"]
ResponseType = Literal["accept", "ignore", "response", "edit"]


class ActionRequest(Envelope):
    """What is to be done, and with which (redacted) arguments."""

    action: str
    args: dict[str, JsonValue] = Field(default_factory=dict, repr=False)


class HumanInterruptConfig(Envelope):
    """Which kinds of response an interrupt allows."""

    allow_ignore: bool = False
    allow_respond: bool = False
    allow_edit: bool = False
    allow_accept: bool = False

    def allows(self, response: ResponseType) -> bool:
        """Whether a person may give a response of this type."""
        flags = {
            "accept": self.allow_accept,
            "ignore": self.allow_ignore,
            "response": self.allow_respond,
            "edit": self.allow_edit,
        }
        return flags[response]


class HumanInterrupt(Envelope):
    """The envelope of a pause, in the shape of LangGraph's ``interrupt()`` payload."""

    action_request: ActionRequest
    config: HumanInterruptConfig
    description: str | None = None

    def approvals(self) -> tuple[PerToolApproval, ...]:
        """The calls that wait for a decision, from ``action_request.args.approvals``; none where there is no list.

        Raises ``InvalidEnvelope`` for a list of something else.
        """
        listed = self.action_request.args.get("approvals")
        return tuple(map(PerToolApproval.read, listed)) if isinstance(listed, list) else ()


class HumanResponse(Envelope):
    """What a person answers to a ``HumanInterrupt``, in LangGraph's shape.

    ``args`` is text for a ``response``, the whole edited request for an ``edit``, and nothing for the others; with an
    ``accept`` a request is read and left alone, since some inspectors send it.
    """

    type: ResponseType
    args: str | ActionRequest | None = Field(default=None, repr=False)

    @model_validator(mode="after")
    def _args_of_the_type(self) -> HumanResponse:
        wanted: dict[str, type | tuple[type, ...]] = {
            "accept": (type(None), ActionRequest),
            "ignore": type(None),
            "response": str,
            "edit": ActionRequest,
        }
        if not isinstance(self.args, wanted[self.type]):
            raise ValueError("args do not fit the type of the response")
        return self

    def decision(self) -> ApprovalDecision:
        """Accept is approved, edit approved with other arguments, ignore denied, response denied with a note."""
        if self.type == "accept":
            return ApprovalDecision(approved=True)
        if isinstance(self.args, ActionRequest):
            return ApprovalDecision(approved=True, modified_arguments=self.args.args)
        return (
            ApprovalDecision(approved=False) if self.args is None else ApprovalDecision(approved=False, note=self.args)
        )


class FormField(BaseModel):
    """One field of a form: its name, how it is put, and whether it may stay empty, is hidden while it is typed,
    and is typed twice.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    prompt: str = ""
    input_type: InputType = "text"
    choices: list[str] = Field(default_factory=list)
    required: bool = True
    secret: bool = False
    confirm: bool = False


class InterruptDescriptor(BaseModel):
    """One pause as a frontend renders it.

    ``number`` of ``total`` is its place among the pauses that one answer of the model leads to: its calls in order, a
    call's questions top to bottom, then its approval. ``fields`` are those of a form, all answered at once by name;
    ``confirm`` says that the answer is typed twice. ``expires_at`` is in Unix seconds, ``None`` for no deadline.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    kind: InterruptKind = "ask"
    prompt: str = ""
    arg_name: str = ""
    tool_name: str = ""
    input_type: InputType = "text"
    choices: list[str] = Field(default_factory=list)
    number: int = 1
    total: int = 1
    fields: list[FormField] = Field(default_factory=list)
    confirm: bool = False
    human: HumanInterrupt | None = None
    expires_at: float | None = None
