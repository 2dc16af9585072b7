"""What fills an argument in place of the model: a person, private data, or another tool.

The decorators return their object unchanged and leave a record on it; ``toolify`` may stand above or below them. They
are read from top to bottom as written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar, get_args

from pydantic import BaseModel

from sealgate.models.entities import NAME, entity_info
from sealgate.models.errors import InvalidName, InvalidPolicy
from sealgate.models.interrupts import InputType

from ..interrupts.form import checked_digits, form_fields, form_model
from ..interrupts.handlers import declared_options
from ..interrupts.inputs import infer_input
from ..interrupts.question import Handler, Question
from .signature import annotation_of, argument_names, check_tool_name

Target = TypeVar("Target", bound=Callable[..., Any])

ATTRIBUTE: Final = "__sealgate_dependencies__"
"""Where the record lies on a decorated object. A subclass of a decorated model has its base's dependencies too."""

MAX_PROMPT: Final = 2_000
"""Code points of the longest prompt."""

MAX_CHOICES: Final = 1_000
"""Choices of one question; each of at most 200 code points on one line."""

MAX_ATTEMPTS: Final = 100
"""The most often that one question is asked in one call."""


@dataclass(frozen=True, slots=True)
class AskPerson:
    """The argument is filled by a person's answer. The fields are those of ``depends_on_interrupt``."""

    arg_name: str
    handler: Handler | None = field(repr=False)
    prompt: str
    input_type: InputType | None
    choices: tuple[str, ...] | None
    sensitive: str | bool | None
    timeout: float | None
    attempts: int
    confirm: bool = False
    digits: int | None = None

    def question(self, annotation: object, number: int = 1, total: int = 1) -> Question:
        """The question for an argument of this type, ``number`` of ``total``.

        Raises ``InvalidPolicy`` for a choice without choices, choices of another input type, and choices that the type
        does not allow.
        """
        form = form_model(annotation)
        if form is not None:
            return self._form(form, annotation, number, total)
        kind, allowed = infer_input(annotation) if self.input_type in (None, "choice") else (self.input_type, ())
        if self.choices is not None:
            _check_subset(self.choices, allowed)
            kind, allowed = "choice", self.choices
        if kind != (self.input_type or kind) or (kind == "choice" and not allowed):
            raise InvalidPolicy(f"the question for argument {self.arg_name!r} is a choice without choices")
        return Question(
            arg_name=self.arg_name,
            handler=self.handler,
            prompt=self.prompt or f"{self.arg_name}: ",
            input_type=kind,
            choices=allowed,
            sensitive=self.sensitive,
            timeout=self.timeout,
            attempts=self.attempts,
            annotation=annotation,
            number=number,
            total=total,
            confirm=self.confirm,
            digits=self.digits,
        )

    def _form(self, model: type[BaseModel], annotation: object, number: int, total: int) -> Question:
        """One interrupt with the fields of a model."""
        if (self.input_type, self.choices, self.sensitive, self.confirm, self.digits) != (
            None,
            None,
            None,
            False,
            None,
        ):
            raise InvalidPolicy("what a form asks for is said of its fields, in its model")
        return Question(
            arg_name=self.arg_name,
            handler=self.handler,
            prompt=self.prompt,
            input_type="text",
            timeout=self.timeout,
            attempts=self.attempts,
            annotation=annotation,
            number=number,
            total=total,
            fields=form_fields(model, self.attempts),
        )


@dataclass(frozen=True, slots=True)
class UsePrivateData:
    """The argument is filled by a value of the session's private data."""

    data_key: str
    arg_name: str


@dataclass(frozen=True, slots=True)
class UseTool:
    """The argument is filled by the result of another tool: its name, or the object that was toolified."""

    tool: object
    arg_name: str


Dependency: TypeAlias = AskPerson | UsePrivateData | UseTool


def depends_on_interrupt(
    arg_name: str,
    input_handler: Handler | None = None,
    prompt: str = "",
    input_type: InputType | None = None,
    choices: Sequence[str] | None = None,
    *,
    sensitive: str | bool | None = None,
    timeout: float | None = None,
    attempts: int = 3,
    confirm: bool = False,
    digits: int | None = None,
) -> Callable[[Target], Target]:
    """A person fills the argument when the tool is about to run. The model neither sees it nor can fill it.

    ``input_handler`` asks (``None``: the answer comes out of band); ``input_type`` and ``choices`` are inferred from
    the annotation unless given; ``sensitive`` is an entity type that the answer is read as, ``True`` to seal any answer
    whole, ``False`` to only redact it. ``digits`` is how many an answer of that type has, where its prompt does not
    say so ("the 6-digit code"). ``timeout`` is in seconds for one asking, ``attempts`` counts the first; ``confirm``
    has it typed twice. An argument annotated with a pydantic model is a form: one interrupt, asked and checked field by
    field (``gateway.interrupts.form``). Raises ``InvalidPolicy`` or ``UnknownEntityType`` (both ``ValueError``) for
    what cannot work.
    """
    asked = AskPerson(
        arg_name=arg_name,
        handler=_checked_handler(input_handler),
        prompt=_checked_prompt(prompt),
        input_type=_checked_input_type(input_type),
        choices=_checked_choices(choices, input_type),
        sensitive=entity_info(sensitive).name if isinstance(sensitive, str) else _checked_flag(sensitive),
        timeout=_checked_timeout(timeout),
        attempts=_checked_attempts(attempts),
        confirm=_checked_flag(confirm) is True,
        digits=checked_digits(digits, sensitive),
    )

    def decorate(target: Target) -> Target:
        _add(target, asked)
        return target

    return decorate


def depends_on_private_data(data_key: str, arg_name: str) -> Callable[[Target], Target]:
    """The session's private data of that name fills the argument; this is a grant for it.

    Raises ``InvalidName`` for a key outside ``[a-z][a-z0-9_]{0,31}`` and ``InvalidPolicy`` for a wrong argument.
    """
    if not isinstance(data_key, str) or not NAME.match(data_key):
        raise InvalidName("a key of private data matches [a-z][a-z0-9_]{0,31}")

    def decorate(target: Target) -> Target:
        _add(target, UsePrivateData(data_key, arg_name))
        return target

    return decorate


def depends_on_tool(tool: str | Callable[..., Any], arg_name: str) -> Callable[[Target], Target]:
    """The result of another tool fills the argument; that tool runs first.

    ``tool`` is its name or the object that is toolified. Raises ``InvalidName`` or ``InvalidPolicy`` for a wrong name,
    object or argument; whether the tool is registered is checked at first use.
    """
    if isinstance(tool, str):
        check_tool_name(tool)
    elif not callable(tool):
        raise InvalidPolicy("depends_on_tool takes the name of a tool or the object that was toolified")

    def decorate(target: Target) -> Target:
        _add(target, UseTool(tool, arg_name))
        return target

    return decorate


def dependencies_of(target: object) -> tuple[Dependency, ...]:
    """What was declared on an object, top to bottom as written."""
    found = getattr(target, ATTRIBUTE, ())
    return found if isinstance(found, tuple) else ()


def _add(target: Callable[..., Any], added: Dependency) -> None:
    """Put a record on top of those that stand below it. The checks come first, so a refused object stays as it was."""
    names = argument_names(target)
    if added.arg_name not in names:
        raise InvalidPolicy(f"argument {added.arg_name!r} is not one of {', '.join(names) or 'no arguments'}")
    below = dependencies_of(target)
    if any(dependency.arg_name == added.arg_name for dependency in below):
        raise InvalidPolicy(f"argument {added.arg_name!r} is filled twice")
    if isinstance(added, AskPerson):
        added.question(annotation_of(target, added.arg_name))
    try:
        setattr(target, ATTRIBUTE, (added, *below))
        return
    except (AttributeError, TypeError):
        pass
    raise InvalidPolicy("a dependency is declared on a function or a pydantic model, not on a bound method")


def _check_subset(choices: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    if allowed and not set(choices) <= set(allowed):
        raise InvalidPolicy("there are choices that the argument's annotation does not allow")


def _checked_handler(handler: Handler | None) -> Handler | None:
    if handler is not None:
        if not callable(handler):
            raise InvalidPolicy("an input_handler is callable")
        declared_options(handler)
    return handler


def _checked_prompt(prompt: str) -> str:
    if not isinstance(prompt, str) or len(prompt) > MAX_PROMPT:
        raise InvalidPolicy(f"a prompt is text of at most {MAX_PROMPT} characters")
    return prompt


def _checked_input_type(input_type: InputType | None) -> InputType | None:
    if input_type is not None and input_type not in get_args(InputType):
        raise InvalidPolicy(f"an input_type is one of {', '.join(get_args(InputType))}")
    return input_type


def _checked_choices(choices: Sequence[str] | None, input_type: InputType | None) -> tuple[str, ...] | None:
    if choices is None:
        return None
    if isinstance(choices, str) or not all(isinstance(choice, str) for choice in choices):
        raise InvalidPolicy("choices are a list of texts")
    if input_type not in (None, "choice"):
        raise InvalidPolicy(f"an input_type of {input_type!r} takes no choices")
    if not 1 <= len(choices) <= MAX_CHOICES or len(set(choices)) < len(choices):
        raise InvalidPolicy(f"there are 1 to {MAX_CHOICES} choices, each once")
    if not all(0 < len(choice) <= 200 and choice.isprintable() for choice in choices):
        raise InvalidPolicy("a choice is one line of 1 to 200 printable characters")
    return tuple(choices)


def _checked_flag(sensitive: object) -> bool | None:
    if sensitive is None or isinstance(sensitive, bool):
        return sensitive
    raise InvalidPolicy("sensitive is an entity type, True, False or None")


def _checked_timeout(timeout: float | None) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < math.inf:
        raise InvalidPolicy("a timeout is a finite number of seconds above 0")
    return float(timeout)


def _checked_attempts(attempts: int) -> int:
    if type(attempts) is not int or not 1 <= attempts <= MAX_ATTEMPTS:
        raise InvalidPolicy(f"attempts is a whole number from 1 to {MAX_ATTEMPTS}")
    return attempts
