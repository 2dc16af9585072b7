"""The tables of the PostgreSQL engine. Statements that give nothing back are sent with the next one that does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from psycopg import Connection, Cursor

from ..rows import LOOKED, SHREDDED, AuditRow, EntryRow, KekRow, RecordRow, SessionRow

_SESSION: Final = ", ".join(SessionRow._fields)
_ENTRY: Final = ", ".join(EntryRow._fields)
_RECORD: Final = ", ".join(RecordRow._fields)


def _marks(count: int) -> str:
    return ", ".join(["%s"] * count)


_INSERT_SESSION: Final = f"INSERT INTO session({_SESSION}) VALUES ({_marks(len(SessionRow._fields))})".encode()
_INSERT_ENTRY: Final = f"INSERT INTO entry({_ENTRY}) VALUES ({_marks(len(EntryRow._fields))})".encode()
_INSERT_RECORD: Final = f"INSERT INTO record(sid, kind, seq, keyref, ct) VALUES ({_marks(5)})".encode()
_UPDATE_SESSION: Final = (
    f"UPDATE session SET {', '.join(f'{name} = %s' for name in SessionRow._fields[1:])} WHERE sid = %s".encode()
)
SESSION_BY_REF: Final = f"SELECT {_SESSION} FROM session WHERE sref = %s".encode()
LOOK: Final = (
    f"SELECT {LOOKED} FROM session s LEFT JOIN entry e ON e.sid = s.sid AND e.code = %s WHERE s.sref = %s".encode()
)
AUDIT_TAIL: Final = b"SELECT seq, body, link FROM audit ORDER BY seq DESC LIMIT 1"
_SESSION_PAGE: Final = f"SELECT {_SESSION} FROM session WHERE sid > %s AND state = 0 ORDER BY sid LIMIT %s".encode()
_EXPIRED: Final = (
    b"SELECT sid FROM session WHERE state = 0 AND expires > 0 AND expires <= %s"
    b" UNION SELECT sid FROM session WHERE state = 0 AND idle > 0 AND touched + idle <= %s LIMIT %s"
)
_ENTRY_BY_CODE: Final = f"SELECT {_ENTRY} FROM entry WHERE sid = %s AND code = %s".encode()
_ENTRY_GATHERED: Final = (
    f"SELECT {_ENTRY} FROM entry WHERE sid = %s AND identity = ANY(%s::bytea[])"
    f" UNION SELECT {_ENTRY} FROM entry WHERE sid = %s AND code = ANY(%s::text[])".encode()
)
_ENTRY_AFTER: Final = f"SELECT {_ENTRY} FROM entry WHERE sid = %s AND id > %s ORDER BY id".encode()
_DROP_EXPIRED: Final = (
    b"DELETE FROM entry WHERE id IN"
    b" (SELECT id FROM entry WHERE expires > 0 AND expires <= %s LIMIT %s FOR UPDATE SKIP LOCKED)"
)
_RECORD_OF: Final = f"SELECT {_RECORD} FROM record WHERE sid = %s AND kind = %s".encode()
_TOMBSTONE: Final = (
    b"UPDATE session SET wrapped = NULL, salt = '', commitment = '', subject = '', spent = '', heads = '', mac = '',"
    b" gen = gen + 1, state = %s WHERE sid = %s"
)


class Counters:
    """The last ``sid`` and entry ``id`` given out, read under the writers' lock and written back before the commit."""

    __slots__ = ("entry_id", "session_sid")

    def __init__(self, session_sid: int, entry_id: int) -> None:
        self.session_sid = session_sid
        self.entry_id = entry_id


class _Table:
    """A table through one connection in pipeline mode."""

    __slots__ = ("_connection", "_counters")

    def __init__(self, connection: Connection[Any], counters: Counters) -> None:
        self._connection = connection
        self._counters = counters

    def _run(self, query: bytes, *parameters: object) -> Cursor[Any]:
        return self._connection.execute(query, parameters, binary=True)

    def _first(self, query: bytes, *parameters: object) -> Any:
        return self._run(query, *parameters).fetchone()


class PostgresMeta(_Table):
    """``MetaTable``."""

    def get(self, name: str) -> bytes | None:
        """The stored bytes, or ``None``."""
        row = self._first(b"SELECT data FROM meta WHERE name = %s", name)
        return None if row is None else bytes(row[0])

    def put(self, name: str, data: bytes) -> None:
        """Stores or replaces them."""
        self._run(b"INSERT INTO meta VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET data = excluded.data", name, data)

    def keks(self) -> list[KekRow]:
        """All key-encryption keys, oldest first."""
        return [KekRow._make(row) for row in self._run(b"SELECT kek_id, created, wrapped FROM kek ORDER BY 2, 1")]

    def add_kek(self, row: KekRow) -> None:
        """Adds one."""
        self._run(b"INSERT INTO kek VALUES (%s, %s, %s)", *row)

    def drop_kek(self, kek_id: bytes) -> None:
        """Removes one."""
        self._run(b"DELETE FROM kek WHERE kek_id = %s", kek_id)


class PostgresSessions(_Table):
    """``SessionTable``."""

    def by_ref(self, sref: bytes) -> SessionRow | None:
        """The session, or ``None``."""
        row = self._first(SESSION_BY_REF, sref)
        return None if row is None else SessionRow._make(row)

    def insert(self, row: SessionRow) -> int:
        """Adds one; returns its ``sid``."""
        self._counters.session_sid += 1
        self._run(_INSERT_SESSION, self._counters.session_sid, *row[1:])
        return self._counters.session_sid

    def update(self, row: SessionRow) -> None:
        """Replaces all columns."""
        self._run(_UPDATE_SESSION, *row[1:], row.sid)

    def rewrap(self, changes: Sequence[tuple[bytes, bytes, int]]) -> None:
        """Replaces ``(kek_id, wrapped)`` of each ``sid``."""
        for change in changes:
            self._run(b"UPDATE session SET kek_id = %s, wrapped = %s WHERE sid = %s", *change)

    def page(self, after: int, limit: int) -> list[SessionRow]:
        """Live sessions with a higher ``sid``."""
        return [SessionRow._make(row) for row in self._run(_SESSION_PAGE, after, limit)]

    def on_kek(self, kek_id: bytes) -> int:
        """Live sessions under this key."""
        return int(self._first(b"SELECT count(*) FROM session WHERE state = 0 AND kek_id = %s", kek_id)[0])

    def expired(self, now: int, limit: int) -> list[int]:
        """The ``sid`` of live sessions whose lifetime ended."""
        return [int(row[0]) for row in self._run(_EXPIRED, now, now, limit)]

    def bury(self, sid: int) -> None:
        """Leaves a tombstone."""
        self._run(b"DELETE FROM entry WHERE sid = %s", sid)
        self._run(b"DELETE FROM record WHERE sid = %s", sid)
        self._run(_TOMBSTONE, SHREDDED, sid)


class PostgresEntries(_Table):
    """``EntryTable``. What was gathered is answered from memory as long as the transaction changes no entry of it."""

    __slots__ = ("_by_code", "_by_identity")

    def __init__(self, connection: Connection[Any], counters: Counters) -> None:
        super().__init__(connection, counters)
        self._by_identity: dict[tuple[int, bytes], list[EntryRow]] = {}
        self._by_code: dict[tuple[int, str], list[EntryRow]] = {}

    def gather(self, sid: int, identities: Iterable[bytes], codes: Iterable[str]) -> None:
        """Fetches all of these in one round trip."""
        wanted, named = list(identities), list(codes)
        if not wanted and not named:
            return
        found = [EntryRow._make(row) for row in self._run(_ENTRY_GATHERED, sid, wanted, sid, named)]
        self._by_identity = {(sid, one): [row for row in found if row.identity == one] for one in wanted}
        self._by_code = {(sid, one): [row for row in found if row.code == one] for one in named}

    def by_mark(self, sid: int, identity: bytes, code: str) -> list[EntryRow]:
        """All forms of one value, and what else has its code."""
        known, named = self._by_identity.get((sid, identity)), self._by_code.get((sid, code))
        if known is not None and named is not None:
            return [*known, *(row for row in named if row.identity != identity)]
        return [EntryRow._make(row) for row in self._run(_ENTRY_GATHERED, sid, [identity], sid, [code])]

    def by_code(self, sid: int, code: str) -> list[EntryRow]:
        """All forms under one code."""
        known = self._by_code.get((sid, code))
        if known is not None:
            return list(known)
        return [EntryRow._make(row) for row in self._run(_ENTRY_BY_CODE, sid, code)]

    def after(self, sid: int, entry_id: int) -> list[EntryRow]:
        """All forms with a higher ``id``."""
        return [EntryRow._make(row) for row in self._run(_ENTRY_AFTER, sid, entry_id)]

    def drop_expired(self, now: int, limit: int) -> int:
        """Deletes entries whose time has come."""
        self._lose()
        return len(self._run(_DROP_EXPIRED + b" RETURNING id", now, limit).fetchall())

    def count(self, sid: int) -> int:
        """How many forms."""
        return int(self._first(b"SELECT count(*) FROM entry WHERE sid = %s", sid)[0])

    def insert(self, row: EntryRow) -> int:
        """Adds one; returns its ``id``."""
        self._counters.entry_id += 1
        stored = row._replace(id=self._counters.entry_id)
        self._run(_INSERT_ENTRY, *stored)
        for known in (self._by_identity.get((row.sid, row.identity)), self._by_code.get((row.sid, row.code))):
            if known is not None:
                known.append(stored)
        return stored.id

    def replace(self, rows: Sequence[EntryRow]) -> None:
        """Replaces the changeable columns."""
        self._lose()
        for row in rows:
            change = (row.dek_ver, row.expires, row.ct, row.id)
            self._run(b"UPDATE entry SET dek_ver = %s, expires = %s, ct = %s WHERE id = %s", *change)

    def delete(self, ids: Sequence[int]) -> None:
        """Deletes rows."""
        self._lose()
        if ids:
            self._run(b"DELETE FROM entry WHERE id = ANY(%s::bigint[])", list(ids))

    def _lose(self) -> None:
        self._by_identity, self._by_code = {}, {}


class PostgresRecords(_Table):
    """``RecordTable``."""

    def append(self, row: RecordRow) -> None:
        """Adds one."""
        self._run(_INSERT_RECORD, *row[1:])

    def after(self, sid: int, kind: str, seq: int, limit: int) -> list[RecordRow]:
        """Appended records with a higher sequence."""
        query = _RECORD_OF + b" AND seq > %s AND keyref = '' ORDER BY seq LIMIT %s"
        return [RecordRow._make(row) for row in self._run(query, sid, kind, seq, limit)]

    def last(self, sid: int, kind: str) -> RecordRow | None:
        """The last appended record."""
        row = self._first(_RECORD_OF + b" AND keyref = '' ORDER BY seq DESC LIMIT 1", sid, kind)
        return None if row is None else RecordRow._make(row)

    def keyed(self, sid: int, kind: str, keyref: bytes) -> RecordRow | None:
        """The record of that key."""
        row = self._first(_RECORD_OF + b" AND keyref = %s AND keyref <> ''", sid, kind, keyref)
        return None if row is None else RecordRow._make(row)

    def keys(self, sid: int, kind: str) -> list[tuple[bytes, int]]:
        """``(keyref, seq)`` of every keyed record."""
        query = b"SELECT keyref, seq FROM record WHERE sid = %s AND kind = %s AND keyref <> '' ORDER BY seq"
        return self._run(query, sid, kind).fetchall()

    def delete_keyed(self, sid: int, kind: str, keyref: bytes) -> None:
        """Deletes the record of that key."""
        self._run(
            b"DELETE FROM record WHERE sid = %s AND kind = %s AND keyref = %s AND keyref <> ''", sid, kind, keyref
        )

    def delete_before(self, sid: int, kind: str, seq: int) -> None:
        """Deletes appended records with a lower sequence."""
        self._run(b"DELETE FROM record WHERE sid = %s AND kind = %s AND seq < %s AND keyref = ''", sid, kind, seq)


class PostgresAudit(_Table):
    """``AuditTable``. A row that cannot be written fails its transaction.

    ``tail`` is a cursor of ``AUDIT_TAIL``, sent with what began the transaction: a writer nearly always needs it.
    """

    __slots__ = ("_last", "_sent")

    def __init__(self, connection: Connection[Any], counters: Counters, tail: Cursor[Any] | None) -> None:
        super().__init__(connection, counters)
        self._sent = tail
        self._last: AuditRow | None = None

    def tail(self) -> AuditRow | None:
        """The last row."""
        if self._last is None:
            row = self._first(AUDIT_TAIL) if self._sent is None else self._sent.fetchone()
            self._sent = None
            self._last = None if row is None else AuditRow._make(row)
        return self._last

    def append(self, row: AuditRow) -> None:
        """Adds one."""
        self._run(b"INSERT INTO audit VALUES (%s, %s, %s)", *row)
        self._last = row

    def after(self, seq: int, limit: int) -> list[AuditRow]:
        """Rows with a higher number."""
        found = self._run(b"SELECT seq, body, link FROM audit WHERE seq > %s ORDER BY seq LIMIT %s", seq, limit)
        return [AuditRow._make(row) for row in found]


class PostgresTransaction:
    """``Transaction``: the tables through one connection."""

    __slots__ = ("audit", "entries", "meta", "records", "sessions")

    def __init__(self, connection: Connection[Any], counters: Counters, tail: Cursor[Any] | None = None) -> None:
        self.meta = PostgresMeta(connection, counters)
        self.sessions = PostgresSessions(connection, counters)
        self.entries = PostgresEntries(connection, counters)
        self.records = PostgresRecords(connection, counters)
        self.audit = PostgresAudit(connection, counters, tail)
