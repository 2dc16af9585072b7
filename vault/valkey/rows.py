"""Rows as bytes, for engines that keep bytes under names: the fields in order, each behind its length."""

from __future__ import annotations

from typing import Any, Final

from sealgate.models.errors import TamperDetected

from ..encoding import AUTHENTICATION, bytes_text, lp
from ..rows import EntryRow, RecordRow, SessionRow

_LENGTH_BYTES: Final = 4

SESSION: Final = "ibbb?bbbiiiiiiibbb"
"""Types of the fields of ``SessionRow``: ``i`` an integer, ``b`` bytes, ``t`` text, ``?`` bytes or, if empty, none."""

ENTRY: Final = "iibbttibiib"
RECORD: Final = "iitibb"


def pack(row: SessionRow | EntryRow | RecordRow) -> bytes:
    """The row as bytes."""
    return lp(*(b"" if field is None else field for field in row))


def unpack(types: str, data: bytes) -> list[Any]:
    """The fields of a packed row. Raises ``TamperDetected`` for bytes that no row has."""
    fields: list[Any] = []
    at = 0
    for kind in types:
        start = at + _LENGTH_BYTES
        at = start + int.from_bytes(data[at:start], "big")
        field = data[start:at]
        if len(data) < at or (kind == "i" and at - start != 8):
            raise TamperDetected(AUTHENTICATION)
        fields.append(_value(kind, field))
    if at != len(data):
        raise TamperDetected(AUTHENTICATION)
    return fields


def _value(kind: str, field: bytes) -> Any:
    if kind == "i":
        return int.from_bytes(field, "big", signed=True)
    if kind == "t":
        return bytes_text(field)
    return None if kind == "?" and not field else field


def numbers(data: bytes | None) -> list[int]:
    """The numbers of a list that ``listed`` made."""
    packed = data or b""
    return [int.from_bytes(packed[at : at + 8], "big") for at in range(0, len(packed), 8)]


def listed(values: list[int]) -> bytes | None:
    """Numbers as bytes, 8 each; ``None`` for none, which is how a field goes away."""
    return b"".join(value.to_bytes(8, "big") for value in values) or None
