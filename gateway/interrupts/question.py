"""One question to a person: which argument it fills, how it is put, and how its answer is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from sealgate.models.interrupts import FormField, InputType, InterruptDescriptor

from .annotations import Scalar

Handler = Callable[..., object]
"""What asks the person: called with the prompt, returns the answer or an awaitable of it."""

_ASKED: Final = ("input_type", "choices", "sensitive", "confirm", "digits", "required")


@dataclass(frozen=True, slots=True)
class Question:
    """What one ``depends_on_interrupt`` asks for, with everything inferred and checked.

    ``handler`` is ``None`` for an answer that comes out of band. ``sensitive`` is an entity type, ``True`` (any answer
    is sealed whole), ``False`` (it is only redacted) or ``None`` (by input type). ``timeout`` is in seconds, ``None``
    for no limit; ``attempts`` counts the first try. ``annotation`` is the argument's resolved type. ``number`` of
    ``total`` is the place among the tool's prompts, top to bottom as written. ``confirm`` says that the answer is typed
    twice. ``digits`` is how many the answer has, ``None`` for what its type and prompt say.

    A form has ``fields``, questions themselves; one that is not ``required`` may stay empty, and ``schema`` is what its
    answer has to fit besides.
    """

    arg_name: str
    handler: Handler | None = field(repr=False)
    prompt: str
    input_type: InputType
    choices: tuple[str, ...] = ()
    sensitive: str | bool | None = None
    timeout: float | None = None
    attempts: int = 3
    annotation: Any = Any
    number: int = 1
    total: int = 1
    confirm: bool = False
    digits: int | None = None
    fields: tuple[Question, ...] = ()
    required: bool = True
    schema: dict[str, Any] | None = None
    values: tuple[Scalar, ...] = ()

    @property
    def secret(self) -> bool:
        """Whether the answer, or one in the form, is not to be shown while it is typed."""
        if self.fields:
            return any(one.secret for one in self.fields)
        return self.input_type == "password" or isinstance(self.sensitive, str) or self.sensitive is True

    def asks_as(self, other: Question) -> bool:
        """Whether the other's answer is read and hidden as this one's is, and the answers in its form."""
        alike = all(getattr(self, part) == getattr(other, part) for part in _ASKED)
        names = [one.arg_name for one in self.fields] == [one.arg_name for one in other.fields]
        return alike and names and all(one.asks_as(its) for one, its in zip(self.fields, other.fields, strict=True))

    def as_field(self) -> FormField:
        """The question as a field of a form."""
        return FormField(
            name=self.arg_name,
            prompt=self.prompt,
            input_type=self.input_type,
            choices=list(self.choices),
            required=self.required,
            secret=self.secret,
            confirm=self.confirm,
        )

    def descriptor(self, id: str, tool_name: str, expires_at: float | None = None) -> InterruptDescriptor:
        """The question as a frontend renders it; ``expires_at`` in Unix seconds."""
        return InterruptDescriptor(
            id=id,
            kind="ask",
            prompt=self.prompt,
            arg_name=self.arg_name,
            tool_name=tool_name,
            input_type=self.input_type,
            choices=list(self.choices),
            number=self.number,
            total=self.total,
            fields=[one.as_field() for one in self.fields],
            confirm=self.confirm,
            expires_at=expires_at,
        )
