"""The shape of a tool's arguments: the grants in its annotations, and those written beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import Parameter, signature
from typing import Any, Final

from pydantic import BaseModel

from sealgate.models.errors import InvalidPolicy
from sealgate.models.grants import Accepts

from .places import NOTHING, Shape, shape_of
from .schema import spellings
from .signature import annotations_of, is_model, takes_any_name

_STEP: Final = re.compile(r"\.?([A-Za-z_][A-Za-z0-9_]*)|(\[\])|(\{key\})|(\{\})|(\*\*)")


def tool_shape(target: Callable[..., Any], arguments: type[BaseModel], written: Mapping[str, Accepts] | None) -> Shape:
    """The shape of all arguments of a tool, each under every key that it is read by.

    ``written`` are grants by place, as ``accepts=`` has them. Raises ``InvalidPolicy`` for two different grants of one
    place, and for a place that is none of the tool's.
    """
    if is_model(target):
        whole = Shape(fields=dict(shape_of(target).fields))
    else:
        hints = annotations_of(target)
        named = {name: shape_of(hint) for name, hint in hints.items() if name != "return"}
        whole = Shape(values=named.pop(_catch_all(target), NOTHING) if takes_any_name(target) else None)
        for name, shape in named.items():
            whole.fields.update((key, (name, shape)) for key in spellings(arguments, name))
    for place, grant in (written or {}).items():
        whole = with_grant(whole, place, grant)
    return whole


def grant_at(whole: Shape, place: str) -> Accepts | None:
    """The grant that covers a place, by whatever keys it is spelled; ``None`` if none does."""
    shape = whole
    for found in _STEP.finditer(place):
        step = found.group().removeprefix(".")
        if step == "[]":
            shape = shape.items or shape.below()
        elif step == "{key}":
            shape = shape.keys or shape.below()
        else:
            shape = shape.fields[step][1] if step in shape.fields else shape.values or shape.below()
    return shape.grant


def first_name(place: str) -> str:
    """The argument that a place lies in."""
    found = _STEP.match(place)
    return (found[1] or "") if found else ""


def with_grant(whole: Shape, place: str, grant: Accepts) -> Shape:
    """The shape with one more grant, for a place and what lies below it. Shapes are shared, so it is a new one."""
    steps = [found.group() for found in _STEP.finditer(place)]
    if "".join(steps) != place:
        raise InvalidPolicy("a place is a name, then .field, [], {} or {key}")
    return _granted(whole, steps, grant)


def _granted(shape: Shape, steps: list[str], grant: Accepts) -> Shape:
    if not steps:
        if shape.grant not in (None, grant):
            raise InvalidPolicy("an argument has two different Accepts")
        return _covered(shape, grant)
    step, rest = steps[0].removeprefix("."), steps[1:]
    if step == "[]":
        return replace(shape, items=_granted(shape.items or shape.below(), rest, grant))
    if step == "{key}":
        return replace(shape, keys=_granted(shape.keys or shape.below(), rest, grant))
    if step in ("{}", "**"):
        return replace(shape, values=_granted(shape.values or shape.below(), rest, grant))
    name, below = shape.fields.get(step, (step, shape.below()))
    changed = (name, _granted(below, rest, grant))
    same = [key for key, (other, _below) in shape.fields.items() if other == name]
    return replace(shape, fields={**shape.fields, step: changed, **dict.fromkeys(same, changed)})


def _covered(shape: Shape, grant: Accepts, made: dict[int, Shape] | None = None) -> Shape:
    """A container under a grant: what lies below keeps its name, and its own grant where it has one."""
    made = {} if made is None else made
    if id(shape) not in made:
        below = made[id(shape)] = Shape(shape.grant or grant)
        below.fields = {key: (name, _covered(inner, grant, made)) for key, (name, inner) in shape.fields.items()}
        for part in ("items", "values", "keys"):
            inner = getattr(shape, part)
            setattr(below, part, _covered(inner, grant, made) if inner is not None else None)
    return made[id(shape)]


def _catch_all(target: Callable[..., Any]) -> str:
    """The name of the parameter that takes all other names."""
    return next(one.name for one in signature(target).parameters.values() if one.kind is Parameter.VAR_KEYWORD)
