from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sealgate.models.errors import AuditBroken, RollbackDetected, TamperDetected
from sealgate.models.grants import Inject
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault, VaultSession
from vault_engines import KEY, Engine, PostgresEngine, SqlEngine, ValkeyEngine, fill, request


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vault.db"


@pytest.fixture
def vault(path: Path) -> Iterator[Vault]:
    with Vault.open(path, KEY) as opened:
        for name in ("s1", "s2"):
            session = opened.session(name, subject="ann")
            session.seal(
                [
                    SealRequest(secret_of(value), "ACCOUNT_NUMBER", "person")
                    for value in ("1234-5678-9012", "123456789012", 123456789012, "Ann")
                ]
            )
            session.records.extend("event", [b"one", b"two", b"three"])
            session.records.replace("private", "card", b"4242")
            session.records.replace("private", "name", b"Ann")
        opened.session("gone").shred()
        yield opened


def test_what_was_stored_is_in_order(vault: Vault) -> None:
    assert vault.verify()[:3] == (2, 8, 10)
    assert vault.verify().audit == vault.audit.verify()
    session = vault.session("s1")
    session.retire(session.seal([SealRequest(secret_of("Ann"), "PERSON", "person")]))
    session.records.drop_before("event", 3)
    session.records.discard("private", "name")
    vault.rotate(KEY[::-1])
    assert vault.verify()[:3] == (2, 7, 7)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET ct = (SELECT ct FROM entry WHERE id = 2) WHERE id = 1",
        "UPDATE entry SET life = zeroblob(8) WHERE id = 2",
        "UPDATE entry SET expires = 9 WHERE id = 3",
        "DELETE FROM entry WHERE id = 1",
        "UPDATE entry SET sid = 3 - sid",
        "UPDATE record SET ct = (SELECT ct FROM record WHERE id = 2) WHERE id = 1",
        "DELETE FROM record WHERE id = 2",
        "DELETE FROM record WHERE id = 3",
        "DELETE FROM record WHERE id = 4",
        "UPDATE session SET gen = gen + 1",
        "UPDATE session SET subject = zeroblob(70)",
        "UPDATE session SET commitment = zeroblob(32)",
    ],
)
def test_what_was_changed_is_found(vault: Vault, path: Path, change: str) -> None:
    vault.verify()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(change)
    connection.close()
    with pytest.raises(TamperDetected):
        vault.verify()


@pytest.mark.parametrize("index", ["sqlite_autoindex_session_1", "entry_code", "record_seq", "record_key"])
def test_an_index_that_hides_rows_is_found(vault: Vault, path: Path, index: str) -> None:
    vault.close()
    connection = sqlite3.connect(path, isolation_level=None)
    [(page,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (index,))
    [(size,)] = connection.execute("PRAGMA page_size")
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size + 3)  # How many cells a page has, which is its bytes 3 and 4.
        file.write(bytes(2))
    with pytest.raises(TamperDetected), Vault.open(path, KEY) as damaged:
        damaged.verify()


def test_a_vault_in_memory_has_a_structure_too() -> None:
    with Vault.open(":memory:", KEY) as vault:
        assert vault.verify().sessions == 0


def test_a_broken_chain_is_found(vault: Vault, path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DELETE FROM audit WHERE seq = 2")
    connection.close()
    with pytest.raises(AuditBroken):
        vault.verify()


AnyEngine = Engine[Any]


def _seal_more(session: VaultSession) -> None:
    fill(session, ["Bob"])


def _use(session: VaultSession) -> None:
    [code] = session.seal([request("482913", "OTP_CODE", "interrupt")])
    session.open([code], Inject("c1", "t", "a", given=frozenset((code,))))


def _end_one(session: VaultSession) -> None:
    session.retire(fill(session, ["Ann"]))


def _forget(session: VaultSession) -> None:
    session.forget([])


def _shred(session: VaultSession) -> None:
    session.shred()


@pytest.mark.parametrize("change", [_seal_more, _use, _end_one, _forget, _shred])
def test_a_session_that_is_put_back_by_itself_is_found(
    engine: AnyEngine, change: Callable[[VaultSession], None]
) -> None:
    vault = engine.open()
    fill(vault.session("s1"), ["Ann"])
    fill(vault.session("s2"), ["Ann"])
    before, entries = engine.sessions(), engine.entries()
    change(vault.session("s1"))
    vault.verify()
    after = engine.sessions()
    for row in engine.entries():
        engine.drop_entry(row)
    for row in entries:
        engine.add_entry(row)
    engine.change_session(after[0], **before[0]._asdict())
    with engine.open() as other, pytest.raises(RollbackDetected):
        other.verify()


def test_a_session_that_left_no_row_is_found(engine: AnyEngine) -> None:
    vault = engine.open()
    vault.session("s1")
    vault.session("s2").shred()
    vault.verify()
    for row in engine.sessions():
        if isinstance(engine, ValkeyEngine):
            engine.client.hdel(f"{engine.prefix}s", row.sref)
        elif isinstance(engine, SqlEngine):
            engine.run("DELETE FROM session WHERE sid = ?", row.sid)
        with pytest.raises(RollbackDetected):
            vault.verify()


def test_a_chain_that_was_cut_before_a_session_began_is_found(engine: AnyEngine) -> None:
    vault = engine.open()
    fill(vault.session("s1"), ["Ann"])
    vault.session("s2")
    engine.drop_audit(3, 3)
    assert vault.audit.verify() == 2
    with pytest.raises(AuditBroken):
        vault.verify()


def test_what_changes_meanwhile_is_in_order(vault: Vault) -> None:
    """Sessions that begin, go on and end while everything is read: after the chain was."""
    numbers = iter(range(3))

    def change(_values: int) -> None:
        number = next(numbers, None)
        if number is not None:
            fill(vault.session("s2"), [f"value {number}"])
            fill(vault.session(f"new {number}"), ["Ann"])
        if number == 1:
            vault.session("new 0").shred()

    assert vault.verify(progress=change).sessions >= 4
    assert vault.verify().sessions == 4


def test_a_role_of_one_tenant_misses_nobody(postgres_url: str) -> None:
    engine = PostgresEngine(postgres_url)
    vault, role = engine.open(), f"role_{secrets.token_hex(4)}"
    for tenant in ("a", "b"):
        fill(vault.session("s1", tenant=tenant), ["Ann"])
    engine.run(f"CREATE ROLE {role} LOGIN")
    try:
        vault.admit(role, "a")
        with Vault.open(postgres_url.replace("owner@", f"{role}@"), KEY) as own:
            assert own.verify().sessions == 1
        assert vault.verify().sessions == 2
    finally:
        engine.close()
        engine.run(f"DROP OWNED BY {role}")
        engine.run(f"DROP ROLE {role}")
