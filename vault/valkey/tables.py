"""The tables of the Valkey engine, as hashes and sorted sets.

======================= ===================================================================================
``meta``, ``kek``       hashes by name and key id
``s``, ``sid``          hashes: the session's row by its reference, the reference by ``sid``
``live``, ``exp``,      sorted sets of ``sid``: those that can be used, by the end of their absolute and idle
``idle``                lifetime (Unix milliseconds)
``e:``, ``ei:``, ``ec:``  hashes of a session (``sid`` follows): rows by ``id``, ids by identity and by code
``eo:``, ``ee``         sorted sets: the ids of a session in order; ids of all sessions by the end of their lifetime
``r:``, ``ro:``         records of a session and kind: a hash by sequence, a sorted set of sequences
``k:``, ``ko:``         keyed records likewise: a hash by key, a sorted set of keys by sequence
``kinds:``              a hash of the kinds of records that a session has
``a``, ``n``            hashes: the audit chain by number; the last numbers given out
======================= ===================================================================================

The ``id`` of an entry says its session: ``sid`` times 2^24, plus a number that grows within the session. Scores are
doubles, exact up to 2^53, which 2^29 sessions do not reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from sealgate.models.errors import TamperDetected

from ..encoding import AUTHENTICATION
from ..rows import LIVE, SHREDDED, AuditRow, EntryRow, KekRow, SessionRow
from .buffer import Buffer
from .records import ValkeyRecords
from .rows import ENTRY, SESSION, listed, numbers, pack, unpack

_NUMBER_BYTES = 8
_PAGE = 1_000
_ID_BITS = 24


class _Table:
    """A table through one transaction."""

    __slots__ = ("_buffer",)

    def __init__(self, buffer: Buffer) -> None:
        self._buffer = buffer

    def _next(self, counter: str) -> int:
        number = _integer(self._buffer.get("n", counter)) + 1
        self._buffer.put("n", counter, str(number).encode())
        return number


class ValkeyMeta(_Table):
    """``MetaTable``."""

    def get(self, name: str) -> bytes | None:
        """The stored bytes, or ``None``."""
        return self._buffer.get("meta", name)

    def put(self, name: str, data: bytes) -> None:
        """Stores or replaces them."""
        self._buffer.put("meta", name, data)

    def keks(self) -> list[KekRow]:
        """All key-encryption keys, oldest first."""
        rows = [
            KekRow(kek_id, int.from_bytes(data[:_NUMBER_BYTES], "big"), data[_NUMBER_BYTES:])
            for kek_id, data in self._buffer.all("kek").items()
        ]
        return sorted(rows, key=lambda row: (row.created, row.kek_id))

    def add_kek(self, row: KekRow) -> None:
        """Adds one."""
        self._buffer.put("kek", row.kek_id, row.created.to_bytes(_NUMBER_BYTES, "big") + row.wrapped)

    def drop_kek(self, kek_id: bytes) -> None:
        """Removes one."""
        self._buffer.put("kek", kek_id, None)


class ValkeySessions(_Table):
    """``SessionTable``."""

    def by_ref(self, sref: bytes) -> SessionRow | None:
        """The session, or ``None``."""
        return session_of(self._buffer.get("s", sref))

    def insert(self, row: SessionRow) -> int:
        """Adds one; returns its ``sid``."""
        if self._buffer.get("s", row.sref) is not None:
            raise TamperDetected(AUTHENTICATION)
        sid = self._next("sid")
        self._buffer.put("sid", sid, row.sref)
        self._write(row._replace(sid=sid))
        return sid

    def update(self, row: SessionRow) -> None:
        """Replaces all columns."""
        self._write(row)

    def rewrap(self, changes: Sequence[tuple[bytes, bytes, int]]) -> None:
        """Replaces ``(kek_id, wrapped)`` of each ``sid``."""
        rows = {row.sid: row for row in self._rows([sid for _kek, _wrapped, sid in changes])}
        for kek_id, wrapped, sid in changes:
            self._write(rows[sid]._replace(kek_id=kek_id, wrapped=wrapped))

    def page(self, after: int, limit: int) -> list[SessionRow]:
        """Live sessions with a higher ``sid``."""
        return self._rows([sid for _member, sid in self._buffer.scored("live", after + 1, limit=limit)])

    def on_kek(self, kek_id: bytes) -> int:
        """Live sessions under this key."""
        found = after = 0
        while rows := self.page(after, _PAGE):
            found += sum(row.kek_id == kek_id for row in rows)
            after = rows[-1].sid
        return found

    def expired(self, now: int, limit: int) -> list[int]:
        """The ``sid`` of live sessions whose lifetime ended."""
        ended = [self._buffer.scored(name, 1, now, limit) for name in ("exp", "idle")]
        return sorted({_integer(member) for one in ended for member, _ in one})[:limit]

    def bury(self, sid: int) -> None:
        """Leaves a tombstone."""
        for row in self._rows([sid]):
            empty = row._replace(wrapped=None, salt=b"", commitment=b"", subject=b"", spent=b"", heads=b"", mac=b"")
            self._write(empty._replace(gen=row.gen + 1, state=SHREDDED))
        for member, _ in self._buffer.scored(f"eo:{sid}", 0):
            self._buffer.score("ee", member, None)
        for kind in self._buffer.all(f"kinds:{sid}"):
            for name in ("r", "ro", "k", "ko"):
                self._buffer.drop(f"{name}:{sid}:{kind.decode()}")
        for name in ("e", "ei", "ec", "eo", "kinds"):
            self._buffer.drop(f"{name}:{sid}")

    def _rows(self, sids: list[int]) -> list[SessionRow]:
        self._buffer.fetch([("sid", sids)])
        references = [sref for sid in sids if (sref := self._buffer.get("sid", sid)) is not None]
        self._buffer.fetch([("s", references)])
        return [row for sref in references if (row := self.by_ref(sref)) is not None]

    def _write(self, row: SessionRow) -> None:
        live = row.state == LIVE
        self._buffer.put("s", row.sref, pack(row))
        self._buffer.score("live", row.sid, row.sid if live else None)
        self._buffer.score("exp", row.sid, row.expires if live and row.expires else None)
        self._buffer.score("idle", row.sid, row.touched + row.idle if live and row.idle else None)


class ValkeyEntries(_Table):
    """``EntryTable``."""

    def gather(self, sid: int, identities: Iterable[bytes], codes: Iterable[str]) -> None:
        """Fetches all of these in two round trips."""
        wanted, named = list(identities), list(codes)
        self._buffer.fetch([(f"ei:{sid}", wanted), (f"ec:{sid}", named), ("n", [f"id:{sid}"])])
        lists = [self._buffer.get(f"ei:{sid}", one) for one in wanted] + [
            self._buffer.get(f"ec:{sid}", one) for one in named
        ]
        self._buffer.fetch([(f"e:{sid}", [row_id for one in lists for row_id in numbers(one)])])

    def by_mark(self, sid: int, identity: bytes, code: str) -> list[EntryRow]:
        """All forms of one value, and what else has its code."""
        lists = self._buffer.get(f"ei:{sid}", identity), self._buffer.get(f"ec:{sid}", code)
        return self._rows(sid, list(dict.fromkeys(row_id for one in lists for row_id in numbers(one))))

    def by_code(self, sid: int, code: str) -> list[EntryRow]:
        """All forms under one code."""
        return self._rows(sid, numbers(self._buffer.get(f"ec:{sid}", code)))

    def after(self, sid: int, entry_id: int) -> list[EntryRow]:
        """All forms with a higher ``id``."""
        if not entry_id:
            rows = [EntryRow._make(unpack(ENTRY, data)) for data in self._buffer.all(f"e:{sid}").values()]
            return sorted(rows, key=lambda row: row.id)
        return self._rows(sid, [row_id for _member, row_id in self._buffer.scored(f"eo:{sid}", entry_id + 1)])

    def drop_expired(self, now: int, limit: int) -> int:
        """Deletes entries whose time has come."""
        ids = [_integer(member) for member, _ in self._buffer.scored("ee", 1, now, limit)]
        self.delete(ids)
        return len(ids)

    def count(self, sid: int) -> int:
        """How many forms."""
        return self._buffer.count(f"e:{sid}")

    def insert(self, row: EntryRow) -> int:
        """Adds one; returns its ``id``."""
        taken = [one.form for one in self._rows(row.sid, numbers(self._buffer.get(f"ei:{row.sid}", row.identity)))]
        if row.form in taken or row.suffix in [one.suffix for one in self.by_code(row.sid, row.code)]:
            raise TamperDetected(AUTHENTICATION)
        stored = row._replace(id=(row.sid << _ID_BITS) + self._next(f"id:{row.sid}"))
        self._write(stored)
        self._change_lists(stored, lambda ids: [*ids, stored.id])
        self._buffer.score(f"eo:{row.sid}", stored.id, stored.id)
        return stored.id

    def replace(self, rows: Sequence[EntryRow]) -> None:
        """Replaces the changeable columns."""
        for row in rows:
            for stored in self._rows(row.sid, [row.id]):
                self._write(stored._replace(dek_ver=row.dek_ver, expires=row.expires, ct=row.ct))

    def delete(self, ids: Sequence[int]) -> None:
        """Deletes rows."""
        for row_id in ids:
            sid = row_id >> _ID_BITS
            for row in self._rows(sid, [row_id]):
                self._change_lists(row, partial(_without, row_id))
            self._buffer.put(f"e:{sid}", row_id, None)
            self._buffer.score(f"eo:{sid}", row_id, None)
            self._buffer.score("ee", row_id, None)

    def _write(self, row: EntryRow) -> None:
        self._buffer.put(f"e:{row.sid}", row.id, pack(row))
        self._buffer.score("ee", row.id, row.expires or None)

    def _change_lists(self, row: EntryRow, change: Callable[[list[int]], list[int]]) -> None:
        """Changes the lists of ids under the row's identity and code."""
        for name, field in ((f"ei:{row.sid}", row.identity), (f"ec:{row.sid}", row.code.encode())):
            self._buffer.put(name, field, listed(change(numbers(self._buffer.get(name, field)))))

    def _rows(self, sid: int, ids: list[int]) -> list[EntryRow]:
        self._buffer.fetch([(f"e:{sid}", ids)])
        found = [self._buffer.get(f"e:{sid}", row_id) for row_id in ids]
        return [EntryRow._make(unpack(ENTRY, data)) for data in found if data is not None]


class ValkeyAudit(_Table):
    """``AuditTable``."""

    def tail(self) -> AuditRow | None:
        """The last row."""
        last = _integer(self._buffer.get("n", "audit"))
        return self._row(last) if last else None

    def append(self, row: AuditRow) -> None:
        """Adds one."""
        self._buffer.put("a", row.seq, len(row.link).to_bytes(1, "big") + row.link + row.body)
        self._buffer.put("n", "audit", str(row.seq).encode())

    def after(self, seq: int, limit: int) -> list[AuditRow]:
        """Rows with a higher number."""
        last = min(_integer(self._buffer.get("n", "audit")), seq + limit)
        self._buffer.fetch([("a", range(seq + 1, last + 1))])
        return [row for number in range(seq + 1, last + 1) if (row := self._row(number)) is not None]

    def _row(self, seq: int) -> AuditRow | None:
        data = self._buffer.get("a", seq)
        if data is None:
            return None
        end = 1 + data[0]
        return AuditRow(seq, data[end:], data[1:end])


def _integer(stored: bytes | None) -> int:
    """A stored number, 0 for none. Raises ``TamperDetected`` for anything else."""
    if stored is not None and not stored.isdigit():
        raise TamperDetected(AUTHENTICATION)
    return int(stored or 0)


def _without(row_id: int, ids: list[int]) -> list[int]:
    return [one for one in ids if one != row_id]


def session_of(data: bytes | None) -> SessionRow | None:
    """The row of a session as stored, or ``None``."""
    return None if data is None else SessionRow._make(unpack(SESSION, data))


class ValkeyTransaction:
    """``Transaction``: the tables through one buffer."""

    __slots__ = ("audit", "entries", "meta", "records", "sessions")

    def __init__(self, buffer: Buffer) -> None:
        self.meta = ValkeyMeta(buffer)
        self.sessions = ValkeySessions(buffer)
        self.entries = ValkeyEntries(buffer)
        self.records = ValkeyRecords(buffer)
        self.audit = ValkeyAudit(buffer)
