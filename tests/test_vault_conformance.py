"""The conformance suite, run on SQLite, and shown to find engines that do something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sealgate.vault import conformance
from sealgate.vault.conformance import CHECKS, Check, NotConforming
from sealgate.vault.rows import EntryRow
from sealgate.vault.sqlite import file as vaultfile
from sealgate.vault.sqlite.store import MEMORY, SqliteStore
from sealgate.vault.sqlite.tables import SqliteEntries, SqliteTransaction


def name_of(check: Check) -> str:
    return check.__name__


@pytest.fixture
def path(tmp_path: Path) -> str:
    made = str(tmp_path / "vault.db")
    vaultfile.create(made, lambda _transaction: None)
    return made


@pytest.mark.parametrize("check", CHECKS, ids=name_of)
def test_a_file_conforms(check: Check, path: str) -> None:
    store, other = SqliteStore(path), SqliteStore(path)
    check(store, other)
    store.close()
    other.close()


@pytest.mark.parametrize("check", CHECKS, ids=name_of)
def test_memory_conforms(check: Check) -> None:
    store = SqliteStore(MEMORY)
    check(store, store)
    store.close()


def _forget_the_rest(self: SqliteEntries, sid: int, identity: bytes, code: str) -> list[EntryRow]:
    return []


@pytest.mark.parametrize(
    ("owner", "name", "fault"),
    [
        (SqliteEntries, "by_mark", _forget_the_rest),
        (SqliteEntries, "delete", lambda self, ids: None),
        (SqliteEntries, "count", lambda self, sid: 0),
    ],
)
def test_a_fault_is_found(
    owner: type, name: str, fault: Callable[..., object], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, fault)
    failed = 0
    for check in conformance.TABLE_CHECKS:
        store = SqliteStore(MEMORY)
        try:
            check(store, store)
        except NotConforming:
            failed += 1
        finally:
            store.close()
    assert failed


def test_a_store_that_commits_what_failed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Sloppy(SqliteStore):
        @contextmanager
        def write(self, *, durable: bool = True) -> Iterator[SqliteTransaction]:
            with super().write(durable=durable) as transaction:
                try:
                    yield transaction
                except Exception as error:
                    kept = error
                else:
                    return
            raise kept

    store = Sloppy(MEMORY)
    with pytest.raises(NotConforming, match="rolled back"):
        conformance.CHECKS[2](store, store)
    store.close()
