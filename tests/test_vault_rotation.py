from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sealgate.models.errors import InvalidInput, KeyRefused, WrongKey
from sealgate.models.grants import Restore
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import LocalKeys, Vault, VaultSession, rotation

OLD = bytes(range(32))
NEW = bytes(range(1, 33))


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / "vault.db"


def fill(session: VaultSession) -> list[Placeholder]:
    return session.seal([SealRequest(secret_of(f"value {number}"), "CUSTOM", "person") for number in range(3)])


def rows(path: Path, statement: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def test_rotation_wraps_sessions_again_and_leaves_entries(path: Path) -> None:
    with Vault.open(path, OLD) as vault:
        sealed = [fill(vault.session(f"s{number}")) for number in range(5)]
        before = rows(path, "SELECT * FROM entry")
        assert vault.rotate(NEW) == 5
        assert rows(path, "SELECT * FROM entry") == before
        assert len(rows(path, "SELECT DISTINCT kek_id FROM session")) == 1
        assert len(vault.session("s0").open(sealed[0], Restore())) == 3
        fill(vault.session("new"))
        assert vault.destroy_old_keys() == 1
        assert vault.audit.verify()
    with pytest.raises(WrongKey):
        Vault.open(path, OLD)
    with Vault.open(path, NEW) as vault:
        assert [fill(vault.session(f"s{number}")) for number in range(5)] == sealed
        assert len(vault.session("new").open(fill(vault.session("new")), Restore())) == 3


def test_both_keys_open_a_vault_between_rotation_and_destruction(path: Path) -> None:
    with Vault.open(path, OLD) as vault:
        fill(vault.session("s1"))
        vault.rotate(LocalKeys([OLD, NEW]))
    with Vault.open(path, NEW) as vault:
        assert vault.session("s1").match(len) == 3
    with Vault.open(path, LocalKeys([OLD, NEW])) as vault:
        assert vault.session("s1").match(len) == 3


def test_a_rotation_that_was_interrupted_is_repeated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Vault.open(path, OLD) as vault:
        for number in range(4):
            fill(vault.session(f"s{number}"))
        with monkeypatch.context() as patched:
            patched.setattr(rotation, "_CHUNK", 2)
            patched.setattr(rotation, "_rewrap_chunk", lambda shared, after: (0, 0))
            vault.rotate(LocalKeys([OLD, NEW]))
        with pytest.raises(KeyRefused):
            vault.destroy_old_keys()
        assert vault.session("s0").match(len) == 3
    with Vault.open(path, LocalKeys([OLD, NEW])) as vault:
        assert vault.rotate(NEW) == 4
        assert vault.destroy_old_keys() == 2
        assert vault.session("s3").match(len) == 3


def test_a_provider_without_keys_of_its_own_needs_one(path: Path) -> None:
    with Vault.open(path, OLD) as vault:
        with pytest.raises(InvalidInput):
            vault.rotate()
        with pytest.raises(KeyRefused):
            vault.rotate(b"short")
        assert vault.audit.verify() == 0


def test_the_key_file_rotates_by_itself_and_other_processes_follow(path: Path, config: Path) -> None:
    with Vault.open(path) as vault, Vault.open(path) as other:
        sealed = fill(vault.session("s1"))
        assert other.session("s1").match(len) == 3
        assert vault.rotate() == 1
        assert len(other.session("s1").open(sealed, Restore())) == 3
        assert fill(other.session("s1")) == sealed
        fill(other.session("s2"))
        assert len(rows(path, "SELECT DISTINCT kek_id FROM session")) == 1
        assert vault.destroy_old_keys() == 1
        assert len(other.session("s2").match(list)) == 3
        assert len(fill(other.session("s3"))) == 3
    [key_file] = (config / "sealgate" / "keys").iterdir()
    assert key_file.read_text().count("=") == 1
    with Vault.open(path) as vault:
        assert vault.session("s1").match(len) == 3


def test_a_copy_from_before_is_unreadable_once_its_key_is_destroyed(path: Path) -> None:
    copy = path.with_name("copy.db")
    with Vault.open(path) as vault:
        fill(vault.session("s1"))
        assert vault.purge()
    copy.write_bytes(path.read_bytes())
    with Vault.open(path) as vault:
        vault.rotate()
        vault.destroy_old_keys()
    with pytest.raises(WrongKey):
        Vault.open(copy)
