"""The tables of the SQLite engine: one statement a method."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

from sealgate.models.errors import AuditUnavailable

from ..rows import LIVE, LOOKED, SHREDDED, AuditRow, EntryRow, KekRow, RecordRow, SessionRow, looked

_FIXED: Final = SessionRow._fields.index("kek_id")
"""The columns before this one never change, and naming one in an update would have SQLite write its index anew."""

_SESSION: Final = ", ".join(SessionRow._fields)
_ENTRY: Final = ", ".join(EntryRow._fields)
_RECORD: Final = ", ".join(RecordRow._fields)


def _insert(table: str, fields: Sequence[str]) -> str:
    columns = ", ".join(fields[1:])
    return f"INSERT INTO {table}({columns}) VALUES ({', '.join('?' * (len(fields) - 1))})"  # noqa: S608


_INSERT_SESSION: Final = _insert("session", SessionRow._fields)
_INSERT_ENTRY: Final = _insert("entry", EntryRow._fields)
_INSERT_RECORD: Final = _insert("record", RecordRow._fields)
_UPDATE_SESSION: Final = (
    f"UPDATE session SET {', '.join(f'{name} = ?' for name in SessionRow._fields[_FIXED:])} WHERE sid = ?"  # noqa: S608
)
_SESSION_BY_REF: Final = f"SELECT {_SESSION} FROM session WHERE sref = ?"  # noqa: S608
_LOOK: Final = f"SELECT {LOOKED} FROM session s LEFT JOIN entry e ON e.sid = s.sid AND e.code = ? WHERE s.sref = ?"  # noqa: S608
_SESSION_PAGE: Final = f"SELECT {_SESSION} FROM session WHERE sid > ? AND state = 0 ORDER BY sid LIMIT ?"  # noqa: S608
_ENTRY_BY_MARK: Final = (
    f"SELECT {_ENTRY} FROM entry WHERE sid = ? AND code = ?"  # noqa: S608
    f" UNION ALL SELECT {_ENTRY} FROM entry WHERE sid = ? AND identity = ? AND indirect = 1 AND code <> ?"
)
_ENTRY_BY_CODE: Final = f"SELECT {_ENTRY} FROM entry WHERE sid = ? AND code = ?"  # noqa: S608
_ENTRY_ALL: Final = f"SELECT {_ENTRY} FROM entry WHERE sid = ? ORDER BY id"  # noqa: S608
_ENTRY_AFTER: Final = f"SELECT {_ENTRY} FROM entry WHERE +sid = ? AND id > ? ORDER BY id"  # noqa: S608
"""The plus keeps SQLite from walking all of the session's rows by its index: the new ones are at the table's end."""

_RECORD_AFTER: Final = (
    f"SELECT {_RECORD} FROM record WHERE sid = ? AND kind = ? AND seq > ? AND keyref = x'' ORDER BY seq LIMIT ?"  # noqa: S608
)
_RECORD_LAST: Final = (
    f"SELECT {_RECORD} FROM record WHERE sid = ? AND kind = ? AND keyref = x'' ORDER BY seq DESC LIMIT 1"  # noqa: S608
)
_RECORD_KEYED: Final = f"SELECT {_RECORD} FROM record WHERE sid = ? AND kind = ? AND keyref = ? AND keyref <> x''"  # noqa: S608


class _Table:
    """A table through one connection."""

    __slots__ = ("_many", "_run")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection.execute
        self._many = connection.executemany


class SqliteMeta(_Table):
    """``MetaTable``."""

    def get(self, name: str) -> bytes | None:
        """The stored bytes, or ``None``."""
        row = self._run("SELECT data FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def put(self, name: str, data: bytes) -> None:
        """Stores or replaces them."""
        self._run("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET data = excluded.data", (name, data))

    def keks(self) -> list[KekRow]:
        """All key-encryption keys, oldest first."""
        return [KekRow(*row) for row in self._run("SELECT kek_id, created, wrapped FROM kek ORDER BY created, kek_id")]

    def add_kek(self, row: KekRow) -> None:
        """Adds one."""
        self._run("INSERT INTO kek VALUES (?, ?, ?)", row)

    def drop_kek(self, kek_id: bytes) -> None:
        """Removes one."""
        self._run("DELETE FROM kek WHERE kek_id = ?", (kek_id,))


class SqliteSessions(_Table):
    """``SessionTable``."""

    def by_ref(self, sref: bytes) -> SessionRow | None:
        """The session, or ``None``."""
        row = self._run(_SESSION_BY_REF, (sref,)).fetchone()
        return None if row is None else SessionRow._make(row)

    def insert(self, row: SessionRow) -> int:
        """Adds one; returns its ``sid``."""
        return int(self._run(_INSERT_SESSION, row[1:]).lastrowid or 0)

    def update(self, row: SessionRow) -> None:
        """Replaces all columns but the references."""
        self._run(_UPDATE_SESSION, (*row[_FIXED:], row.sid))

    def rewrap(self, changes: Sequence[tuple[bytes, bytes, int]]) -> None:
        """Replaces ``(kek_id, wrapped)`` of each ``sid``."""
        self._many("UPDATE session SET kek_id = ?, wrapped = ? WHERE sid = ?", changes)

    def page(self, after: int, limit: int) -> list[SessionRow]:
        """Live sessions with a higher ``sid``."""
        return [SessionRow._make(row) for row in self._run(_SESSION_PAGE, (after, limit))]

    def on_kek(self, kek_id: bytes) -> int:
        """Live sessions under this key."""
        found = self._run("SELECT count(*) FROM session WHERE state = ? AND kek_id = ?", (LIVE, kek_id)).fetchone()
        return int(found[0])

    def expired(self, now: int, limit: int) -> list[int]:
        """The ``sid`` of live sessions whose lifetime ended."""
        found = self._run(
            "SELECT sid FROM session WHERE state = 0 AND expires > 0 AND expires <= ?"
            " UNION SELECT sid FROM session WHERE state = 0 AND idle > 0 AND touched <= ? - idle LIMIT ?",
            (now, now, limit),
        )
        return [int(row[0]) for row in found]

    def bury(self, sid: int) -> None:
        """Leaves a tombstone."""
        self._run("DELETE FROM entry WHERE sid = ?", (sid,))
        self._run("DELETE FROM record WHERE sid = ?", (sid,))
        self._run(
            "UPDATE session SET wrapped = NULL, salt = x'', commitment = x'', subject = x'', spent = x'', heads = x'',"
            " mac = x'', gen = gen + 1, state = ? WHERE sid = ?",
            (SHREDDED, sid),
        )


class SqliteEntries(_Table):
    """``EntryTable``."""

    def gather(self, sid: int, identities: Iterable[bytes], codes: Iterable[str]) -> None:
        """Nothing: no network is between."""

    def by_mark(self, sid: int, identity: bytes, code: str) -> list[EntryRow]:
        """All forms of one value, and what else has its code."""
        return [EntryRow._make(row) for row in self._run(_ENTRY_BY_MARK, (sid, code, sid, identity, code))]

    def by_code(self, sid: int, code: str) -> list[EntryRow]:
        """All forms under one code."""
        return [EntryRow._make(row) for row in self._run(_ENTRY_BY_CODE, (sid, code))]

    def after(self, sid: int, entry_id: int) -> list[EntryRow]:
        """All forms with a higher ``id``."""
        found = self._run(_ENTRY_AFTER, (sid, entry_id)) if entry_id else self._run(_ENTRY_ALL, (sid,))
        return [EntryRow._make(row) for row in found]

    def drop_expired(self, now: int, limit: int) -> int:
        """Deletes entries whose time has come."""
        return self._run(
            "DELETE FROM entry WHERE id IN (SELECT id FROM entry WHERE expires > 0 AND expires <= ? LIMIT ?)",
            (now, limit),
        ).rowcount

    def count(self, sid: int) -> int:
        """How many forms."""
        return int(self._run("SELECT count(*) FROM entry WHERE sid = ?", (sid,)).fetchone()[0])

    def insert(self, row: EntryRow) -> int:
        """Adds one; returns its ``id``."""
        return int(self._run(_INSERT_ENTRY, row[1:]).lastrowid or 0)

    def replace(self, rows: Sequence[EntryRow]) -> None:
        """Replaces the changeable columns."""
        changes = [(row.dek_ver, row.expires, row.ct, row.id) for row in rows]
        self._many("UPDATE entry SET dek_ver = ?, expires = ?, ct = ? WHERE id = ?", changes)

    def delete(self, ids: Sequence[int]) -> None:
        """Deletes rows."""
        self._many("DELETE FROM entry WHERE id = ?", [(row_id,) for row_id in ids])


class SqliteRecords(_Table):
    """``RecordTable``."""

    def append(self, row: RecordRow) -> None:
        """Adds one."""
        self._run(_INSERT_RECORD, row[1:])

    def after(self, sid: int, kind: str, seq: int, limit: int) -> list[RecordRow]:
        """Appended records with a higher sequence."""
        return [RecordRow._make(row) for row in self._run(_RECORD_AFTER, (sid, kind, seq, limit))]

    def last(self, sid: int, kind: str) -> RecordRow | None:
        """The last appended record."""
        row = self._run(_RECORD_LAST, (sid, kind)).fetchone()
        return None if row is None else RecordRow._make(row)

    def keyed(self, sid: int, kind: str, keyref: bytes) -> RecordRow | None:
        """The record of that key."""
        row = self._run(_RECORD_KEYED, (sid, kind, keyref)).fetchone()
        return None if row is None else RecordRow._make(row)

    def keys(self, sid: int, kind: str) -> list[tuple[bytes, int]]:
        """``(keyref, seq)`` of every keyed record."""
        return self._run(
            "SELECT keyref, seq FROM record WHERE sid = ? AND kind = ? AND keyref <> x'' ORDER BY seq", (sid, kind)
        ).fetchall()

    def delete_keyed(self, sid: int, kind: str, keyref: bytes) -> None:
        """Deletes the record of that key."""
        self._run("DELETE FROM record WHERE sid = ? AND kind = ? AND keyref = ? AND keyref <> x''", (sid, kind, keyref))

    def delete_before(self, sid: int, kind: str, seq: int) -> None:
        """Deletes appended records with a lower sequence."""
        self._run("DELETE FROM record WHERE sid = ? AND kind = ? AND seq < ? AND keyref = x''", (sid, kind, seq))


class SqliteAudit(_Table):
    """``AuditTable``."""

    def tail(self) -> AuditRow | None:
        """The last row."""
        row = self._run("SELECT seq, body, link FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
        return None if row is None else AuditRow._make(row)

    def append(self, row: AuditRow) -> None:
        """Adds one, or raises ``AuditUnavailable``, but for a store without room."""
        try:
            self._run("INSERT INTO audit VALUES (?, ?, ?)", row)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
                raise
            raise AuditUnavailable("the audit row could not be written, so nothing was done") from None

    def after(self, seq: int, limit: int) -> list[AuditRow]:
        """Rows with a higher number."""
        found = self._run("SELECT seq, body, link FROM audit WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit))
        return [AuditRow._make(row) for row in found]


class SqliteTransaction:
    """``Transaction``: the tables through one connection."""

    __slots__ = ("_run", "audit", "entries", "meta", "records", "sessions")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection.execute
        self.meta = SqliteMeta(connection)
        self.sessions = SqliteSessions(connection)
        self.entries = SqliteEntries(connection)
        self.records = SqliteRecords(connection)
        self.audit = SqliteAudit(connection)

    def look(self, sref: bytes, code: str) -> tuple[SessionRow | None, list[EntryRow]]:
        """A session and its forms under one code."""
        return looked(self._run(_LOOK, (code, sref)).fetchall())

    def is_whole(self) -> bool:
        """Whether SQLite finds every row in every index, and every page in order; reads the whole file."""
        return bool(self._run("PRAGMA integrity_check(1)").fetchone() == ("ok",))
