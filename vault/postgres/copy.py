"""All rows of a PostgreSQL vault, out and in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from psycopg import Connection, sql

from ..sqlite.portable import SCHEMA_TABLES, Rows

_PAGE: Final = 2_000
"""Rows that are fetched at a time."""

_SEQUENCES: Final = {"session_sid": ("session", "sid"), "entry_id": ("entry", "id"), "record_id": ("record", "id")}


def stored_rows(connection: Connection[Any], table: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, in the connection's open transaction."""
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    query = sql.SQL("SELECT {} FROM {} ORDER BY 1").format(names, sql.Identifier(table))
    with connection.cursor(f"copy_{table}") as cursor:
        cursor.itersize = _PAGE
        yield from cursor.execute(query, binary=True)


def load_rows(connection: Connection[Any], rows: Rows) -> None:
    """Adds all rows to empty tables, in the connection's open transaction."""
    for table, columns in SCHEMA_TABLES.items():
        marks = ", ".join(["%s"] * len(columns))
        query = f"INSERT INTO {table}({', '.join(columns)}) VALUES ({marks})".encode()
        for row in rows(table, columns):
            connection.execute(query, row)
    for sequence, (table, column) in _SEQUENCES.items():
        query = f"SELECT setval('{sequence}', (SELECT coalesce(max({column}), 0) FROM {table}))".encode()
        connection.execute(query)
