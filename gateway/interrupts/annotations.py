"""What an annotation says of the answers it takes: the type inside, whether ``None`` is one, and the choices."""

from __future__ import annotations

import typing
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, ForwardRef, Literal, NewType, Union, get_args, get_origin

from sealgate.models.errors import InvalidPolicy

_DEPTH: Final = 32
"""Wrappers around a type that are taken off; more only come from an alias of itself."""

Scalar = str | int | float | bool
"""What a choice stands for in JSON."""


def unwrap(annotation: object) -> tuple[Any, bool]:
    """The type inside ``Annotated``, ``Optional``, ``NewType`` and aliases, and whether ``None`` is allowed."""
    optional = False
    for _ in range(_DEPTH):
        if isinstance(annotation, str | ForwardRef):
            annotation = _resolve(annotation)
        elif get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif get_origin(annotation) in (Union, UnionType):
            members = [member for member in get_args(annotation) if member is not NoneType]
            optional = optional or len(members) < len(get_args(annotation))
            if len(members) != 1:
                return annotation, optional
            annotation = members[0]
        elif isinstance(annotation, NewType):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__  # type: ignore[attr-defined]
        else:
            break
    return annotation, optional or (get_origin(annotation) is Literal and None in get_args(annotation))


def choice_table(base: object) -> dict[str, Scalar]:
    """The choices of an unwrapped ``Literal`` or ``Enum``: what the person reads → what JSON carries; else empty.

    A literal reads as ``str`` writes it. A member of an ``Enum`` reads as its value where that is text, else as its
    name. Raises ``InvalidPolicy`` as ``infer_input`` does.
    """
    if get_origin(base) is Literal:
        members = [member for member in get_args(base) if member is not None]
    elif isinstance(base, type) and issubclass(base, Enum):
        members = list(base)
    else:
        return {}
    table = {choice_text(member): _carried(member) for member in members}
    if len(table) < len(members):
        raise InvalidPolicy("two choices of a Literal or Enum read alike")
    return table


def choice_text(member: object) -> str:
    """How a person reads a literal or a member of an ``Enum``."""
    if isinstance(member, Enum):
        return str(member.value) if isinstance(member.value, str) else member.name
    return str(member)


def _carried(member: object) -> Scalar:
    value = member.value if isinstance(member, Enum) else member
    if isinstance(value, str | int | float):
        return value
    raise InvalidPolicy(
        "a person chooses among texts, numbers and booleans; other literals and enum values are refused"
    )


def _resolve(annotation: str | ForwardRef) -> object:
    """The type that a string names among the builtins and ``typing``; ``object`` where it names none."""
    holder = type("_Holder", (), {"__annotations__": {"value": annotation}})
    try:
        return typing.get_type_hints(holder, vars(typing), include_extras=True)["value"]
    except Exception:  # a broken annotation raises whatever its expression raises
        return object
