"""A fork waits for whoever is inside SQLite; V28 shows what for."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sealgate.vault.sqlite import forking
from vault_engines import KEY, SqliteEngine, fill, scenario

FORKS = """
vault = Vault.open(PLACE, KEY)
session = vault.session("s1")
fill(session, [f"value {number}" for number in range(300)])
ended = threading.Event()

def read():
    while not ended.is_set():
        with vault._shared.store.read() as view:
            view.entries.after(1, 0)
        vault.session("s1").facts(fill(session, ["value 1"]))

def write(number):
    for batch in range(10000):
        if ended.is_set():
            return
        fill(session, [f"thread {number} {batch}"])

def child(number):
    assert session.match(len) >= 300
    fill(session, [f"child {number}"])
    assert vault.purge() in (True, False)
    vault.close()

threads = [threading.Thread(target=read) for _ in range(3)]
threads += [threading.Thread(target=write, args=(number,)) for number in range(2)]
for thread in threads:
    thread.start()
statuses = [wait(fork(lambda: child(number))) for number in range(15)]
ended.set()
for thread in threads:
    thread.join()
found = session.match(texts_of)
print(json.dumps({"statuses": statuses, "children": sum(text.startswith("child") for text in found)}))
"""


def test_a_process_forks_again_and_again_while_its_threads_read_and_write(tmp_path: Path) -> None:
    report = scenario(FORKS, str(tmp_path / "vault.db"))
    assert report == {"statuses": [0] * 15, "children": 15}


@pytest.fixture
def place(tmp_path: Path) -> SqliteEngine:
    return SqliteEngine(str(tmp_path / "vault.db"))


def test_nothing_begins_while_a_store_is_paused(place: SqliteEngine) -> None:
    vault = place.open(KEY)
    session = vault.session("s1")
    fill(session, ["before"])
    forking._before()
    writer = threading.Thread(target=fill, args=(session, ["after"]))
    reader = threading.Thread(target=session.match, args=(len,))
    for thread in (writer, reader):
        thread.start()
        thread.join(0.1)
        assert thread.is_alive()
    assert len(place.entries()) == 1
    forking._after_in_parent()
    for thread in (writer, reader):
        thread.join(10)
        assert not thread.is_alive()
    assert session.match(len) == 2
    place.close()


def test_who_forks_inside_a_transaction_is_not_held_up_for_ever(
    place: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sealgate.vault.sqlite.store.PATIENCE", 0.05)
    store = place.open()._shared.store
    with store.read() as view:
        forking._before()
        forking._after_in_parent()
        assert view.meta.get("vault") is not None
    with store.write() as transaction:
        forking._before()
        forking._after_in_parent()
        transaction.meta.put("junk", b"junk")
    with store.read() as view:
        assert view.meta.get("junk") == b"junk"
    place.close()
