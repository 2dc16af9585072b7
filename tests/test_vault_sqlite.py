"""The SQLite engine by itself: groups of writers, errors, locks."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sealgate.models.errors import NotAVault, StoreFull, StoreUnavailable, TamperDetected, VaultError
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault, VaultSession
from sealgate.vault.sqlite import lockfile
from sealgate.vault.sqlite import writer as sqlitewriter
from sealgate.vault.sqlite.lockfile import LockFile
from sealgate.vault.sqlite.store import SqliteStore
from sealgate.vault.sqlite.writer import translate

KEY = bytes(range(32))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vault.db"


@pytest.fixture
def vault(path: Path) -> Iterator[Vault]:
    with Vault.open(path, KEY) as opened:
        yield opened


def store_of(vault: Vault) -> SqliteStore:
    store = vault._shared.store
    assert isinstance(store, SqliteStore)
    return store


def seal(session: VaultSession, value: str) -> None:
    session.seal([SealRequest(secret_of(value), "CUSTOM", "person")])


class Crowd:
    """Threads that wait for the writer's turn while the first one holds it, so that they end up in one group."""

    def __init__(self, store: SqliteStore, actions: list[Callable[[], object]]) -> None:
        self._store = store
        self._actions = actions
        self.errors: list[Exception | None] = [None] * len(actions)

    def _act(self, place: int) -> None:
        try:
            self._actions[place]()
        except Exception as error:
            self.errors[place] = error

    def run(self) -> None:
        writer = self._store._writer
        threads = [threading.Thread(target=self._act, args=(place,)) for place in range(len(self._actions))]
        with writer._turn:
            for thread in threads:
                thread.start()
            while writer._waiting < len(threads):
                os.sched_yield()
        for thread in threads:
            thread.join()


def commits(store: SqliteStore) -> int:
    return store._writer._commits


def test_writers_that_wait_are_committed_together(vault: Vault) -> None:
    session = vault.session("s1")
    before = commits(store_of(vault))
    crowd = Crowd(store_of(vault), [lambda place=place: seal(session, f"value {place}") for place in range(8)])  # type: ignore[misc]
    crowd.run()
    assert crowd.errors == [None] * 8
    assert commits(store_of(vault)) == before + 1
    assert session.match(len) == 8
    with Vault.open(store_of(vault)._path, KEY) as other:
        assert other.session("s1").match(len) == 8
        assert other.audit.verify()


def test_a_member_that_fails_takes_only_its_own_work_back(vault: Vault) -> None:
    session = vault.session("s1")

    def fail() -> None:
        with store_of(vault).write() as transaction:
            transaction.meta.put("junk", b"junk")
            raise KeyError("mine")

    actions: list[Callable[[], object]] = [lambda: seal(session, "one"), fail, lambda: seal(session, "two"), fail]
    crowd = Crowd(store_of(vault), actions)
    crowd.run()
    assert [type(error) for error in crowd.errors] == [type(None), KeyError, type(None), KeyError]
    assert session.match(len) == 2
    with store_of(vault).read() as transaction:
        assert transaction.meta.get("junk") is None


def test_a_commit_that_fails_fails_for_all(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    session = vault.session("s1")
    seal(session, "before")

    class Broken:
        """A connection whose commit fails."""

        def __init__(self, connection: sqlite3.Connection) -> None:
            self._connection = connection

        def execute(self, statement: str) -> sqlite3.Cursor:
            if statement == "COMMIT":
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
                raise error
            return self._connection.execute(statement)

        def __getattr__(self, name: str) -> object:
            return getattr(self._connection, name)

    current = store_of(vault)._writer.current
    assert current is not None
    current.connection = Broken(current.connection)  # type: ignore[assignment]
    crowd = Crowd(store_of(vault), [lambda place=place: seal(session, f"value {place}") for place in range(3)])  # type: ignore[misc]
    crowd.run()
    assert [type(error) for error in crowd.errors] == [StoreUnavailable] * 3
    assert session.match(len) == 1
    seal(session, "after")
    assert session.match(len) == 2


def test_a_durable_writer_does_not_join_a_group_that_is_not(vault: Vault) -> None:
    store = store_of(vault)
    before = commits(store)

    def write(durable: bool) -> None:
        with store.write(durable=durable) as transaction:
            transaction.meta.put(f"junk {durable}", b"junk")

    crowd = Crowd(store, [lambda: write(False), lambda: write(True), lambda: write(False), lambda: write(True)])
    crowd.run()
    assert crowd.errors == [None] * 4
    assert before + 1 <= commits(store) <= before + 3


def test_a_member_commits_itself_when_nobody_comes(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlitewriter, "_PATIENCE", 0.001)
    session = vault.session("s1")
    store_of(vault)._writer._waiting += 1
    seal(session, "value")
    store_of(vault)._writer._waiting -= 1
    with Vault.open(store_of(vault)._path, KEY) as other:
        assert other.session("s1").match(len) == 1


def test_an_open_group_is_committed_before_a_purge(vault: Vault) -> None:
    store = store_of(vault)
    store._writer._waiting += 1
    done = threading.Thread(target=lambda: seal(vault.session("s1"), "value"))
    done.start()
    assert vault.purge() in (True, False)
    store._writer._waiting -= 1
    done.join()
    assert vault.session("s1").match(len) == 1


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (sqlite3.SQLITE_FULL, StoreFull),
        (sqlite3.SQLITE_IOERR_WRITE, StoreUnavailable),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreUnavailable),
        (sqlite3.SQLITE_READONLY, StoreUnavailable),
        (sqlite3.SQLITE_CORRUPT, TamperDetected),
        (sqlite3.SQLITE_NOTADB, NotAVault),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, TamperDetected),
        (None, StoreUnavailable),
    ],
)
def test_errors_are_translated_without_their_text(code: int | None, expected: type[VaultError]) -> None:
    error = sqlite3.DatabaseError("value 4111111111111111")
    if code is not None:
        error.sqlite_errorcode = code
    translated = translate(error)
    assert type(translated) is expected
    assert "4111" not in str(translated)


def test_a_lock_that_stays_taken_is_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = LockFile(str(path)), LockFile(str(path))
    monkeypatch.setattr(lockfile, "DEADLINE", 0.02)
    with first.held(), pytest.raises(StoreUnavailable):
        second.acquire()
    with second.held():
        pass
    first.close()
    second.close()
    first.close()


def test_a_lock_file_is_no_link(path: Path) -> None:
    path.symlink_to("/dev/null")
    with pytest.raises(StoreUnavailable):
        LockFile(str(path)).acquire()
