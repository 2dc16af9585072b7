"""All rows of a vault on Valkey, out and in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..rows import LIVE, AuditRow, EntryRow, KekRow, RecordRow, SessionRow
from ..sqlite.portable import SCHEMA_TABLES, Rows
from .link import Channel
from .tables import ValkeyTransaction, session_of

_CHUNK: Final = 500


def stored_rows(channel: Channel, prefix: str, transaction: ValkeyTransaction, table: str) -> Iterable[tuple[Any, ...]]:
    """The rows of a table. Those of entries and records are numbered anew where SQLite does so itself."""
    if table == "meta":
        answer = channel.pairs(f"{prefix}meta")
        return [(name.decode(), data) for name, data in answer.items()]
    if table == "kek":
        return transaction.meta.keks()
    sessions = [row for data in channel.pairs(f"{prefix}s").values() if (row := session_of(data)) is not None]
    if table == "session":
        return sessions
    if table == "audit":
        return _audit(transaction)
    live = [row.sid for row in sessions if row.state == LIVE]
    if table == "entry":
        return (row for sid in live for row in transaction.entries.after(sid, 0))
    return (_numbered(row) for sid in live for row in _records(channel, prefix, transaction, sid))


def load_rows(transaction: ValkeyTransaction, rows: Rows) -> None:
    """Adds all rows to a store that holds nothing; sessions and entries get new numbers."""
    for name, data in rows("meta", SCHEMA_TABLES["meta"]):
        transaction.meta.put(name, data)
    for row in rows("kek", SCHEMA_TABLES["kek"]):
        transaction.meta.add_kek(KekRow._make(row))
    numbers = {
        row[0]: transaction.sessions.insert(SessionRow._make(row)) for row in rows("session", SessionRow._fields)
    }
    for row in sorted(rows("entry", EntryRow._fields)):
        transaction.entries.insert(EntryRow._make(row)._replace(sid=numbers[row[1]]))
    for row in rows("record", RecordRow._fields):
        transaction.records.append(RecordRow._make(row)._replace(sid=numbers[row[1]]))
    for row in rows("audit", AuditRow._fields):
        transaction.audit.append(AuditRow._make(row))


def _audit(transaction: ValkeyTransaction) -> Iterator[AuditRow]:
    last = 0
    while found := transaction.audit.after(last, _CHUNK):
        yield from found
        last = found[-1].seq


def _records(channel: Channel, prefix: str, transaction: ValkeyTransaction, sid: int) -> Iterator[RecordRow]:
    table = transaction.records
    for kind in (name.decode() for name in channel.pairs(f"{prefix}kinds:{sid}")):
        last = 0
        while found := table.after(sid, kind, last, _CHUNK):
            yield from found
            last = found[-1].seq
        for keyref, _ in table.keys(sid, kind):
            row = table.keyed(sid, kind, keyref)
            if row is not None:
                yield row


def _numbered(row: RecordRow) -> tuple[Any, ...]:
    return (None, *row[1:])
