from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sealgate.models.errors import InvalidInput, SessionShredded, VaultMissing
from sealgate.models.grants import Restore
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault, VaultSession, sweep

KEY = bytes(range(32))


class FakeTime:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def now(self) -> float:
        return self.seconds


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vault.db"


def fill(session: VaultSession, count: int = 3, ttl: float | None = None) -> None:
    session.seal([SealRequest(secret_of(f"value {n}"), "CUSTOM", "person", None, ttl) for n in range(count)])


def count(path: Path, table: str) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    finally:
        connection.close()


def test_a_session_ends_at_its_time(path: Path, time: FakeTime) -> None:
    with Vault.open(path, KEY, clock=time) as vault:
        session = vault.session("s1", ttl=100.0)
        fill(session)
        time.seconds += 99.9
        assert session.match(len) == 3
        time.seconds += 0.2
        with pytest.raises(SessionShredded):
            session.match(len)
        with pytest.raises(SessionShredded):
            fill(session)
        with pytest.raises(SessionShredded):
            vault.session("s1")
        time.seconds -= 3600
        with pytest.raises(SessionShredded):
            session.match(len)


def test_a_clock_turned_back_revives_nothing_after_a_restart(path: Path, time: FakeTime) -> None:
    with Vault.open(path, KEY, clock=time) as vault:
        vault.session("s1", ttl=100.0)
        time.seconds += 3600
        fill(vault.session("s2"))
    time.seconds -= 3600
    with Vault.open(path, KEY, clock=time) as vault, pytest.raises(SessionShredded):
        vault.session("s1")


def test_an_idle_session_ends_unless_it_is_written_to(path: Path, time: FakeTime) -> None:
    with Vault.open(path, KEY, clock=time) as vault:
        session = vault.session("s1", idle=100.0)
        for number in range(3):
            time.seconds += 90
            session.records.append("step", b"%d" % number)
        time.seconds += 101
        with pytest.raises(SessionShredded):
            session.records.latest("step")


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_lifetime_is_above_zero(path: Path, seconds: float) -> None:
    with Vault.open(path, KEY) as vault:
        with pytest.raises(InvalidInput):
            vault.session("s1", ttl=seconds)
        with pytest.raises(InvalidInput):
            vault.session("s1", idle=seconds)


def test_sweeping_needs_no_key_and_takes_exactly_what_expired(path: Path, time: FakeTime) -> None:
    """I17: and nothing that lives."""
    with Vault.open(path, KEY, clock=time) as vault:
        fill(vault.session("short", ttl=100.0))
        fill(vault.session("idle", idle=100.0))
        fill(vault.session("long", ttl=1000.0))
        fill(vault.session("values"), 4, ttl=100.0)
        vault.session("values").seal([SealRequest(secret_of("kept"), "CUSTOM", "person")])
    assert sweep(path, clock=time)[:2] == (0, 0)
    time.seconds += 101
    swept = sweep(path, clock=time)
    assert (swept.sessions, swept.values, swept.purged) == (2, 4, True)
    assert sweep(path, clock=time)[:2] == (0, 0)
    with Vault.open(path, KEY, clock=time) as vault:
        assert vault.session("long").match(len) == 3
        assert vault.session("values").match(len) == 1
        for name in ("short", "idle"):
            with pytest.raises(SessionShredded):
                vault.session(name)
        assert [event.action for event in vault.audit.rows()][-1] == "swept"
        assert vault.audit.verify()


def test_an_open_vault_sweeps_itself(path: Path, time: FakeTime) -> None:
    with Vault.open(path, KEY, clock=time) as vault:
        session = vault.session("s1")
        fill(session, 700, ttl=10.0)
        [kept] = session.seal([SealRequest(secret_of("kept"), "CUSTOM", "person")])
        time.seconds += 11
        assert vault.sweep().values == 700
        assert session.open([kept], Restore())[kept].text() == "kept"
        assert count(path, "entry") == 1


def test_there_must_be_a_vault_to_sweep(path: Path) -> None:
    with pytest.raises(VaultMissing):
        sweep(path)
