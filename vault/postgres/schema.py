"""The PostgreSQL schema, and the check that a database has exactly it: the tables of SQLite, with tenants kept apart.

A role that is named in ``tenant_role`` sees the sessions of its tenant only (row-level security); the owner of the
tables sees all. Facts of the vault and the audit chain are one for all tenants.
"""

from __future__ import annotations

from typing import Any, Final

from psycopg import Connection, sql

from sealgate.models.errors import NotAVault, TamperDetected, VaultTooNew

from ..encoding import AUTHENTICATION
from ..rows import OLD_FORMAT

SCHEMA_VERSION: Final = 2
"""Stands in the comment on the table ``meta``."""

COLUMNS: Final = {
    "meta": "name text NOT NULL, data bytea NOT NULL",
    "kek": "kek_id bytea NOT NULL, created bigint NOT NULL, wrapped bytea NOT NULL",
    "tenant_role": "role name NOT NULL, tref bytea NOT NULL",
    "session": (
        "sid bigint NOT NULL, sref bytea NOT NULL, tref bytea NOT NULL, kek_id bytea NOT NULL, wrapped bytea,"
        " salt bytea NOT NULL, commitment bytea NOT NULL, subject bytea NOT NULL, dek_ver bigint NOT NULL,"
        " gen bigint NOT NULL, state bigint NOT NULL, created bigint NOT NULL, expires bigint NOT NULL,"
        " idle bigint NOT NULL, touched bigint NOT NULL, spent bytea NOT NULL, heads bytea NOT NULL, mac bytea NOT NULL"
    ),
    "entry": (
        "id bigint NOT NULL, sid bigint NOT NULL, identity bytea NOT NULL, form bytea NOT NULL, code text NOT NULL,"
        " suffix text NOT NULL, indirect bigint NOT NULL, life bytea NOT NULL, dek_ver bigint NOT NULL,"
        " expires bigint NOT NULL, ct bytea NOT NULL"
    ),
    "record": (
        "id bigint NOT NULL, sid bigint NOT NULL, kind text NOT NULL, seq bigint NOT NULL, keyref bytea NOT NULL,"
        " ct bytea NOT NULL"
    ),
    "audit": "seq bigint NOT NULL, body bytea NOT NULL, link bytea NOT NULL",
}
"""The columns of each table, as the catalogue names their types."""

_INDEXES: Final = {
    "meta_pkey": "UNIQUE INDEX meta_pkey ON meta(name)",
    "kek_pkey": "UNIQUE INDEX kek_pkey ON kek(kek_id)",
    "tenant_role_pkey": "UNIQUE INDEX tenant_role_pkey ON tenant_role(role)",
    "session_pkey": "UNIQUE INDEX session_pkey ON session(sid)",
    "session_sref": "UNIQUE INDEX session_sref ON session(sref)",
    "session_expires": "INDEX session_expires ON session(expires) WHERE state = 0 AND expires > 0",
    "session_idle": "INDEX session_idle ON session((touched + idle)) WHERE state = 0 AND idle > 0",
    "entry_pkey": "UNIQUE INDEX entry_pkey ON entry(id)",
    "entry_form": "UNIQUE INDEX entry_form ON entry(sid, identity, form)",
    "entry_code": "UNIQUE INDEX entry_code ON entry(sid, code, suffix)",
    "entry_expires": "INDEX entry_expires ON entry(expires) WHERE expires > 0",
    "record_seq": "UNIQUE INDEX record_seq ON record(sid, kind, seq)",
    "record_key": "UNIQUE INDEX record_key ON record(sid, kind, keyref) WHERE keyref <> ''",
    "audit_pkey": "UNIQUE INDEX audit_pkey ON audit(seq)",
}

_SEQUENCES: Final = ("session_sid", "entry_id", "record_id")

_OWN: Final = "tref = (SELECT one.tref FROM tenant_role one WHERE one.role = current_user)"
_POLICIES: Final = {
    "session": _OWN,
    "entry": "EXISTS (SELECT 1 FROM session one WHERE one.sid = entry.sid)",
    "record": "EXISTS (SELECT 1 FROM session one WHERE one.sid = record.sid)",
}

_GRANTS: Final = (
    "SELECT, INSERT, UPDATE ON meta",
    "SELECT ON kek, tenant_role",
    "SELECT, INSERT, UPDATE, DELETE ON session, entry, record",
    "SELECT, INSERT ON audit",
    "SELECT, UPDATE ON SEQUENCE session_sid, entry_id, record_id",
)


def create(connection: Connection[Any], schema: str) -> None:
    """Makes the schema and its tables in the connection's open transaction, unless they are there."""
    name = sql.Identifier(schema)
    connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
    for sequence in _SEQUENCES:
        connection.execute(f"CREATE SEQUENCE {sequence} MINVALUE 0 START 0 CACHE 1".encode())
    for table, columns in COLUMNS.items():
        connection.execute(f"CREATE TABLE {table}({columns})".encode())
    connection.execute(b"ALTER TABLE record ALTER id SET DEFAULT nextval('record_id')")
    for index in _INDEXES.values():
        connection.execute(f"CREATE {index}".encode())
    for table, rule in _POLICIES.items():
        connection.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY".encode())
        connection.execute(f"CREATE POLICY tenant ON {table} USING ({rule}) WITH CHECK ({rule})".encode())
    connection.execute(f"COMMENT ON TABLE meta IS 'sealgate vault {SCHEMA_VERSION}'".encode())


def admit(connection: Connection[Any], schema: str, role: str, tref: bytes) -> None:
    """Lets a role use the sessions of one tenant, and no others."""
    connection.execute(
        "INSERT INTO tenant_role VALUES (%s, %s) ON CONFLICT (role) DO UPDATE SET tref = excluded.tref", (role, tref)
    )
    to = sql.SQL(" TO {}").format(sql.Identifier(role))
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {}").format(sql.Identifier(schema)) + to)
    for grant in _GRANTS:
        connection.execute(sql.SQL("GRANT ") + sql.SQL(grant) + to)


def is_there(connection: Connection[Any], schema: str) -> bool:
    """Whether the schema holds a vault's tables. Raises ``VaultTooNew``, and ``NotAVault`` for version 1."""
    row = connection.execute(
        "SELECT obj_description(c.oid, 'pg_class') FROM pg_class c"
        " WHERE c.relname = 'meta' AND c.relnamespace = to_regnamespace(%s)",
        (schema,),
    ).fetchone()
    if row is None or not str(row[0]).startswith("sealgate vault "):
        return False
    if str(row[0]) != f"sealgate vault {SCHEMA_VERSION}":
        if str(row[0]) == "sealgate vault 1":
            raise NotAVault(OLD_FORMAT)
        raise VaultTooNew("the vault was written by a newer version of sealgate")
    return True


def check(connection: Connection[Any], schema: str) -> None:
    """Nothing, or ``TamperDetected`` when a table, an index, a view, a rule, a trigger or a policy was changed."""
    if _found(connection, schema) != _EXPECTED:
        raise TamperDetected(AUTHENTICATION)


def _found(connection: Connection[Any], schema: str) -> dict[str, list[str]]:
    return {kind: [row[0] for row in connection.execute(query, (schema,))] for kind, query in _CATALOGUE.items()}


_IN_SCHEMA: Final = "c.relnamespace = to_regnamespace(%s)"

_CATALOGUE: Final = {
    "columns": (
        "SELECT c.relname || ' ' || a.attname || ' ' || format_type(a.atttypid, NULL)"
        " || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END"
        " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
        f" WHERE {_IN_SCHEMA} AND c.relkind NOT IN ('i', 'S') ORDER BY c.relname COLLATE \"C\", a.attnum"
    ),
    "indexes": (
        "SELECT CASE WHEN i.indisunique THEN 'UNIQUE ' ELSE '' END || c.relname FROM pg_class c"
        f' JOIN pg_index i ON i.indexrelid = c.oid WHERE {_IN_SCHEMA} ORDER BY c.relname COLLATE "C"'
    ),
    "policies": (
        "SELECT c.relname || ' ' || p.polname FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid"
        f' WHERE {_IN_SCHEMA} AND c.relrowsecurity ORDER BY c.relname COLLATE "C", p.polname'
    ),
    "triggers": (
        "SELECT t.tgname::text FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid"
        f" WHERE {_IN_SCHEMA} AND NOT t.tgisinternal"
    ),
    "rules": (f"SELECT r.rulename::text FROM pg_class c JOIN pg_rewrite r ON r.ev_class = c.oid WHERE {_IN_SCHEMA}"),
}

_EXPECTED: Final[dict[str, list[str]]] = {
    "columns": [f"{table} {column}" for table in sorted(COLUMNS) for column in COLUMNS[table].split(", ")],
    "indexes": [("UNIQUE " if _INDEXES[name].startswith("UNIQUE") else "") + name for name in sorted(_INDEXES)],
    "policies": [f"{table} tenant" for table in sorted(_POLICIES)],
    "triggers": [],
    "rules": [],
}
