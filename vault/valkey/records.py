"""The records of sessions in the Valkey engine; see ``valkeytables`` for the names."""

from __future__ import annotations

from typing import Final

from sealgate.models.errors import TamperDetected

from ..encoding import AUTHENTICATION
from ..rows import RecordRow
from .buffer import Buffer

_NUMBER_BYTES: Final = 8


class ValkeyRecords:
    """``RecordTable``."""

    __slots__ = ("_buffer",)

    def __init__(self, buffer: Buffer) -> None:
        self._buffer = buffer

    def append(self, row: RecordRow) -> None:
        """Adds one."""
        place = f"{row.sid}:{row.kind}"
        self._buffer.put(f"kinds:{row.sid}", row.kind, b"1")
        if row.keyref:
            self._add(f"k:{place}", f"ko:{place}", row.keyref, row.seq, _number(row.seq) + row.ct)
        else:
            self._add(f"r:{place}", f"ro:{place}", _number(row.seq), row.seq, row.ct)

    def _add(self, rows: str, order: str, field: bytes, seq: int, data: bytes) -> None:
        if self._buffer.get(rows, field) is not None:
            raise TamperDetected(AUTHENTICATION)
        self._buffer.put(rows, field, data)
        self._buffer.score(order, field, seq)

    def after(self, sid: int, kind: str, seq: int, limit: int) -> list[RecordRow]:
        """Appended records with a higher sequence."""
        found = [member for member, _ in self._buffer.scored(f"ro:{sid}:{kind}", seq + 1, limit=limit)]
        self._buffer.fetch([(f"r:{sid}:{kind}", found)])
        return [row for member in found if (row := self._appended(sid, kind, member)) is not None]

    def last(self, sid: int, kind: str) -> RecordRow | None:
        """The last appended record."""
        member = self._buffer.last(f"ro:{sid}:{kind}")
        return None if member is None else self._appended(sid, kind, member)

    def keyed(self, sid: int, kind: str, keyref: bytes) -> RecordRow | None:
        """The record of that key."""
        data = self._buffer.get(f"k:{sid}:{kind}", keyref)
        if data is None:
            return None
        seq = int.from_bytes(data[:_NUMBER_BYTES], "big")
        return RecordRow(0, sid, kind, seq, keyref, data[_NUMBER_BYTES:])

    def keys(self, sid: int, kind: str) -> list[tuple[bytes, int]]:
        """``(keyref, seq)`` of every keyed record."""
        return self._buffer.scored(f"ko:{sid}:{kind}", 0)

    def delete_keyed(self, sid: int, kind: str, keyref: bytes) -> None:
        """Deletes the record of that key."""
        self._buffer.put(f"k:{sid}:{kind}", keyref, None)
        self._buffer.score(f"ko:{sid}:{kind}", keyref, None)

    def delete_before(self, sid: int, kind: str, seq: int) -> None:
        """Deletes appended records with a lower sequence."""
        for member, _ in self._buffer.scored(f"ro:{sid}:{kind}", 0, seq - 1):
            self._buffer.put(f"r:{sid}:{kind}", member, None)
            self._buffer.score(f"ro:{sid}:{kind}", member, None)

    def _appended(self, sid: int, kind: str, member: bytes) -> RecordRow | None:
        data = self._buffer.get(f"r:{sid}:{kind}", member)
        return None if data is None else RecordRow(0, sid, kind, int.from_bytes(member, "big"), b"", data)


def _number(seq: int) -> bytes:
    return seq.to_bytes(_NUMBER_BYTES, "big")
