from __future__ import annotations

import io
import stat
import threading
from pathlib import Path

import pytest

from sealgate.models.errors import KeyMissing, KeyRefused, NotAVault, StoreUnavailable, TamperDetected, WrongKey
from sealgate.models.grants import Restore
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault, restore_backup

KEY = bytes(range(32))
REQUESTS = [SealRequest(secret_of(f"value {number}"), "CUSTOM", "person") for number in range(300)]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vault.db"


def backup_of(path: Path, key: bytes | None = KEY) -> bytes:
    target = io.BytesIO()
    with Vault.open(path, key) as vault:
        vault.session("s1").seal(REQUESTS)
        vault.session("s1").records.append("step", b"state")
        assert vault.backup(target) == len(target.getvalue())
        assert not list(path.parent.glob(".sealgate-*"))
    return target.getvalue()


@pytest.mark.parametrize("key", [KEY, None])
def test_a_backup_is_restored(path: Path, key: bytes | None) -> None:
    backup = backup_of(path, key)
    restored = path.with_name("restored.db")
    restore_backup(io.BytesIO(backup), restored, key)
    assert stat.S_IMODE(restored.stat().st_mode) == 0o600
    with Vault.open(restored, key) as vault:
        session = vault.session("s1", create=False)
        placeholders = session.seal(REQUESTS)
        opened = session.open(placeholders, Restore())
        assert [opened[one].text() for one in placeholders] == [f"value {number}" for number in range(300)]
        latest = session.records.latest("step")
        assert latest is not None
        assert latest.payload == b"state"
        assert vault.audit.verify()


def test_a_vault_in_memory_can_be_backed_up(path: Path) -> None:
    target = io.BytesIO()
    with Vault.open(":memory:", KEY) as vault:
        placeholders = vault.session("s1").seal(REQUESTS[:3])
        vault.backup(target)
    restore_backup(io.BytesIO(target.getvalue()), path, KEY)
    with Vault.open(path, KEY) as vault:
        assert len(vault.session("s1").open(placeholders, Restore())) == 3


def test_a_cut_or_changed_backup_leaves_nothing(path: Path) -> None:
    backup = backup_of(path)
    place = path.with_name("restored.db")
    middle = len(backup) // 2
    chunk = 16 * 1024
    broken = [
        *(backup[:size] for size in (40, 200, middle, len(backup) - 1)),
        backup + b"x",
        backup[:middle] + bytes([backup[middle] ^ 1]) + backup[middle + 1 :],
        backup[: -2 * chunk] + backup[-chunk:] + backup[-2 * chunk : -chunk],
    ]
    for one in broken:
        with pytest.raises((TamperDetected, WrongKey)):
            restore_backup(io.BytesIO(one), place, KEY)
        assert sorted(file.name for file in path.parent.iterdir()) == ["vault.db", "vault.db-lock"]


def test_other_files_keys_and_places_are_refused(path: Path) -> None:
    backup = backup_of(path)
    place = path.with_name("restored.db")
    for content in (b"", b"SQLite format 3\0" * 10):
        with pytest.raises(NotAVault):
            restore_backup(io.BytesIO(content), place, KEY)
    with pytest.raises(WrongKey):
        restore_backup(io.BytesIO(backup), place, KEY[::-1])
    with pytest.raises(KeyMissing):
        restore_backup(io.BytesIO(backup), place)
    with pytest.raises(KeyRefused):
        restore_backup(io.BytesIO(backup), place, b"short")
    with pytest.raises(StoreUnavailable):
        restore_backup(io.BytesIO(backup), path, KEY)
    assert not place.exists()


def test_no_value_and_no_name_is_in_a_backup(path: Path) -> None:
    backup = backup_of(path)
    assert b"value 1" not in backup
    assert b"entry_code" not in backup


def test_a_backup_during_writes_is_consistent(path: Path) -> None:
    stop = threading.Event()
    target = io.BytesIO()
    with Vault.open(path, KEY) as vault:

        def write() -> None:
            session = vault.session("s1")
            for number in range(1000):
                if stop.is_set():
                    return
                pair = [SealRequest(secret_of(f"{side} {number}"), "CUSTOM", "person") for side in ("a", "b")]
                session.seal(pair)

        writer = threading.Thread(target=write)
        writer.start()
        vault.backup(target)
        stop.set()
        writer.join()
    restored = path.with_name("restored.db")
    restore_backup(io.BytesIO(target.getvalue()), restored, KEY)
    with Vault.open(restored, KEY) as vault:
        assert vault.session("s1").match(len) % 2 == 0
        assert vault.audit.verify()
