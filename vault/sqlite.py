"""The SQLite engine: one file, or one private database in memory. For local file systems."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, NoReturn
from urllib.parse import quote

from sealgate.models.errors import StoreFull, StoreUnavailable, TamperDetected, VaultError

from . import schema
from .encoding import AUTHENTICATION
from .lockfile import DEADLINE, LockFile
from .rows import SessionRow
from .sqlitetables import SqliteTransaction

MEMORY: Final = ":memory:"

_PRAGMAS: Final = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA foreign_keys = ON",
    "PRAGMA busy_timeout = 30000",
    "PRAGMA cache_size = -32000",
    "PRAGMA mmap_size = 0",
    "PRAGMA wal_autocheckpoint = 0",
    "PRAGMA synchronous = FULL",
)
_POOL: Final = 8
"""Idle reading connections that are kept."""

_CHECKPOINT_BYTES: Final = 16 * 1024 * 1024
"""Size of the write-ahead log above which it is written back: 4,000 pages."""

_CHECKPOINT_EVERY: Final = 64
"""Commits between two looks at the log's size."""

_abandoned: list[sqlite3.Connection] = []
"""Connections of a parent process: a child may neither use nor close them."""


class SqliteStore:
    """``Store`` on SQLite. May be used from many threads, and goes on in a forked child with connections of its own."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._pid = os.getpid()
        self._closed = False
        self._lock_file = LockFile(f"{path}-lock")
        self._writer: _Connection | None = None
        self._fresh()
        if path == MEMORY:
            with self._translated():
                self._writer = self._connect()
                schema.create(self._writer.connection)

    def _fresh(self) -> None:
        self._turn = threading.Lock()
        self._idle: list[_Connection] = []
        self._writer = None
        self._durable = True
        self._commits = 0

    def session(self, sref: bytes) -> SessionRow | None:
        """One session's row."""
        self._check_process()
        if self._path == MEMORY:
            with self.write() as transaction:
                return transaction.sessions.by_ref(sref)
        reader = self._borrow()
        try:
            row = reader.transaction.sessions.by_ref(sref)
        except sqlite3.Error as error:
            reader.connection.close()
            raise translate(error) from None
        self._give_back(reader)
        return row

    @contextmanager
    def read(self) -> Iterator[SqliteTransaction]:
        """A consistent view."""
        self._check_process()
        if self._path == MEMORY:
            with self.write() as transaction:
                yield transaction
            return
        reader = self._borrow()
        try:
            reader.connection.execute("BEGIN")
            yield reader.transaction
            reader.connection.execute("COMMIT")
        except sqlite3.Error as error:
            reader.connection.close()
            raise translate(error) from None
        except BaseException:
            self._roll_back(reader)
            raise
        self._give_back(reader)

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[SqliteTransaction]:
        """The one writer."""
        self._check_process()
        with self._exclusive(), self._translated():
            writer = self._writer = self._writer or self._connect()
            self._set_durable(writer.connection, durable)
            writer.connection.execute("BEGIN IMMEDIATE")
            try:
                yield writer.transaction
                writer.connection.execute("COMMIT")
            except BaseException as error:
                self._undo(writer, error)
                raise
            self._checkpoint_if_due(writer.connection)

    @contextmanager
    def snapshot(self) -> Iterator[BinaryIO]:
        """A copy of the database (``VACUUM INTO``), deleted afterwards."""
        self._check_process()
        with tempfile.TemporaryDirectory(prefix=".sealgate-", dir=self._beside()) as directory:
            copy = os.path.join(directory, "copy.db")
            with self._exclusive(), self._translated():
                writer = self._writer = self._writer or self._connect()
                writer.connection.execute("VACUUM INTO ?", (copy,))
            with open(copy, "rb") as file:
                yield file

    def _beside(self) -> str | None:
        return None if self._path == MEMORY else os.path.dirname(os.path.abspath(self._path))

    def purge(self) -> bool:
        """Writes the log back and truncates it; ``False`` while a reader holds it."""
        if self._path == MEMORY:
            return True
        self._check_process()
        with self._exclusive(), self._translated():
            writer = self._writer = self._writer or self._connect()
            return not writer.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]

    def close(self) -> None:
        """Closes all connections, under the lock because the last one checkpoints."""
        if self._closed or self._pid != os.getpid():
            return
        with self._exclusive():
            self._closed = True
            for one in (*self._idle, *((self._writer,) if self._writer else ())):
                one.connection.close()
            self._idle, self._writer = [], None
        self._lock_file.close()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=DEADLINE):
            raise StoreUnavailable("the vault stayed locked by another thread")
        try:
            if self._path == MEMORY:
                yield
            else:
                with self._lock_file.held():
                    yield
        finally:
            self._turn.release()

    def _check_process(self) -> None:
        if self._closed:
            raise StoreUnavailable("the vault is closed")
        if self._pid == os.getpid():
            return
        if self._path == MEMORY:
            raise StoreUnavailable("a vault in memory belongs to the process that opened it")
        _abandoned.extend(one.connection for one in (*self._idle, *((self._writer,) if self._writer else ())))
        self._lock_file.close()
        self._fresh()
        self._pid = os.getpid()

    def _connect(self) -> _Connection:
        target = MEMORY if self._path == MEMORY else f"file:{quote(os.path.abspath(self._path))}?mode=rw"
        connection = sqlite3.connect(target, uri=True, isolation_level=None, check_same_thread=False)
        try:
            for pragma in _PRAGMAS:
                connection.execute(pragma)
            if self._path != MEMORY:
                connection.execute("PRAGMA journal_mode = WAL")
                schema.check(connection)
        except BaseException:
            connection.close()
            raise
        return _Connection(connection)

    def _borrow(self) -> _Connection:
        try:
            return self._idle.pop()
        except IndexError:
            with self._translated():
                return self._connect()

    def _roll_back(self, reader: _Connection) -> None:
        try:
            reader.connection.execute("ROLLBACK")
        except sqlite3.Error:
            reader.connection.close()
        else:
            self._give_back(reader)

    def _give_back(self, reader: _Connection) -> None:
        if len(self._idle) < _POOL:
            self._idle.append(reader)
        else:
            reader.connection.close()

    def _set_durable(self, connection: sqlite3.Connection, durable: bool) -> None:
        if durable != self._durable:
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable

    def _undo(self, writer: _Connection, error: BaseException) -> None:
        """Rolls back only what SQLite has not rolled back itself; a connection that saw an I/O error is dropped."""
        failed = isinstance(error, sqlite3.Error)
        try:
            if writer.connection.in_transaction:
                writer.connection.execute("ROLLBACK")
        except sqlite3.Error:
            failed = True
        if failed and self._path != MEMORY:
            writer.connection.close()
            self._writer, self._durable = None, True

    def _checkpoint_if_due(self, connection: sqlite3.Connection) -> None:
        self._commits += 1
        if self._path != MEMORY and self._commits % _CHECKPOINT_EVERY == 0:
            try:
                if os.stat(f"{self._path}-wal").st_size > _CHECKPOINT_BYTES:
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except (OSError, sqlite3.Error):
                return  # The commit stands; the log is written back another time.

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise translate(error) from None

    def __reduce__(self) -> NoReturn:
        raise TypeError("a store cannot be pickled")


class _Connection:
    """A connection and the tables through it."""

    __slots__ = ("connection", "transaction")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.transaction = SqliteTransaction(connection)


def translate(error: sqlite3.Error) -> VaultError:
    """Our error for SQLite's, by its primary result code; SQLite's text is dropped."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if primary == sqlite3.SQLITE_FULL:
        return StoreFull("no room is left on the store; nothing was written")
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT):
        return TamperDetected(AUTHENTICATION)
    return StoreUnavailable("the store could not be read or written")
