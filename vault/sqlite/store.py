"""The SQLite engine: one file, or one private database in memory. For local file systems."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import BinaryIO, Final, NoReturn, TypeVar
from urllib.parse import quote

from sealgate.models.errors import StoreFull, StoreUnavailable, TamperDetected

from ..rows import EntryRow, SessionRow
from . import schema
from .forking import PATIENCE, pauses_at_forks
from .lockfile import LockFile
from .tables import SqliteTransaction
from .writer import SqliteConnection, SqliteWriter, translate

Read = TypeVar("Read")

MEMORY: Final = ":memory:"

_PATIENCE: Final = 30_000
"""Milliseconds that a statement waits for a lock of another connection."""

_PURGE_PATIENCE: Final = 1_000
"""Likewise for a purge, which can be made again at any time."""

_PRAGMAS: Final = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA foreign_keys = ON",
    f"PRAGMA busy_timeout = {_PATIENCE}",
    "PRAGMA cache_size = -32000",
    "PRAGMA mmap_size = 0",
    "PRAGMA wal_autocheckpoint = 0",
    "PRAGMA synchronous = FULL",
)
_POOL: Final = 8
"""Idle reading connections that are kept."""

_PAUSE: Final = 0.001
"""Seconds between two looks whether the readers are back."""

_abandoned: list[object] = []
"""Connections and locks of a parent process: a child may neither use nor close them."""


class SqliteStore:
    """``Store`` on SQLite. May be used from many threads, and goes on in a forked child with connections of its own."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._pid = os.getpid()
        self._closed = False
        self._readers: set[SqliteConnection] = set()
        self._returned: list[SqliteConnection] = []
        self._idle = self._returned
        self._connecting = threading.Lock()
        self._stopped = (False, False)
        self._lock_file = None if path == MEMORY else LockFile(f"{path}-lock")
        self._writer = self._new_writer()
        if path == MEMORY:
            with self._writer.alone() as connection:
                schema.create(connection)
        else:
            pauses_at_forks(self)

    def session(self, sref: bytes) -> SessionRow | None:
        """One session's row."""
        return self._one(lambda transaction: transaction.sessions.by_ref(sref))

    def look(self, sref: bytes, code: str) -> tuple[SessionRow | None, list[EntryRow]]:
        """One session's row and its forms under one code, by one statement."""
        return self._one(lambda transaction: transaction.look(sref, code))

    def _one(self, statement: Callable[[SqliteTransaction], Read]) -> Read:
        """What one statement reads, which needs no transaction around it."""
        self._check_process()
        if self._path == MEMORY:
            with self.write() as transaction:
                return statement(transaction)
        reader = self._borrow()
        try:
            found = statement(reader.transaction)
        except BaseException as error:
            self._drop(reader)
            if isinstance(error, sqlite3.Error):
                raise translate(error) from None
            raise
        self._give_back(reader)
        return found

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
            self._drop(reader)
            raise translate(error) from None
        except BaseException:
            self._roll_back(reader)
            raise
        self._give_back(reader)

    def write(self, *, durable: bool = True) -> AbstractContextManager[SqliteTransaction]:
        """The one writer."""
        self._check_process()
        return self._writer.transaction(durable and self._path != MEMORY)

    @contextmanager
    def snapshot(self) -> Iterator[BinaryIO]:
        """A copy of the database (``VACUUM INTO``), deleted afterwards."""
        self._check_process()
        with tempfile.TemporaryDirectory(prefix=".sealgate-", dir=self._beside()) as directory:
            copy = os.path.join(directory, "copy.db")
            with self._writer.alone() as connection:
                connection.execute("VACUUM INTO ?", (copy,))
            with open(copy, "rb") as file:
                yield file

    def check_structure(self) -> None:
        """Compares every index with its table, in the file as it is now. Raises ``TamperDetected``."""
        if not self._one(lambda transaction: transaction.is_whole()):
            raise TamperDetected("the vault's tables and indexes do not agree")

    def purge(self) -> bool:
        """Writes the log back and truncates it; ``False`` when a reader holds it for longer than a second, or without
        room to write it back. Nobody can write meanwhile."""
        self._check_process()
        try:
            with self._writer.alone() as connection:
                connection.execute(f"PRAGMA busy_timeout = {_PURGE_PATIENCE}")
                try:
                    return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                finally:
                    connection.execute(f"PRAGMA busy_timeout = {_PATIENCE}")
        except StoreFull:
            return False

    def close(self) -> None:
        """Closes all connections, under the lock because the last one checkpoints."""
        if self._closed or self._pid != os.getpid():
            return
        self._closed = True
        self._writer.close(self._returned)
        self._empty()
        if self._lock_file is not None:
            self._lock_file.close()

    def pause(self) -> None:
        """Brings all threads out of SQLite, and keeps them out until ``resume``: see ``forking``."""
        deadline = time.monotonic() + PATIENCE
        self._stopped = (self._writer.pause(PATIENCE), self._connecting.acquire(timeout=PATIENCE))
        self._idle = []  # Whoever wants to read finds none, and has to wait until one may be made.
        while len(self._returned) < len(self._readers) and time.monotonic() < deadline:
            time.sleep(_PAUSE)

    def resume(self) -> None:
        """Lets them go on."""
        writer, connecting = self._stopped
        self._idle = self._returned
        if connecting:
            self._connecting.release()
        if writer:
            self._writer.resume()

    def _new_writer(self) -> SqliteWriter:
        log = None if self._path == MEMORY else f"{self._path}-wal"
        return SqliteWriter(self._connect, self._lock_file, log)

    def _empty(self) -> None:
        self._readers = set()
        self._idle = self._returned = []

    def _beside(self) -> str | None:
        return None if self._path == MEMORY else os.path.dirname(os.path.abspath(self._path))

    def _check_process(self) -> None:
        if self._closed:
            raise StoreUnavailable("the vault is closed")
        if self._pid == os.getpid():
            return
        if self._lock_file is None:
            raise StoreUnavailable("a vault in memory belongs to the process that opened it")
        _abandoned.extend((self._readers, self._writer))
        self._lock_file.close()
        self._empty()
        self._connecting, self._writer = threading.Lock(), self._new_writer()
        self._pid = os.getpid()

    def _connect(self) -> SqliteConnection:
        target = MEMORY if self._path == MEMORY else f"file:{quote(os.path.abspath(self._path))}?mode=rw"
        connection = sqlite3.connect(target, uri=True, isolation_level=None, check_same_thread=False)
        try:
            for pragma in _PRAGMAS:
                connection.execute(pragma)
            if self._path != MEMORY:
                # First, because the next line writes into the file, and it may be somebody else's.
                schema.check(connection)
                connection.execute("PRAGMA journal_mode = WAL")
        except BaseException:
            connection.close()
            raise
        return SqliteConnection(connection)

    def _borrow(self) -> SqliteConnection:
        try:
            return self._idle.pop()  # Mostly there is one.
        except IndexError:
            pass
        with self._connecting:
            with suppress(IndexError):  # After a fork.
                return self._idle.pop()
            try:
                made = self._connect()
            except sqlite3.Error as error:
                raise translate(error) from None
            self._readers.add(made)
        return made

    def _give_back(self, reader: SqliteConnection) -> None:
        if len(self._returned) < _POOL:
            self._returned.append(reader)
        else:
            self._drop(reader)

    def _drop(self, reader: SqliteConnection) -> None:
        reader.connection.close()
        self._readers.discard(reader)

    def _roll_back(self, reader: SqliteConnection) -> None:
        try:
            reader.connection.execute("ROLLBACK")
        except sqlite3.Error:
            self._drop(reader)
        else:
            self._give_back(reader)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a store cannot be pickled")
