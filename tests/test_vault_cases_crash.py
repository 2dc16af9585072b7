"""What is left when processes are killed, the power goes, the disk is full or fails, and copies are put back."""

from __future__ import annotations

import itertools
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sealgate.models.errors import (
    AuditUnavailable,
    SessionShredded,
    StoreFull,
    StoreUnavailable,
    UnknownPlaceholder,
    VaultError,
)
from sealgate.models.grants import Accepts, Inject, Restore
from sealgate.vault import VaultSession, sealing
from vault_engines import Engine, PostgresEngine, SqliteEngine, ValkeyEngine, fill, scenario, texts, texts_of

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="finds SQLite's library in /proc")


def test_v12_a_restored_copy_repeats_no_nonce(engine: Engine[Any]) -> None:
    """I10: nonces differ, however often a copy is put back."""
    rounds = 200 if engine.name == "sqlite" else 25
    engine.open().session("s1")
    engine.close()
    image = engine.image()
    nonces, pairs = set(), []
    for number in range(rounds):
        engine.put_back(image)
        values = [f"value {number:08}", *(f"more {number} {place}" for place in range(4))]
        fill(engine.open().session("s1"), values)
        rows = engine.entries()
        nonces |= {row.ct[1:13] for row in rows}
        pairs.append((values[0].encode(), rows[0].ct))
        engine.close()
    assert len(nonces) == rounds * 5
    for (plain, sealed), (other_plain, other_sealed) in itertools.pairwise(pairs):
        assert different(plain, other_plain) not in different(sealed, other_sealed)


def different(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=False))


KILL = """
ROUNDS, WRITERS, BATCH = int(sys.argv[2]), 4, 5
acknowledged, failures = {}, []
Vault.open(PLACE, KEY).close()

def write(round_number, writer, pipe):
    vault = Vault.open(PLACE, KEY)
    session = vault.session("s1")
    for batch in range(100000):
        values = [f"{round_number}/{writer}/{batch}/{place}" for place in range(BATCH)]
        sealed = fill(session, values)
        os.write(pipe, (json.dumps(dict(zip(values, map(str, sealed)))) + "\\n").encode())

def gather(pipe, enough):
    # What the writers acknowledged: until there is enough of it, or, with None, all that is left in the pipe.
    text = b""
    while enough is None or text.count(b"\\n") < enough:
        chunk = os.read(pipe, 65536)
        if not chunk:
            break
        text += chunk
    return text

for round_number in range(ROUNDS):
    receive, send = os.pipe()
    children = [fork(lambda: write(round_number, writer, send)) for writer in range(WRITERS)]
    os.close(send)
    text = gather(receive, random.randrange(1, 12))
    time.sleep(random.uniform(0, 0.005))
    for child in children:
        os.kill(child, signal.SIGKILL)
    if any(wait(child) != -signal.SIGKILL for child in children):
        failures.append("a writer ended by itself")
    text += gather(receive, None)
    os.close(receive)
    for line in text.decode().splitlines():
        acknowledged.update(json.loads(line))
    with Vault.open(PLACE, KEY) as vault:
        started = time.monotonic()
        session = vault.session("s1")
        session.records.append("probe", b"")
        if time.monotonic() - started > 10:
            failures.append("a lock stayed behind")
        found = session.match(lambda values: {live.value.text(): str(live.placeholder) for live in values})
        if any(found.get(value) != placeholder for value, placeholder in acknowledged.items()):
            failures.append("an acknowledged value is lost")
        batches = {}
        for value in found:
            batches.setdefault(value.rsplit("/", 1)[0], []).append(value)
        if any(len(batch) != BATCH for batch in batches.values()):
            failures.append("a batch is there in part")
        if round_number % 20 == 19:
            vault.verify()
print(json.dumps({"failures": failures, "acknowledged": len(acknowledged)}))
"""


def test_v19_no_acknowledged_value_is_lost_when_writers_are_killed(engine: Engine[Any]) -> None:
    """I7: what was acknowledged is there, batches are whole, and no lock stays behind."""
    report = scenario(KILL, engine.place, "50")
    assert report["failures"] == []
    assert report["acknowledged"] >= 250
    if isinstance(engine, SqliteEngine):
        assert engine.run("PRAGMA integrity_check") == [("ok",)]


POWER = """
import itertools, shutil
from sqlite_disk import Disk, power_cuts
from sealgate.vault.sqlite import writer as sqlitewriter

disk = Disk()
sqlitewriter._CHECKPOINT_BYTES, sqlitewriter._CHECKPOINT_EVERY = 0, 3
vault = Vault.open(PLACE, KEY)
session = vault.session("s1")
session.records.append("loose", b"first")
vault.purge()
folder = os.path.dirname(PLACE)
names = [name for name in os.listdir(folder) if not name.endswith(("-lock", "-shm"))]
start = {os.path.join(folder, name): open(os.path.join(folder, name), "rb").read() for name in names}
disk.log.clear()
for batch in range(12):
    for number in range(3):
        session.records.append("loose", b"%d" % number, durable=False)
    fill(session, [f"{batch}/{place}" for place in range(5)])
    disk.note(f"batch {batch}")
    if batch in (4, 9):
        vault.purge()
for number in range(5):
    session.records.append("loose", b"%d" % number, durable=False)
disk.recording = False
vault.close()

cuts, seen, failures = 0, set(), []
for cuts, cut in enumerate(power_cuts(start, disk.log), 1):
    copy = os.path.join(folder, f"cut-{cuts}")
    os.mkdir(copy)
    for path, data in cut.files.items():
        with open(os.path.join(copy, os.path.basename(path)), "wb") as file:
            file.write(data)
    with Vault.open(os.path.join(copy, os.path.basename(PLACE)), KEY) as image:
        image.verify()
        left = image.session("s1", create=False)
        found = sorted(left.match(texts_of), key=lambda text: [int(part) for part in text.split("/")])
        whole = [f"{batch}/{place}" for batch in range(len(found) // 5) for place in range(5)]
        records = [record.sequence for record in left.records.whole("loose")]
    if found != whole:
        failures.append(f"cut {cuts}: no prefix of the batches")
    if len(found) // 5 < len(cut.notes):
        failures.append(f"cut {cuts}: an acknowledged batch is lost")
    if records != list(range(1, len(records) + 1)) or len(records) < 1 + 3 * (len(found) // 5):
        failures.append(f"cut {cuts}: no prefix of the records")
    seen.add((len(found) // 5, len(records)))
    shutil.rmtree(copy)
print(json.dumps({"cuts": cuts, "seen": len(seen), "failures": failures,
                  "synced": sum(one.kind == "sync" for one in disk.log)}))
"""


@on_linux
def test_v20_whenever_the_power_goes_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    """I8: cut before and after every flush, with any part of what was not flushed, a durable commit is there, another
    one is there with everything before it, and nothing is corrupt.
    """
    report = scenario(POWER, str(tmp_path / "vault.db"))
    assert report["failures"] == []
    assert report["synced"] >= 15
    assert report["cuts"] >= 4 * report["synced"]
    assert report["seen"] >= 20


FAILING = """
from sqlite_disk import FULL, IOERR_FSYNC, IOERR_READ, IOERR_WRITE, Disk
from sealgate.vault.sqlite import writer as sqlitewriter

disk = Disk()
vault = Vault.open(PLACE, KEY)
session = vault.session("s1")
other = vault.session("s2")
kept = fill(session, [f"kept {number}" for number in range(20)])
fill(other, ["other"])

def failing(kind, ending, code, after=0):
    left = [after]
    def fault(done, path):
        if done != kind or not path.endswith(ending):
            return 0
        left[0] -= 1
        return code if left[0] < 0 else 0
    disk.fault = fault

def attempt(action):
    try:
        return repr(action())
    except SealgateError as error:
        return type(error).__name__
    except BaseException as error:
        return f"unexpected {error!r}"

def state():
    disk.fault = lambda kind, path: 0
    dropped = vault._shared.store._writer.current is None
    fresh = Vault.open(PLACE, KEY)
    counts = [one.session("s1").match(len) for one in (vault, fresh)]
    fresh.verify()
    fresh.close()
    return [dropped, *counts]

WAL = "-wal"
FILE = os.path.basename(PLACE)
report = {}
for name, kind, ending, code, after in [
    ("put, no room at once", "write", WAL, FULL, 0),
    ("put, no room later", "write", WAL, FULL, 3),
    ("put, write fails", "write", WAL, IOERR_WRITE, 1),
    ("put, sync fails", "sync", WAL, IOERR_FSYNC, 0),
]:
    failing(kind, ending, code, after)
    report[name] = [attempt(lambda: fill(session, [f"{name} {number}" for number in range(5)])), *state()]

failing("write", FILE, FULL)
report["checkpoint, no room"] = [attempt(vault.purge), *state()]
failing("sync", FILE, IOERR_FSYNC)
report["checkpoint, sync fails"] = [attempt(vault.purge), *state()]
sqlitewriter._CHECKPOINT_BYTES, sqlitewriter._CHECKPOINT_EVERY = 0, 1
failing("write", FILE, FULL)
report["put, checkpoint has no room"] = [attempt(lambda: len(fill(session, ["acknowledged"]))), *state()]
sqlitewriter._CHECKPOINT_EVERY = 1000

failing("read", FILE, IOERR_READ)
fresh = None
def read():
    global fresh
    fresh = Vault.open(PLACE, KEY)
    return fresh.session("s1").match(len)
report["read fails"] = [attempt(read), *state()]

failing("write", FILE, FULL)
report["shred, no room to write the log back"] = [attempt(other.shred)]
disk.fault = lambda kind, path: 0
report["shredded"] = [attempt(lambda: vault.session("s2")), attempt(vault.purge)]
failing("write", WAL, FULL)
report["shred, no room"] = [attempt(session.shred), *state()]
report["shred with room"] = [attempt(session.shred), attempt(lambda: session.match(len))]
print(json.dumps(report))
"""


@on_linux
def test_v21_v23_a_full_or_failing_disk_loses_nothing_and_says_what_it_is(tmp_path: Path) -> None:
    """I9: at each place: the error, whether the connection was dropped, and what two readers find afterwards."""
    report = scenario(FAILING, str(tmp_path / "vault.db"))
    full, failed = ["StoreFull", True, 20, 20], ["StoreUnavailable", True, 20, 20]
    assert report["put, no room at once"] == full
    assert report["put, no room later"] == full
    assert report["put, write fails"] == failed
    assert report["put, sync fails"] == failed
    assert report["checkpoint, no room"][0] == "False"
    assert report["checkpoint, no room"][2:] == [20, 20]
    assert report["checkpoint, sync fails"][0] == "StoreUnavailable"
    assert report["checkpoint, sync fails"][2:] == [20, 20]
    assert report["put, checkpoint has no room"][0] == "1"
    assert report["put, checkpoint has no room"][2:] == [21, 21]
    assert report["read fails"][0] == "StoreUnavailable"
    assert report["read fails"][2:] == [21, 21]
    assert report["shred, no room to write the log back"] == ["False"]
    assert report["shredded"] == ["SessionShredded", "True"]
    assert report["shred, no room"][0] == "StoreFull"
    assert report["shred, no room"][2:] == [21, 21]
    assert report["shred with room"] == ["True", "SessionShredded"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True, timeout=10).returncode:
        pytest.skip("nothing can be mounted here; the other tests of V21 fill a disk without it")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True, timeout=10)


def fill_up(session: VaultSession) -> list[str]:
    """Seals batches until there is no room; what was acknowledged."""
    kept: list[str] = []
    for number in itertools.count():
        batch = [f"value {number} {place}" for place in range(5)]
        try:
            fill(session, batch)
        except StoreFull:
            break
        kept += batch
    return kept


def test_v21_a_disk_without_room(small_disk: Path) -> None:
    place = SqliteEngine(str(small_disk / "vault.db"))
    vault = place.open()
    session, other = vault.session("s1"), vault.session("s2")
    [first] = fill(session, ["first"])
    kept = ["first", *fill_up(session)]
    assert len(kept) > 100
    for one in (session, place.open().session("s1")):
        assert sorted(one.match(texts_of)) == sorted(kept)
    with suppress(AuditUnavailable):  # Without room for its audit row a value stays closed.
        assert texts(session, [first]) == ["first"]
    assert vault.purge() is False
    try:
        assert other.shred() is False  # Done, and the log still has what was deleted.
    except StoreFull:
        assert other.match(len) == 0
    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True, timeout=10)
    assert texts(session, [first]) == ["first"]
    with suppress(SessionShredded):
        other.shred()
    assert vault.purge()
    fill(session, ["after the room came back"])
    assert vault.verify().values == len(kept) + 1
    assert session.shred()
    place.close()


def test_v21_a_database_without_room(tmp_path: Path) -> None:
    place = SqliteEngine(str(tmp_path / "vault.db"))
    vault = place.open()
    session = vault.session("s1")
    writer = vault._shared.store._writer.current.connection  # type: ignore[attr-defined]
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count = {pages + 6}")
    kept = fill_up(session)
    assert kept
    assert session.match(len) == place.open().session("s1").match(len) == len(kept)
    fill(session, ["after the room came back"])
    assert session.match(len) == len(kept) + 1
    place.close()


def cut_connections(engine: Engine[Any]) -> None:
    """The server, or the disk, is gone for those who use it now."""
    if isinstance(engine, PostgresEngine):
        schema = engine.place.partition("schema=")[2]
        query = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'sealgate'"
        assert schema
        engine.run(query)
    elif isinstance(engine, ValkeyEngine):
        engine.client.client_kill_filter(_type="normal", skipme=True)
    else:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
        raise error


def test_v23_an_engine_that_fails_in_the_middle_of_a_batch(
    engine: Engine[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = engine.open()
    session = vault.session("s1")
    kept = fill(session, ["one", "two"])
    whole = sealing.Sealing.seal

    def failing(self: sealing.Sealing, *given: Any) -> Any:
        done = whole(self, *given)
        cut_connections(engine)
        return done

    with monkeypatch.context() as patched:
        patched.setattr(sealing.Sealing, "seal", failing)
        with pytest.raises(StoreUnavailable) as caught:
            fill(session, ["MARKER three", "MARKER four"])
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert "MARKER" not in repr(caught.value.args)
    assert sorted(session.match(texts_of)) == ["one", "two"]
    assert texts(session, kept) == ["one", "two"]
    assert len(fill(session, ["MARKER three", "MARKER four"])) == 2
    assert vault.verify().values == 4


@pytest.mark.parametrize("engine", ["postgres", "valkey"], indirect=True)
@pytest.mark.parametrize("loses", ["the last second", "everything"])
def test_v56_what_a_failover_lost_is_unknown_and_heals(engine: Engine[Any], loses: str) -> None:
    """An older copy of the store takes its place while clients hold on to what they know."""
    vault = engine.open()
    empty = engine.image() if loses == "everything" else None
    session = vault.session("s1")
    kept = fill(session, ["kept"])
    image = engine.image() if empty is None else empty
    lost = fill(session, ["lost"])
    session.records.append("step", b"lost too")
    engine.put_back(image)
    if empty is not None:
        for attempt in (lambda: session.open(lost, Restore()), lambda: session.match(len)):
            with pytest.raises(VaultError):
                attempt()
        return
    for reader in (session, engine.open().session("s1")):
        assert texts(reader, lost) == []
        with pytest.raises(UnknownPlaceholder):
            reader.open(lost, Inject("c", "t", "a", Accepts("CUSTOM")))
        assert texts(reader, kept) == ["kept"]
    assert fill(session, ["lost", "kept"]) == lost + kept
    assert texts(engine.open().session("s1"), lost + kept) == ["lost", "kept"]
