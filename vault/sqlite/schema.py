"""The SQLite schema, its version, and the check that a file has exactly it."""

from __future__ import annotations

import sqlite3
from functools import cache
from hashlib import sha256
from typing import Final

from sealgate.models.errors import NotAVault, TamperDetected, VaultTooNew

from ..encoding import AUTHENTICATION, lp
from ..rows import OLD_FORMAT

APPLICATION_ID: Final = 0x5EA16A7E
"""Marks a SQLite file as one of ours (``PRAGMA application_id``)."""

SCHEMA_VERSION: Final = 2
"""``PRAGMA user_version``; changed in the transaction that changes the schema."""

STATEMENTS: Final = (
    "CREATE TABLE meta(name TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE kek(kek_id BLOB PRIMARY KEY, created INT NOT NULL, wrapped BLOB NOT NULL) STRICT, WITHOUT ROWID",
    (
        "CREATE TABLE session(sid INTEGER PRIMARY KEY, sref BLOB NOT NULL UNIQUE, tref BLOB NOT NULL,"
        " kek_id BLOB NOT NULL, wrapped BLOB, salt BLOB NOT NULL, commitment BLOB NOT NULL,"
        " subject BLOB NOT NULL, dek_ver INT NOT NULL,"
        " gen INT NOT NULL, state INT NOT NULL, created INT NOT NULL, expires INT NOT NULL, idle INT NOT NULL,"
        " touched INT NOT NULL, spent BLOB NOT NULL, heads BLOB NOT NULL, mac BLOB NOT NULL) STRICT"
    ),
    "CREATE INDEX session_expires ON session(expires) WHERE state = 0 AND expires > 0",
    "CREATE INDEX session_idle ON session(touched) WHERE state = 0 AND idle > 0",
    (
        "CREATE TABLE entry(id INTEGER PRIMARY KEY, sid INT NOT NULL, identity BLOB NOT NULL, form BLOB NOT NULL,"
        " code TEXT NOT NULL, suffix TEXT NOT NULL, indirect INT NOT NULL, life BLOB NOT NULL, dek_ver INT NOT NULL,"
        " expires INT NOT NULL, ct BLOB NOT NULL) STRICT"
    ),
    "CREATE UNIQUE INDEX entry_code ON entry(sid, code, suffix)",
    "CREATE INDEX entry_indirect ON entry(sid, identity) WHERE indirect = 1",
    "CREATE INDEX entry_expires ON entry(expires) WHERE expires > 0",
    (
        "CREATE TABLE record(id INTEGER PRIMARY KEY, sid INT NOT NULL, kind TEXT NOT NULL, seq INT NOT NULL,"
        " keyref BLOB NOT NULL, ct BLOB NOT NULL) STRICT"
    ),
    "CREATE UNIQUE INDEX record_seq ON record(sid, kind, seq)",
    "CREATE UNIQUE INDEX record_key ON record(sid, kind, keyref) WHERE keyref <> x''",
    "CREATE TABLE audit(seq INTEGER PRIMARY KEY, body BLOB NOT NULL, link BLOB NOT NULL) STRICT",
)


def create(connection: sqlite3.Connection) -> None:
    """Makes the tables in the connection's open transaction."""
    for statement in STATEMENTS:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def check(connection: sqlite3.Connection) -> None:
    """Nothing, if the file has this schema and nothing else.

    Raises ``NotAVault`` for another application's file, ``VaultTooNew`` for a higher version, and ``TamperDetected``
    when a table, an index, a view or a trigger was added or changed.
    """
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise NotAVault("the file is a database, but not a vault of sealgate")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise VaultTooNew("the vault was written by a newer version of sealgate")
    if version < 1:
        raise NotAVault("the file is a database, but not a vault of sealgate")
    if version < SCHEMA_VERSION:
        raise NotAVault(OLD_FORMAT)
    if _fingerprint(connection) != _expected():
        raise TamperDetected(AUTHENTICATION)


def _fingerprint(connection: sqlite3.Connection) -> bytes:
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name"
    )
    return sha256(b"".join(lp(*row) for row in rows)).digest()


@cache
def _expected() -> bytes:
    blank = sqlite3.connect(":memory:")
    try:
        create(blank)
        return _fingerprint(blank)
    finally:
        blank.close()
