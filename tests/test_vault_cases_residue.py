"""What stays behind: deleted rows on disks and servers, values in errors and in what objects show of themselves."""

from __future__ import annotations

import base64
import copy
import dataclasses
import io
import json
import os
import pickle
import sqlite3
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
import valkey

from sealgate.models.errors import (
    GrantRefused,
    SealgateError,
    SessionShredded,
    StoreUnavailable,
    TamperDetected,
    TextTooLong,
    TooManyValues,
    WrongKey,
)
from sealgate.models.grants import Inject, Restore
from sealgate.models.secretvalue import secret_of
from sealgate.vault import LocalKeys, Vault, restore_backup, sealing
from sealgate.vault.encoding import pad
from sealgate.vault.entries import _associated
from sealgate.vault.keys.passphrase import PassphraseKeys
from sealgate.vault.keys.provider import EnvironmentKeys
from vault_engines import KEY, Engine, PostgresEngine, SqliteEngine, ValkeyEngine, fill, request, texts


@pytest.fixture
def file(tmp_path: Path) -> Iterator[SqliteEngine]:
    (tmp_path / "store").mkdir()
    made = SqliteEngine(str(tmp_path / "store" / "vault.db"))
    yield made
    made.close()


def test_v40_v41_deleted_rows_leave_nothing_in_any_file(file: SqliteEngine) -> None:
    """2,000 entries, 1,500 of them deleted: neither the pages nor the log nor another file holds one of them."""
    vault = file.open()
    session = vault.session("s1")
    placeholders = [
        one for batch in range(4) for one in fill(session, [f"value {batch} {number}" for number in range(500)])
    ]
    deleted = {row.ct for row in file.entries()[:1500]}
    [before] = file.sessions()
    assert before.wrapped
    assert before.wrapped in file.stored()
    assert all(ct in file.stored() for ct in list(deleted)[::100])
    session.forget(placeholders[:1500])
    assert vault.purge() is True
    left = file.stored()
    assert len(deleted) == 1500
    assert [ct for ct in deleted if ct in left] == []
    assert before.wrapped not in left
    assert len(file.entries()) == 500
    assert {Path(one).suffix for one in file.files()} <= {".db", ".db-wal", ".db-shm", ".db-lock"}
    session.shred()
    [after] = file.sessions()
    assert after.wrapped is None
    assert not [row for row in deleted if row in file.stored()]


def test_v40_the_search_finds_what_an_unsafe_delete_leaves(file: SqliteEngine) -> None:
    """The same without ``secure_delete``: if this finds nothing, the test above shows nothing."""
    session = file.open().session("s1")
    fill(session, [f"value {number}" for number in range(500)])
    deleted = [row.ct for row in file.entries()[:400]]
    file.close()
    connection = sqlite3.connect(file.place, isolation_level=None)
    connection.execute("PRAGMA secure_delete = OFF")
    connection.execute("DELETE FROM entry WHERE id <= 400")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    assert len([ct for ct in deleted if ct in file.stored()]) > 100


def test_v41_a_reader_that_holds_back_the_journal_is_reported(file: SqliteEngine) -> None:
    vault = file.open()
    session = vault.session("s1")
    fill(session, ["one", "two"])
    [row] = file.sessions()
    assert row.wrapped
    reader = sqlite3.connect(file.place, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entry").fetchone()
    vault._shared.store._writer.current.connection.execute("PRAGMA busy_timeout = 50")  # type: ignore[attr-defined]
    assert session.shred() is False
    assert vault.purge() is False
    assert row.wrapped in file.stored()
    with pytest.raises(SessionShredded):
        session.match(len)
    reader.execute("COMMIT")
    reader.close()
    assert vault.purge() is True
    assert row.wrapped not in file.stored()


@pytest.mark.parametrize("mode", ["PERSIST", "DELETE", "TRUNCATE"])
def test_v41_a_journal_that_would_keep_rows_is_not_used(file: SqliteEngine, mode: str) -> None:
    vault = file.open()
    placeholders = fill(vault.session("s1"), [f"value {number}" for number in range(50)])
    file.close()
    file.run(f"PRAGMA journal_mode = {mode}")
    session = file.open().session("s1")
    assert file.run("PRAGMA journal_mode") == [("wal",)]
    deleted = [row.ct for row in file.entries()[:40]]
    session.forget(placeholders[:40])
    assert file.open().purge() is True
    assert [ct for ct in deleted if ct in file.stored()] == []


@contextmanager
def monitored(engine: ValkeyEngine) -> Iterator[list[bytes]]:
    """Everything that the server is told meanwhile, as an operator with ``MONITOR`` would see it."""
    seen: list[bytes] = []
    with engine.client.monitor() as monitor:
        connection = monitor.connection

        def listen() -> None:
            with suppress(Exception):
                while True:
                    seen.append(repr(connection.read_response()).encode())

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            yield seen
        finally:  # The connection goes back to the pool, where nobody may still be reading from it.
            connection.disconnect()
            listener.join(10)


SERVER_KEY = os.urandom(32)
"""A key that nothing else on the server looks like."""

NAMES = (SERVER_KEY, b"MARKER", b"visible-session", b"visible-tenant", b"visible-subject", b"visible-payload")


def use(engine: Engine[Any]) -> Vault:
    vault = engine.open(SERVER_KEY)
    session = vault.session("visible-session", tenant="visible-tenant", subject="visible-subject")
    placeholders = fill(session, ["MARKER-1", "MARKER-2"])
    session.records.append("step", b"visible-payload")
    session.records.replace("private", "visible-payload", b"visible-payload")
    assert texts(session, placeholders) == ["MARKER-1", "MARKER-2"]
    with pytest.raises(GrantRefused):
        session.open(placeholders, Inject("c", "t", "a"))
    return vault


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_v43_postgres_keeps_ciphertext_alone(engine: PostgresEngine, postgres_server: str) -> None:
    """Tables, write-ahead log, the server's log and what it says of running statements."""
    engine.run("ALTER SYSTEM SET log_statement = 'ddl'")
    vault = use(engine)
    found = engine.run("SELECT query FROM pg_stat_activity")
    vault.session("visible-session", tenant="visible-tenant").shred()
    engine.run("CHECKPOINT")
    stored = b"".join(one.read_bytes() for one in Path(postgres_server).rglob("*") if one.is_file())
    assert b"sealgate vault" in stored
    assert [name for name in NAMES if name in stored] == []
    assert "MARKER" not in repr(found)


@pytest.mark.parametrize("engine", ["valkey"], indirect=True)
def test_v43_valkey_keeps_ciphertext_alone(engine: ValkeyEngine) -> None:
    """The append-only file, a snapshot, the log of slow commands, and what a monitor sees."""
    client = engine.client
    client.config_set("slowlog-log-slower-than", "0")
    try:
        with monitored(engine) as seen:
            vault = use(engine)
            vault.session("visible-session", tenant="visible-tenant").shred()
            client.save()
        slow = repr(client.slowlog_get(1000)).encode()
    finally:
        client.config_set("slowlog-log-slower-than", "10000")
    folder = Path(client.config_get("dir")["dir"])
    files = b"".join(one.read_bytes() for one in folder.rglob("*") if one.is_file())
    everything = files + slow + b"".join(seen)
    assert len(seen) > 20
    assert b"LRANGE" in everything or b"HGET" in everything
    assert [name for name in NAMES if name in everything] == []


def test_v43_what_a_server_kept_is_unreadable_once_its_key_is_destroyed(engine: Engine[Any]) -> None:
    """I15: an old copy of everything, as a replica or a backup has it, beside the key that is in use now."""
    old, new = KEY, KEY[::-1]
    vault = engine.open(old)
    placeholders = fill(vault.session("s1"), ["MARKER"])
    vault.session("s2")
    engine.close()
    image = engine.image()
    vault = engine.open(old)
    vault.rotate(LocalKeys([old, new]))
    vault.destroy_old_keys()
    vault.session("s1").shred()
    engine.close()
    assert engine.open(new).session("s2")
    engine.close()
    engine.put_back(image)
    with pytest.raises(WrongKey):
        engine.open(new)
    assert texts(engine.open(old).session("s1"), placeholders) == ["MARKER"]


SHOWS: dict[str, Callable[[Any], object]] = {
    "repr": repr,
    "str": str,
    "format": "{}".format,
    "percent": lambda one: f"{one!s:>200}",
    "list": lambda one: repr([one, {"one": one}]),
    "vars": lambda one: repr(getattr(one, "__dict__", None)),
    "dir": lambda one: repr(dir(one)),
    "asdict": lambda one: repr(dataclasses.asdict(one)),
    "json": json.dumps,
    "json default": lambda one: json.dumps(one, default=str),
    "json vars": lambda one: json.dumps(one, default=vars),
    "pickle": pickle.dumps,
    "pickle 0": lambda one: pickle.dumps(one, 0),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "bytes": bytes,
}


def handles(engine: Engine[Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Everything that a user of the vault holds."""
    monkeypatch.setenv("SEALGATE_KEY", base64.b64encode(KEY).decode())
    vault = engine.open()
    session = vault.session("s1", subject="ann")
    [placeholder] = fill(session, ["MARKER-0451"])
    session.records.append("step", b"MARKER-0451")
    session.match(list)
    return {
        "vault": vault,
        "session": session,
        "records": session.records,
        "store": vault._shared.store,
        "shared": vault._shared,
        "root": vault._shared.root,
        "state": session._read_state(),
        "keys": session._read_state().keys,
        "secret": secret_of("MARKER-0451"),
        "request": request("MARKER-0451"),
        "live": session.match(lambda values: next(iter(values))),
        "opened": session.open([placeholder], Restore())[placeholder],
        "record": session.records.latest("step"),
        "borrowed": session.borrow(placeholder, Restore()),
        "local keys": LocalKeys([KEY]),
        "environment keys": EnvironmentKeys(),
        "passphrase keys": PassphraseKeys("MARKER-0451 of many words"),
        "audit": vault.audit,
    }


def test_v44_nothing_shows_a_value_or_a_key(engine: Engine[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """I18: neither values nor keys, however a handle is looked at."""
    needles = (
        "MARKER",
        KEY.hex(),
        repr(KEY)[2:-1],
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        str(list(KEY))[1:40],
    )
    shown = []
    for name, handle in handles(engine, monkeypatch).items():
        for how, show in SHOWS.items():
            try:
                text = show(handle)
            except (TypeError, ValueError, AttributeError, SealgateError, RecursionError):
                continue
            text = text.decode("latin-1") if isinstance(text, bytes) else str(text)
            shown += [(name, how) for needle in needles if needle in text]
    assert [one for one in shown if one != ("record", "asdict")] == []  # The caller's own bytes, asked for by name.


def test_v44_handles_are_not_copied_and_not_pickled(engine: Engine[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for name, handle in handles(engine, monkeypatch).items():
        for how in ("pickle", "pickle 0", "copy", "deepcopy"):
            try:
                SHOWS[how](handle)
            except TypeError:
                continue
            made.append((name, how))
    assert made == [("request", "copy"), ("live", "copy")]  # Two holders of the same opaque value, no second value.


def assert_clean(error: BaseException) -> None:
    """No value in an error, in those behind it, and in no frame of ours that a report with locals would show."""
    seen: list[BaseException] = []
    queue: list[BaseException | None] = [error]
    while queue:
        one = queue.pop()
        if one is None or one in seen:
            continue
        seen.append(one)
        queue += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
        held = [one.args, str(one), repr(one), vars(one), getattr(one, "object", None), getattr(one, "doc", None)]
        held += getattr(one, "__notes__", [])
        assert "MARKER" not in repr(held)
        for frame in traceback.TracebackException.from_exception(one, capture_locals=True).stack:
            if "/vault/" in frame.filename.replace("\\", "/"):
                assert not [name for name, value in (frame.locals or {}).items() if "MARKER" in value]
                assert not [name for name, value in (frame.locals or {}).items() if repr(KEY)[2:30] in value]


def attempts(
    engine: Engine[Any], monkeypatch: pytest.MonkeyPatch
) -> dict[str, tuple[type[Exception], Callable[[], object]]]:
    vault = engine.open()
    session = vault.session("s1")
    first, *others = fill(session, ["MARKER-1", "MARKER-2", "MARKER-3"])
    row = engine.entry(first)
    engine.change_entry(row, ct=row.ct[:40] + bytes(30))
    monkeypatch.setattr(sealing, "MAX_VALUES", 3)
    return {
        "tampered": (TamperDetected, lambda: session.open([first], Restore())),
        "borrow": (TamperDetected, lambda: session.borrow(first, Restore())),
        "match": (TamperDetected, lambda: session.match(list)),
        "verify": (TamperDetected, vault.verify),
        "too many": (TooManyValues, lambda: session.seal([request("MARKER-NEW")])),
        "refused": (GrantRefused, lambda: session.open(others, Inject("c", "t", "a"))),
        "too long": (TextTooLong, lambda: session.seal([request("MARKER-" + "x" * 70_000)])),
        "wrong type": (SealgateError, lambda: session.seal([request("MARKER-5", "NO_SUCH_TYPE")])),
        "wrong origin": (SealgateError, lambda: session.seal([request("MARKER-6", origin="nobody !")])),
        "wrong key": (WrongKey, lambda: Vault.open(engine.place, KEY[::-1])),
        "short key": (SealgateError, lambda: Vault.open(engine.place, b"MARKER")),
        "no backup": (SealgateError, lambda: restore_backup(io.BytesIO(b"MARKER"), engine.place, KEY)),
    }


def test_v45_no_error_and_no_frame_of_ours_holds_a_value(engine: Engine[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for expected, attempt in attempts(engine, monkeypatch).values():
        with pytest.raises(expected) as caught:
            attempt()
        assert_clean(caught.value)


def engine_errors(engine: Engine[Any]) -> Sequence[Exception]:
    """Errors of the engine's library that quote what was bound, as theirs may."""
    if isinstance(engine, PostgresEngine):
        return [
            kind("DETAIL: Key (ct)=(MARKER)") for kind in (psycopg.errors.UniqueViolation, psycopg.OperationalError)
        ]
    if isinstance(engine, ValkeyEngine):
        return [kind("wrong MARKER") for kind in (valkey.ResponseError, valkey.ConnectionError, valkey.TimeoutError)]
    made = []
    for code in (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_FULL):
        error = sqlite3.OperationalError("near MARKER")
        error.sqlite_errorcode = code
        made.append(error)
    return made


def test_v45_what_an_engines_library_says_is_dropped(engine: Engine[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    session = engine.open().session("s1")
    whole = sealing.Sealing.seal
    for error in engine_errors(engine):

        def failing(self: sealing.Sealing, *given: Any, error: Exception = error) -> Any:
            whole(self, *given)
            raise error

        with monkeypatch.context() as patched:
            patched.setattr(sealing.Sealing, "seal", failing)
            with pytest.raises(SealgateError) as caught:
                fill(session, ["value"])
        assert caught.value.__suppress_context__
        assert "MARKER" not in "".join(traceback.format_exception(caught.value))
        assert "MARKER" not in repr(caught.value.args)
    assert session.match(len) == 0


def test_v45_bytes_and_json_that_cannot_be_read_are_not_quoted(engine: Engine[Any]) -> None:
    """``UnicodeDecodeError.object`` and ``JSONDecodeError.doc`` would hold all of it."""
    vault = engine.open()
    session = vault.session("s1")
    [placeholder] = fill(session, ["MARKER-0451"])
    row, state = engine.entry(placeholder), session._read_state()
    for plain in (b"\x00MARKER\xff\xfe", b"\x01MARKER", b"\xff\xffMARKER {", b'{"MARKER": ', b""):
        engine.change_entry(row, ct=state.keys.entries.encrypt(pad(plain), _associated(state.keys, row)))
        for reader in (lambda: session.open([placeholder], Restore()), lambda: session.match(list)):
            with pytest.raises((TamperDetected, StoreUnavailable)) as caught:
                reader()
            assert_clean(caught.value)
