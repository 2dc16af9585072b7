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
import math
import pathlib
import types
import uuid
from collections import UserDict, UserList, UserString, deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

from pydantic import BaseModel, JsonValue

from sealgate.models.jsonvalue import MAX_DEPTH
from sealgate.models.messages import PrivateData, RawMessage, ToolCall

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
    return Walk().read(payload, 0)


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
    """One reading of a payload: its budget, and the containers that it is inside of."""

    def __init__(self) -> None:
        self._nodes = MAX_NODES
        self._text = MAX_TEXT
        self._open: set[int] = set()

    def read(self, value: Any, depth: int) -> JsonValue:
        """A value that stands ``depth`` levels down."""
        self._nodes -= 1
        if self._nodes < 0:
            return TRUNCATED
        kind, reader = _reader_for(type(value))  # type: ignore[arg-type]  # mypy doubts that classes are hashable
        try:
            return reader(self, value, depth) if kind == "leaf" else self._enter(reader, value, depth)
        except Exception:  # an object that cannot be read is named, whatever it raised and whatever that said
            return self.spend(type_name(value))

    def _enter(self, reader: Reader, value: Any, depth: int) -> JsonValue:
        """A container, unless it is too deep or contains itself."""
        if depth >= MAX_DEPTH:
            return TOO_DEEP
        if id(value) in self._open:
            return CYCLE
        self._open.add(id(value))
        try:
            return reader(self, value, depth + 1)
        finally:
            self._open.discard(id(value))

    def array(self, items: Iterable[Any], depth: int) -> list[JsonValue]:
        """A sequence, as far as the budget goes."""
        found: list[JsonValue] = []
        for item in items:
            found.append(self.read(item, depth))
            if self._nodes < 0:
                break
        return found

    def object(self, items: Iterable[tuple[Any, Any]], depth: int) -> JsonValue:
        """A mapping, as far as the budget goes."""
        found: dict[str, JsonValue] = {}
        for key, item in items:
            put(found, self._key(key, depth), self.read(item, depth))
            if self._nodes < 0:
                break
        return found

    def _key(self, key: Any, depth: int) -> str:
        """A key as JSON spells it; the type's name for what cannot be a key there."""
        read = self.read(key, depth)
        if isinstance(read, str):
            return read
        if read is None or isinstance(read, bool):
            return {None: "null", True: "true", False: "false"}[read]
        return str(read) if isinstance(read, int | float) else type_name(key)

    def spend(self, text: str) -> str:
        """A text, if the budget allows it."""
        self._text -= len(text)
        return text if self._text >= 0 else TRUNCATED


Reader: TypeAlias = Callable[[Walk, Any, int], JsonValue]


def _named(walk: Walk, value: Any, depth: int) -> JsonValue:
    return walk.spend(type_name(value))


def _spelled(spell: Callable[[Any], str]) -> Reader:
    return lambda walk, value, depth: walk.spend(spell(value))


def _integer(walk: Walk, value: int, depth: int) -> JsonValue:
    return int.__index__(value) if value.bit_length() <= MAX_INTEGER_BITS else type_name(value)


def _float(walk: Walk, value: float, depth: int) -> JsonValue:
    return float.__float__(value) if math.isfinite(value) else type_name(value)


def _bytes(walk: Walk, value: bytes | bytearray | memoryview, depth: int) -> JsonValue:
    return walk.spend(bytes(value).decode("utf-8"))


def _model(walk: Walk, value: BaseModel, depth: int) -> JsonValue:
    # A warning of the serializer would quote the value that it found unexpected.
    return walk.read(value.model_dump(warnings="none"), depth)


def _dataclass(walk: Walk, value: Any, depth: int) -> JsonValue:
    return walk.object(((field.name, getattr(value, field.name)) for field in dataclasses.fields(value)), depth)


def _set(walk: Walk, value: Iterable[Any], depth: int) -> JsonValue:
    return sorted(walk.array(value, depth), key=repr)


def _unbound(*kinds: type) -> tuple[tuple[str, tuple[type, ...], Reader], ...]:
    """Types whose own spelling is their content; called unbound, so that a subclass cannot put in its own."""
    unbound = ((kind, kind.__str__) for kind in kinds)
    return tuple(("leaf", (kind,), _spelled(spell)) for kind, spell in unbound)  # type: ignore[arg-type]  # not bound


_READERS: Final[tuple[tuple[str, tuple[type, ...], Reader], ...]] = (
    ("leaf", (type(None), bool), lambda walk, value, depth: value),
    ("inner", (enum.Enum,), lambda walk, value, depth: walk.read(value.value, depth)),
    ("leaf", (int,), _integer),
    ("leaf", (float,), _float),
    ("leaf", (bytes, bytearray, memoryview), _bytes),
    ("leaf", (datetime.datetime,), _spelled(datetime.datetime.isoformat)),
    ("leaf", (datetime.date,), _spelled(datetime.date.isoformat)),
    ("leaf", (datetime.time,), _spelled(datetime.time.isoformat)),
    *_unbound(str, datetime.timedelta, decimal.Decimal, uuid.UUID, pathlib.PurePath),
    *_unbound(ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network),
    ("inner", (UserString,), lambda walk, value, depth: walk.read(value.data, depth)),
    ("inner", (PrivateData,), lambda walk, value, depth: walk.object(value.descriptor().items(), depth)),
    ("leaf", (RawMessage, ToolCall, type, BaseException), _named),
    ("inner", (BaseModel,), _model),
    ("inner", (Mapping, UserDict), lambda walk, value, depth: walk.object(value.items(), depth)),
    ("inner", (types.SimpleNamespace,), lambda walk, value, depth: walk.object(vars(value).items(), depth)),
    ("inner", (list, tuple, deque, UserList), lambda walk, value, depth: walk.array(value, depth)),
    ("inner", (set, frozenset), _set),
)
"""How each type is read; the first row that fits counts. Dataclasses and named tuples have no common base."""


@lru_cache(maxsize=1024)
def _reader_for(kind: Hashable) -> tuple[str, Reader]:
    if not isinstance(kind, type):
        return "leaf", _named
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        fields: tuple[str, ...] = kind._fields
        return "inner", lambda walk, value, depth: walk.object(zip(fields, value, strict=False), depth)
    if dataclasses.is_dataclass(kind):
        return "inner", _dataclass
    return next(((how, reader) for how, kinds, reader in _READERS if issubclass(kind, kinds)), ("leaf", _named))
