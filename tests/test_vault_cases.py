"""Attacks on the store, one test each; the identifiers are those of the collection of cases that they come from."""

from __future__ import annotations

import os
import sqlite3
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sealgate.models.errors import (
    GrantRefused,
    SealgateError,
    SessionShredded,
    TamperDetected,
    TextTooLong,
    TooManyValues,
)
from sealgate.models.grants import Inject, Restore
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault, VaultSession, envelope, sealing

KEY = bytes(range(32))
VALUES = ("4111 1111 1111 1111", "Ann Example", "MARKER-0451")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vault.db"


@pytest.fixture
def vault(path: Path) -> Iterator[Vault]:
    with Vault.open(path, KEY) as opened:
        yield opened


def request(value: str, entity_type: str = "CUSTOM", origin: str = "person") -> SealRequest:
    return SealRequest(secret_of(value), entity_type, origin)


def fill(session: VaultSession, values: Sequence[str] = VALUES) -> list[Placeholder]:
    return session.seal([request(value) for value in values])


def run(path: Path, statement: str, *parameters: object) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        return connection.execute(statement, parameters).fetchall()
    finally:
        connection.close()


def fresh(path: Path, name: str = "s1") -> VaultSession:
    """The session as another process would load it; the vault lives as long as the session's caller needs it."""
    return Vault.open(path, KEY).session(name)


def test_v40_v41_deleted_rows_leave_nothing_in_the_files(vault: Vault, path: Path) -> None:
    session = vault.session("s1")
    placeholders = [one for batch in range(4) for one in fill(session, [f"value {batch} {n}" for n in range(100)])]
    deleted = {
        row[0] for one in placeholders[:300] for row in run(path, "SELECT ct FROM entry WHERE code = ?", one.code)
    }
    [(wrapped,)] = run(path, "SELECT wrapped FROM session")
    session.forget(placeholders[:300])
    assert vault.purge() is True
    files = b"".join(one.read_bytes() for one in path.parent.iterdir())
    assert len(deleted) == 300
    assert not any(ct in files for ct in deleted if isinstance(ct, bytes))
    assert isinstance(wrapped, bytes)
    assert wrapped not in files


def test_v41_a_reader_that_holds_back_the_journal_is_reported(vault: Vault, path: Path) -> None:
    session = vault.session("s1")
    fill(session)
    [(wrapped,)] = run(path, "SELECT wrapped FROM session")
    assert isinstance(wrapped, bytes)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entry").fetchone()
    vault._shared.store._writer.current.connection.execute("PRAGMA busy_timeout = 50")  # type: ignore[attr-defined]
    assert session.shred() is False
    with pytest.raises(SessionShredded):
        session.match(len)
    reader.execute("COMMIT")
    reader.close()
    assert vault.purge() is True
    assert wrapped not in b"".join(one.read_bytes() for one in path.parent.iterdir())


def test_v45_no_error_and_no_frame_of_ours_holds_a_value(
    vault: Vault, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = vault.session("s1")
    placeholders = fill(session)
    cut = "UPDATE entry SET ct = CAST(substr(ct, 1, 40) || zeroblob(30) AS BLOB) WHERE code = ?"
    run(path, cut, placeholders[0].code)
    monkeypatch.setattr(sealing, "MAX_VALUES", 3)
    attempts: dict[type[SealgateError], Callable[[], object]] = {
        TamperDetected: lambda: session.open(placeholders, Restore()),
        TooManyValues: lambda: session.seal([request("MARKER-NEW")]),
        GrantRefused: lambda: session.open(placeholders[1:], Inject("c", "t", "a")),
        TextTooLong: lambda: session.seal([request("MARKER-" + "x" * 70_000)]),
    }
    for expected, attempt in attempts.items():
        with pytest.raises(expected) as caught:
            attempt()
        assert_clean(caught.value)


def assert_clean(error: BaseException) -> None:
    seen: list[BaseException] = []
    queue: list[BaseException | None] = [error]
    while queue:
        one = queue.pop()
        if one is None or one in seen:
            continue
        seen.append(one)
        queue += [one.__cause__, one.__context__]
        assert "MARKER" not in repr(one.args)
        assert "4111 1111" not in repr(one.args)
        for frame in traceback.TracebackException.from_exception(one, capture_locals=True).stack:
            if f"{os.sep}vault{os.sep}" in frame.filename:
                assert not any("MARKER" in value or "4111 1111" in value for value in (frame.locals or {}).values())


def test_the_planted_suite_one_is_what_it_says() -> None:
    """AES-GCM under the derived key opens what suite 1 sealed: the suite byte is no decoration."""
    sealed = envelope.Cipher(KEY, envelope.GCM).encrypt(b"value", b"row")
    key = envelope.derive(KEY, "suite/1")
    assert AESGCM(key).decrypt(sealed[1:13], sealed[13:], b"\x01row") == b"value"
