"""A registered tool: what it is called, what fills its arguments, and the one call of its body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter
from typing import Any, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core.core_schema import ErrorType

from sealgate.models.errors import InvalidArguments
from sealgate.models.grants import Accepts
from sealgate.models.tools import ToolSpec

from ..interrupts.question import Question
from .hooks import Hook
from .places import NOTHING, Shape, granted_places
from .schema import field_name, property_names, spellings
from .signature import is_model, parameters_of

MAX_PROBLEMS: Final = 20
"""Problems of one set of arguments that are told; the others are left out."""

_RULES: Final = frozenset(get_args(ErrorType))

PlaceholderPolicy: TypeAlias = Literal["refuse", "keep"]
Risk: TypeAlias = Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, with everything that ``toolify`` and its dependencies say of it.

    ``target`` is a function, a coroutine function or a pydantic model class; ``arguments`` is the pydantic model of all
    its arguments, ``spec`` what the language model is told, without the hidden ones. ``accepts`` are the written grants
    by argument, ``shape`` those of every place in the arguments; ``placeholders`` says what an argument without one
    does with a placeholder. ``questions``, ``private_data`` (data key, argument) and ``requires`` (tool, argument) fill
    arguments in place of the model.
    """

    name: str
    description: str
    target: Callable[..., Any] = field(repr=False)
    arguments: type[BaseModel]
    spec: ToolSpec
    final: bool
    accepts: Mapping[str, Accepts]
    placeholders: PlaceholderPolicy
    idempotent: bool
    risk: Risk | None
    before_execute: Hook | None = field(repr=False)
    after_execute: Hook | None = field(repr=False)
    questions: tuple[Question, ...]
    private_data: tuple[tuple[str, str], ...]
    requires: tuple[tuple[str, str], ...]
    shape: Shape = field(default=NOTHING, repr=False)

    @property
    def is_model(self) -> bool:
        """Whether the target is a pydantic model, whose validated instance is the result."""
        return is_model(self.target)

    @property
    def risk_level(self) -> Risk:
        """The declared risk; else high for a tool that may receive secrets, medium for any other."""
        return self.risk or ("high" if self.receives_secrets else "medium")

    @property
    def receives_secrets(self) -> bool:
        """Whether a sealed value may reach it: by a written grant, private data, the result of another tool, or an
        answer that is not shown.
        """
        filled = self.private_data or self.requires
        return bool(self.accepts or filled or granted_places(self.shape)) or any(
            question.secret for question in self.questions
        )

    def filled(self) -> frozenset[str]:
        """The arguments that the language model does not fill."""
        pairs = (*self.private_data, *self.requires)
        return frozenset({question.arg_name for question in self.questions} | {argument for _, argument in pairs})

    def hidden(self) -> frozenset[str]:
        """The keys that are not in the schema and are ignored when the model supplies them, aliases included."""
        return frozenset().union(*(spellings(self.arguments, argument) for argument in self.filled()))

    def validate(self, arguments: Mapping[str, object]) -> BaseModel:
        """The arguments, with real values, as the tool's types.

        Raises ``InvalidArguments`` with places and rules only: it holds no value, is chained to nothing that does, and
        keeps none in the local variables of its traceback.
        """
        try:
            return self.arguments.model_validate(dict(arguments), by_alias=True, by_name=True)
        except ValidationError as error:
            problems = self._problems(error)
        except Exception as error:  # a validator of the user's own may raise anything, with the value in it
            problems = (("*", type(error).__name__),)
        del arguments
        raise InvalidArguments(self.name, problems)

    def call(self, validated: BaseModel) -> object:
        """Run the body once, with exactly the validated arguments; a coroutine function gives its awaitable.

        A pydantic tool has no body: its result is the instance. Defaults of the function stay its own.
        """
        if self.is_model:
            return validated
        positional: list[object] = []
        named: dict[str, object] = dict(validated.model_extra or {})
        for parameter in parameters_of(self.target):
            field = field_name(parameter.name)
            given = field in validated.model_fields_set or isinstance(parameter.default, FieldInfo)
            if parameter.kind is Parameter.POSITIONAL_ONLY:
                positional.append(getattr(validated, field) if given else parameter.default)
            elif given:
                named[parameter.name] = getattr(validated, field)
        return self.target(*positional, **named)

    def _problems(self, error: ValidationError) -> tuple[tuple[str, str], ...]:
        """Place and rule of each error. A key that no schema names may be a value, so its place is ``*``."""
        known = property_names(self.spec.parameters) | self.hidden()
        found = error.errors(include_url=False, include_context=False, include_input=False)
        return tuple((_place(item["loc"], known), _rule(item["type"])) for item in found[:MAX_PROBLEMS])


def _rule(kind: str) -> str:
    """The rule that was broken; one that the tool's author named may be made of the value, so it is ``custom``."""
    return kind if kind in _RULES else "custom"


def _place(location: tuple[int | str, ...], known: frozenset[str]) -> str:
    steps = (str(step) if isinstance(step, int) or step in known else "*" for step in location)
    return ".".join(steps) or "*"
