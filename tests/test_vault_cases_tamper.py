"""Attacks on stored rows, on every engine: changed, moved, swapped, put back, and under another key."""

from __future__ import annotations

import hmac
import random
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher as BlockCipher
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

from sealgate.models.errors import (
    AuditBroken,
    NotAVault,
    SealgateError,
    SessionShredded,
    StoreUnavailable,
    TamperDetected,
    UnknownPlaceholder,
    UnknownSession,
    VaultMissing,
    WrongKey,
)
from sealgate.models.grants import Accepts, Inject, Restore
from sealgate.models.placeholder import Placeholder
from sealgate.vault import Vault, VaultSession, envelope
from sealgate.vault.encoding import AUTHENTICATION, lp
from sealgate.vault.rows import EntryRow, SessionRow
from sealgate.vault.sessionkeys import new_keys
from sealgate.vault.sqlite import file as vaultfile
from vault_engines import KEY, Engine, SqliteEngine, fill, request, texts

VALUES = ("4111 1111 1111 1111", "Ann Example", "MARKER-0451")


@pytest.fixture
def vault(engine: Engine[Any]) -> Vault:
    return engine.open()


@pytest.fixture
def reader(engine: Engine[Any], vault: Vault) -> Vault:
    """Another process: its sessions are loaded when they are asked for, unless a test holds on to one."""
    return engine.open()


def flip(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1 << random.Random(at).randrange(8)
    return bytes(changed)


def assert_refused(session: VaultSession, placeholder: Placeholder, row: EntryRow) -> None:
    """The one public error of its kind, which says nothing of what lies there."""
    with pytest.raises(TamperDetected) as caught:
        session.open([placeholder], Restore())
    error = caught.value
    assert type(error).__mro__[0] is TamperDetected
    assert error.args == (AUTHENTICATION,)
    assert row.ct.hex() not in repr(error)
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None


def test_v01_no_flipped_bit_of_a_ciphertext_is_accepted(engine: Engine[Any], vault: Vault, reader: Vault) -> None:
    first, *others = fill(vault.session("s1"), VALUES)
    row = engine.entry(first)
    session = reader.session("s1")
    for at in range(len(row.ct)):
        engine.change_entry(row, ct=flip(row.ct, at))
        assert_refused(session, first, row)
        if at % 16 == 0:
            assert texts(session, others) == list(VALUES[1:])
    engine.change_entry(row, ct=row.ct)
    assert texts(session, [first]) == [VALUES[0]]


CHANGES: dict[str, Any] = {
    "identity": bytes(12), "form": bytes(8), "life": bytes(8), "code": "00000000", "suffix": "000", "indirect": 1,
    "dek_ver": 7, "expires": 9_999_999_999_999, "sid": 2, "id": 77,
}  # fmt: skip


def test_v02_the_table_of_changes_has_every_column_but_the_ciphertext() -> None:
    assert set(CHANGES) == set(EntryRow._fields) - {"ct"}


@pytest.mark.parametrize("column", CHANGES)
def test_v02_no_changed_column_gives_another_value(
    engine: Engine[Any], vault: Vault, reader: Vault, column: str
) -> None:
    session = vault.session("s1")
    vault.session("s2")
    first, *others = fill(session, VALUES)
    engine.change_entry(engine.entry(first), **{column: CHANGES[column]})
    for one in (session, reader.session("s1")):
        assert answers(one, first) in ([VALUES[0]] if column == "id" else [], None)
        assert texts(one, others) == list(VALUES[1:])
        assert placeholder_of(one, VALUES[0]) in (first, None)
    for name in ("s1", "s2"):
        assert first not in [found for found in [placeholder_of(reader.session(name), "another")] if found]


def answers(session: VaultSession, placeholder: Placeholder) -> list[str] | None:
    """What a tool would be given; ``None`` for a refusal."""
    try:
        opened = session.open([placeholder], Inject("c", "t", "a", Accepts("CUSTOM")))
    except (TamperDetected, UnknownPlaceholder):
        return None
    return [value.text() for value in opened.values()]


def placeholder_of(session: VaultSession, value: str) -> Placeholder | None:
    """What a known value is called; ``None`` for a refusal."""
    try:
        return fill(session, [value])[0]
    except TamperDetected:
        return None


SESSION_CHANGES: dict[str, Any] = {
    "dek_ver": 2, "gen": 77, "created": 1, "expires": 99_999_999_999_999, "idle": 5, "touched": 1, "state": 1,
    "kek_id": bytes(16), "wrapped": b"", "subject": b"\0\0",
}  # fmt: skip


def refused(reader: Vault, session: VaultSession, placeholders: list[Placeholder]) -> None:
    """Nothing can be read through a session whose row was changed: neither by who loads it, nor by who has it."""
    with pytest.raises(TamperDetected) as caught:
        reader.session("s1")
    assert caught.value.args == (AUTHENTICATION,)
    with pytest.raises(TamperDetected):
        session.open(placeholders, Restore())


@pytest.mark.parametrize("column", ["wrapped", "salt", "commitment", "mac", "spent", "heads"])
def test_v03_no_flipped_bit_of_a_session_is_accepted(
    engine: Engine[Any], vault: Vault, reader: Vault, column: str
) -> None:
    session = vault.session("s1")
    placeholders = fill(session, VALUES)
    [row] = engine.sessions()
    stored = getattr(row, column)
    for at in range(len(stored)):
        engine.change_session(row, **{column: flip(stored, at)})
        refused(reader, session, placeholders)
    engine.change_session(row, **{column: stored})
    assert texts(reader.session("s1"), placeholders) == list(VALUES)


@pytest.mark.parametrize("column", SESSION_CHANGES)
def test_v03_no_edited_field_of_a_session_is_accepted(
    engine: Engine[Any], vault: Vault, reader: Vault, column: str
) -> None:
    session = vault.session("s1")
    placeholders = fill(session, VALUES)
    engine.change_session(engine.sessions()[0], **{column: SESSION_CHANGES[column]})
    refused(reader, session, placeholders)


def test_v03_a_session_under_another_name_or_tenant_or_number_gives_nothing(
    engine: Engine[Any], vault: Vault, reader: Vault
) -> None:
    placeholders = fill(vault.session("s1"), VALUES)
    [row] = engine.sessions()
    engine.change_session(row, tref=bytes(16))
    with pytest.raises(TamperDetected):
        reader.session("s1")
    other = vault._shared.root.sref("default", "other")
    engine.change_session(row, tref=row.tref, sref=other)
    with pytest.raises(TamperDetected):
        reader.session("other")
    with pytest.raises(UnknownSession):
        reader.session("s1", create=False)
    engine.change_session(row._replace(sref=other), sref=row.sref, sid=row.sid + 1)
    assert reader.session("s1").open(placeholders, Restore()) == {}


def test_v03_a_tombstone_cannot_be_made_alive(engine: Engine[Any], vault: Vault) -> None:
    vault.session("s1").shred()
    engine.change_session(engine.sessions()[0], state=0)
    with pytest.raises((SessionShredded, TamperDetected)):
        vault.session("s1")


@pytest.mark.parametrize("names", [("s1", "s2"), ("s1", "s1")], ids=["v04_two_sessions", "v05_one_session"])
def test_v04_v05_exchanged_ciphertexts_are_refused(engine: Engine[Any], vault: Vault, names: tuple[str, str]) -> None:
    sessions = [vault.session(name) for name in names]
    one, other = fill(sessions[0], VALUES[:1]) + fill(sessions[1], VALUES[1:2])
    rows = engine.entry(one), engine.entry(other)
    engine.change_entry(rows[0], ct=rows[1].ct)
    engine.change_entry(rows[1], ct=rows[0].ct)
    for session, placeholder, row in zip(sessions, (one, other), rows, strict=True):
        assert_refused(session, placeholder, row)


@pytest.mark.parametrize("tenant", ["default", "other"])
@pytest.mark.parametrize("copy", [True, False], ids=["copied", "moved"])
def test_v06_rows_do_not_move_between_sessions(engine: Engine[Any], vault: Vault, copy: bool, tenant: str) -> None:
    source, target = vault.session("s1"), vault.session("s2", tenant=tenant)
    [placeholder] = fill(source, ["Ann Example"])
    [row] = engine.entries()
    sid = next(one.sid for one in engine.sessions() if one.sid != row.sid)
    if copy:
        engine.add_entry(row._replace(id=engine.free_id(sid), sid=sid))
    else:
        engine.change_entry(row, sid=sid)
    for attempt in (lambda: target.open([placeholder], Restore()), lambda: target.match(len)):
        with pytest.raises(TamperDetected):
            attempt()
    assert texts(source, [placeholder]) == ["Ann Example"] * copy


@pytest.mark.parametrize("columns", [("wrapped",), tuple(set(SessionRow._fields) - {"sid", "sref"})], ids=len)
def test_v07_sessions_do_not_exchange_their_keys(
    engine: Engine[Any], vault: Vault, reader: Vault, columns: tuple[str, ...]
) -> None:
    for name in ("s1", "s2"):
        fill(vault.session(name), VALUES)
    first, second = engine.sessions()
    for row, other in ((first, second), (second, first)):
        engine.change_session(row, **{name: getattr(other, name) for name in columns})
    for name in ("s1", "s2"):
        with pytest.raises(TamperDetected):
            reader.session(name)


PAIRS = [
    (("a", "bc"), ("ab", "c")),
    (("a\0", "b"), ("a", "\0b")),
    (("a/b", "c"), ("a", "b/c")),
    (("a", "b"), ("b", "a")),
    (("x", "\0\0\0\x01y"), ("x\0\0\0\x01", "y")),
    (("é", "s"), ("e\u0301", "s")),
    (("a", "\ud800"), ("a", "\udfff")),
]


@pytest.mark.parametrize(("mine", "theirs"), PAIRS)
def test_v08_names_of_tenants_and_sessions_do_not_run_into_each_other(
    engine: Engine[Any], vault: Vault, mine: tuple[str, str], theirs: tuple[str, str]
) -> None:
    [placeholder] = fill(vault.session(mine[1], tenant=mine[0]), ["Ann Example"])
    with pytest.raises(UnknownSession):
        vault.session(theirs[1], tenant=theirs[0], create=False)
    other = vault.session(theirs[1], tenant=theirs[0])
    assert other.open([placeholder], Restore()) == {}
    assert fill(other, ["Ann Example"]) != [placeholder]


NAMES = st.tuples(st.text(max_size=6), st.text(max_size=6))


@given(NAMES, NAMES)
def test_v08_the_encoding_of_two_names_is_injective(mine: tuple[str, str], theirs: tuple[str, str]) -> None:
    assert (lp(*mine) == lp(*theirs)) == (mine == theirs)


@pytest.mark.parametrize("ending", ["forget", "retire"])
def test_v09_a_row_put_back_stays_dead(engine: Engine[Any], vault: Vault, reader: Vault, ending: str) -> None:
    session = vault.session("s1")
    kept, gone = session.seal([request("Ann Example"), request("4829", "PIN", "interrupt")])
    row = engine.entry(gone)
    session.forget([gone]) if ending == "forget" else session.retire([gone])
    assert vault.verify().values == 1
    engine.add_entry(row)
    for one in (session, reader.session("s1")):
        with pytest.raises(SealgateError):
            one.open([gone], Inject("c", "t", "a", given=frozenset((gone,))))
        assert texts(one, [kept]) == ["Ann Example"]
        with pytest.raises(TamperDetected):
            vault.verify()


def test_v09_a_spent_row_put_back_stays_spent(engine: Engine[Any], vault: Vault, reader: Vault) -> None:
    session = vault.session("s1")
    [code] = session.seal([request("482913", "OTP_CODE", "interrupt")])
    row = engine.entry(code)
    session.open([code], Inject("c1", "t", "a", given=frozenset((code,))))
    engine.drop_entry(row)
    engine.add_entry(row)
    assert reader.session("s1").facts([code])[code].burnt


def test_v13_the_wrong_key_is_noticed_before_anything_is_written(engine: Engine[Any], vault: Vault) -> None:
    """I6: refused at opening."""
    fill(vault.session("s1"), VALUES)
    engine.close()
    before = engine.image()
    for _ in range(2):
        with pytest.raises(WrongKey) as caught:
            engine.open(KEY[::-1])
        assert KEY[::-1].hex() not in repr(caught.value)
    assert engine.image() == before
    assert len(engine.open().session("s1").match(list)) == 3


def test_v15_a_wrapping_that_opens_to_other_keys_fails_its_commitment(
    engine: Engine[Any], vault: Vault, reader: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = vault.session("s1")
    fill(session, VALUES)
    [row] = engine.sessions()
    engine.change_session(row, wrapped=new_keys(vault._shared.root, row).wrapped)
    opened: list[object] = []
    with monkeypatch.context() as patched:
        patched.setattr("sealgate.vault.entries.unpad", opened.append)
        with pytest.raises(TamperDetected):
            reader.session("s1")
    assert opened == []


def test_v15_one_ciphertext_can_be_valid_under_two_keys_which_is_why_there_is_a_commitment() -> None:
    """GCM commits to no key (Dodis and others, "Fast message franking", 2018): the fault that V15 guards against."""
    keys = [bytes([1]) * 32, bytes([2]) * 32]
    nonce = bytes(12)
    sealed = salamander(keys, nonce)
    opened = [AESGCM(key).decrypt(nonce, sealed, None) for key in keys]
    assert opened[0] != opened[1]
    with pytest.raises(InvalidTag):
        AESGCM(bytes([3]) * 32).decrypt(nonce, sealed, None)
    commitments = [envelope.derive(key, "commit/1", nonce) for key in keys]
    assert not hmac.compare_digest(*commitments)


def salamander(keys: list[bytes], nonce: bytes) -> bytes:
    """One block and a tag that authenticate under both keys: the block solves ``T1 = T2``, which is linear in it."""
    hashes = [int.from_bytes(block(key, bytes(16)), "big") for key in keys]
    masks = [int.from_bytes(block(key, nonce + struct.pack(">I", 1)), "big") for key in keys]
    length = 128  # Bits of the ciphertext, in the last block of GHASH; there is no associated data.
    squares = [multiply(one, one) for one in hashes]
    constant = masks[0] ^ masks[1] ^ multiply(length, hashes[0] ^ hashes[1])
    solved = multiply(constant, inverse(squares[0] ^ squares[1]))
    tag = multiply(solved, squares[0]) ^ multiply(length, hashes[0]) ^ masks[0]
    return solved.to_bytes(16, "big") + tag.to_bytes(16, "big")


def block(key: bytes, data: bytes) -> bytes:
    return BlockCipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)


def multiply(x: int, y: int) -> int:
    """In GF(2^128) as NIST SP 800-38D, section 6.3, has it: the first bit is the highest."""
    product = 0
    for bit in range(127, -1, -1):
        if x >> bit & 1:
            product ^= y
        y = (y >> 1) ^ (0xE1 << 120 if y & 1 else 0)
    return product


def inverse(x: int) -> int:
    """``x`` to the power of 2^128 - 2."""
    result, power = 1 << 127, x
    for _ in range(127):
        power = multiply(power, power)
        result = multiply(result, power)
    return result


OTHER_SUITES = sorted({0, envelope.GCM, envelope.GCM_SIV, 3, 9, 255} - {envelope.DEFAULT_SUITE})


@pytest.mark.parametrize("suite", OTHER_SUITES)
def test_v16_a_ciphertext_under_another_suite_is_refused(
    engine: Engine[Any], vault: Vault, reader: Vault, suite: int
) -> None:
    session = vault.session("s1")
    [placeholder] = fill(session, ["Ann Example"])
    entry, [row] = engine.entry(placeholder), engine.sessions()
    engine.change_entry(entry, ct=bytes([suite]) + entry.ct[1:])
    assert_refused(session, placeholder, entry)
    engine.change_entry(entry, ct=entry.ct)
    assert row.wrapped
    engine.change_session(row, wrapped=bytes([suite]) + row.wrapped[1:])
    refused(reader, session, [placeholder])


@pytest.fixture
def file(tmp_path: Path) -> Iterator[SqliteEngine]:
    made = SqliteEngine(str(tmp_path / "vault.db"))
    yield made
    made.close()


def test_v17_a_cut_file_never_opens_as_an_empty_vault(file: SqliteEngine) -> None:
    session = file.open().session("s1")
    for batch in range(6):
        fill(session, [f"value {batch} {number}" for number in range(500)])
    file.close()
    path = Path(file.place)
    whole = path.read_bytes()
    for size in (0, 50, 100, 4096, len(whole) // 2, len(whole) - 4096, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises((NotAVault, TamperDetected, StoreUnavailable, AuditBroken)):
            read_all(file)
        file.close()
    path.write_bytes(whole + b"junk" * 2000)
    assert read_all(file) == 3000


def read_all(file: SqliteEngine) -> int:
    vault = file.open()
    vault.audit.verify()
    vault.verify()
    return vault.session("s1", create=False).match(len)


def test_v17_an_empty_database_in_place_of_a_vault_is_no_new_vault(file: SqliteEngine) -> None:
    file.open(None).close()
    path = Path(file.place)
    path.unlink()
    vaultfile.create(file.place, lambda _transaction: None)
    with pytest.raises(TamperDetected):
        file.open(None)
    for other in (KEY, None):
        path.write_bytes(b"")
        with pytest.raises(NotAVault if other else VaultMissing):
            file.open(other)
        assert path.read_bytes() == b""
