"""The PostgreSQL engine on a real server."""

from __future__ import annotations

import io
import os
import pickle
import secrets
import select
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import quote

import psycopg
import pytest

from sealgate.gateway import Gateway
from sealgate.models.errors import (
    InvalidInput,
    NotAVault,
    SessionShredded,
    StoreFull,
    StoreRefused,
    StoreUnavailable,
    TamperDetected,
    VaultError,
    VaultMissing,
    VaultTooNew,
)
from sealgate.models.grants import Restore
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.redaction import Detector
from sealgate.vault import Vault, restore_backup, sweep
from sealgate.vault.conformance import CHECKS, Check
from sealgate.vault.postgres import link as postgreslink
from sealgate.vault.postgres.schema import SCHEMA_VERSION
from sealgate.vault.postgres.store import PostgresStore


def name_of(check: Check) -> str:
    return check.__name__


@pytest.fixture
def stores(postgres_url: str) -> Iterator[tuple[PostgresStore, PostgresStore]]:
    first, second = PostgresStore(postgres_url), PostgresStore(postgres_url)
    yield first, second
    first.close()
    second.close()


@pytest.mark.parametrize("check", CHECKS, ids=name_of)
def test_the_engine_conforms(check: Check, stores: tuple[PostgresStore, PostgresStore]) -> None:
    check(*stores)


KEY = bytes(range(32))
_TERMINATE = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'sealgate'"
VALUE = "Ann Example 4111"


def request(value: str) -> SealRequest:
    return SealRequest(secret_of(value), "CUSTOM", "person")


def seal(vault: Vault, *values: str, session: str = "s1", tenant: str = "default") -> list[Placeholder]:
    return vault.session(session, tenant=tenant).seal([request(value) for value in values])


def texts(vault: Vault, placeholders: list[Placeholder], session: str = "s1", tenant: str = "default") -> list[str]:
    opened = vault.session(session, tenant=tenant).open(placeholders, Restore())
    return [opened[one].text() for one in placeholders if one in opened]


def run(url: str, query: str, *parameters: object, user: str = "owner") -> list[tuple[object, ...]]:
    """A statement of somebody who goes around the vault."""
    plain, _, schema = url.replace("owner@", f"{user}@").partition("&schema=")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"SET search_path = {schema}".encode())
        cursor = connection.execute(query.encode(), parameters)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def vault(postgres_url: str) -> Iterator[Vault]:
    with Vault.open(postgres_url, KEY) as opened:
        yield opened


class Proxy:
    """A TCP proxy before the server. ``cut`` says when it drops the connection that commits: ``before`` the server
    gets to know, or ``after``. ``seen`` is everything that clients sent, ``turns`` how often one sent after an answer.
    """

    def __init__(self, socket_path: str) -> None:
        self._target = socket_path
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.cut = ""
        self.seen = bytearray()
        self.turns = 0
        self._answered = False
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self._target)
            while self._relay(client, server):
                pass

    def _relay(self, client: socket.socket, server: socket.socket) -> bool:
        """Passes on what there is; ``False`` at the end, or when the connection is to be cut."""
        for source in select.select([client, server], [], [])[0]:
            data = source.recv(65536)
            committing = b"COMMIT" in data
            if not data or (committing and self.cut == ("before" if source is client else "after")):
                self.cut = ""
                return False
            if source is client:
                self.seen += data
                self.turns += self._answered
            self._answered = source is server
            (server if source is client else client).sendall(data)
        return True


@pytest.fixture
def proxy(postgres_server: str) -> Iterator[Proxy]:
    made = Proxy(f"{postgres_server}/.s.PGSQL.5432")
    yield made
    made.close()


@pytest.fixture
def proxied(proxy: Proxy, postgres_url: str) -> Iterator[Vault]:
    schema = postgres_url.partition("schema=")[2]
    url = f"postgresql://owner@127.0.0.1:{proxy.port}/postgres?sslmode=disable&schema={schema}"
    with Vault.open(url, KEY) as opened:
        yield opened


def test_v56_a_commit_whose_answer_is_lost_counts(proxied: Vault, proxy: Proxy, postgres_url: str) -> None:
    known = seal(proxied, "known")
    proxy.cut = "after"
    placeholders = seal(proxied, VALUE)
    assert proxy.cut == ""
    assert seal(proxied, "known", VALUE) == known + placeholders
    with Vault.open(postgres_url, KEY) as other:
        assert texts(other, placeholders) == [VALUE]
        assert other.audit.verify() == 4


def test_v56_a_commit_that_never_arrived_wrote_nothing(proxied: Vault, proxy: Proxy) -> None:
    proxied.session("s1")
    proxy.cut = "before"
    with pytest.raises(StoreUnavailable) as caught:
        seal(proxied, VALUE)
    assert VALUE not in "".join(traceback.format_exception(caught.value))
    assert proxied.session("s1").match(len) == 0
    assert texts(proxied, seal(proxied, VALUE)) == [VALUE]


def test_v56_the_fate_of_a_commit_may_stay_unknown(
    proxied: Vault, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgreslink, "_PATIENCE", 0.1)
    proxied.session("s1")
    proxy.cut = "before"
    monkeypatch.setattr(postgreslink.Link, "_fate", lambda self, xid: None)
    with pytest.raises(StoreUnavailable, match="not known"):
        seal(proxied, VALUE)


def test_no_value_and_no_name_is_sent(proxied: Vault, proxy: Proxy) -> None:
    placeholders = seal(proxied, VALUE, session="visible-name")
    proxied.session("visible-name").records.append("step", b"visible-payload")
    assert texts(proxied, placeholders, session="visible-name") == [VALUE]
    assert b"Ann" not in proxy.seen
    assert b"visible" not in proxy.seen
    assert KEY not in proxy.seen


def test_connections_that_the_server_ended_are_replaced(vault: Vault, postgres_url: str) -> None:
    placeholders = seal(vault, VALUE)
    session = vault.session("s1")
    for action in (lambda: session.match(len), lambda: seal(vault, "two"), lambda: texts(vault, placeholders)):
        run(postgres_url, _TERMINATE)
        assert action()


def test_a_prompt_takes_few_round_trips(proxied: Vault, proxy: Proxy) -> None:
    """However many values it has: what begins the transaction, the session, what is known of the values, the commit."""
    session = proxied.session("s1")
    placeholders: list[Placeholder] = []
    used: dict[str, Callable[[], object]] = {
        "put": lambda: placeholders.extend(session.seal([request(f"value {number}") for number in range(20)])),
        "known": lambda: session.seal([request("value 1")]),
        "get": lambda: session.open(placeholders, Restore()),
        "facts": lambda: session.facts(placeholders[:1]),
    }
    session.seal([request("first")])
    turns = {}
    for name, action in used.items():
        before = proxy.turns
        action()
        turns[name] = proxy.turns - before
    assert turns["known"] == turns["facts"] == 1
    assert turns["put"] <= 4
    assert turns["get"] <= 4


def test_many_threads_make_one_row_a_value(vault: Vault) -> None:
    sealed: list[list[Placeholder]] = []
    values = [f"value {number}" for number in range(10)]
    threads = [threading.Thread(target=lambda: sealed.append(seal(vault, *values))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(sealed) == 8
    assert all(one == sealed[0] for one in sealed)
    assert vault.verify().values == 10


def test_both_sides_of_a_fork_go_on(vault: Vault, postgres_url: str) -> None:
    seal(vault, "before")
    child = os.fork()
    if child == 0:
        try:
            seal(vault, *(f"child {number}" for number in range(20)))
            os._exit(0)
        except BaseException:
            os._exit(1)
    seal(vault, *(f"parent {number}" for number in range(20)))
    assert os.waitpid(child, 0)[1] == 0
    assert vault.verify().values == 41
    nonces = run(postgres_url, "SELECT substr(ct, 2, 12) FROM entry")
    assert len(set(nonces)) == 41


WRITER = """
import sys
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault
session = Vault.open(sys.argv[1], bytes(range(32))).session("s1")
number = 0
while True:
    values = [f"{sys.argv[2]} {number} {part}" for part in range(5)]
    session.seal([SealRequest(secret_of(value), "CUSTOM", "person") for value in values])
    print(number, flush=True)
    number += 1
"""


def test_writers_that_are_killed_lose_nothing_that_was_acknowledged(vault: Vault, postgres_url: str) -> None:
    vault.session("s1")
    for number in range(3):
        names = [f"{number}{letter}" for letter in "ab"]
        command = [sys.executable, "-c", WRITER, postgres_url]
        writers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE) for name in names]
        first = [writer.stdout.readline() for writer in writers if writer.stdout]
        for writer in writers:
            writer.kill()
        for writer, name, line in zip(writers, names, first, strict=True):
            done = [line, *writer.communicate()[0].splitlines()]
            for acknowledged in (int(one) for one in done if one.strip().isdigit()):
                known = seal(vault, *(f"{name} {acknowledged} {part}" for part in range(5)))
                assert len(known) == 5
        assert vault.verify().values % 5 == 0


@pytest.fixture
def tenants(vault: Vault, postgres_url: str) -> Iterator[dict[str, str]]:
    """Roles of two tenants, each with a session that holds a value."""
    roles = {tenant: f"role_{tenant}_{secrets.token_hex(4)}" for tenant in ("a", "b")}
    for tenant, role in roles.items():
        seal(vault, f"value of {tenant}", tenant=tenant)
        run(postgres_url, f"CREATE ROLE {role} LOGIN")
        vault.admit(role, tenant)
    yield roles
    for role in roles.values():
        run(postgres_url, f"DROP OWNED BY {role}")
        run(postgres_url, f"DROP ROLE {role}")


def test_v58_a_tenants_role_sees_its_own_rows_only(vault: Vault, postgres_url: str, tenants: dict[str, str]) -> None:
    for table in ("session", "entry"):
        assert len(run(postgres_url, f"SELECT * FROM {table}", user=tenants["a"])) == 1
        assert len(run(postgres_url, f"SELECT * FROM {table}")) == 2
    mine, theirs = run(postgres_url, "SELECT sid FROM session ORDER BY sid")
    assert run(postgres_url, "SELECT sid FROM session", user=tenants["b"]) == [theirs]
    assert run(postgres_url, "DELETE FROM entry WHERE sid = %s RETURNING 1", *mine, user=tenants["b"]) == []
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        run(postgres_url, "UPDATE session SET tref = %s", bytes(16), user=tenants["b"])


def test_v58_a_tenants_role_uses_its_own_vault_only(vault: Vault, postgres_url: str, tenants: dict[str, str]) -> None:
    with Vault.open(postgres_url.replace("owner@", f"{tenants['a']}@"), KEY) as own:
        placeholders = seal(own, "value of a", "new", tenant="a")
        assert texts(own, placeholders, tenant="a") == ["value of a", "new"]
        with pytest.raises(VaultError):
            seal(own, "intruder", tenant="b")
    assert texts(vault, placeholders, tenant="a") == ["value of a", "new"]
    assert vault.audit.verify()


def test_v58_a_row_copied_to_another_tenant_does_not_open(
    vault: Vault, postgres_url: str, tenants: dict[str, str]
) -> None:
    [placeholder] = seal(vault, "value of b", tenant="b")
    [[sid]] = run(postgres_url, "SELECT sid FROM session", user=tenants["a"])
    columns = "identity, form, code, suffix, indirect, life, dek_ver, expires, ct"
    run(postgres_url, f"INSERT INTO entry SELECT 1000, %s, {columns} FROM entry WHERE code = %s", sid, placeholder.code)
    with pytest.raises(TamperDetected):
        texts(vault, [placeholder], tenant="a")


def deleted_rows(url: str) -> int:
    return sum(
        int(str(row[0]))
        for row in run(
            url, "SELECT n_dead_tup FROM pg_stat_all_tables WHERE schemaname = %s", url.partition("schema=")[2]
        )
    )


@pytest.mark.parametrize("size", [20, 5_000])
def test_dead_rows_that_somebody_can_still_see_are_reported_and_cleared_later(
    vault: Vault, postgres_url: str, size: int
) -> None:
    """Long values lie in a table of their own (TOAST), which is cleared as well."""
    seal(vault, *(f"{number} {'x' * size}" for number in range(20)))
    vault.session("s1").records.append("step", os.urandom(size))
    assert vault.purge() is True
    plain = postgres_url.partition("&schema=")[0]
    with psycopg.connect(plain) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM pg_class")
        assert vault.session("s1").shred() is False
        assert vault.purge() is False
        assert vault.sweep() == (0, 0, True)
    assert vault.purge() is True
    assert deleted_rows(postgres_url) == 0


def test_a_short_transaction_of_somebody_else_is_waited_for(vault: Vault, postgres_url: str) -> None:
    seal(vault, VALUE)
    plain = postgres_url.partition("&schema=")[0]
    with psycopg.connect(plain) as reader:
        reader.execute("SELECT txid_current()")
        threading.Timer(0.3, reader.rollback).start()
        assert vault.session("s1").shred() is True


def test_a_tenants_role_may_shred_and_is_told_that_rows_are_left(
    vault: Vault, postgres_url: str, tenants: dict[str, str]
) -> None:
    with Vault.open(postgres_url.replace("owner@", f"{tenants['a']}@"), KEY) as own:
        assert own.purge() is False
        assert own.session("s1", tenant="a").shred() is False
        with pytest.raises(SessionShredded):
            own.session("s1", tenant="a")
    assert vault.purge() is True
    assert texts(vault, seal(vault, "value of b", tenant="b"), tenant="b") == ["value of b"]


def test_only_engines_with_roles_admit_them() -> None:
    with Vault.open(":memory:", KEY) as vault, pytest.raises(InvalidInput):
        vault.admit("role", "tenant")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"  # noqa: ISC004
        " CREATE TRIGGER t BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION f()",
        "CREATE RULE r AS ON INSERT TO audit DO INSTEAD NOTHING",
        "CREATE VIEW v AS SELECT * FROM entry",
        "DROP INDEX entry_code",
        "ALTER TABLE entry ALTER suffix DROP NOT NULL",
        "ALTER TABLE entry DISABLE ROW LEVEL SECURITY",
        "CREATE POLICY everybody ON session USING (true)",
    ],
)
def test_a_changed_schema_is_refused(vault: Vault, postgres_url: str, statement: str) -> None:
    run(postgres_url, statement)
    with pytest.raises(TamperDetected):
        PostgresStore(postgres_url)


@pytest.mark.parametrize(("version", "refused"), [(1, NotAVault), (SCHEMA_VERSION + 1, VaultTooNew)])
def test_another_version_is_refused(vault: Vault, postgres_url: str, version: int, refused: type[Exception]) -> None:
    run(postgres_url, f"COMMENT ON TABLE meta IS 'sealgate vault {version}'")
    with pytest.raises(refused):
        PostgresStore(postgres_url)


class Answering:
    """A connection that answers ``current_setting`` from a table, and says where it leads."""

    def __init__(self, settings: dict[str, str], host: str) -> None:
        self._settings = settings
        self.info = SimpleNamespace(host=host, hostaddr=host)
        self.pgconn = SimpleNamespace(ssl_in_use=False)

    def execute(self, query: str, parameters: tuple[str]) -> SimpleNamespace:
        return SimpleNamespace(fetchone=lambda: (self._settings[parameters[0]],))


SAFE = {
    "fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "server_version_num": "150000",
    "log_statement": "none", "log_min_duration_statement": "-1", "log_parameter_max_length": "-1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "accepted"),
    [
        ({"log_statement": "none"}, True),
        ({"log_statement": "ddl"}, True),
        ({"log_statement": "mod"}, False),
        ({"log_statement": "all"}, False),
        ({"log_statement": "all", "log_parameter_max_length": "0"}, True),
        ({"log_min_duration_statement": "0"}, False),
        ({"log_min_duration_statement": "250ms"}, True),
    ],
)
def test_v57_a_server_whose_log_would_keep_everything_is_refused(
    postgres_url: str, settings: dict[str, str], accepted: bool
) -> None:
    options = quote(" ".join(f"-c {name}={value}" for name, value in settings.items()))
    url = f"{postgres_url}&options={options}"
    if accepted:
        Vault.open(url, KEY).close()
        return
    with pytest.raises(StoreRefused, match="log"):
        Vault.open(url, KEY)
    PostgresStore(url, allow_unsafe=True).close()


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_v57_a_server_that_really_loses_things_is_refused(postgres_url: str, setting: str) -> None:
    run(postgres_url, f"ALTER SYSTEM SET {setting} = off")
    run(postgres_url, "SELECT pg_reload_conf()")
    try:
        wait_until(lambda: run(postgres_url, f"SHOW {setting}") == [("off",)])
        with pytest.raises(StoreRefused):
            Vault.open(postgres_url, KEY)
    finally:
        run(postgres_url, f"ALTER SYSTEM RESET {setting}")
        run(postgres_url, "SELECT pg_reload_conf()")
    wait_until(lambda: run(postgres_url, f"SHOW {setting}") == [("on",)])


def wait_until(ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("settings", "host", "level"),
    [
        ({}, "127.0.0.1", "on"),
        ({"synchronous_commit": "off"}, "/run/postgresql", "on"),
        ({"synchronous_commit": "remote_apply"}, "::1", "remote_apply"),
        ({"fsync": "off"}, "127.0.0.1", None),
        ({"full_page_writes": "off"}, "127.0.0.1", None),
        ({"server_version_num": "120009"}, "127.0.0.1", None),
        ({}, "192.0.2.7", None),
    ],
)
def test_v57_a_server_that_loses_or_shows_things_is_refused(
    settings: dict[str, str], host: str, level: str | None
) -> None:
    link = postgreslink.Link("postgresql://db.example/vault")
    connection = cast("psycopg.Connection[Any]", Answering(SAFE | settings, host))
    if level is not None:
        assert link.probe(connection, allow_unsafe=False) == level
        return
    with pytest.raises(StoreRefused):
        link.probe(connection, allow_unsafe=False)
    if settings.get("server_version_num") is None:
        assert link.probe(connection, allow_unsafe=True) == "on"


def test_v57_wanting_no_encryption_has_to_be_said() -> None:
    link = postgreslink.Link("postgresql://db.example/vault?sslmode=disable")
    assert link.probe(cast("psycopg.Connection[Any]", Answering(SAFE, "192.0.2.7")), allow_unsafe=False) == "on"


@pytest.mark.parametrize("url", ["postgresql://host/db?schema=a;b", "postgresql://u:hunter2@host:x/db?nonsense=1"])
def test_bad_urls_are_refused_without_being_quoted(url: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Vault.open(url, KEY)
    assert "hunter2" not in str(caught.value)


def test_a_server_that_is_not_there_is_an_error_without_its_password() -> None:
    url = "postgresql://u:hunter2@127.0.0.1:1/db"
    with pytest.raises(StoreUnavailable, match="cannot be reached") as caught:
        Vault.open(url, KEY)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (psycopg.errors.DiskFull, StoreFull),
        (psycopg.errors.UniqueViolation, TamperDetected),
        (psycopg.errors.DataCorrupted, TamperDetected),
        (psycopg.errors.LockNotAvailable, StoreUnavailable),
        (psycopg.errors.InsufficientPrivilege, StoreUnavailable),
        (psycopg.OperationalError, StoreUnavailable),
    ],
)
def test_errors_are_translated_without_their_text(error: type[psycopg.Error], expected: type[VaultError]) -> None:
    translated = postgreslink.translate(error("value 4111111111111111"))
    assert type(translated) is expected
    assert "4111" not in str(translated)


def test_a_backup_is_restored_to_a_file_and_to_a_server(vault: Vault, postgres_url: str, tmp_path: Path) -> None:
    placeholders = seal(vault, VALUE, "two")
    vault.session("s1").records.append("step", b"payload")
    vault.session("gone").shred()
    backup = io.BytesIO()
    vault.backup(backup)
    assert VALUE.encode() not in backup.getvalue()
    for place in (str(tmp_path / "restored.db"), f"{postgres_url}_restored"):
        restore_backup(io.BytesIO(backup.getvalue()), place, KEY)
        with Vault.open(place, KEY) as restored:
            assert texts(restored, placeholders) == [VALUE, "two"]
            assert restored.verify()[:3] == (1, 2, 1)
            assert len(seal(restored, VALUE, "three")) == 2
        with pytest.raises(StoreUnavailable):
            restore_backup(io.BytesIO(backup.getvalue()), place, KEY)
        with Vault.open(place, KEY) as restored, pytest.raises(SessionShredded):
            restored.session("gone")


def test_the_key_file_records_the_server(postgres_url: str) -> None:
    with Vault.open(postgres_url) as vault:
        placeholders = seal(vault, VALUE)
    with Vault.open(postgres_url) as vault:
        assert texts(vault, placeholders) == [VALUE]
    schema = postgres_url.partition("schema=")[2]
    run(postgres_url, f"DROP SCHEMA {schema} CASCADE")
    with pytest.raises(VaultMissing):
        Vault.open(postgres_url)


def test_a_sweep_needs_no_key(postgres_url: str) -> None:
    with Vault.open(postgres_url, KEY) as vault:
        seal(vault, VALUE)
    assert sweep(postgres_url) == (0, 0, True)


def test_nothing_of_a_store_is_shown_or_pickled(vault: Vault, postgres_url: str) -> None:
    store = PostgresStore(postgres_url)
    assert "host" not in repr(store) + repr(store._link)
    with pytest.raises(TypeError):
        pickle.dumps(store)
    store.close()


def test_a_gateway_opens_on_a_server(postgres_url: str, detector: Detector) -> None:
    with Gateway.open(postgres_url, key=KEY, detector=detector) as gateway:
        session = gateway.session("s1")
        redacted = session.redact("mail ann@example.com").text
        assert "ann@" not in redacted
        assert session.restore(redacted) == "mail ann@example.com"
