"""The storage engines as somebody sees them who goes around the vault: raw rows, copies of everything, what lies where.

A test that takes the fixture ``engine`` runs on each of them. Rows are changed as thoroughly as an attacker would: an
index of Valkey follows the row, as those of the SQL engines do by themselves.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Generic, TypeVar

import psycopg
import valkey

from sealgate.models.grants import Restore
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue, SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault, VaultSession
from sealgate.vault.rows import AuditRow, EntryRow, RecordRow, SessionRow
from sealgate.vault.valkey.rows import ENTRY, SESSION, listed, numbers, pack, unpack

KEY = bytes(range(32))
_ID_BITS = 24

Image = TypeVar("Image")


class FakeTime:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def now(self) -> float:
        return self.seconds


def request(value: str | int, entity_type: str = "CUSTOM", origin: str = "person", **options: Any) -> SealRequest:
    return SealRequest(secret_of(value), entity_type, origin, **options)


def fill(session: VaultSession, values: Sequence[str]) -> list[Placeholder]:
    return session.seal([request(value) for value in values])


def texts(session: VaultSession, placeholders: Sequence[Placeholder]) -> list[str]:
    opened = session.open(placeholders, Restore())
    return [opened[one].text() for one in placeholders if one in opened]


def texts_of(values: Sequence[LiveValue]) -> list[str]:
    return [live.value.text() for live in values]


_PRELUDE = """
import json, os, random, select, signal, sqlite3, sys, threading, time
from vault_engines import KEY, fill, request, texts, texts_of
from sealgate.models.errors import *
from sealgate.models.grants import Inject, Restore
from sealgate.vault import Vault

PLACE = sys.argv[1]

def fork(action):
    child = os.fork()
    if child:
        return child
    try:
        action()
        os._exit(0)
    except BaseException as error:
        os.write(2, repr(error).encode())
        os._exit(1)

def wait(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def scenario(script: str, place: str, *arguments: str) -> dict[str, Any]:
    """The JSON that a script prints in a process of its own: the test's may hold threads and must not be forked.

    The script ends without tidying up: what it left open may call back into Python when there is none any more.
    """
    ending = "\nsys.stdout.flush()\nos._exit(0)\n"
    command = [sys.executable, "-c", _PRELUDE + script + ending, place, *arguments]
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False, env=environment)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    report: dict[str, Any] = json.loads(done.stdout)
    return report


class Engine(ABC, Generic[Image]):
    """One empty store; ``place`` is what ``Vault.open`` is given. Vaults that it opens are closed with it."""

    name: str

    def __init__(self, place: str) -> None:
        self.place = place
        self._opened: list[Vault] = []

    def open(self, key: Any = KEY, **options: Any) -> Vault:
        self._opened.append(Vault.open(self.place, key, **options))
        return self._opened[-1]

    def close(self) -> None:
        while self._opened:
            self._opened.pop().close()

    def entry(self, placeholder: Placeholder, sid: int | None = None) -> EntryRow:
        [row] = [
            one
            for one in self.entries()
            if (one.code, one.suffix) == (placeholder.code, placeholder.form) and sid in (None, one.sid)
        ]
        return row

    @abstractmethod
    def entries(self) -> list[EntryRow]: ...

    @abstractmethod
    def sessions(self) -> list[SessionRow]: ...

    @abstractmethod
    def records(self) -> list[RecordRow]: ...

    @abstractmethod
    def audit(self) -> list[AuditRow]: ...

    @abstractmethod
    def change_entry(self, row: EntryRow, **columns: Any) -> None: ...

    @abstractmethod
    def add_entry(self, row: EntryRow) -> None:
        """Adds a row with the ``id`` that it names."""

    @abstractmethod
    def drop_entry(self, row: EntryRow) -> None: ...

    @abstractmethod
    def free_id(self, sid: int) -> int: ...

    @abstractmethod
    def change_session(self, row: SessionRow, **columns: Any) -> None: ...

    @abstractmethod
    def change_audit(self, row: AuditRow, **columns: Any) -> None: ...

    @abstractmethod
    def drop_audit(self, first: int, last: int) -> None: ...

    @abstractmethod
    def image(self) -> Image:
        """A copy of everything, made while nobody writes; two of the same state are equal."""

    @abstractmethod
    def put_back(self, image: Image) -> None:
        """The store as it was. Vaults that are open on a file must be closed."""

    @abstractmethod
    def stored(self) -> bytes:
        """All bytes that the vault has stored here, names included."""


class SqlEngine(Engine[Image]):
    """What the two engines with SQL have in common."""

    @abstractmethod
    def run(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]: ...

    def entries(self) -> list[EntryRow]:
        return [EntryRow._make(row) for row in self.run(f"SELECT {', '.join(EntryRow._fields)} FROM entry ORDER BY id")]

    def sessions(self) -> list[SessionRow]:
        query = f"SELECT {', '.join(SessionRow._fields)} FROM session ORDER BY sid"
        return [SessionRow._make(row) for row in self.run(query)]

    def records(self) -> list[RecordRow]:
        query = f"SELECT {', '.join(RecordRow._fields)} FROM record ORDER BY id"
        return [RecordRow._make(row) for row in self.run(query)]

    def audit(self) -> list[AuditRow]:
        return [AuditRow._make(row) for row in self.run("SELECT seq, body, link FROM audit ORDER BY seq")]

    def change_entry(self, row: EntryRow, **columns: Any) -> None:
        self._change("entry", columns, row.id)

    def add_entry(self, row: EntryRow) -> None:
        marks = ", ".join("?" * len(row))
        self.run(f"INSERT INTO entry({', '.join(EntryRow._fields)}) VALUES ({marks})", *row)

    def drop_entry(self, row: EntryRow) -> None:
        self.run("DELETE FROM entry WHERE id = ?", row.id)

    def free_id(self, sid: int) -> int:
        return 1 + max((row.id for row in self.entries()), default=0) + 1000

    def change_session(self, row: SessionRow, **columns: Any) -> None:
        self._change("session", columns, row.sid)

    def change_audit(self, row: AuditRow, **columns: Any) -> None:
        self._change("audit", columns, row.seq)

    def drop_audit(self, first: int, last: int) -> None:
        self.run("DELETE FROM audit WHERE seq BETWEEN ? AND ?", first, last)

    def _change(self, table: str, columns: dict[str, Any], key: int) -> None:
        key_name = {"entry": "id", "session": "sid", "audit": "seq"}[table]
        changes = ", ".join(f"{name} = ?" for name in columns)
        self.run(f"UPDATE {table} SET {changes} WHERE {key_name} = ?", *columns.values(), key)


class SqliteEngine(SqlEngine[dict[str, bytes]]):
    """A file. An image holds its files, the lock file and SQLite's shared index of the log left out."""

    name = "sqlite"

    def run(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.place, isolation_level=None, timeout=30)) as connection:
            return connection.execute(statement, parameters).fetchall()

    def files(self) -> list[Path]:
        path = Path(self.place)
        return sorted(one for one in path.parent.iterdir() if one.name.startswith(path.name))

    def image(self) -> dict[str, bytes]:
        return {str(one): one.read_bytes() for one in self.files() if not one.name.endswith(("-lock", "-shm"))}

    def put_back(self, image: dict[str, bytes]) -> None:
        for one in self.files():
            one.unlink()
        for name, data in image.items():
            Path(name).write_bytes(data)

    def stored(self) -> bytes:
        return b"".join(one.read_bytes() for one in self.files())


_TABLES = ("meta", "kek", "tenant_role", "session", "entry", "record", "audit")
_SEQUENCES = ("session_sid", "entry_id", "record_id")


class PostgresEngine(SqlEngine[dict[str, list[tuple[Any, ...]]]]):
    """A schema of its own."""

    name = "postgres"

    def run(self, statement: str, *parameters: object, user: str = "owner") -> list[tuple[Any, ...]]:
        plain, _, schema = self.place.replace("owner@", f"{user}@").partition("&schema=")
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute(f"SET search_path = {schema}".encode())
            cursor = connection.execute(statement.replace("?", "%s").encode(), parameters)
            return cursor.fetchall() if cursor.description else []

    def image(self) -> dict[str, list[tuple[Any, ...]]]:
        rows = {table: sorted(self.run(f"SELECT * FROM {table}")) for table in _TABLES}
        return rows | {name: self.run(f"SELECT last_value FROM {name}") for name in _SEQUENCES}

    def put_back(self, image: dict[str, list[tuple[Any, ...]]]) -> None:
        for table in _TABLES:
            self.run(f"DELETE FROM {table}")
            for row in image[table]:
                self.run(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", *row)
        for name in _SEQUENCES:
            self.run("SELECT setval(?::regclass, ?)", name, *image[name][0])

    def stored(self) -> bytes:
        cells = [cell for table in _TABLES for row in self.run(f"SELECT * FROM {table}") for cell in row]
        return b"\n".join(cell if isinstance(cell, bytes) else str(cell).encode() for cell in cells)


class ValkeyEngine(Engine[dict[bytes, bytes]]):
    """A prefix of its own; ``client`` reads and writes behind the vault's back."""

    name = "valkey"

    def __init__(self, place: str) -> None:
        super().__init__(place)
        address, _, prefix = place.partition("?prefix=")
        self.prefix = f"{{{prefix}}}:"
        self.client: Any = valkey.Valkey.from_url(address)

    def close(self) -> None:
        super().close()
        self.client.close()

    def entries(self) -> list[EntryRow]:
        found = [data for key in self._keys("e:*") for data in self.client.hvals(key)]
        return sorted((EntryRow._make(unpack(ENTRY, data)) for data in found), key=lambda row: row.id)

    def sessions(self) -> list[SessionRow]:
        rows = [SessionRow._make(unpack(SESSION, data)) for data in self.client.hvals(self._name("s"))]
        return sorted(rows, key=lambda row: row.sid)

    def records(self) -> list[RecordRow]:
        found = []
        for letter in ("r", "k"):
            for key in self._keys(f"{letter}:*"):
                _, sid, kind = key.decode().removeprefix(self.prefix).split(":", 2)
                for field, data in self.client.hgetall(key).items():
                    keyed = letter == "k"
                    seq = int.from_bytes(data[:8] if keyed else field, "big")
                    row = RecordRow(0, int(sid), kind, seq, field if keyed else b"", data[8:] if keyed else data)
                    found.append(row)
        return found

    def audit(self) -> list[AuditRow]:
        rows = self.client.hgetall(self._name("a")).items()
        return sorted(AuditRow(int(seq), data[1 + data[0] :], data[1 : 1 + data[0]]) for seq, data in rows)

    def change_entry(self, row: EntryRow, **columns: Any) -> None:
        self.drop_entry(row)
        changed = row._replace(**columns)
        field = row.id if changed.sid == row.sid else self.free_id(changed.sid)  # The number says the session here.
        self._add(changed if changed.sid == row.sid else changed._replace(id=field), field)

    def add_entry(self, row: EntryRow) -> None:
        self._add(row, row.id)

    def drop_entry(self, row: EntryRow) -> None:
        self.client.hdel(self._name(f"e:{row.sid}"), row.id)
        self.client.zrem(self._name(f"eo:{row.sid}"), row.id)
        self.client.zrem(self._name("ee"), row.id)
        self._list(row, row.id, added=False)

    def free_id(self, sid: int) -> int:
        return (sid << _ID_BITS) + 1000 + len(self.entries())

    def change_session(self, row: SessionRow, **columns: Any) -> None:
        changed = row._replace(**columns)
        self.client.hset(self._name("s"), changed.sref, pack(changed))
        if changed.sref != row.sref:
            self.client.hdel(self._name("s"), row.sref)
            self.client.hset(self._name("sid"), changed.sid, changed.sref)

    def change_audit(self, row: AuditRow, **columns: Any) -> None:
        changed = row._replace(**columns)
        self.client.hset(self._name("a"), row.seq, bytes([len(changed.link)]) + changed.link + changed.body)

    def drop_audit(self, first: int, last: int) -> None:
        self.client.hdel(self._name("a"), *range(first, last + 1))
        if last >= int(self.client.hget(self._name("n"), "audit")):
            self.client.hset(self._name("n"), "audit", first - 1)

    def image(self) -> dict[bytes, bytes]:
        return {key: self.client.dump(key) for key in sorted(self._keys("*"))}

    def put_back(self, image: dict[bytes, bytes]) -> None:
        for key in self._keys("*"):
            self.client.delete(key)
        for key, data in image.items():
            self.client.restore(key, 0, data)

    def stored(self) -> bytes:
        parts = []
        for key in self._keys("*"):
            parts.append(key)
            kind = self.client.type(key)
            if kind == b"hash":
                parts += [part for pair in self.client.hgetall(key).items() for part in pair]
            elif kind == b"zset":
                parts += self.client.zrange(key, 0, -1)
            elif kind == b"list":
                parts += self.client.lrange(key, 0, -1)
            else:
                parts.append(self.client.get(key))
        return b"\n".join(parts)

    def _add(self, row: EntryRow, field: int) -> None:
        self.client.hset(self._name(f"e:{row.sid}"), field, pack(row))
        self.client.zadd(self._name(f"eo:{row.sid}"), {field: field})
        if row.expires:
            self.client.zadd(self._name("ee"), {field: row.expires})
        self._list(row, field, added=True)

    def _list(self, row: EntryRow, row_id: int, *, added: bool) -> None:
        """The lists of ids under the row's identity and code, with or without this one."""
        for name, key in ((f"ei:{row.sid}", row.identity), (f"ec:{row.sid}", row.code.encode())):
            ids = [one for one in numbers(self.client.hget(self._name(name), key)) if one != row_id]
            data = listed([*ids, row_id] if added else ids)
            if data is None:
                self.client.hdel(self._name(name), key)
            else:
                self.client.hset(self._name(name), key, data)

    def _keys(self, pattern: str) -> list[bytes]:
        return list(self.client.scan_iter(f"{self.prefix}{pattern}"))

    def _name(self, name: str) -> str:
        return self.prefix + name
