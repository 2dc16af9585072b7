"""Removing dead rows from the PostgreSQL engine's tables, and telling whether any are left.

``VACUUM (FREEZE)`` removes what no transaction can see any more. A transaction that is older than the deletion holds
rows back, whoever runs it (``idle in transaction``, a prepared transaction, a replica with ``hot_standby_feedback``).
How far it got stands in ``pg_class.relfrozenxid``: the table holds no transaction number older than that, so no row
that an older transaction deleted (PostgreSQL's documentation, "Routine Vacuuming", section 25.1.5). The statistics of
dead rows are estimates, and the extensions that count them are not on every server.

Not reached: the free space of pages until new rows overwrite it, the write-ahead log, replicas, backups. What lies
there is readable until the key that wraps it is destroyed (``Vault.rotate`` and ``Vault.destroy_old_keys``).
"""

from __future__ import annotations

import time
from typing import Any, Final

from psycopg import Connection

_PATIENCE: Final = 1.0
"""Seconds in which transactions that were under way may end."""

_PAUSE: Final = 0.1
_VACUUM: Final = b"VACUUM (FREEZE, INDEX_CLEANUP ON) entry, record, session"
_NOW: Final = b"SELECT pg_current_xact_id()::text"
_CLEAN: Final = (
    b"SELECT bool_and(age(one.relfrozenxid) <= age(%s::xid)) FROM pg_class one WHERE one.oid IN ("
    b" SELECT unnest(ARRAY[c.oid, c.reltoastrelid]) FROM pg_class c"
    b" WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relname IN ('entry', 'record', 'session'))"
)


def remove_dead_rows(connection: Connection[Any]) -> bool:
    """Whether nothing is left of what was deleted before; ``False`` too for a role that does not own the tables, which
    the server lets clear nothing. The connection is outside any transaction. Raises ``psycopg.Error``.
    """
    deleted_before = _low_half((connection.execute(_NOW).fetchone() or ("0",))[0])
    deadline = time.monotonic() + _PATIENCE
    while True:
        connection.execute(_VACUUM)
        clean = connection.execute(_CLEAN, (deleted_before,)).fetchone()
        if clean is not None and clean[0]:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE)


def _low_half(xid: str) -> str:
    """A transaction number as tables have it: without its epoch."""
    return str(int(xid) % (1 << 32))
