"""How the PostgreSQL engine reaches its server, what that server must be like, and what its errors are to us."""

from __future__ import annotations

import re
import select
import time
from typing import Any, Final
from urllib.parse import unquote, urlsplit, urlunsplit

import psycopg
from psycopg import Connection, sql
from psycopg.conninfo import conninfo_to_dict

from sealgate.models.errors import InvalidInput, StoreFull, StoreRefused, StoreUnavailable, TamperDetected, VaultError

from ..encoding import AUTHENTICATION
from ..loopback import is_loopback

_SCHEMA: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}\Z")
_DEFAULTS: Final = {"connect_timeout": "10", "tcp_user_timeout": "30000", "application_name": "sealgate"}
_SETTINGS: Final = (
    b"SET lock_timeout = '30s'",
    b"SET idle_in_transaction_session_timeout = '60s'",
    b"SET standard_conforming_strings = on",
)
_MIN_VERSION: Final = 130_000
_DURABLE: Final = ("on", "remote_apply")
"""Levels of ``synchronous_commit`` that wait for the disk here at least; others are raised to ``on``."""

_PATIENCE: Final = 10.0
"""Seconds in which the fate of a commit must be known."""

_PAUSE: Final = 0.05


class Link:
    """The server and the schema of one vault. ``schema`` is the schema's name."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        options = [option.partition("=") for option in parts.query.split("&") if option]
        self.schema = next((unquote(value) for name, _, value in options if name == "schema"), "sealgate")
        rest = "&".join("".join(option) for option in options if option[0] != "schema")  # libpq decodes in its own way.
        try:
            self._target: dict[str, Any] = {**_DEFAULTS, **conninfo_to_dict(urlunsplit(parts._replace(query=rest)))}
        except psycopg.ProgrammingError:
            self._target = {}
        del url, parts, options, rest  # They may hold a password.
        if not self._target or not _SCHEMA.match(self.schema):
            raise InvalidInput("not the URL of a PostgreSQL database")

    def connect(self) -> Connection[Any]:
        """A new connection. Raises ``StoreUnavailable``."""
        try:
            connection: Connection[Any] = psycopg.connect("", autocommit=True, **self._target)
        except psycopg.Error as error:
            raise translate(error) from None
        try:
            for setting in _SETTINGS:
                connection.execute(setting)
            connection.execute(sql.SQL("SET search_path = {}, pg_temp").format(sql.Identifier(self.schema)))
        except psycopg.Error as error:
            connection.close()
            raise translate(error) from None
        return connection

    def probe(self, connection: Connection[Any], *, allow_unsafe: bool) -> str:
        """The level of ``synchronous_commit`` for what must be durable. Raises ``StoreRefused``."""
        fsync, pages, level, version = _settings(
            connection, "fsync", "full_page_writes", "synchronous_commit", "server_version_num"
        )
        if int(version) < _MIN_VERSION:
            raise StoreRefused("the server is older than PostgreSQL 13")
        if not allow_unsafe and "off" in (fsync, pages):
            raise StoreRefused("the server runs with fsync or full_page_writes off and may lose what it acknowledged")
        if not allow_unsafe and _logs_parameters(connection):
            raise StoreRefused(
                "the server's log would keep what is written, beyond every shred: set log_statement to none or ddl and"
                " log_min_duration_statement above 0, or log_parameter_max_length to 0"
            )
        if not allow_unsafe and not self._is_private(connection):
            raise StoreRefused("the connection leaves this machine unencrypted; say sslmode=verify-full")
        return level if level in _DURABLE else "on"

    def committed(self, xid: str) -> bool:
        """Whether a transaction whose commit was cut off was made. Raises ``StoreUnavailable`` if nobody can say."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            fate = self._fate(xid)
            if fate in ("committed", "aborted"):
                return fate == "committed"
            time.sleep(_PAUSE)
        raise StoreUnavailable("the connection was cut, and it is not known whether the batch was written")

    def _fate(self, xid: str) -> str | None:
        try:
            connection = self.connect()
        except VaultError:
            return None
        try:
            row = connection.execute("SELECT pg_xact_status(%s::xid8)", (xid,)).fetchone()
        except psycopg.Error:
            return None
        finally:
            connection.close()
        return None if row is None else row[0]

    def _is_private(self, connection: Connection[Any]) -> bool:
        """Whether nobody between the two machines can read along, or the URL says that this is wanted."""
        if connection.pgconn.ssl_in_use or self._target.get("sslmode") == "disable":
            return True
        host = connection.info.host
        return host.startswith("/") or is_loopback(connection.info.hostaddr or host)

    def __repr__(self) -> str:
        return "Link(…)"


def _settings(connection: Connection[Any], *names: str) -> list[str]:
    return [str((connection.execute("SELECT current_setting(%s)", (name,)).fetchone() or ("",))[0]) for name in names]


def _logs_parameters(connection: Connection[Any]) -> bool:
    """Whether every statement that writes is logged with what it carries."""
    statements, slowest, longest = _settings(
        connection, "log_statement", "log_min_duration_statement", "log_parameter_max_length"
    )
    return (statements in ("mod", "all") or slowest == "0") and longest != "0"


def has_ended(connection: Connection[Any]) -> bool:
    """Whether the server has something to say on an idle connection, which is its end; asks nobody."""
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.pgconn.socket, select.POLLIN)
    return bool(poll.poll(0))


def translate(error: psycopg.Error) -> VaultError:
    """Our error for the server's, by its SQLSTATE; its text, which may quote what was bound, is dropped."""
    state = error.sqlstate or ""
    if state.startswith("53"):
        return StoreFull("no room is left on the store; nothing was written")
    if state.startswith(("23", "XX")):
        return TamperDetected(AUTHENTICATION)
    if state == "42501":
        return StoreUnavailable("the role may not do this on the server")
    if state == "55P03":
        return StoreUnavailable("the vault stayed locked by another process")
    if not state and isinstance(error, psycopg.OperationalError):  # No session came about, or it was cut.
        return StoreUnavailable("the server cannot be reached, or does not let this role into this database")
    return StoreUnavailable("the store could not be read or written")
