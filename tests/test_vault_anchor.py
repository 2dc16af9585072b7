"""Anchors: an older copy of the store put back on each engine, anchors that cannot be used, and no false alarm."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from key_stores import MemoryKeyring, system_keyring
from sealgate.models.errors import (
    AnchorMissing,
    AnchorRefused,
    InvalidInput,
    KeyRefused,
    RollbackDetected,
    TamperDetected,
    VaultError,
    VaultMissing,
)
from sealgate.vault import Anchor, FileAnchor, Vault, VaultSession, reanchor, restore_backup, sweep
from sealgate.vault.anchors.keyring import KeyringAnchor
from sealgate.vault.keys import keyring as keyringkeys
from vault_engines import KEY, Engine, FakeTime, fill, scenario, texts

AnyEngine = Engine[Any]


@pytest.fixture
def key_store() -> Iterator[MemoryKeyring]:
    with system_keyring() as made:
        yield made


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Where the anchor's file lies: in another folder than a vault's."""
    (tmp_path / "kept").mkdir(mode=0o700)
    return tmp_path / "kept" / "anchor"


@pytest.fixture(params=["file", "keyring"])
def anchor(request: pytest.FixtureRequest) -> Anchor:
    if request.param == "file":
        return FileAnchor(request.getfixturevalue("kept"))
    request.getfixturevalue("key_store")
    return KeyringAnchor("v")


def used(engine: AnyEngine, *values: str, **options: Any) -> Any:
    """What the store holds once these were sealed and the vault closed."""
    with Vault.open(engine.place, KEY, **options) as vault:
        fill(vault.session("s1"), values)
    return engine.image()


def rows(engine: AnyEngine) -> list[Any]:
    return [engine.sessions(), engine.entries(), engine.records(), engine.audit()]


def killed(engine: AnyEngine, kept: Path, write: Callable[[VaultSession], object], **options: Any) -> None:
    """A process that opened, wrote and was killed: what it saved at its end is taken back."""
    with Vault.open(engine.place, KEY, anchor=kept, **options) as vault:
        write(vault.session("s1"))
        saved = kept.read_bytes()
    kept.write_bytes(saved)


def test_v11_an_older_copy_is_refused_until_the_newest_is_back(engine: AnyEngine, anchor: Anchor) -> None:
    old = used(engine, "one", anchor=anchor)
    new = used(engine, "two", anchor=anchor)
    engine.put_back(old)
    before = rows(engine)
    for _ in range(2):
        with pytest.raises(RollbackDetected) as caught:
            engine.open(anchor=anchor)
        assert isinstance(caught.value, TamperDetected)
        assert "sealgate vault anchor" in str(caught.value)
    assert rows(engine) == before
    engine.put_back(new)
    used(engine, "three", anchor=anchor)


def test_v11_without_an_anchor_an_older_copy_opens_and_repeats_no_nonce(engine: AnyEngine) -> None:
    old = used(engine)
    nonces: list[bytes] = []
    for number in range(10):
        with Vault.open(engine.place, KEY) as vault:
            session = vault.session("s1")
            fill(session, [f"value {number}"])
            session.records.append("step", b"state")
        nonces += [row.ct[1:13] for row in engine.entries()] + [row.ct[1:13] for row in engine.records()]
        engine.put_back(old)
    assert len(nonces) == len(set(nonces)) == 20


def test_v11_a_copy_from_before_the_anchor_and_an_emptied_store_are_refused(engine: AnyEngine, kept: Path) -> None:
    plain = used(engine, "one")
    used(engine, anchor=kept)
    engine.put_back(plain)
    with pytest.raises(RollbackDetected):
        engine.open(anchor=kept)
    emptied = {name: [(0,)] if str(name).endswith("id") else [] for name in plain}
    engine.put_back(emptied if engine.name == "postgres" else {})
    with pytest.raises(VaultMissing):
        engine.open(anchor=kept)
    assert not Vault.is_at(engine.place)


def test_a_vault_with_an_anchor_opens_with_it_only(engine: AnyEngine, kept: Path) -> None:
    used(engine, "one", anchor=kept)
    before = rows(engine)
    with pytest.raises(AnchorMissing, match="--give-up"):
        engine.open()
    saved = kept.read_bytes()
    kept.unlink()
    with pytest.raises(AnchorMissing, match="is gone"):
        engine.open(anchor=kept)
    assert rows(engine) == before
    assert not kept.exists()
    kept.write_bytes(saved)
    kept.chmod(0o600)
    used(engine, "two", anchor=kept)


def test_the_present_state_is_accepted_on_purpose(engine: AnyEngine, anchor: Anchor) -> None:
    old = used(engine, "one", anchor=anchor)
    used(engine, "two", anchor=anchor)
    engine.put_back(old)
    reanchor(engine.place, anchor, KEY)
    used(engine, "three", anchor=anchor)
    with Vault.open(engine.place, KEY, anchor=anchor) as vault:
        assert "anchor.accepted" in [event.action for event in vault.audit.rows()]
        assert vault.verify().values == 2
    reanchor(engine.place, None, KEY)
    with engine.open() as vault:
        assert list(vault.audit.rows())[-1].action == "anchor.given.up"
    used(engine, "four", anchor=anchor)
    with pytest.raises(AnchorMissing):
        engine.open()


@pytest.mark.parametrize(
    ("write", "noticed"),
    [
        (lambda session: session.forget([]), True),
        (lambda session: session.shred(), True),
        (lambda session: fill(session, ["last"]), False),
        (lambda session: session.records.append("step", b"state"), False),
    ],
)
def test_v11_what_was_destroyed_does_not_come_back_and_the_last_minute_may(
    engine: AnyEngine, kept: Path, write: Callable[[VaultSession], object], noticed: bool
) -> None:
    image = used(engine, "one", anchor=kept)
    killed(engine, kept, write)
    engine.put_back(image)
    if noticed:
        with pytest.raises(RollbackDetected):
            engine.open(anchor=kept)
    else:
        used(engine, anchor=kept)


@pytest.mark.parametrize(
    "write", [lambda session: fill(session, ["x"]), lambda session: session.records.append("s", b"")]
)
def test_v11_what_is_a_minute_old_stays(engine: AnyEngine, kept: Path, write: Callable[[VaultSession], object]) -> None:
    image, clock = used(engine, "one", anchor=kept), FakeTime()

    def long(session: VaultSession) -> None:
        write(session)
        clock.seconds += 61
        fill(session, ["later"])

    killed(engine, kept, long, clock=clock)
    engine.put_back(image)
    with pytest.raises(RollbackDetected):
        engine.open(anchor=kept)


@pytest.mark.parametrize(
    "operate", [lambda vault: vault.rotate(KEY), lambda vault: vault.destroy_old_keys(), lambda vault: vault.sweep()]
)
def test_v11_what_an_operator_did_stays(engine: AnyEngine, kept: Path, operate: Callable[[Vault], object]) -> None:
    clock = FakeTime()
    with Vault.open(engine.place, KEY, anchor=kept, clock=clock) as vault:
        vault.session("short", ttl=5)
    image = engine.image()
    with Vault.open(engine.place, KEY, anchor=kept, clock=clock) as vault:
        clock.seconds += 10
        before = kept.read_bytes()
        operate(vault)
        saved = kept.read_bytes()
    assert saved != before
    kept.write_bytes(saved)
    engine.put_back(image)
    with pytest.raises(RollbackDetected):
        engine.open(anchor=kept)


@pytest.mark.parametrize("engine", ["postgres", "valkey"], indirect=True)
def test_v11_a_server_that_is_put_back_under_an_open_vault_is_noticed(engine: AnyEngine, kept: Path) -> None:
    clock = FakeTime()
    image = used(engine, "one", anchor=kept)
    vault = engine.open(anchor=kept, clock=clock)
    fill(vault.session("s1"), ["two"])
    vault.session("s2").shred()
    engine.put_back(image)
    clock.seconds += 61
    fill(vault.session("s1"), ["three"])
    for _ in range(2):
        with pytest.raises(RollbackDetected):
            fill(vault.session("s1"), ["four"])
    with pytest.raises(RollbackDetected):
        vault.close()
    assert len(engine.entries()) == 2


def test_opening_and_looking_writes_nothing(engine: AnyEngine, anchor: Anchor) -> None:
    used(engine, "one", anchor=anchor)
    before, saved = rows(engine), anchor.load()
    with Vault.open(engine.place, KEY, anchor=anchor) as vault:
        vault.verify()
        vault.session("s1").match(len)
    assert (rows(engine), anchor.load()) == (before, saved)


def test_a_failure_to_save_is_told_by_the_next_write(engine: AnyEngine, kept: Path) -> None:
    vault = engine.open(anchor=kept)
    session = vault.session("s1")
    placeholders = fill(session, ["one"])
    kept.parent.chmod(0o777)
    session.forget([])
    for _ in range(2):
        with pytest.raises(AnchorRefused, match="others can write"):
            fill(session, ["two"])
    assert session.match(len) == 1
    kept.parent.chmod(0o700)
    assert texts(session, [*placeholders, *fill(session, ["two"])]) == ["one", "two"]
    kept.parent.chmod(0o777)
    with pytest.raises(AnchorRefused):
        vault.close()
    vault.close()
    kept.parent.chmod(0o700)
    with pytest.raises(VaultError, match="closed"):
        session.match(len)
    used(engine, anchor=kept)


@pytest.fixture
def path(tmp_path: Path, kept: Path) -> Path:
    """A vault with an anchor, closed."""
    made = tmp_path / "vault.db"
    with Vault.open(made, KEY, anchor=kept) as vault:
        fill(vault.session("s1"), ["Ann Example"])
    return made


def test_a_changed_or_cut_anchor_is_refused_and_can_be_begun_anew(path: Path, kept: Path) -> None:
    saved = kept.read_bytes()
    changed = [saved[:at] + bytes([saved[at] ^ 1]) + saved[at + 1 :] for at in range(len(saved))]
    for one in (
        *changed,
        b"",
        *(saved[:size] for size in (1, 16, 17, 40, len(saved) - 1)),
        saved + b"x",
        b"x" * 70_000,
    ):
        kept.write_bytes(one)
        with pytest.raises(AnchorRefused) as caught:
            Vault.open(path, KEY, anchor=kept)
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
    reanchor(path, kept, KEY)
    Vault.open(path, KEY, anchor=kept).close()


def test_the_anchor_of_another_vault_is_refused_and_kept(path: Path, kept: Path, tmp_path: Path) -> None:
    saved, other = kept.read_bytes(), tmp_path / "other.db"
    Vault.open(other, KEY).close()
    for use in (lambda: Vault.open(other, KEY, anchor=kept), lambda: reanchor(other, kept, KEY)):
        with pytest.raises(AnchorRefused, match="another vault"):
            use()
    assert kept.read_bytes() == saved
    Vault.open(other, KEY).close()


def test_an_older_anchor_put_back_raises_no_alarm(path: Path, kept: Path) -> None:
    saved = kept.read_bytes()
    with Vault.open(path, KEY, anchor=kept) as vault:
        fill(vault.session("s1"), ["two"])
    kept.write_bytes(saved)
    Vault.open(path, KEY, anchor=kept).close()
    assert kept.read_bytes() != saved


def _link(kept: Path) -> None:
    kept.rename(kept.with_name("moved"))
    kept.symlink_to("moved")


def _fifo(kept: Path) -> None:
    kept.unlink()
    os.mkfifo(kept)


def _folder(kept: Path) -> None:
    kept.unlink()
    kept.mkdir()


UNSAFE: dict[str, Callable[[Path], object]] = {
    "a link": _link,
    "a second name": lambda kept: os.link(kept, kept.with_name("second")),
    "readable": lambda kept: kept.chmod(0o640),
    "a folder for all": lambda kept: kept.parent.chmod(0o777),
    "a pipe": _fifo,
    "a folder": _folder,
}


@pytest.mark.parametrize("make", UNSAFE.values(), ids=UNSAFE)
def test_an_unsafe_anchor_is_refused(path: Path, kept: Path, make: Callable[[Path], object]) -> None:
    make(kept)
    image = path.read_bytes()
    for use in (lambda: Vault.open(path, KEY, anchor=kept), lambda: reanchor(path, kept, KEY)):
        with pytest.raises(AnchorRefused):
            use()
    assert path.read_bytes() == image


def test_the_anchor_of_another_user_is_refused(path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    me = os.geteuid()
    owner = me + 1 if me else 0
    if me == 0:
        os.chown(kept, 1, 1)
    else:
        monkeypatch.setattr("sealgate.vault.privatefile.os.geteuid", lambda: owner)
    with pytest.raises(AnchorRefused, match="another user"):
        FileAnchor(kept).load()


def test_no_vault_is_made_for_an_anchor_without_a_folder(tmp_path: Path) -> None:
    with pytest.raises(AnchorRefused):
        Vault.open(tmp_path / "new.db", KEY, anchor=tmp_path / "nowhere" / "anchor")
    assert os.listdir(tmp_path) == []


def test_an_anchor_beside_the_store_or_of_a_vault_in_memory_is_refused(path: Path) -> None:
    for beside in (path, path.with_name("vault.db-wal"), path.with_name("anchor"), path.parent / "kept" / ".." / "a"):
        with pytest.raises(AnchorRefused, match="folder"):
            Vault.open(path, KEY, anchor=beside)
    for nowhere in ("", "/", "a\0b"):
        with pytest.raises(InvalidInput):
            Vault.open(path, KEY, anchor=nowhere)
    with pytest.raises(InvalidInput):
        Vault.open(":memory:", KEY, anchor=path)
    with pytest.raises(AnchorRefused, match="not there"):
        Vault.open(path.with_name("new.db"), KEY, anchor=path.parent / "missing" / "anchor")
    with pytest.raises(VaultMissing):
        reanchor(path.with_name("none.db"), path.parent / "kept" / "anchor", KEY)
    with pytest.raises(KeyRefused):
        reanchor(path, path.parent / "kept" / "anchor", b"short")


def test_a_key_store_that_is_locked_unsafe_or_holds_another_thing(key_store: MemoryKeyring, tmp_path: Path) -> None:
    path, anchor = tmp_path / "vault.db", KeyringAnchor("v")
    Vault.open(path, KEY, anchor=anchor).close()
    key_store.stored["sealgate", "anchor: v"] = "hunter2"
    with pytest.raises(AnchorRefused) as caught:
        Vault.open(path, KEY, anchor=anchor)
    assert "hunter2" not in str(caught.value)
    reanchor(path, anchor, KEY)
    vault = Vault.open(path, KEY, anchor=anchor)
    key_store.locked = True
    session = vault.session("s1")
    session.forget([])
    with pytest.raises(AnchorRefused, match="locked"):
        session.forget([])
    key_store.locked = False
    vault.close()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(keyringkeys, "_SAFE", frozenset())
        with pytest.raises(AnchorRefused):
            KeyringAnchor("v")
    assert "(…)" in repr(anchor)


def test_a_restored_backup_begins_a_new_anchor(path: Path, kept: Path, tmp_path: Path) -> None:
    target = io.BytesIO()
    with Vault.open(path, KEY, anchor=kept) as vault:
        vault.backup(target)
        fill(vault.session("s1"), ["two"])
    restored, again = tmp_path / "restored.db", tmp_path / "again.db"
    restore_backup(io.BytesIO(target.getvalue()), restored, KEY)
    with pytest.raises(RollbackDetected):
        Vault.open(restored, KEY, anchor=kept)
    with pytest.raises(AnchorRefused, match="folder"):
        restore_backup(io.BytesIO(target.getvalue()), again, KEY, anchor=tmp_path / "anchor")
    assert not again.exists()
    restore_backup(io.BytesIO(target.getvalue()), again, KEY, anchor=kept)
    with Vault.open(again, KEY, anchor=kept) as vault:
        assert vault.verify().values == 1
    with pytest.raises(RollbackDetected):
        Vault.open(path, KEY, anchor=kept)


def test_an_anchor_holds_no_value_and_no_name(path: Path, kept: Path) -> None:
    with Vault.open(path, KEY, anchor=FileAnchor(kept)) as vault:
        [placeholder] = fill(vault.session("Ann's session", tenant="tenant-4111"), ["Ann Example 4111"])
        vault.session("Ann's session", tenant="tenant-4111").forget([])
        saved = [kept.read_bytes()]
        rows = [event for event in vault.audit.rows() if event.action.startswith("anchor")]
    saved.append(kept.read_bytes())
    for data in saved:
        assert len(data) == 89
        assert not any(text.encode() in data for text in ("Ann", "4111", "tenant", placeholder.code, str(path)))
    assert [(event.session, event.fields) for event in rows] == [(None, {})] * len(rows)
    assert str(kept) not in repr(FileAnchor(kept))


def test_the_keyless_sweep_leaves_the_anchor_behind(path: Path, kept: Path) -> None:
    clock = FakeTime()
    with Vault.open(path, KEY, anchor=kept, clock=clock) as vault:
        vault.session("short", ttl=5)
    clock.seconds += 10
    assert sweep(path, clock=clock).sessions == 1
    Vault.open(path, KEY, anchor=kept, clock=clock).close()


def test_a_forked_child_goes_on(path: Path, kept: Path) -> None:
    with Vault.open(path, KEY, anchor=kept) as vault:
        fill(vault.session("s1"), ["parent"])
        child = os.fork()
        if not child:
            status = 1
            try:
                vault.session("s1").forget([])
                fill(vault.session("s1"), ["child"])
                vault.close()
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        fill(vault.session("s1"), ["parent again"])
    with Vault.open(path, KEY, anchor=kept) as vault:
        assert vault.session("s1").match(len) == 4


_WRITE = """
import sys
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault
from sealgate.vault.anchors import anchoring
anchoring._STEP = int(sys.argv[4])
for turn in range(10**6):
    with Vault.open(sys.argv[1], bytes(range(32)), anchor=sys.argv[2]) as vault:
        session = vault.session(sys.argv[3])
        for number in range(5):
            session.seal([SealRequest(secret_of(f"{turn} {number}"), "CUSTOM", "person")])
            session.records.append("step", b"state", durable=False)
    print(turn, flush=True)
"""


def writer(place: str, kept: Path, name: str, step: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WRITE, place, str(kept), name, str(step)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def sequence(kept: Path) -> int:
    return int.from_bytes(kept.read_bytes()[17:25], "big")


def test_processes_that_write_and_are_killed_raise_no_alarm(engine: AnyEngine, kept: Path) -> None:
    """Four at a time, each saving after every write; a third is killed at any moment. The anchor never goes back."""
    used(engine, anchor=kept)
    drawn, seen = random.Random(11), [sequence(kept)]
    for _round in range(2):
        writers = [writer(engine.place, kept, f"s{number}") for number in range(4)]
        for one in writers:
            assert one.stdout is not None
            assert one.stdout.readline() == "0\n", one.communicate()[1]
        for one in writers:
            for _ in range(10):
                time.sleep(drawn.random() / 50)
                seen.append(sequence(kept))
            one.send_signal(signal.SIGKILL)
        for one in writers:
            assert one.communicate(timeout=60)[1] == ""
        with Vault.open(engine.place, KEY, anchor=kept) as vault:
            vault.verify()
    assert seen == sorted(seen)
    assert len(set(seen)) > 10


def test_the_first_processes_to_use_an_anchor_agree(engine: AnyEngine, kept: Path) -> None:
    used(engine)
    writers = [writer(engine.place, kept, f"s{number}", step=60_000) for number in range(4)]
    for one in writers:
        assert one.stdout is not None
        for turn in range(2):
            assert one.stdout.readline() == f"{turn}\n", one.communicate()[1]
        one.kill()
        one.communicate(timeout=60)
    used(engine, anchor=kept)


POWER = """
import shutil
from sqlite_disk import Disk, power_cuts
from sealgate.vault.anchors import anchoring
from sealgate.vault.sqlite import writer as sqlitewriter

class Noted:
    # An anchor that the disk's log shows: what was saved when the power went is the last note.
    def __init__(self, data=None):
        self.data = data
    def load(self):
        return self.data
    def save(self, data):
        self.data = data
        if disk.recording:
            disk.note(data.hex())

disk, anchor = Disk(), Noted()
anchoring._STEP = 0
sqlitewriter._CHECKPOINT_BYTES, sqlitewriter._CHECKPOINT_EVERY = 0, 3
with Vault.open(PLACE, KEY, anchor=anchor) as vault:
    session = vault.session("s1")
    vault.purge()
    folder = os.path.dirname(PLACE)
    names = [name for name in os.listdir(folder) if not name.endswith(("-lock", "-shm"))]
    start = {os.path.join(folder, name): open(os.path.join(folder, name), "rb").read() for name in names}
    disk.log.clear()
    disk.note(anchor.data.hex())
    for batch in range(5):
        session.records.append("loose", b"state", durable=False)
        fill(session, [f"value {batch}"])
        if batch == 2:
            vault.purge()
    disk.recording = False

cuts, failures, behind = 0, [], set()
for cuts, cut in enumerate(power_cuts(start, disk.log), 1):
    if not cut.notes:
        continue
    saved, copy = bytes.fromhex(cut.notes[-1]), os.path.join(folder, f"cut-{cuts}")
    os.mkdir(copy)
    for path, data in cut.files.items():
        with open(os.path.join(copy, os.path.basename(path)), "wb") as file:
            file.write(data)
    try:
        with Vault.open(os.path.join(copy, os.path.basename(PLACE)), KEY, anchor=Noted(saved)) as image:
            behind.add(image.audit.verify() - int.from_bytes(saved[17:25], "big"))
    except Exception as error:
        failures.append(f"cut {cuts}: {type(error).__name__}")
    shutil.rmtree(copy)
print(json.dumps({"cuts": cuts, "failures": failures, "anchors": len(cut.notes), "behind": len(behind)}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="finds SQLite's library in /proc")
def test_a_power_cut_raises_no_alarm(tmp_path: Path) -> None:
    """At any flush and any save of the anchor: what the anchor says was there for good before."""
    report = scenario(POWER, str(tmp_path / "vault.db"))
    assert report["failures"] == []
    assert report["anchors"] >= 10
    assert report["cuts"] >= 100
    assert report["behind"] >= 2
