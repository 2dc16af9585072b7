"""What the conformance checks share: their error, and rows to store."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..rows import LIVE, EntryRow, RecordRow, SessionRow
from ..store import Store


class NotConforming(AssertionError):
    """An engine that does something else than ``store`` says. The message is a sentence without stored bytes."""


class Undone(Exception):
    """Raised inside a transaction to have it rolled back."""


def expect(holds: bool, sentence: str) -> None:
    """Nothing, or ``NotConforming``."""
    if not holds:
        raise NotConforming(sentence)


def expect_raises(kind: type[Exception], action: Callable[[], object], sentence: str) -> None:
    """Nothing, or ``NotConforming`` when the action raises no such error."""
    with suppress(kind):
        action()
        raise NotConforming(sentence)


def session_row(number: int, **changes: Any) -> SessionRow:
    """A session's row that differs from others in every column that may."""
    mark = number.to_bytes(2, "big")
    row = SessionRow(
        sid=0, sref=mark * 8, tref=b"\0\xff" * 8, kek_id=b"k" * 16, wrapped=b"w" + mark, salt=b"", commitment=b"\0",
        subject=b"", dek_ver=1, gen=number, state=LIVE, created=1, expires=0, idle=0, touched=5, spent=b"\x01{}",
        heads=b"\x01{}", mac=mark,
    )  # fmt: skip
    return row._replace(**changes)


def entry_row(sid: int, number: int, **changes: Any) -> EntryRow:
    """A form's row, likewise."""
    mark = number.to_bytes(2, "big")
    row = EntryRow(0, sid, mark * 6, mark * 4, f"{number:08d}", "", 0, mark * 4, 1, 0, b"\0ct" + mark)
    return row._replace(**changes)


def record_row(sid: int, kind: str, seq: int, keyref: bytes = b"") -> RecordRow:
    """A record's row."""
    return RecordRow(0, sid, kind, seq, keyref, b"ct" + seq.to_bytes(8, "big"))


def add_sessions(store: Store, *rows: SessionRow) -> list[int]:
    """Stores sessions and returns their ``sid``."""
    with store.write() as transaction:
        return [transaction.sessions.insert(row) for row in rows]
