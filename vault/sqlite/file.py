"""The file of a SQLite vault: what may be opened, and how a new one comes into being in one step."""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
from collections.abc import Callable
from typing import Literal

from sealgate.models.errors import NotAVault, StoreUnavailable

from . import schema
from .tables import SqliteTransaction
from .writer import translate

State = Literal["missing", "empty", "database"]


def look(path: str) -> State:
    """What lies at ``path``, without opening it: whoever closes a file drops all locks that his process holds on it,
    those of SQLite's connections too (sqlite.org/howtocorrupt.html, section 2.2).

    Raises ``NotAVault`` for a symbolic link and for anything but a regular file of this user.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return "missing"
    except OSError:
        raise NotAVault("the path is no regular file of this user") from None
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        raise NotAVault("the path is no regular file of this user")
    return "database" if status.st_size else "empty"


def create(path: str, fill: Callable[[SqliteTransaction], None]) -> None:
    """Makes a vault at ``path`` with what ``fill`` writes: complete, mode 0600, or not at all.

    It is built beside its place and linked to it, so nobody ever sees half of one. Raises ``StoreUnavailable``.
    """
    draft = f"{path}-new-{secrets.token_hex(8)}"
    try:
        os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        _build(draft, fill)
        place(draft, path)
    except sqlite3.Error as error:
        raise translate(error) from None
    except OSError:
        raise StoreUnavailable("the vault's file could not be made") from None
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)


def place(draft: str, path: str) -> None:
    """Gives a finished file its name, if nothing has that name. Raises ``StoreUnavailable``."""
    try:
        os.link(draft, path)
        sync_directory(os.path.dirname(path))
    except OSError:
        raise StoreUnavailable("the vault's file could not be put in its place") from None


def _build(draft: str, fill: Callable[[SqliteTransaction], None]) -> None:
    connection = sqlite3.connect(draft, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN IMMEDIATE")
        schema.create(connection)
        fill(SqliteTransaction(connection))
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def sync_directory(directory: str) -> None:
    """Makes a new name in a directory survive the loss of power."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
