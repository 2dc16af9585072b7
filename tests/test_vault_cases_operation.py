"""Keys that are destroyed, copies that are restored, chains that are changed: on every engine."""

from __future__ import annotations

import io
import itertools
import stat
from pathlib import Path
from typing import Any

import pytest

from sealgate.models.errors import AuditBroken, KeyRefused, NotAVault, StoreUnavailable, TamperDetected, WrongKey
from sealgate.vault import LocalKeys, Vault, restore_backup, rotation
from sealgate.vault.audit import link
from sealgate.vault.rows import AuditRow
from vault_engines import KEY, Engine, fill, scenario, texts

NEW = KEY[::-1]


def test_v52_a_key_that_wraps_a_session_is_not_destroyed(engine: Engine[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is counted in the transaction that destroys: a rotation that stopped half-way leaves the key there."""
    vault = engine.open()
    sealed = {name: fill(vault.session(name), [f"value of {name}"]) for name in ("s1", "s2", "s3")}
    vault.session("gone").shred()
    with monkeypatch.context() as patched:
        patched.setattr(rotation, "_CHUNK", 1)
        chunks = itertools.count()
        whole = rotation._rewrap_chunk

        def stopping(*given: Any) -> tuple[int, int]:
            if next(chunks) == 2:
                raise KeyboardInterrupt
            return whole(*given)

        patched.setattr(rotation, "_rewrap_chunk", stopping)
        with pytest.raises(KeyboardInterrupt):
            vault.rotate(LocalKeys([KEY, NEW]))
    with pytest.raises(KeyRefused):
        vault.destroy_old_keys()
    assert vault.status().older == 1
    assert all(texts(vault.session(name), one) == [f"value of {name}"] for name, one in sealed.items())
    engine.close()
    vault = engine.open(LocalKeys([KEY, NEW]))
    assert vault.rotate(NEW) == 3
    assert vault.destroy_old_keys() == 2
    assert vault.destroy_old_keys() == 0
    assert all(texts(vault.session(name), one) == [f"value of {name}"] for name, one in sealed.items())
    assert vault.verify()[:2] == (3, 3)
    with pytest.raises(WrongKey):
        engine.open(KEY)


def test_v52_a_session_that_begins_under_the_old_key_meanwhile_keeps_it(engine: Engine[Any]) -> None:
    """Another process that has not heard of the new key makes a session between rotation and destruction."""
    vault, other = engine.open(), engine.open(LocalKeys([KEY, NEW]))
    fill(vault.session("s1"), ["one"])
    other.session("s1")
    vault.rotate(LocalKeys([KEY, NEW]))
    [placeholder] = fill(other.session("late"), ["late"])
    vault.destroy_old_keys()
    engine.close()
    assert texts(engine.open(NEW).session("late"), [placeholder]) == ["late"]


def test_v52_old_copies_are_unreadable_and_live_sessions_are_fine(engine: Engine[Any]) -> None:
    """I12: a rotation leaves entries alone, and the old key ends with it."""
    vault = engine.open()
    placeholders = fill(vault.session("s1"), ["value"])
    backup = io.BytesIO()
    vault.backup(backup)
    entries = engine.entries()
    vault.rotate(NEW)
    assert engine.entries() == entries
    assert len({row.kek_id for row in engine.sessions()}) == 1
    vault.destroy_old_keys()
    assert texts(vault.session("s1"), placeholders) == ["value"]
    with pytest.raises(WrongKey):
        restore_backup(io.BytesIO(backup.getvalue()), "/nowhere/restored.db", NEW)


LOAD = """
def write(name):
    with Vault.open(PLACE, KEY) as vault:
        session = vault.session("s1")
        for batch in range(25):
            fill(session, [f"{name} {batch} {side}" for side in "ab"])
            session.records.append("step", name.encode())

vault = Vault.open(PLACE, KEY)
vault.session("s1")
writers = [fork(lambda: write(name)) for name in "wxyz"]
statuses, count = [], 0
while len(statuses) < 4 or count < 3:
    with open(os.path.join(sys.argv[2], f"backup-{count}"), "wb") as target:
        vault.backup(target)
    count += 1
    for writer in list(writers):
        done, status = os.waitpid(writer, os.WNOHANG)
        if done:
            writers.remove(writer)
            statuses.append(status)
with open(os.path.join(sys.argv[2], f"backup-{count}"), "wb") as target:
    vault.backup(target)
print(json.dumps({"statuses": statuses, "count": count}))
"""


def test_v53_a_backup_under_write_load_is_one_moment(engine: Engine[Any], tmp_path: Path) -> None:
    """Four processes write pairs meanwhile. What is restored has no half pair, verifies and goes on with new nonces."""
    (tmp_path / "backups").mkdir()
    report = scenario(LOAD, engine.place, str(tmp_path / "backups"))
    assert report["statuses"] == [0] * 4
    last = report["count"]
    nonces = {row.ct[1:13] for row in engine.entries()}
    for number in sorted({0, 1, last // 2, last}):
        place = tmp_path / f"restored-{number}.db"
        restore_backup(io.BytesIO((tmp_path / "backups" / f"backup-{number}").read_bytes()), place, KEY)
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        with Vault.open(place, KEY) as restored:
            verified = restored.verify()
            assert verified.values % 2 == 0
            assert verified.records <= verified.values // 2
            fill(restored.session("s1"), [f"after {number} {one}" for one in range(20)])
            with restored._shared.store.read() as view:
                [sid] = [row.sid for row in view.sessions.page(0, 9)]
                fresh = {row.ct[1:13] for row in view.entries.after(sid, 0)} - nonces
            assert len(fresh) == 20
    assert verified.values == 200


def test_v53_a_broken_backup_leaves_nothing(engine: Engine[Any], tmp_path: Path) -> None:
    vault = engine.open()
    fill(vault.session("s1"), [f"value {number}" for number in range(300)])
    target = io.BytesIO()
    vault.backup(target)
    whole, chunk = target.getvalue(), 16 * 1024
    middle = len(whole) // 2
    broken = {
        "nothing": b"",
        "header": whole[:40],
        "cut": whole[:middle],
        "last byte": whole[:-1],
        "longer": whole + b"x",
        "bit": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        "reordered": whole[: -2 * chunk] + whole[-chunk:] + whole[-2 * chunk : -chunk],
        "chunk twice": whole[:-chunk] + whole[-2 * chunk :],
        "chunk left out": whole[: -2 * chunk] + whole[-chunk:],
    }
    before = engine.image()
    folder = tmp_path / "target"
    folder.mkdir()
    for one in broken.values():
        with pytest.raises((TamperDetected, WrongKey, NotAVault)):
            restore_backup(io.BytesIO(one), folder / "restored.db", KEY)
        assert list(folder.iterdir()) == []
    with pytest.raises(StoreUnavailable):
        restore_backup(io.BytesIO(whole), engine.place, KEY)
    assert engine.image() == before


@pytest.fixture
def chain(engine: Engine[Any]) -> Vault:
    """A chain of 10,000 rows, written in one transaction."""
    vault = engine.open()
    vault.session("s1")
    with vault._shared.store.write() as transaction:
        last = transaction.audit.tail()
        assert last is not None
        for step in range(9_999):
            body = b'\x01{"action":"sent","at":1,"fields":{"step":%d},"session":null}' % step
            last = AuditRow(last.seq + 1, body, link(last.link, last.seq + 1, body))
            transaction.audit.append(last)
    assert vault.audit.verify() == 10_000
    return vault


def broken_at(vault: Vault, checkpoint: dict[str, object] | None = None) -> int:
    with pytest.raises(AuditBroken) as caught:
        vault.audit.verify(checkpoint)
    assert isinstance(caught.value.sequence, int)
    return caught.value.sequence


def test_v55_the_first_changed_row_of_a_chain_is_named(engine: Engine[Any], chain: Vault) -> None:
    rows = engine.audit()
    fifth, sixth = rows[4_999], rows[5_000]
    checkpoint = chain.audit.checkpoint()
    changes: list[tuple[AuditRow, dict[str, bytes]]] = [
        (fifth, {"body": fifth.body[:-1] + b"]"}),
        (fifth, {"body": b"\x02" + fifth.body[1:]}),
        (fifth, {"body": fifth.body.replace(b"sent", b"kept")}),
        (fifth, {"link": bytes(32)}),
        (fifth, {"body": sixth.body, "link": sixth.link}),
    ]
    for row, change in changes:
        engine.change_audit(row, **change)
        assert broken_at(chain) == 5_000
        engine.change_audit(row, body=row.body, link=row.link)
        assert chain.audit.verify(checkpoint) == 10_000
    engine.change_audit(fifth, body=sixth.body, link=sixth.link)
    engine.change_audit(sixth, body=fifth.body, link=fifth.link)
    assert broken_at(chain) == 5_000


def test_v55_rows_that_are_missing_are_named(engine: Engine[Any], chain: Vault) -> None:
    checkpoint = chain.audit.checkpoint()
    engine.drop_audit(9_990, 10_000)
    assert chain.audit.verify() == 9_989
    assert broken_at(chain, checkpoint) == 9_990
    engine.drop_audit(3, 3)
    assert broken_at(chain) == 3
    engine.drop_audit(1, 9_989)
    assert chain.audit.verify() == 0
    assert broken_at(chain, checkpoint) == 1


def test_v55_a_chain_that_was_written_anew_is_not_the_one_of_the_checkpoint(engine: Engine[Any], chain: Vault) -> None:
    checkpoint = chain.audit.checkpoint()
    engine.drop_audit(9_001, 10_000)
    fork = engine.open()
    for _ in range(3):
        fork.audit.append("sent", fields={"step": 1})
    assert fork.audit.verify() == 9_003
    assert broken_at(fork, checkpoint) == 9_004
    with fork._shared.store.write() as transaction:
        for step in range(2_000):
            fork.audit.record(transaction, "sent", None, {"step": step})
    assert fork.audit.verify() == 11_003
    assert broken_at(fork, checkpoint) == 10_000
