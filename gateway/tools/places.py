"""Places: where in a call's arguments a string stands, and which grant covers it there.

A place is spelled ``payment.card`` for a field, ``items[]`` for a list's items, ``headers{}`` and ``headers{key}`` for
a mapping's values and keys, ``**`` for names that a tool with ``**kwargs`` takes. A grant covers what lies below
it. The keys that a model may choose are in no place, so a place holds no value.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

from pydantic import AliasChoices, BaseModel
from typing_extensions import is_typeddict

from sealgate.models.errors import InvalidPolicy
from sealgate.models.grants import Accepts

_DEPTH: Final = 24
"""Levels of an annotation that are read; below, nothing is granted."""


@dataclass(slots=True, eq=False)
class Shape:
    """What an annotation says of the places below one: the grant there, the named fields by every spelling (with their
    own name), and the shapes of items, values and keys.
    """

    grant: Accepts | None = None
    fields: dict[str, tuple[str, Shape]] = field(default_factory=dict)
    items: Shape | None = None
    values: Shape | None = None
    keys: Shape | None = None

    def below(self) -> Shape:
        """The shape of something that the annotation does not describe: what was granted above still covers it."""
        return Shape(self.grant) if self.grant is not None else NOTHING


NOTHING: Final = Shape()
"""The shape of a place that no grant covers."""


class Leaf(NamedTuple):
    """A string in the arguments, a key included, and the grant of its place. What is no string has an empty text."""

    place: str
    grant: Accepts | None
    text: str


def leaves(value: object, shape: Shape, place: str, *, others: bool = False) -> Iterator[Leaf]:
    """Every string of a JSON value, left to right, with its place and its grant; numbers and the like if ``others``."""
    if isinstance(value, str):
        yield Leaf(place, shape.grant, value)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, shape.items or shape.below(), f"{place}[]", others=others)
    elif isinstance(value, dict):
        for key, item in value.items():
            known = shape.fields.get(key)
            if known is None:
                yield Leaf(f"{place}{{key}}", (shape.keys or shape.below()).grant, key)
            name, below = known or ("", shape.values or shape.below())
            yield from leaves(item, below, f"{place}.{name}" if known else f"{place}{{}}", others=others)
    elif others:
        yield Leaf(place, shape.grant, "")


def shape_of(annotation: object, metadata: tuple[object, ...] = ()) -> Shape:
    """The shape of an annotation with the metadata of its field.

    Raises ``InvalidPolicy`` where one place has two different grants.
    """
    return _Reader().read(annotation, metadata, None, 0)


def merged(shapes: list[Shape]) -> Shape:
    """The shape of a union. A field that several members declare is granted only if all of them grant it."""
    if len(shapes) == 1:
        return shapes[0]
    grants = {shape.grant for shape in shapes if shape.grant is not None}
    if len(grants) > 1:
        raise InvalidPolicy("an argument has two different Accepts")
    whole = Shape(grants.pop() if grants else None)
    for shape in shapes:
        for key, (name, below) in shape.fields.items():
            other = whole.fields.get(key)
            whole.fields[key] = (name, below if other is None else _both(other[1], below))
    whole.items = _any([shape.items for shape in shapes])
    whole.values = _any([shape.values for shape in shapes])
    whole.keys = _any([shape.keys for shape in shapes])
    return whole


def _any(shapes: list[Shape | None]) -> Shape | None:
    known = [shape for shape in shapes if shape is not None]
    return merged(known) if known else None


def _both(one: Shape, other: Shape) -> Shape:
    return one if one is other or one.grant == other.grant else NOTHING


class _Reader:
    """Reads one annotation; a model that holds itself is read once."""

    def __init__(self) -> None:
        self._models: dict[tuple[object, Accepts | None], Shape] = {}

    def read(self, annotation: object, metadata: tuple[object, ...], above: Accepts | None, depth: int) -> Shape:
        plain, found = _unwrapped(annotation)
        grants = {item for item in (*metadata, *found) if isinstance(item, Accepts)}
        if len(grants) > 1:
            raise InvalidPolicy("an argument has two different Accepts")
        grant = grants.pop() if grants else above
        if depth > _DEPTH:
            return NOTHING
        arguments = get_args(plain)
        if get_origin(plain) in (Union, types.UnionType):
            arms = [self.read(arm, (), grant, depth + 1) for arm in arguments if arm is not type(None)]
            return merged(arms or [Shape(grant)])
        return self._container(plain, arguments, grant, depth)

    def _container(self, plain: object, arguments: tuple[object, ...], grant: Accepts | None, depth: int) -> Shape:
        origin = get_origin(plain) or plain
        if isinstance(origin, type) and issubclass(origin, collections.abc.Mapping) and not is_typeddict(origin):
            keys, values = arguments if len(arguments) == 2 else (object, object)
            return Shape(
                grant, keys=self.read(keys, (), grant, depth + 1), values=self.read(values, (), grant, depth + 1)
            )
        if isinstance(origin, type) and issubclass(origin, (list, tuple, set, frozenset, collections.abc.Iterable)):
            named = _fields_of(origin)
            if not named and not issubclass(origin, (str, bytes, BaseModel)):
                items = [self.read(item, (), grant, depth + 1) for item in arguments if item is not Ellipsis]
                return Shape(grant, items=merged(items) if items else None)
        return self._model(origin, grant, depth)

    def _model(self, model: object, grant: Accepts | None, depth: int) -> Shape:
        fields = _fields_of(model)
        if not fields:
            return Shape(grant)
        known = self._models.get((model, grant))
        if known is None:
            known = self._models[(model, grant)] = Shape(grant)
            for name, (keys, annotation, metadata) in fields.items():
                below = self.read(annotation, metadata, grant, depth + 1)
                known.fields.update((key, (name, below)) for key in keys)
        return known


def _unwrapped(annotation: object) -> tuple[object, list[object]]:
    """An annotation without ``Annotated``, ``Required``, ``NewType`` and named aliases, and the metadata met there."""
    metadata: list[object] = []
    for _ in range(_DEPTH):
        if hasattr(annotation, "__metadata__"):
            metadata += annotation.__metadata__
            annotation = getattr(annotation, "__origin__", object)
        elif hasattr(annotation, "__supertype__"):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = getattr(annotation, "__value__", object)
        elif getattr(get_origin(annotation), "_name", "") in (
            "Required",
            "NotRequired",
            "ReadOnly",
            "Final",
            "ClassVar",
        ):
            annotation = get_args(annotation)[0]
        else:
            break
    return annotation, metadata


_Fields = dict[str, tuple[frozenset[str], object, tuple[object, ...]]]


def _fields_of(model: object) -> _Fields:
    """The named fields of a pydantic model, dataclass, TypedDict or NamedTuple: the keys that each is read by, its
    annotation and its metadata."""
    if not isinstance(model, type):
        return {}
    if issubclass(model, BaseModel):
        return {
            name: (_keys(name, info.validation_alias), info.annotation, tuple(info.metadata))
            for name, info in model.model_fields.items()
        }
    if not (dataclasses.is_dataclass(model) or is_typeddict(model) or hasattr(model, "_fields")):
        return {}
    try:
        hints = get_type_hints(model, include_extras=True)
    except Exception:  # A hint that cannot be resolved grants nothing.
        return {}
    return {name: (frozenset({name}), hint, ()) for name, hint in hints.items()}


def _keys(name: str, alias: object) -> frozenset[str]:
    aliases: list[Any] = list(alias.choices) if isinstance(alias, AliasChoices) else [alias]
    return frozenset({name, *(one for one in aliases if isinstance(one, str))})


def granted_places(shape: Shape) -> dict[str, Accepts]:
    """Every place of a tool's arguments that a grant covers, the outermost ones."""
    found: dict[str, Accepts] = {}
    _collect(shape, "", frozenset(), found)
    return found


def _collect(shape: Shape, place: str, above: frozenset[int], found: dict[str, Accepts]) -> None:
    if shape.grant is not None:
        found[place] = shape.grant
        return
    if id(shape) in above:
        return
    inside = above | {id(shape)}
    for name, below in dict(shape.fields.values()).items():
        _collect(below, f"{place}.{name}" if place else name, inside, found)
    for inner, step in ((shape.items, "[]"), (shape.keys, "{key}"), (shape.values, "{}" if place else "**")):
        if inner is not None:
            _collect(inner, f"{place}{step}", inside, found)
