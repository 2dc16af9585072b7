"""Many processes and threads on one vault: races, forks, checkpoints, stale caches, sweepers; and no random bytes."""

from __future__ import annotations

import errno
import fcntl
import importlib
import itertools
import os
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from sealgate.models.errors import SessionShredded, StoreUnavailable, UnknownSession, ValueGone, WrongKey
from sealgate.models.grants import Inject, Restore
from sealgate.vault import LocalKeys, Vault, VaultSession, envelope, sweep
from vault_engines import KEY, Engine, FakeTime, SqliteEngine, fill, request, scenario, texts, texts_of

sweeping = importlib.import_module("sealgate.vault.sweep")  # The package has a function of that name.
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="finds SQLite's library in /proc")

RACE = """
PROCESSES, THREADS, BATCHES = 8, 8, 2
Vault.open(PLACE, KEY).session("s1")
barrier, start = os.pipe()
receive, send = os.pipe()

def race():
    vault = Vault.open(PLACE, KEY)
    session = vault.session("s1")
    os.close(start)
    os.read(barrier, 1)
    def work(number):
        for batch in range(BATCHES):
            values = [f"value {(number + batch * 3 + place) % 16}" for place in range(6)]
            line = json.dumps(dict(zip(values, map(str, fill(session, values)))))
            os.write(send, (line + "\\n").encode())
    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    vault.close()

children = [fork(race) for _ in range(PROCESSES)]
os.close(send)
time.sleep(0.2)
os.close(start)  # The end of this pipe is what they all wait for.
lines = b""
while chunk := os.read(receive, 65536):
    lines += chunk
statuses = [wait(child) for child in children]
pairs = {pair for line in lines.decode().splitlines() for pair in json.loads(line).items()}
print(json.dumps({"statuses": statuses, "batches": lines.count(b"\\n"), "pairs": sorted(pairs)}))
"""


def test_v24_processes_and_threads_that_race_agree_on_every_placeholder(engine: Engine[Any]) -> None:
    report = scenario(RACE, engine.place)
    assert report["statuses"] == [0] * 8
    assert report["batches"] == 128
    assert len(report["pairs"]) == len({value for value, _ in report["pairs"]}) == 16
    assert len({placeholder for _, placeholder in report["pairs"]}) == 16
    rows = engine.entries()
    assert len(rows) == len({(row.sid, row.identity, row.form) for row in rows}) == 16
    assert engine.open().verify().values == 16


GUARD = """
import fcntl
from sqlite_disk import Disk
from sealgate.vault.sqlite import writer as sqlitewriter

vault = Vault.open(PLACE, KEY)
lock = os.open(PLACE + "-lock", os.O_RDWR)
seen, bare = [0], []

def watch(kind, path):
    if kind == "read":
        return 0
    seen[0] += 1
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 0
    fcntl.flock(lock, fcntl.LOCK_UN)
    bare.append(f"{kind} {os.path.basename(path)}")
    return 0

vault.close()
disk = Disk()
disk.fault = watch
vault = Vault.open(PLACE, KEY)
sqlitewriter._CHECKPOINT_BYTES, sqlitewriter._CHECKPOINT_EVERY = 0, 2
session = vault.session("s1")
for number in range(6):
    placeholders = fill(session, [f"value {number}"])
session.records.append("step", b"payload", durable=False)
session.open(placeholders, Restore())
session.forget(placeholders)
vault.purge()
vault.rotate(KEY[::-1])
with vault._shared.store.snapshot() as copy:
    copy.read()
session.shred()
vault.close()
print(json.dumps({"seen": seen[0], "bare": bare}))
"""


@on_linux
def test_v25_whatever_sqlite_writes_it_writes_under_the_guard(tmp_path: Path) -> None:
    """Commits, checkpoints, and the last connection's end: which SQLite it is, and whether it has the fault, makes no
    difference then.
    """
    report = scenario(GUARD, str(tmp_path / "vault.db"))
    assert report["seen"] > 50
    assert [one for one in report["bare"] if not one.endswith("copy.db")] == []


@pytest.mark.parametrize("version", [(3, 40, 1), (3, 51, 2), (3, 51, 3), (3, 53, 0)])
def test_v25_without_the_guard_no_vault_opens_whatever_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int]
) -> None:
    """3.7.0 to 3.51.2 can lose commits (sqlite.org/wal.html, "The WAL-reset bug"); the vault goes without in none."""
    place = SqliteEngine(str(tmp_path / "vault.db"))
    place.open().session("s1")
    place.close()
    before = place.image()
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)

    def no_locks(fd: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(StoreUnavailable, match="no locks"):
        fill(place.open().session("s1"), ["value"])
    with pytest.raises(StoreUnavailable, match="no locks"):
        Vault.open(tmp_path / "new.db", KEY)
    assert not (tmp_path / "new.db").exists()
    monkeypatch.undo()
    place.close()
    assert place.image() == before


SOAK = """
WRITERS, CHECKPOINTERS, BATCHES = 4, 2, 60
Vault.open(PLACE, KEY).session("s1")
receive, send = os.pipe()

def write(writer):
    vault = Vault.open(PLACE, KEY)
    session = vault.session("s1")
    for batch in range(BATCHES):
        values = [f"{writer}/{batch}/{place}" for place in range(3)]
        fill(session, values)
        os.write(send, ("\\n".join(values) + "\\n").encode())
        if batch % 7 == writer:
            vault.purge()

def hammer():
    vault = Vault.open(PLACE, KEY)
    while True:
        vault.purge()

hammers = [fork(hammer) for _ in range(CHECKPOINTERS)]
writers = [fork(lambda: write(writer)) for writer in range(WRITERS)]
os.close(send)
lines = b""
while chunk := os.read(receive, 65536):
    lines += chunk
    if lines.count(b"\\n") == WRITERS * BATCHES * 3:
        break
statuses = [wait(child) for child in writers]
for child in hammers:
    os.kill(child, signal.SIGKILL)
    wait(child)
with Vault.open(PLACE, KEY) as vault:
    found = set(vault.session("s1").match(texts_of))
    vault.verify()
print(json.dumps({"statuses": statuses, "lost": sorted(set(lines.decode().split()) - found), "found": len(found)}))
"""


def test_v25_writers_and_checkpoints_that_hammer_lose_no_commit(tmp_path: Path) -> None:
    place = SqliteEngine(str(tmp_path / "vault.db"))
    report = scenario(SOAK, place.place)
    assert report == {"statuses": [0] * 4, "lost": [], "found": 720}
    assert place.run("PRAGMA integrity_check") == [("ok",)]


def every_use(session: VaultSession, vault: Vault, known: list[Any]) -> list[Callable[[], object]]:
    return [
        lambda: session.open(known, Restore()),
        lambda: fill(session, ["known"]),
        lambda: fill(session, ["new"]),
        lambda: session.match(len),
        lambda: session.facts(known),
        lambda: session.records.append("step", b""),
        lambda: session.records.latest("step"),
        session.end_turn,
        lambda: session.forget(known),
        lambda: vault.session("s1"),
    ]


@pytest.mark.parametrize("ending", ["shred", "expire", "sweep"])
def test_v27_the_end_of_a_session_reaches_processes_with_warm_caches(engine: Engine[Any], ending: str) -> None:
    """I14: no process goes on with a session that ended, whatever it has in memory."""
    time = FakeTime()
    vault, other = engine.open(clock=time), engine.open(clock=time)
    mine, theirs = (one.session("s1", ttl=100.0) for one in (vault, other))
    known = fill(mine, ["known"])
    assert fill(theirs, ["known"]) == known
    assert theirs.match(len) == len(texts(theirs, known)) == 1
    if ending == "shred":
        mine.shred()
    else:
        time.seconds += 101
        if ending == "sweep":
            assert sweep(engine.place, clock=time).sessions == 1
    for use in every_use(theirs, other, known):
        with pytest.raises(SessionShredded):
            use()
    assert len(engine.entries()) == int(ending == "expire")
    assert engine.records() == []


def test_v27_a_rotation_reaches_processes_with_warm_caches(engine: Engine[Any]) -> None:
    both = LocalKeys([KEY, KEY[::-1]])
    vault, follower, stale = engine.open(), engine.open(both), engine.open()
    known = fill(vault.session("s1"), ["known"])
    for one in (follower, stale):
        assert fill(one.session("s1"), ["known"]) == known
        assert one.session("s1").match(len) == 1
    held = stale.session("s1")
    vault.rotate(both)
    assert texts(follower.session("s1"), known) == ["known"]
    assert fill(follower.session("s1"), ["from the follower"])
    vault.destroy_old_keys()
    for use in (lambda: held.open(known, Restore()), lambda: fill(held, ["late"]), lambda: held.match(len)):
        with pytest.raises(WrongKey):
            use()
    assert sorted(vault.session("s1").match(texts_of)) == ["from the follower", "known"]


def test_v27_a_forgotten_value_is_gone_for_processes_with_warm_caches(engine: Engine[Any]) -> None:
    vault, other = engine.open(), engine.open()
    gone, kept = fill(vault.session("s1"), ["gone", "kept"])
    theirs = other.session("s1")
    assert sorted(theirs.match(texts_of)) == ["gone", "kept"]
    vault.session("s1").forget([gone])
    assert theirs.match(texts_of) == ["kept"]
    assert texts(theirs, [gone, kept]) == ["kept"]
    assert fill(theirs, ["gone"]) == [gone]


FORK = """
from concurrent.futures import ThreadPoolExecutor
pooled = sys.argv[2] == "pooled"
vault = Vault.open(PLACE, KEY)
session = vault.session("s1")
fill(session, ["before the fork"])
session.match(texts_of)

def write(side):
    for batch in range(20):
        fill(session, [f"{side} {batch} {place}" for place in range(50)])
    assert len(session.match(texts_of)) >= 1001

if pooled:
    with ThreadPoolExecutor(4) as pool:
        work = [pool.submit(write, f"thread {number}") for number in range(3)]
        child = pool.submit(fork, lambda: write("child")).result()
        for one in work:
            one.result()
else:
    child = fork(lambda: write("child"))
    write("parent")
status = wait(child)
fill(session, ["after the fork"])
print(json.dumps({"status": status, "values": len(session.match(texts_of)), "verified": vault.verify().values}))
"""


@pytest.mark.parametrize(("how", "values"), [("alone", 2002), ("pooled", 4002)])
def test_v28_both_sides_of_a_fork_go_on(engine: Engine[Any], how: str, values: int) -> None:
    report = scenario(FORK, engine.place, how)
    assert report == {"status": 0, "values": values, "verified": values}
    assert len({row.ct[1:13] for row in engine.entries()}) == values


def raises(length: int) -> bytes:
    raise OSError("no entropy")


@pytest.mark.parametrize("source", [raises, lambda length: b"x", lambda length: b""], ids=["raises", "short", "empty"])
def test_v29_without_random_bytes_nothing_is_written(
    engine: Engine[Any], monkeypatch: pytest.MonkeyPatch, source: Callable[[int], bytes]
) -> None:
    vault = engine.open()
    session = vault.session("s1")
    before = engine.entries(), engine.sessions(), engine.audit()
    with monkeypatch.context() as patched:
        patched.setattr(os, "urandom", source)
        with pytest.raises((StoreUnavailable, OSError)):
            fill(session, ["value"])
        with pytest.raises((StoreUnavailable, OSError)):
            session.records.append("step", b"payload")
        with pytest.raises((StoreUnavailable, OSError)):
            vault.session("s2")
    assert (engine.entries(), engine.sessions(), engine.audit()) == before
    with pytest.raises(UnknownSession):
        vault.session("s2", create=False)
    fill(session, ["value"])


@pytest.mark.skipif(envelope.DEFAULT_SUITE != envelope.GCM_SIV, reason="this OpenSSL has no AES-GCM-SIV")
def test_v29_a_nonce_that_repeats_shows_nothing_but_equality(
    engine: Engine[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = engine.open().session("s1")
    values = [f"value {number:02}" for number in range(8)]
    monkeypatch.setattr(os, "urandom", lambda length: b"\7" * length)
    fill(session, values)
    rows = engine.entries()
    assert {row.ct[1:13] for row in rows} == {b"\7" * 12}
    for (value, row), (other, other_row) in itertools.combinations(zip(values, rows, strict=True), 2):
        plain = bytes(a ^ b for a, b in zip(value.encode(), other.encode(), strict=True))
        sealed = bytes(a ^ b for a, b in zip(row.ct[13:], other_row.ct[13:], strict=False))
        assert plain not in sealed


def test_v39_at_the_instant_of_expiry_a_value_is_whole_or_gone(engine: Engine[Any]) -> None:
    time = FakeTime()
    session = engine.open(clock=time).session("s1")
    [code] = session.seal([request("482913", "OTP_CODE", "interrupt", ttl=10.0)])
    purpose = Inject("c1", "pay", "code", given=frozenset((code,)))
    time.seconds += 9.999
    assert session.open([code], purpose)[code].text() == "482913"
    assert session.match(texts_of) == ["482913"]
    time.seconds += 0.001
    with pytest.raises(ValueGone):
        session.open([code], purpose)
    assert texts(session, [code]) == session.match(texts_of) == []


def test_v39_whatever_comes_first_reader_writer_or_sweeper(engine: Engine[Any]) -> None:
    """Every order of the three, at the instant of expiry."""
    time = FakeTime()
    for number, order in enumerate(itertools.permutations(("read", "write", "sweep"))):
        vault = engine.open(clock=time)
        session = vault.session(f"s{number}")
        kept, code = session.seal([request("kept"), request("482913", "OTP_CODE", "interrupt", ttl=10.0)])
        time.seconds += 10
        done: dict[str, Callable[[], object]] = {
            "read": lambda session=session, code=code: texts(session, [code]),  # type: ignore[misc]
            "write": lambda session=session, number=number: fill(session, [f"new {number}"]),  # type: ignore[misc]
            "sweep": lambda time=time: sweep(engine.place, clock=time).values,  # type: ignore[misc]
        }
        found = {step: done[step]() for step in order}
        assert found["read"] == []
        assert found["sweep"] == 1
        assert sorted(session.match(texts_of)) == ["kept", f"new {number}"]
        assert texts(session, [kept, code]) == ["kept"]
        vault.verify()


def test_v39_a_sweep_in_the_middle_of_a_reading_leaves_the_view_whole(engine: Engine[Any]) -> None:
    time = FakeTime()
    vault = engine.open(clock=time)
    session = vault.session("s1")
    fill(session, ["kept"])
    session.seal([request(f"short {number}", ttl=10.0) for number in range(20)])
    [row] = engine.sessions()
    time.seconds += 10
    sweeper = threading.Thread(target=sweep, args=(engine.place,), kwargs={"clock": time})
    with vault._shared.store.read() as view:
        before = view.entries.after(row.sid, 0)
        sweeper.start()
        sweeper.join(0.2)  # On Valkey it waits for the lock; elsewhere it is done by now.
        assert view.entries.after(row.sid, 0) == before
        assert view.entries.count(row.sid) == 21
    sweeper.join()
    assert session.match(texts_of) == ["kept"]
    assert len(engine.entries()) == 1


def test_v39_a_sweeper_that_is_killed_is_run_again_and_needs_no_key(
    engine: Engine[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    time = FakeTime()
    vault = engine.open(clock=time)
    fill(vault.session("kept"), ["kept"])
    for number in range(5):
        fill(vault.session(f"short {number}", ttl=10.0), ["value"])
    vault.session("kept").seal([request(f"value {number}", ttl=10.0) for number in range(5)])
    vault.close()
    time.seconds += 11
    chunks = []
    whole = sweeping._chunk

    def killed(store: Any, now: int) -> tuple[int, int]:
        chunks.append(1)
        if len(chunks) > 1:
            raise KeyboardInterrupt
        return cast("tuple[int, int]", whole(store, now))

    monkeypatch.setattr(sweeping, "_CHUNK", 2)
    with monkeypatch.context() as patched:
        patched.setattr(sweeping, "_chunk", killed)
        with pytest.raises(KeyboardInterrupt):
            sweep(engine.place, clock=time)
    assert sweep(engine.place, clock=time)[:2] == (3, 3)
    assert sweep(engine.place, clock=time)[:2] == (0, 0)
    reopened = engine.open(clock=time)
    assert reopened.verify()[:2] == (1, 1)
    assert reopened.session("kept").match(texts_of) == ["kept"]
