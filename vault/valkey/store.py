"""The Valkey and Redis engine: a vault in a server's memory, for sessions that may end with that server.

One transaction at a time, under a lock that ends with the connection that took it, where the server shows its clients,
and by itself after 30 seconds; a commit whose lock was lost meanwhile is refused by the server. What survives a crash
is what the server's append-only file has: with ``appendfsync always`` everything acknowledged, with ``everysec``
everything too where the server can be asked to wait (``WAITAOF``: Valkey, Redis 7.2). Replication is asynchronous: a
failover may lose the last writes. A lost value is ``UnknownPlaceholder`` and heals when it is seen again; a lost
session key loses the session. Deleted data stays in the append-only file until ``purge`` has it rewritten.

This has been run on Valkey 9.1 with both, and on Redis 7.0, which has no ``WAITAOF``, with ``always``.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final, NoReturn

from sealgate.models.errors import NotAVault, StoreUnavailable, TamperDetected, VaultTooNew

from ..encoding import AUTHENTICATION
from ..rows import OLD_FORMAT, EntryRow, SessionRow
from ..sqlite.lockfile import DEADLINE
from ..sqlite.portable import portable_copy, portable_rows
from .buffer import Buffer
from .copy import load_rows, stored_rows
from .link import Channel, Link, client_name, has_client, locked_command
from .tables import ValkeyTransaction, session_of

VERSION: Final = b"2"
"""Stands in the hash ``n``."""

_LOCK_MS: Final = 30_000
_FIRST_PAUSE: Final = 0.0005
_LONGEST_PAUSE: Final = 0.01
_SUSPICIOUS: Final = 0.25
"""Seconds of waiting after which it is looked whether whoever holds the lock is still connected."""

_NAMED: Final = b"c"
"""How the token of a lock begins whose holder's connection is called by it."""

_COUNTERS: Final = (b"audit", b"sid")
_REMEMBERED: Final = 1_000
"""Commits whose tokens the server keeps, for clients that lost the answer."""


class ValkeyStore:
    """``Store`` on Valkey or Redis (6.2 and later). May be used from many threads, and goes on in a forked child.

    ``url`` is ``valkey://…`` or, with TLS, ``valkeys://…`` (``redis`` and ``rediss`` too), as the client reads it; a
    parameter ``prefix`` begins all names (``sealgate`` by default). Raises ``StoreRefused`` for a server that evicts
    keys, keeps no append-only file or syncs it too late, and for an unencrypted connection to another machine, unless
    ``allow_unsafe`` is true; ``StoreUnavailable``, ``VaultTooNew``, ``NotAVault`` for version 1.
    """

    def __init__(self, url: str, *, allow_unsafe: bool = False) -> None:
        self._link = Link(url)
        del url  # It may hold a password.
        self._pid = os.getpid()
        self._closed = False
        self._turn = threading.Lock()
        self._counted: list[bytes | None] = [None, None]
        try:
            with self._link.channel() as channel:
                self._link.probe(channel, allow_unsafe=allow_unsafe)
                version = channel.call(("HGET", f"{self._link.prefix}n", "version"))[0]
            if version == b"1":
                raise NotAVault(OLD_FORMAT)
            if version not in (None, VERSION):
                raise VaultTooNew("the vault was written by a newer version of sealgate")
        except BaseException:
            self._link.close()
            raise

    def session(self, sref: bytes) -> SessionRow | None:
        """One session's row, in one round trip."""
        self._check_process()
        with self._link.channel() as channel:
            return session_of(channel.call(("HGET", f"{self._link.prefix}s", sref))[0])

    def look(self, sref: bytes, code: str) -> tuple[SessionRow | None, list[EntryRow]]:
        """One session's row and its forms under one code."""
        with self.read() as transaction:
            row = transaction.sessions.by_ref(sref)
            return row, transaction.entries.by_code(row.sid, code) if row else []

    @contextmanager
    def read(self) -> Iterator[ValkeyTransaction]:
        """A consistent view: nobody writes meanwhile."""
        with self._locked() as (channel, _token):
            yield ValkeyTransaction(Buffer(channel.call, self._link.prefix))
            if channel.call(("MULTI",), ("DEL", self._lock), ("EXEC",))[-1] is None:
                raise StoreUnavailable("the vault's lock was lost while it was read")

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[ValkeyTransaction]:
        """The one writer. A commit whose answer was lost is looked up on the server."""
        with self._locked() as (channel, token):
            buffer = Buffer(channel.call, self._link.prefix)
            self._look_ahead(buffer)
            yield ValkeyTransaction(buffer)
            self._commit(channel, token, buffer)
            if durable and self._link.waits and not channel.wait_for_disk():
                raise StoreUnavailable("the server's disk did not confirm what was written")

    @contextmanager
    def snapshot(self) -> Iterator[BinaryIO]:
        """A copy of everything as a SQLite vault, deleted afterwards."""
        with self._locked() as (channel, token):
            transaction = ValkeyTransaction(Buffer(channel.call, self._link.prefix))

            def rows(table: str, _columns: tuple[str, ...]) -> Iterable[tuple[Any, ...]]:
                self._keep(channel, token)
                return stored_rows(channel, self._link.prefix, transaction, table)

            with portable_copy(rows) as file:
                self._keep(channel, token)
                self._release(token)
                yield file

    def load(self, path: str) -> None:
        """Fills a store that holds nothing with the rows of a portable copy, in one transaction."""
        with portable_rows(path) as rows, self.write() as transaction:
            load_rows(transaction, rows)

    def purge(self) -> bool:
        """Has the server rewrite its append-only file; ``False`` if that is not done within ten seconds, or forbidden.

        Snapshots (RDB files), replicas and freed blocks of the disk keep what was deleted until the key that wraps it
        is destroyed.
        """
        self._check_process()
        with self._link.channel() as channel:
            return channel.rewrite_log()

    def close(self) -> None:
        """Closes all connections."""
        if self._closed or self._pid != os.getpid():
            return
        self._closed = True
        self._link.close()

    @property
    def _lock(self) -> str:
        return f"{self._link.prefix}lock"

    @contextmanager
    def _locked(self) -> Iterator[tuple[Channel, bytes]]:
        """A connection that holds the lock and watches it. The lock is released unless the block did."""
        self._check_process()
        if not self._turn.acquire(timeout=DEADLINE):
            raise StoreUnavailable("the vault stayed locked by another thread")
        token = (_NAMED if self._link.shows_clients else b"") + secrets.token_bytes(16)
        try:
            with self._link.channel() as channel:
                self._acquire(channel, token)
                yield channel, token
        except BaseException:
            with suppress(StoreUnavailable):  # The lock ends by itself, and the first error says more.
                self._release(token)
            raise
        finally:
            self._turn.release()

    def _acquire(self, channel: Channel, token: bytes) -> None:
        pause, started = _FIRST_PAUSE, time.monotonic()
        suspected = started + _SUSPICIOUS
        take = ("SET", self._lock, token, "NX", "PX", _LOCK_MS), ("WATCH", self._lock), ("GET", self._lock)
        first = [("UNWATCH",), *((client_name(token),) if self._link.shows_clients else ())]  # A copy left it watched.
        while True:
            *_, holder, self._counted = channel.call(*first, *take, ("HMGET", f"{self._link.prefix}n", *_COUNTERS))
            if holder == token:
                return
            channel.call(("UNWATCH",))
            now = time.monotonic()
            if now > started + DEADLINE:
                raise StoreUnavailable("the vault stayed locked by another process")
            if now > suspected:
                suspected = now + _SUSPICIOUS
                self._free_if_orphaned(channel, holder)
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _look_ahead(self, buffer: Buffer) -> None:
        """What nearly every writer needs costs no round trip of its own: the counters came with the lock, and the last
        audit row comes with what is read first.
        """
        buffer.know("n", dict(zip(_COUNTERS, self._counted, strict=True)))
        if self._counted[0] is not None:
            buffer.want("a", self._counted[0])

    def _free_if_orphaned(self, channel: Channel, holder: bytes | None) -> None:
        """Ends the lock of a connection that is gone. Nothing that it sent is carried out any more then."""
        if self._link.shows_clients and holder and holder.startswith(_NAMED) and not has_client(channel, holder):
            channel.call(locked_command(self._lock, holder, "DEL"))

    def _commit(self, channel: Channel, token: bytes, buffer: Buffer) -> None:
        """Commits, or raises and has written nothing; ``StoreUnavailable`` also when the server cannot say which."""
        done = f"{self._link.prefix}done"
        marks = [("HSET", f"{self._link.prefix}n", "version", VERSION), ("LPUSH", done, token)]
        trim = ("LTRIM", done, 0, _REMEMBERED - 1)
        commands = [("MULTI",), *buffer.commands, *marks, trim, ("DEL", self._lock), ("EXEC",)]
        answers, cut = channel.commit(commands)
        if cut:
            self._release(token)
            if not self._has_committed(token):
                raise StoreUnavailable("the connection was cut, and nothing was written")
            channel.call(("SET", f"{self._link.prefix}sync", token))  # What this connection waits for comes later.
            return
        if answers is None:
            raise StoreUnavailable("the vault's lock was lost, and nothing was written")
        if any(isinstance(answer, Exception) for answer in answers):
            raise TamperDetected(AUTHENTICATION)

    def _has_committed(self, token: bytes) -> bool:
        with self._link.channel() as channel:
            return token in channel.call(("LRANGE", f"{self._link.prefix}done", 0, -1))[0]

    def _release(self, token: bytes) -> None:
        """Gives the lock back if it is still ours. Nothing that the lost connection sent is carried out after that."""
        with self._link.channel() as channel:
            channel.call(locked_command(self._lock, token, "DEL"))

    def _keep(self, channel: Channel, token: bytes) -> None:
        """Prolongs the lock, or raises ``StoreUnavailable`` if it is lost."""
        if not channel.call(locked_command(self._lock, token, "PEXPIRE", _LOCK_MS))[0]:
            raise StoreUnavailable("the vault's lock was lost while it was copied")

    def _check_process(self) -> None:
        if self._closed:
            raise StoreUnavailable("the vault is closed")
        if self._pid != os.getpid():
            self._turn, self._pid = threading.Lock(), os.getpid()

    def __repr__(self) -> str:
        return "ValkeyStore(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a store cannot be pickled")
