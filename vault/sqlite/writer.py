"""The writing side of the SQLite engine: one connection, one writer at a time, and one commit for all who wait.

A durable commit costs a disk flush. A thread that finds others waiting leaves its transaction open for the next one;
the last of the group commits for all, and none of them returns before that.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from sealgate.models.errors import NotAVault, StoreFull, StoreUnavailable, TamperDetected, VaultError

from ..encoding import AUTHENTICATION
from .lockfile import DEADLINE, LockFile
from .tables import SqliteTransaction

_MAX_GROUP: Final = 32
_PATIENCE: Final = 0.05
"""Seconds after which a member of a group looks whether somebody still is there to commit it."""

_CHECKPOINT_BYTES: Final = 1024 * 1024
"""Size of the write-ahead log above which it is written back. A log that is used again from its start does not grow any
more, and a flush that changes no file size is cheaper."""

_CHECKPOINT_EVERY: Final = 64
"""Commits between two looks at the log's size."""


class SqliteConnection:
    """A connection and the tables through it."""

    __slots__ = ("connection", "transaction")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.transaction = SqliteTransaction(connection)


class _Group:
    """Transactions that are committed together. ``error`` is for all of them.

    ``left_open`` is there once a member has left before the commit, and set after it.
    """

    __slots__ = ("durable", "ended", "error", "left_open", "size")

    def __init__(self, durable: bool) -> None:
        self.durable = durable
        self.size = 0
        self.ended = False
        self.left_open: threading.Event | None = None
        self.error: VaultError | None = None


class SqliteWriter:
    """``lock_file`` and ``log`` (the path of the write-ahead log) are ``None`` for a database in memory."""

    def __init__(self, connect: Callable[[], SqliteConnection], lock_file: LockFile | None, log: str | None) -> None:
        self._connect = connect
        self._lock_file = lock_file
        self._log = log
        self._turn = threading.Lock()
        self._counting = threading.Lock()
        self._waiting = 0
        self._group: _Group | None = None
        self._durable = True
        self._commits = 0
        self.current: SqliteConnection | None = None

    @contextmanager
    def transaction(self, durable: bool) -> Iterator[SqliteTransaction]:
        """One transaction, alone or as a member of a group."""
        self._take_turn()
        try:
            group, writer = self._join(durable)
            nested = group.size > 0
            try:
                if nested:
                    writer.connection.execute("SAVEPOINT member")
                yield writer.transaction
                if nested:
                    writer.connection.execute("RELEASE member")
                group.size += 1
            except BaseException as error:
                self._undo(group, writer, nested, error)
                if isinstance(error, sqlite3.Error):
                    raise translate(error) from None
                raise
            finally:
                if self._group is group:
                    if self._waiting and group.size < _MAX_GROUP:
                        group.left_open = group.left_open or threading.Event()
                    else:
                        self._commit(group, writer)
        finally:
            self._turn.release()
        self._settle(group)

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """The connection outside any transaction, under both locks: for checkpoints and copies."""
        with self._both_locks():
            try:
                self.current = self.current or self._connect()
                yield self.current.connection
            except sqlite3.Error as error:
                raise translate(error) from None

    def pause(self, patience: float) -> bool:
        """Waits at most so many seconds until no transaction is open, and lets none begin. Whether it came to that."""
        if not self._turn.acquire(timeout=patience):
            return False
        if self._group is not None and self.current is not None:
            self._commit(self._group, self.current)
        return True

    def resume(self) -> None:
        """Lets transactions begin again."""
        self._turn.release()

    def close(self, others: Sequence[SqliteConnection]) -> None:
        """Closes the connection, if there is one, and others; under both locks, because the last one checkpoints."""
        with self._both_locks():
            for one in (*others, *((self.current,) if self.current else ())):
                one.connection.close()
            self.current = None

    @contextmanager
    def _both_locks(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=DEADLINE):
            raise StoreUnavailable("the vault stayed locked by another thread")
        try:
            if self._group is not None and self.current is not None:
                self._commit(self._group, self.current)
            self._lock()
            try:
                yield
            finally:
                self._unlock()
        finally:
            self._turn.release()

    def _take_turn(self) -> None:
        with self._counting:
            self._waiting += 1
        got = self._turn.acquire(timeout=DEADLINE)
        with self._counting:
            self._waiting -= 1
        if not got:
            raise StoreUnavailable("the vault stayed locked by another thread")

    def _join(self, durable: bool) -> tuple[_Group, SqliteConnection]:
        """The open group, if it is durable enough, else a new one with a new transaction."""
        if self._group is not None and self.current is not None:
            if self._group.durable or not durable:
                return self._group, self.current
            self._commit(self._group, self.current)
        self._lock()
        try:
            writer = self.current = self.current or self._connect()
            self._set_durable(writer.connection, durable)
            writer.connection.execute("BEGIN IMMEDIATE")
        except BaseException as error:
            self._unlock()
            if isinstance(error, sqlite3.Error):
                raise translate(error) from None
            raise
        self._group = _Group(durable)
        return self._group, writer

    def _commit(self, group: _Group, writer: SqliteConnection) -> None:
        try:
            writer.connection.execute("COMMIT")
            self._checkpoint_if_due(writer.connection)
        except sqlite3.Error as error:
            self._abort(group, writer, translate(error))
            return
        self._end(group)

    def _undo(self, group: _Group, writer: SqliteConnection, nested: bool, error: BaseException) -> None:
        """Takes one member back. An error of SQLite's own, or one after which nothing is left to take back, ends the
        group: SQLite has rolled back itself, or the connection can no longer be trusted.
        """
        if isinstance(error, sqlite3.Error):
            self._abort(group, writer, translate(error))
            return
        try:
            if nested and writer.connection.in_transaction:
                writer.connection.execute("ROLLBACK TO member")
                writer.connection.execute("RELEASE member")
                return
        except sqlite3.Error:
            nested = True
        self._abort(group, writer, StoreUnavailable("the store could not be written") if nested else None)

    def _abort(self, group: _Group, writer: SqliteConnection, error: VaultError | None) -> None:
        """Rolls back only what SQLite has not rolled back itself; a connection that saw an error is dropped."""
        try:
            if writer.connection.in_transaction:
                writer.connection.execute("ROLLBACK")
        except sqlite3.Error:
            error = error or StoreUnavailable("the store could not be written")
        if error is not None and self._log is not None:
            writer.connection.close()
            self.current, self._durable = None, True
        group.error = error
        self._end(group)

    def _end(self, group: _Group) -> None:
        self._group = None
        self._unlock()
        group.ended = True
        if group.left_open is not None:
            group.left_open.set()

    def _settle(self, group: _Group) -> None:
        """Waits for the group's commit, or makes it if whoever was to come gave up."""
        while not group.ended and group.left_open is not None and not group.left_open.wait(_PATIENCE):
            if self._turn.acquire(timeout=_PATIENCE):
                try:
                    if self._group is group and self.current is not None:
                        self._commit(group, self.current)
                finally:
                    self._turn.release()
        if group.error is not None:
            raise type(group.error)(*group.error.args)

    def _lock(self) -> None:
        if self._lock_file is not None:
            self._lock_file.acquire()

    def _unlock(self) -> None:
        if self._lock_file is not None:
            self._lock_file.release()

    def _set_durable(self, connection: sqlite3.Connection, durable: bool) -> None:
        if durable != self._durable:
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable

    def _checkpoint_if_due(self, connection: sqlite3.Connection) -> None:
        self._commits += 1
        if self._log is not None and self._commits % _CHECKPOINT_EVERY == 0:
            try:
                if os.stat(self._log).st_size > _CHECKPOINT_BYTES:
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except (OSError, sqlite3.Error):
                return  # The commit stands; the log is written back another time.


def translate(error: sqlite3.Error) -> VaultError:
    """Our error for SQLite's, by its primary result code; SQLite's text is dropped."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if primary == sqlite3.SQLITE_FULL:
        return StoreFull("no room is left on the store; nothing was written")
    if primary == sqlite3.SQLITE_NOTADB:
        return NotAVault("the file is no vault of sealgate")
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CONSTRAINT):
        return TamperDetected(AUTHENTICATION)
    return StoreUnavailable("the store could not be read or written")
