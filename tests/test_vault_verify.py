from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealgate.models.errors import AuditBroken, TamperDetected
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault

KEY = bytes(range(32))


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


def test_a_broken_chain_is_found(vault: Vault, path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DELETE FROM audit WHERE seq = 2")
    connection.close()
    with pytest.raises(AuditBroken):
        vault.verify()
