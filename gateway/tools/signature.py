"""The arguments of a function or of a pydantic model: their names and their resolved annotations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from inspect import Parameter
from typing import Annotated, Any, Final, TypeGuard, get_type_hints

from pydantic import BaseModel, RootModel

from sealgate.models.errors import InvalidName, InvalidPolicy

TOOL_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}\Z")
"""What chat APIs take as the name of a function."""

_RESOLVED: Final = "__sealgate_annotations__"
_CALLED_BY_NAME: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def check_tool_name(name: object) -> str:
    """The name itself. Raises ``InvalidName`` for one that chat APIs would not take."""
    if isinstance(name, str) and TOOL_NAME.match(name):
        return name
    raise InvalidName("a tool's name matches [A-Za-z][A-Za-z0-9_-]{0,63}")


def is_model(target: object) -> TypeGuard[type[BaseModel]]:
    """Whether a tool is a pydantic model, whose instance is its result."""
    return isinstance(target, type) and issubclass(target, BaseModel)


def parameters_of(target: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a function but ``**kwargs``. Raises ``InvalidPolicy`` for ``*args`` and for no signature."""
    parameters = _signature(target)
    if any(parameter.kind is Parameter.VAR_POSITIONAL for parameter in parameters):
        raise InvalidPolicy("a tool is called by names, so it cannot take *args")
    return tuple(parameter for parameter in parameters if parameter.kind in _CALLED_BY_NAME)


def takes_any_name(target: Callable[..., Any]) -> bool:
    """Whether a function has ``**kwargs``."""
    return any(parameter.kind is Parameter.VAR_KEYWORD for parameter in _signature(target))


def argument_names(target: object) -> tuple[str, ...]:
    """The names of the arguments, in order. Raises ``InvalidPolicy`` for what can be no tool."""
    if is_model(target):
        if issubclass(target, RootModel):
            raise InvalidPolicy("a RootModel has no named fields and cannot be a tool")
        return tuple(target.model_fields)
    if isinstance(target, type) or not callable(target):
        raise InvalidPolicy("a tool is a function, a coroutine function or a pydantic model")
    if inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target):
        raise InvalidPolicy("a tool returns one result, so it cannot be a generator")
    return tuple(parameter.name for parameter in parameters_of(target))


def annotations_of(target: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function's parameters with their metadata, forward references resolved.

    Raises ``InvalidPolicy`` where a name in one cannot be found.
    """
    function = _function(target)
    for hints in (_hints(function, _closure(function)), getattr(function, _RESOLVED, None)):
        if hints is not None:
            return hints
    raise InvalidPolicy("an annotation of the tool names a type that cannot be found where the tool is defined")


def resolve_here(target: Callable[..., Any], scope: Mapping[str, Any]) -> None:
    """Resolve annotations that name types of the function in which the tool is being decorated, and keep the result.

    ``scope`` are that function's local variables; none of them is kept. What cannot be resolved yet waits for first
    use.
    """
    if is_model(target):
        return  # pydantic looks there by itself
    function = _function(target)
    if _hints(function, _closure(function)) is None:
        hints = _hints(function, {**scope, **_closure(function)})
        if hints is not None:
            with suppress(AttributeError, TypeError):
                setattr(function, _RESOLVED, hints)


def annotation_of(target: Callable[..., Any], name: str) -> object:
    """The annotation of one argument with its metadata, as far as it resolves now; ``object`` where it does not."""
    if is_model(target):
        field = target.model_fields[name]
        return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    try:
        return annotations_of(target).get(name, object)
    except InvalidPolicy:
        return object


def _function(target: Any) -> Any:
    """The function that holds the annotations of a callable."""
    inner = inspect.unwrap(getattr(target, "func", target))
    inner = inner if inspect.isroutine(inner) else type(inner).__call__
    return getattr(inner, "__func__", inner)


def _hints(function: Any, scope: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        return get_type_hints(function, localns=dict(scope), include_extras=True)
    except Exception:  # a broken annotation raises whatever its expression raises
        return None


def _closure(function: Any) -> dict[str, Any]:
    """What a function closes over, where types of an enclosing function are found."""
    try:
        return dict(inspect.getclosurevars(function).nonlocals)
    except (TypeError, ValueError):
        return {}


def _signature(target: Callable[..., Any]) -> tuple[Parameter, ...]:
    try:
        return tuple(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        pass
    raise InvalidPolicy("a tool needs a signature that can be read")
