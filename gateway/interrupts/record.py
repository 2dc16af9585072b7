"""One pause, as it is stored: asking for a value, approving a call, or a pause inside a tool's body.

One record, one table.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from sealgate.models.approvals import RiskLevel
from sealgate.models.interrupts import HumanInterrupt, InputType, InterruptDescriptor
from sealgate.models.jsonvalue import JsonValue

from .annotations import Scalar
from .fitting import told_type, told_values, typed_as
from .question import Question

RECORD_VERSION: Final = 1

InterruptState = Literal["pending", "resolved", "timed_out", "cancelled"]
RecordKind = Literal["ask", "approve", "pause"]


class FieldRecord(BaseModel):
    """One field of a form, as any process can put it."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)

    name: str
    prompt: str
    input_type: InputType
    choices: tuple[str, ...] = ()
    sensitive: str | bool | None = None
    required: bool = True
    confirm: bool = False
    digits: int | None = None
    rules: dict[str, Any] | None = None
    answer_type: str = ""
    optional: bool = False
    values: tuple[Scalar, ...] = ()

    @classmethod
    def of(cls, question: Question) -> Self:
        """The record of a question in a form."""
        return cls(
            name=question.arg_name,
            prompt=question.prompt,
            input_type=question.input_type,
            choices=question.choices,
            sensitive=question.sensitive,
            required=question.required,
            confirm=question.confirm,
            digits=question.digits,
            rules=question.schema,
            **answer_facts(question),
        )

    def question(self) -> Question:
        """The question, without its handler and its type."""
        return Question(
            arg_name=self.name,
            handler=None,
            prompt=self.prompt,
            input_type=self.input_type,
            choices=self.choices,
            sensitive=self.sensitive,
            required=self.required,
            confirm=self.confirm,
            digits=self.digits,
            schema=self.rules,
            annotation=typed_as(self.answer_type, optional=self.optional),
            values=self.values,
        )


def answer_facts(question: Question) -> dict[str, Any]:
    """What a record keeps of the type that an answer has to have."""
    answer_type, optional = told_type(question.annotation)
    choice = question.input_type == "choice"
    values = told_values(question.annotation, question.choices) if choice else ()
    return {"answer_type": answer_type, "optional": optional, "values": values}


class InterruptRecord(BaseModel):
    """A pause and what became of it. Everything in it is redacted; the store encrypts it besides.

    ``answer_type``, ``optional``, ``values`` and ``rules`` say what an answer has to be where its tool is not known.
    ``answer`` is a placeholder or clear JSON, ``decision`` what a person decided about a call. ``editable`` names the
    arguments that may be edited, ``None`` for any. ``claim`` is whoever answers it right now, until ``claimed_until``.
    Times are Unix seconds; ``expires_at`` is ``None`` for as long as its session lives.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)

    version: Literal[1] = RECORD_VERSION
    id: str
    kind: RecordKind
    state: InterruptState = "pending"
    turn_id: str = ""
    call_id: str = ""
    tool: str = ""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    stage: Literal["before", "after"] = "before"
    risk: RiskLevel = "medium"
    receives_secrets: bool = False
    prompt: str = ""
    arg_name: str = ""
    input_type: InputType = "text"
    choices: tuple[str, ...] = ()
    sensitive: str | bool | None = None
    number: int = 1
    total: int = 1
    attempts: int = 3
    asked: int = 0
    human: HumanInterrupt | None = None
    payload: JsonValue = None
    response_schema: dict[str, Any] | None = None
    created_at: float = 0.0
    expires_at: float | None = None
    answer: JsonValue = None
    decision: dict[str, JsonValue] | None = None
    approver: str | None = None
    confirm: bool = False
    digits: int | None = None
    form: tuple[FieldRecord, ...] = ()
    answer_type: str = ""
    optional: bool = False
    values: tuple[Scalar, ...] = ()
    rules: dict[str, Any] | None = None
    editable: tuple[str, ...] | None = None
    claim: str = ""
    claimed_until: float = 0.0

    @property
    def secret(self) -> bool:
        """Whether its answer is not to be shown while it is typed."""
        return self.kind == "ask" and self.question().secret

    def but(self, **changes: Any) -> Self:
        """A copy with these fields changed."""
        return self.model_copy(update=changes)

    def question(self) -> Question:
        """The question as another process can put it: without its handler."""
        return Question(
            arg_name=self.arg_name,
            handler=None,
            prompt=self.prompt,
            input_type=self.input_type,
            choices=self.choices,
            sensitive=self.sensitive,
            attempts=self.attempts,
            number=self.number,
            total=self.total,
            confirm=self.confirm,
            digits=self.digits,
            fields=tuple(one.question() for one in self.form),
            annotation=typed_as(self.answer_type, optional=self.optional),
            values=self.values,
            schema=self.rules,
        )

    def descriptor(self) -> InterruptDescriptor:
        """The pause as a frontend renders it."""
        return InterruptDescriptor(
            id=self.id,
            kind="approve" if self.kind == "approve" else "ask",
            prompt=self.prompt,
            arg_name=self.arg_name,
            tool_name=self.tool,
            input_type=self.input_type,
            choices=list(self.choices),
            number=self.number,
            total=self.total,
            fields=[one.question().as_field() for one in self.form],
            confirm=self.confirm,
            human=self.human,
            expires_at=self.expires_at,
        )

    def encode(self) -> bytes:
        """The stored form: ASCII, so that lone surrogates survive."""
        return json.dumps(self.model_dump(mode="json")).encode()

    @classmethod
    def decode(cls, stored: bytes) -> Self:
        """The record of a stored form."""
        return cls.model_validate(json.loads(stored))
