"""Plain data: whatever an event was given, as JSON values.

Nothing is called that could show a value on its own account: no ``str`` of an unknown object, no text of an exception,
no generator consumed. What JSON cannot carry is named by its type.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import ipaddress
import json
import math
import pathlib
import types
import uuid
from collections import UserDict, UserList, UserString, deque
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

from pydantic import BaseModel, JsonValue

from sealgate.models.jsonvalue import MAX_DEPTH
from sealgate.models.messages import PrivateData, RawMessage, ToolCall

from .layout import Layout

MAX_NODES: Final = 100_000
"""Values of one payload that are read; the rest is ``<truncated>``."""

MAX_TEXT: Final = 1_000_000
"""Code points of one payload's texts that are read; the rest is ``<truncated>``."""

MAX_INTEGER_BITS: Final = 10_000
"""Longer integers are named by their type: the interpreter refuses to spell out more than 4,300 digits."""

TRUNCATED: Final = "<truncated>"
CYCLE: Final = "<cycle>"
TOO_DEEP: Final = "<too deep>"


def plain(payload: object) -> JsonValue:
    """The payload as JSON values.

    Models, dataclasses, named tuples and namespaces become objects, sets and sequences arrays, enums their value, bytes
    their UTF-8 text, dates, decimals, identifiers, paths and addresses their text. ``PrivateData`` becomes its
    descriptor. Everything else, other bytes and numbers that JSON lacks included, becomes ``<TypeName>``. Deeper than
    64 levels it is ``<too deep>``, within itself ``<cycle>``, beyond 100,000 values or 1,000,000 code points
    ``<truncated>``. Nothing is raised for any object, and nothing of the payload is changed or kept.
    """
    return laid_out(payload)[0]


def laid_out(payload: object) -> tuple[JsonValue, Layout]:
    """The payload as JSON values, and all of its texts."""
    layout = Layout()
    return Walk(layout).read(payload, 0, 0), layout


def type_name(value: object) -> str:
    """``<TypeName>``; what an event says of an object that it cannot carry. The name is text like any other."""
    return f"<{type(value).__name__}>"


def put(found: dict[str, JsonValue], key: str, value: JsonValue) -> None:
    """Put a value under a key, or under the key with a number where it is taken: two keys may read the same."""
    if key in found:
        number = 2
        while f"{key}#{number}" in found:
            number += 1
        key = f"{key}#{number}"
    found[key] = value


class Walk:
    """One reading of a payload: its budget, the containers that it is inside of, and the texts that it met.

    ``group`` is the layout's number of the fields' names on the way to a value.
    """

    def __init__(self, layout: Layout, nodes: int = MAX_NODES, text: int = MAX_TEXT) -> None:
        self._layout = layout
        self._nodes = nodes
        self._text = text
        self._open: set[int] = set()

    def read(self, value: Any, depth: int, group: int) -> JsonValue:
        """A value that stands ``depth`` levels down."""
        self._nodes -= 1
        if self._nodes < 0:
            return self.text(TRUNCATED, group)
        kind = type(value)
        if kind is str:
            return self.text(value, group)
        how, reader = _reader_for(kind)  # type: ignore[arg-type]  # mypy doubts that classes are hashable
        try:
            return reader(self, value, depth, group) if how == "leaf" else self._enter(reader, value, depth, group)
        except Exception:  # an object that cannot be read is named, whatever it raised and whatever that said
            return self.text(type_name(value), group)

    def _enter(self, reader: Reader, value: Any, depth: int, group: int) -> JsonValue:
        """A container, unless it is too deep or contains itself."""
        if depth >= MAX_DEPTH:
            return self.text(TOO_DEEP, group)
        if id(value) in self._open:
            return self.text(CYCLE, group)
        self._open.add(id(value))
        marks = self._layout.marks()
        try:
            return reader(self, value, depth + 1, group)
        except Exception:
            self._layout.forget(marks)
            raise
        finally:
            self._open.discard(id(value))

    def array(self, items: Iterable[Any], depth: int, group: int) -> list[JsonValue]:
        """A sequence, as far as the budget goes."""
        found: list[JsonValue] = []
        for item in items:
            found.append(self.read(item, depth, group))
            if self._nodes < 0:
                break
        return found

    def object(self, items: Iterable[tuple[Any, Any]], depth: int, group: int) -> JsonValue:
        """A mapping, as far as the budget goes."""
        found: dict[str, JsonValue] = {}
        for name, item in items:
            key = self.key(name) if type(name) is str else self._other_key(name, depth)
            value = self.read(item, depth, self._layout.below(group, key))
            if key in found:
                put(found, key, value)
            else:
                found[key] = value
            if self._nodes < 0:
                break
        return found

    def apart(self, items: Iterable[Any], depth: int) -> list[JsonValue]:
        """Items read for themselves, on the same budget: their order is not settled yet."""
        walk = Walk(Layout(), self._nodes, self._text)
        found = walk.array(items, depth, 0)
        self._nodes, self._text = walk._nodes, walk._text
        return found

    def key(self, key: str) -> str:
        """A key, if the budget allows it."""
        return self._layout.key(self.spend(key))

    def _other_key(self, key: Any, depth: int) -> str:
        """A key that is no string, as JSON spells it; the type's name for what cannot be a key there."""
        read = self.apart((key,), depth)[0]
        if isinstance(read, str):
            return self.key(read)
        return self.key(type_name(key) if isinstance(read, list | dict) else json.dumps(read))

    def text(self, text: str, group: int) -> str:
        """A text among the values, if the budget allows it."""
        return self._layout.value(self.spend(text), group)

    def number(self, number: int | float, group: int) -> int | float:
        """A number among the values."""
        self._layout.value(repr(number), group)
        return number

    def spend(self, text: str) -> str:
        """The text, or what stands for it when the budget is used up."""
        self._text -= len(text)
        return text if self._text >= 0 else TRUNCATED


Reader: TypeAlias = Callable[[Walk, Any, int, int], JsonValue]


def _named(walk: Walk, value: Any, depth: int, group: int) -> JsonValue:
    return walk.text(type_name(value), group)


def _spelled(spell: Callable[[Any], str]) -> Reader:
    return lambda walk, value, depth, group: walk.text(spell(value), group)


def _integer(walk: Walk, value: int, depth: int, group: int) -> JsonValue:
    if value.bit_length() > MAX_INTEGER_BITS:
        return _named(walk, value, depth, group)
    return walk.number(int.__index__(value), group)


def _float(walk: Walk, value: float, depth: int, group: int) -> JsonValue:
    return walk.number(float.__float__(value), group) if math.isfinite(value) else _named(walk, value, depth, group)


def _model(walk: Walk, value: BaseModel, depth: int, group: int) -> JsonValue:
    # A warning of the serializer would quote the value that it found unexpected.
    return walk.read(value.model_dump(warnings="none"), depth, group)


def _dataclass(walk: Walk, value: Any, depth: int, group: int) -> JsonValue:
    fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    return walk.object(fields, depth, group)


def _object(items: Callable[[Any], Iterable[tuple[Any, Any]]]) -> Reader:
    return lambda walk, value, depth, group: walk.object(items(value), depth, group)


def _inside(content: Callable[[Any], Any]) -> Reader:
    return lambda walk, value, depth, group: walk.read(content(value), depth, group)


def _set(walk: Walk, value: Iterable[Any], depth: int, group: int) -> JsonValue:
    return walk.array(sorted(walk.apart(value, depth), key=repr), depth, group)


def _unbound(*kinds: type) -> tuple[tuple[str, tuple[type, ...], Reader], ...]:
    """Types whose own spelling is their content; called unbound, so that a subclass cannot put in its own."""
    unbound = ((kind, kind.__str__) for kind in kinds)
    return tuple(("leaf", (kind,), _spelled(spell)) for kind, spell in unbound)  # type: ignore[arg-type]  # not bound


_READERS: Final[tuple[tuple[str, tuple[type, ...], Reader], ...]] = (
    ("leaf", (type(None), bool), lambda walk, value, depth, group: value),
    ("inner", (enum.Enum,), _inside(lambda value: value.value)),
    ("leaf", (int,), _integer),
    ("leaf", (float,), _float),
    ("leaf", (bytes, bytearray, memoryview), _spelled(lambda value: bytes(value).decode("utf-8"))),
    ("leaf", (datetime.datetime,), _spelled(datetime.datetime.isoformat)),
    ("leaf", (datetime.date,), _spelled(datetime.date.isoformat)),
    ("leaf", (datetime.time,), _spelled(datetime.time.isoformat)),
    *_unbound(str, datetime.timedelta, decimal.Decimal, uuid.UUID, pathlib.PurePath),
    *_unbound(ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network),
    ("inner", (UserString,), _inside(lambda value: value.data)),
    ("inner", (PrivateData,), _object(lambda value: value.descriptor().items())),
    ("leaf", (RawMessage, ToolCall, type, BaseException), _named),
    ("inner", (BaseModel,), _model),
    ("inner", (Mapping, UserDict), _object(lambda value: value.items())),
    ("inner", (types.SimpleNamespace,), _object(lambda value: vars(value).items())),
    ("inner", (list, tuple, deque, UserList), lambda walk, value, depth, group: walk.array(value, depth, group)),
    ("inner", (set, frozenset), _set),
)
"""How each type is read; the first row that fits counts. Dataclasses and named tuples have no common base."""


@lru_cache(maxsize=1024)
def _reader_for(kind: type[Any]) -> tuple[str, Reader]:
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        fields: tuple[str, ...] = kind._fields
        return "inner", _object(lambda value: zip(fields, value, strict=False))
    if dataclasses.is_dataclass(kind):
        return "inner", _dataclass
    return next(((how, reader) for how, kinds, reader in _READERS if issubclass(kind, kinds)), ("leaf", _named))
