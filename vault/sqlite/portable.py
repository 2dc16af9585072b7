"""A vault's rows as a SQLite vault in a temporary file: how engines without a file of their own are backed up."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final, TypeAlias

from sealgate.models.errors import StoreUnavailable

from ..rows import AuditRow, EntryRow, KekRow, RecordRow, SessionRow
from . import schema
from .writer import translate

SCHEMA_TABLES: Final = {
    "meta": ("name", "data"),
    "kek": KekRow._fields,
    "session": SessionRow._fields,
    "entry": EntryRow._fields,
    "record": RecordRow._fields,
    "audit": AuditRow._fields,
}
"""Tables and columns that every engine stores."""

Rows: TypeAlias = Callable[[str, tuple[str, ...]], Iterable[tuple[Any, ...]]]
"""``rows(table, columns)``: all rows of a table, each with these columns."""


@contextmanager
def portable_copy(rows: Rows) -> Iterator[BinaryIO]:
    """The file of a SQLite vault with these rows (ciphertext), open for reading; deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="sealgate-") as directory:
        path = os.path.join(directory, "copy.db")
        try:
            _write(path, rows)
            file = open(path, "rb")  # noqa: SIM115 - closed below, outside of what is translated
        except sqlite3.Error as error:
            raise translate(error) from None
        except OSError:
            raise StoreUnavailable("the copy of the vault could not be written") from None
        with file:
            yield file


@contextmanager
def portable_rows(path: str) -> Iterator[Rows]:
    """The rows of such a file. Raises what ``schema.check`` raises, and ``StoreUnavailable``."""
    try:
        connection = sqlite3.connect(path, isolation_level=None)
    except sqlite3.Error as error:
        raise translate(error) from None
    try:
        schema.check(connection)
        yield lambda table, columns: connection.execute(f"SELECT {', '.join(columns)} FROM {table}")  # noqa: S608
    except sqlite3.Error as error:
        raise translate(error) from None
    finally:
        connection.close()


def _write(path: str, rows: Rows) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("BEGIN")
        schema.create(connection)
        for table, columns in SCHEMA_TABLES.items():
            marks = ", ".join("?" * len(columns))
            connection.executemany(f"INSERT INTO {table}({', '.join(columns)}) VALUES ({marks})", rows(table, columns))  # noqa: S608
        connection.execute("COMMIT")
    finally:
        connection.close()
