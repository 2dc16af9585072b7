from __future__ import annotations

import json
import os
import re
import sqlite3
import stat
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

import pytest

from sealgate.models.errors import (
    InvalidInput,
    KeyMissing,
    KeyRefused,
    NotAVault,
    SealgateError,
    StoreUnavailable,
    TamperDetected,
    VaultMissing,
    VaultTooNew,
    WrongKey,
)
from sealgate.models.grants import Restore
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import KeyDirectory, Vault
from sealgate.vault.sqlite.schema import SCHEMA_VERSION

KEY = bytes(range(32))
NAME = SealRequest(secret_of("Ann Example"), "PERSON", "person")


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / "vault.db"


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def test_a_vault_is_opened_again(path: Path) -> None:
    with Vault.open(path, KEY) as vault:
        [placeholder] = vault.session("s1").seal([NAME])
    with Vault.open(str(path), KEY) as vault:
        session = vault.session("s1", create=False)
        assert session.seal([NAME]) == [placeholder]
        assert session.open([placeholder], Restore())[placeholder].text() == "Ann Example"
        assert vault.audit.verify() == 3


def test_all_files_are_private(path: Path) -> None:
    with Vault.open(path, KEY) as vault:
        vault.session("s1").seal([NAME])
        names = sorted(one.name for one in path.parent.iterdir())
        assert names == ["vault.db", "vault.db-lock", "vault.db-shm", "vault.db-wal"]
        assert {stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()} == {0o600}


def test_no_file_holds_the_value(path: Path) -> None:
    with Vault.open(path, KEY) as vault:
        session = vault.session("visible-name", tenant="visible-tenant", subject="visible-subject")
        session.seal([NAME])
        session.records.append("step", b"visible-payload")
        stored = b"".join(one.read_bytes() for one in path.parent.iterdir())
    assert b"Ann" not in stored
    assert b"visible" not in stored
    assert KEY not in stored


def test_the_wrong_key_is_refused_and_changes_nothing(path: Path) -> None:
    Vault.open(path, KEY).close()
    before = digest(path)
    for _ in range(2):
        with pytest.raises(WrongKey):
            Vault.open(path, KEY[::-1])
    assert digest(path) == before
    Vault.open(path, KEY).close()


def test_the_default_key_lies_in_the_configuration_directory(path: Path, config: Path) -> None:
    with Vault.open(path) as vault:
        [placeholder] = vault.session("s1").seal([NAME])
    [key_file] = (config / "sealgate" / "keys").iterdir()
    fields = json.loads(key_file.read_text())
    assert (fields["store"], fields["pending"], len(fields["keys"])) == (str(path), False, 1)
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    with Vault.open(path) as vault:
        assert vault.session("s1").seal([NAME]) == [placeholder]


def test_a_vault_that_moved_finds_its_key(path: Path, config: Path) -> None:
    Vault.open(path).close()
    moved = path.with_name("moved.db")
    path.rename(moved)
    Vault.open(moved).close()
    [key_file] = (config / "sealgate" / "keys").iterdir()
    assert json.loads(key_file.read_text())["store"] == str(moved)


def test_a_vault_without_its_key_file_is_an_error(path: Path, config: Path) -> None:
    Vault.open(path).close()
    [key_file] = (config / "sealgate" / "keys").iterdir()
    key_file.unlink()
    with pytest.raises(KeyMissing):
        Vault.open(path)
    Vault.open(path.with_name("other.db")).close()


@pytest.mark.parametrize("emptied", [True, False])
def test_a_recorded_store_that_is_gone_is_an_error(path: Path, config: Path, emptied: bool) -> None:
    Vault.open(path).close()
    [key_file] = (config / "sealgate" / "keys").iterdir()
    path.unlink()
    if emptied:
        path.touch()
    with pytest.raises(VaultMissing, match=re.escape(f"move {key_file} away")):
        Vault.open(path)


def test_a_key_file_that_never_got_its_vault_is_replaced(path: Path, config: Path) -> None:
    KeyDirectory().make("ab" * 16, str(path))
    Vault.open(path).close()
    [key_file] = (config / "sealgate" / "keys").iterdir()
    assert "abab" not in key_file.name


def test_an_unsafe_key_file_is_refused(path: Path, config: Path) -> None:
    Vault.open(path).close()
    [key_file] = (config / "sealgate" / "keys").iterdir()
    key_file.chmod(0o644)
    with pytest.raises(KeyRefused):
        Vault.open(path)


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"SQLite format 3\0", b"\0" * 4096, b"SQLite format 3\0" + b"x" * 8000]
)
def test_other_files_are_no_vaults_and_stay_as_they_are(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises((NotAVault, TamperDetected)):
        Vault.open(path, KEY)
    assert path.read_bytes() == content


def test_another_database_is_no_vault(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE notes(text)")
    connection.commit()
    connection.close()
    with pytest.raises(NotAVault):
        Vault.open(path, KEY)


def test_links_and_directories_are_no_vaults(path: Path) -> None:
    Vault.open(path, KEY).close()
    link = path.with_name("link.db")
    link.symlink_to(path)
    for one in (link, path.parent):
        with pytest.raises(NotAVault):
            Vault.open(one, KEY)


@pytest.mark.parametrize(("version", "refused"), [(1, NotAVault), (SCHEMA_VERSION + 1, VaultTooNew)])
def test_another_version_is_refused(path: Path, version: int, refused: type[Exception]) -> None:
    Vault.open(path, KEY).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    with pytest.raises(refused):
        Vault.open(path, KEY)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM audit; END",
        "CREATE VIEW v AS SELECT * FROM entry",
        "CREATE TABLE extra(x)",
        "DROP INDEX entry_code",
    ],
)
def test_a_changed_schema_is_refused(path: Path, statement: str) -> None:
    Vault.open(path, KEY).close()
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.close()
    with pytest.raises(TamperDetected):
        Vault.open(path, KEY)


HALF = ("postgresql://ada:hunter2x@[::1/db", "valkey://:hunter2x@[fe80/0", "rediss://x]y:hunter2x@h/0")
"""URLs that have no parts."""

MISSPELLED = (
    "POSTGRESQL://ada:hunter2x@h/db",
    " valkey://:hunter2x@h/0",
    "\nredis://:hunter2x@h/0",
    "postgresql:/ada:hunter2x@h/db",
    "Valkey:ada:hunter2x@h",
)
"""URLs that would be files with a password in their names."""


@pytest.mark.parametrize("place", ["", "mysql://host/db", "nul\0byte", *HALF, *MISSPELLED])
def test_places_that_are_no_paths_are_refused(place: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Vault.open(place, KEY)
    assert "hunter2x" not in str(refused.value)
    assert refused.value.__context__ is None


def test_a_missing_directory_is_an_error(path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        Vault.open(path.parent / "nowhere" / "vault.db", KEY)


def test_errors_of_opening_carry_no_key(path: Path) -> None:
    Vault.open(path, KEY).close()
    with pytest.raises(SealgateError) as caught:
        Vault.open(path, KEY[::-1])
    assert KEY[::-1].hex() not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


_OPEN_AND_SEAL = """
import sys
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault
sys.stdin.readline()
with Vault.open(sys.argv[1]) as vault:
    session = vault.session("s1")
    values = ["Ann Example", "Bob Example", f"own {sys.argv[2]}"]
    print(*session.seal([SealRequest(secret_of(value), "PERSON", "person") for value in values]))
"""


def test_twenty_processes_that_open_a_fresh_vault_end_with_one(path: Path, config: Path) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _OPEN_AND_SEAL, str(path), str(number)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ.copy(),
        )
        for number in range(20)
    ]  # fmt: skip
    for child in children:
        assert child.stdin
        child.stdin.write("\n")
        child.stdin.flush()
    outputs = [child.communicate(timeout=100) for child in children]
    assert [child.returncode for child in children] == [0] * 20, [error[-300:] for _, error in outputs]
    sealed = [output.split() for output, _ in outputs]
    assert len({(first, second) for first, second, _ in sealed}) == 1
    assert len({own for _, _, own in sealed}) == 20
    assert len(list((config / "sealgate" / "keys").iterdir())) == 1
    with Vault.open(path) as vault:
        assert vault.session("s1", create=False).match(len) == 22
        assert vault.audit.verify() > 20


def test_threads_share_a_vault(path: Path) -> None:
    values = [SealRequest(secret_of(f"value {number}"), "CUSTOM", "person") for number in range(30)]
    results: list[list[str]] = []
    with Vault.open(path, KEY) as vault:

        def work() -> None:
            session = vault.session("s1")
            sealed = [session.seal([one])[0] for one in values]
            opened = session.open(sealed, Restore())
            assert [opened[one].text() for one in sealed] == [one.value.text() for one in values]
            assert session.match(len)
            results.append([str(one) for one in sealed])

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(results) == 8
        assert len({tuple(one) for one in results}) == 1
        assert vault.session("s1").match(len) == 30
