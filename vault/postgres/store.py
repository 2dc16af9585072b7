"""The PostgreSQL engine (13 and later): many machines on one vault, for as long as one server lasts.

One writer at a time, by an advisory lock that ends with its transaction; readers see one moment. Statements travel in
pipelines, so that a prompt costs a few round trips however many values it has. The server sees ciphertext, HMACs and
codes. Dead rows, its log, its replicas and its backups keep what was deleted until the key that wraps it is destroyed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, BinaryIO, Final, NamedTuple, NoReturn

import psycopg
from psycopg import Connection, Cursor, Pipeline

from sealgate.models.errors import StoreUnavailable

from ..rows import EntryRow, SessionRow, looked
from ..sqlite.lockfile import DEADLINE
from ..sqlite.portable import portable_copy, portable_rows
from . import schema as postgresschema
from .copy import load_rows, stored_rows
from .link import Link, has_ended, translate
from .purge import remove_dead_rows
from .tables import AUDIT_TAIL, LOOK, SESSION_BY_REF, Counters, PostgresTransaction

_POOL: Final = 8
"""Idle connections that are kept."""

_LOCK_CLASS: Final = 0x5EA1
"""First key of the advisory lock; the second is a hash of the schema's name."""

_LOCK: Final = f"SELECT pg_advisory_xact_lock({_LOCK_CLASS}, hashtext(current_schema()))".encode()
_COUNTERS: Final = b"SELECT pg_current_xact_id()::text, s.last_value, e.last_value FROM session_sid s, entry_id e"
_CONFINED: Final = b"SELECT EXISTS (SELECT 1 FROM tenant_role one WHERE one.role = current_user)"

_abandoned: list[object] = []
"""Connections of a parent process: a child may neither use nor close them."""


class _Open(NamedTuple):
    """A transaction under way; ``xid`` is empty for one that only reads."""

    connection: Connection[Any]
    pipeline: AbstractContextManager[Pipeline]
    counters: Counters
    before: tuple[int, int]
    xid: str
    tail: Cursor[Any] | None = None


class PostgresStore:
    """``Store`` on PostgreSQL. May be used from many threads, and goes on in a forked child with its own connections.

    ``url`` is ``postgresql://…``, as libpq reads it; a parameter ``schema`` names the schema (``sealgate`` by default).
    What libpq can take from a service or password file need not stand there. Raises ``StoreRefused`` for a server that
    would lose acknowledged writes (``fsync``, ``full_page_writes``) or log them, and for an unencrypted connection to
    another machine, unless the URL says ``sslmode=disable`` or ``allow_unsafe`` is true; ``StoreUnavailable``,
    ``VaultTooNew``, ``TamperDetected`` for a changed schema.
    """

    def __init__(self, url: str, *, allow_unsafe: bool = False) -> None:
        self._link = Link(url)
        del url  # It may hold a password.
        self._pid = os.getpid()
        self._closed = False
        self._turn = threading.Lock()
        self._idle: list[Connection[Any]] = []
        connection = self._link.connect()
        try:
            self._durable = self._link.probe(connection, allow_unsafe=allow_unsafe)
            self._prepare(connection)
        except psycopg.Error as error:
            connection.close()
            raise translate(error) from None
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)

    def session(self, sref: bytes) -> SessionRow | None:
        """One session's row, in one round trip."""
        rows = self._one(SESSION_BY_REF, sref)
        return SessionRow._make(rows[0]) if rows else None

    def look(self, sref: bytes, code: str) -> tuple[SessionRow | None, list[EntryRow]]:
        """One session's row and its forms under one code, in one round trip."""
        return looked(self._one(LOOK, code, sref))

    def _one(self, query: bytes, *parameters: object) -> list[Any]:
        """What one statement reads; once more if a connection turns out to have gone while it was idle."""
        self._check_process()
        for last in (False, True):
            connection, reused = self._borrow()
            try:
                rows = connection.execute(query, parameters, binary=True).fetchall()
            except psycopg.Error as error:
                self._drop(connection)
                if last or not reused or not connection.broken:
                    raise translate(error) from None
            else:
                self._give_back(connection)
                return rows
        raise StoreUnavailable("the store could not be read or written")

    @contextmanager
    def read(self) -> Iterator[PostgresTransaction]:
        """A consistent view."""
        self._check_process()
        opened = self._begin([b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"], writes=False)
        with self._undone_on_error(opened):
            yield PostgresTransaction(opened.connection, opened.counters)
        self._roll_back(opened)  # What was read was read, whatever becomes of the connection now.

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[PostgresTransaction]:
        """The one writer. A commit whose answer was lost with the connection is looked up on the server."""
        self._check_process()
        if not self._turn.acquire(timeout=DEADLINE):
            raise StoreUnavailable("the vault stayed locked by another thread")
        try:
            level = self._durable if durable else "off"
            opened = self._begin([b"BEGIN", f"SET LOCAL synchronous_commit = {level}".encode(), _LOCK], writes=True)
            with self._undone_on_error(opened):
                yield PostgresTransaction(opened.connection, opened.counters, opened.tail)
            self._commit(opened)
        finally:
            self._turn.release()

    @contextmanager
    def snapshot(self) -> Iterator[BinaryIO]:
        """A copy of everything as a SQLite vault, deleted afterwards."""
        with self._outside() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            with portable_copy(lambda table, columns: stored_rows(connection, table, columns)) as file:
                yield file

    def load(self, path: str) -> None:
        """Fills a store that holds nothing with the rows of a portable copy, in one transaction."""
        self._check_process()
        opened = self._begin([b"BEGIN", _LOCK], writes=True)
        with self._undone_on_error(opened), portable_rows(path) as rows:
            load_rows(opened.connection, rows)
        self._commit(opened)

    def admit(self, role: str, tref: bytes) -> None:
        """Lets a role of the server use the sessions of one tenant (``Root.tref``), and no others."""
        with self._outside() as connection, connection.transaction():
            postgresschema.admit(connection, self._link.schema, role, tref)

    def is_confined(self) -> bool:
        """Whether this connection's role was admitted to one tenant's sessions."""
        return bool(self._one(_CONFINED)[0][0])

    def purge(self) -> bool:
        """Clears dead rows away; ``False`` while something holds them back: see ``postgrespurge`` for what is left."""
        with self._outside() as connection:
            return remove_dead_rows(connection)

    def close(self) -> None:
        """Closes all connections."""
        if not self._closed and self._pid == os.getpid():
            self._closed = True
            while self._idle:
                self._idle.pop().close()

    @contextmanager
    def _outside(self) -> Iterator[Connection[Any]]:
        """A connection without a pipeline. One that failed is closed."""
        self._check_process()
        connection, _ = self._borrow()
        try:
            yield connection
        except BaseException as error:
            self._drop(connection)
            if isinstance(error, psycopg.Error):
                raise translate(error) from None
            raise
        self._give_back(connection)

    def _prepare(self, connection: Connection[Any]) -> None:
        if not postgresschema.is_there(connection, self._link.schema):
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_LOCK_CLASS, self._link.schema))
                if not postgresschema.is_there(connection, self._link.schema):
                    postgresschema.create(connection, self._link.schema)
        postgresschema.check(connection, self._link.schema)

    def _begin(self, statements: list[bytes], *, writes: bool) -> _Open:
        """Starts a transaction, on a new connection if the one from the pool turns out to be dead."""
        for last in (False, True):
            connection, reused = self._borrow()
            pipeline = connection.pipeline()
            try:
                return _started(connection, pipeline, statements, writes=writes)
            except psycopg.Error as error:
                self._drop(connection)
                if last or not reused or not connection.closed:
                    raise translate(error) from None
        raise StoreUnavailable("the store could not be read or written")

    def _commit(self, opened: _Open) -> None:
        """Commits, or raises and has written nothing; ``StoreUnavailable`` also when the server cannot say which."""
        connection, counters = opened.connection, opened.counters
        try:
            _keep_counters(connection, counters, opened.before)
            ended = connection.execute(b"COMMIT", prepare=False)
            opened.pipeline.__exit__(None, None, None)
        except psycopg.Error as error:
            broken = connection.broken or connection.closed
            self._roll_back(opened)
            if broken and self._link.committed(opened.xid):
                return
            raise translate(error) from None
        if ended.statusmessage != "COMMIT":
            self._drop(connection)
            raise StoreUnavailable("the store could not be written")
        self._give_back(connection)

    @contextmanager
    def _undone_on_error(self, opened: _Open) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            self._roll_back(opened)
            raise translate(error) from None
        except BaseException:
            self._roll_back(opened)
            raise

    def _roll_back(self, opened: _Open) -> None:
        with suppress(psycopg.Error):
            opened.pipeline.__exit__(None, None, None)
        try:
            opened.connection.rollback()
        except psycopg.Error:
            self._drop(opened.connection)
        else:
            self._give_back(opened.connection)

    def _borrow(self) -> tuple[Connection[Any], bool]:
        """A connection, and whether it may have died since it was used last."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:
                break
            if not has_ended(connection):
                return connection, True
            connection.close()
        return self._link.connect(), False

    def _give_back(self, connection: Connection[Any]) -> None:
        if len(self._idle) < _POOL and not self._closed and not connection.closed:
            self._idle.append(connection)
        else:
            connection.close()

    def _drop(self, connection: Connection[Any]) -> None:
        """Closes a connection that failed, and the idle ones: what cut it has cut them too."""
        connection.close()
        while self._idle:
            self._idle.pop().close()

    def _check_process(self) -> None:
        if self._closed:
            raise StoreUnavailable("the vault is closed")
        if self._pid != os.getpid():
            _abandoned.extend((self._idle, self._turn))
            self._idle, self._turn, self._pid = [], threading.Lock(), os.getpid()

    def __repr__(self) -> str:
        return "PostgresStore(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a store cannot be pickled")


def _started(
    connection: Connection[Any], pipeline: AbstractContextManager[Pipeline], statements: list[bytes], *, writes: bool
) -> _Open:
    pipeline.__enter__()
    for statement in statements:
        connection.execute(statement)
    if not writes:
        return _Open(connection, pipeline, Counters(0, 0), (0, 0), "")
    counted, tail = connection.execute(_COUNTERS), connection.execute(AUDIT_TAIL, binary=True)
    xid, sid, entry_id = counted.fetchone() or ("", 0, 0)
    return _Open(connection, pipeline, Counters(sid, entry_id), (sid, entry_id), str(xid), tail)


def _keep_counters(connection: Connection[Any], counters: Counters, before: tuple[int, int]) -> None:
    for name, value, old in zip(
        ("session_sid", "entry_id"), (counters.session_sid, counters.entry_id), before, strict=True
    ):
        if value != old:
            connection.execute(b"SELECT setval(%s::regclass, %s)", (name, value))
