"""Values in buffers that are wiped, and the cap on what one data key encrypts."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealgate.models.errors import InvalidInput, TamperDetected, UnknownPlaceholder, ValueGone
from sealgate.models.grants import Inject, Restore, Reveal
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import SecretBytes, Vault, VaultSession
from sealgate.vault import session as session_module
from sealgate.vault.envelope import Cipher

VALUE = "Ann Example"


@pytest.fixture
def session() -> Iterator[VaultSession]:
    with Vault.open(":memory:", bytes(range(32))) as vault:
        yield vault.session("s1")


def seal(session: VaultSession, value: str, entity_type: str = "CUSTOM") -> Placeholder:
    return session.seal([SealRequest(secret_of(value), entity_type, "interrupt")])[0]


def test_a_value_is_borrowed_and_wiped(session: VaultSession) -> None:
    placeholder = seal(session, VALUE)
    secret = session.borrow(placeholder, Reveal())
    with secret:
        buffer, view = secret._buffer, secret.view()
        assert (bytes(view), len(secret)) == (VALUE.encode(), len(VALUE))
        with pytest.raises(TypeError):
            view[0] = 0
    assert not any(buffer)
    assert len(buffer) > len(VALUE)
    with pytest.raises(ValueError, match="released"):
        bytes(view)
    with pytest.raises(ValueGone):
        secret.view()
    secret.wipe()
    assert len(secret) == 0


def test_a_forgotten_handle_is_wiped(session: VaultSession) -> None:
    secret = session.borrow(seal(session, VALUE), Restore())
    buffer = secret._buffer
    del secret
    gc.collect()
    assert not any(buffer)


@given(value=st.text(max_size=50))
def test_every_text_comes_back(value: str) -> None:
    with Vault.open(":memory:", bytes(range(32))) as vault:
        session = vault.session("s1")
        first, other = seal(session, "1234-5678-9012"), seal(session, "123456789012")
        for placeholder, text in ((seal(session, value), value), (first, "1234-5678-9012"), (other, "123456789012")):
            with session.borrow(placeholder, Restore()) as secret:
                assert bytes(secret.view()) == text.encode("utf-8", "surrogatepass")


def test_borrowing_is_audited_and_refused_like_opening(session: VaultSession) -> None:
    vault_audit = session._shared.audit
    placeholder, code = seal(session, VALUE), seal(session, "482913", "OTP_CODE")
    session.borrow(placeholder, Reveal()).wipe()
    last = list(vault_audit.rows())[-1]
    assert (last.action, last.fields["kind"]) == ("opened", "reveal")
    before = vault_audit.verify()
    for unknown in (Placeholder("CUSTOM", "0" * 8), Placeholder("PERSON", placeholder.code)):
        with pytest.raises(UnknownPlaceholder):
            session.borrow(unknown, Restore())
    session.open([code], Inject("c", "pay", "code", given=frozenset((code,))))
    session.retire([placeholder])
    for gone in (code, placeholder):
        with pytest.raises(ValueGone):
            session.borrow(gone, Restore())
    with pytest.raises(InvalidInput):
        session.borrow(code, Inject("c", "pay", "code"))  # type: ignore[arg-type]
    assert vault_audit.verify() == before + 2


def test_a_handle_shows_nothing_and_is_not_copied() -> None:
    secret = SecretBytes(bytearray(VALUE.encode()), 0, len(VALUE))
    assert VALUE not in f"{secret!r}{secret!s}"
    for action in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            action(secret)


def test_tampered_bytes_are_decrypted_into_nothing() -> None:
    cipher = Cipher(bytes(32))
    sealed = cipher.encrypt(VALUE.encode(), b"a")
    assert cipher.decrypt_into(sealed, b"a") == VALUE.encode()
    for wrong, associated in ((sealed[:-1] + b"\0", b"a"), (sealed, b"b"), (b"", b"a"), (b"\x09" + sealed[1:], b"a")):
        with pytest.raises(TamperDetected):
            cipher.decrypt_into(wrong, associated)


SCAN = """
import re, sys
from sealgate.models.grants import Reveal
from sealgate.models.placeholder import parse
from sealgate.vault import Vault

def copies(marker):
    found = 0
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if line.split()[1].startswith("rw") and end - start < 1 << 28:
                try:
                    memory.seek(start)
                    found += len(re.findall(marker, memory.read(end - start)))
                except (OSError, ValueError, OverflowError):
                    continue
    return found

pattern = rb"MARK[E]R-04[5]1-8823"
vault = Vault.open(sys.argv[1], bytes(range(32)))
with vault.session("s1").borrow(parse(sys.argv[2]), Reveal()) as secret:
    during = copies(pattern)
print(during, copies(pattern))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/mem")
def test_v47_no_copy_is_left_in_memory(tmp_path: Path) -> None:
    path = f"{tmp_path}/vault.db"
    with Vault.open(path, bytes(range(32))) as vault:
        placeholder = seal(vault.session("s1"), "MARKER-0451-8823")
    done = subprocess.run([sys.executable, "-c", SCAN, path, placeholder], capture_output=True, check=True, timeout=60)
    during, after = map(int, done.stdout.split())
    assert during >= 1
    assert after == 0


def test_the_data_key_is_renewed_in_time(session: VaultSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """I11: a data key encrypts only so much."""
    monkeypatch.setattr(session_module, "_GENERATIONS", 8)
    sealed = [seal(session, f"value {number}") for number in range(30)]
    assert session._read_state().row.dek_ver >= 4
    opened = session.open(sealed, Restore())
    assert [opened[one].text() for one in sealed] == [f"value {number}" for number in range(30)]
    assert session.seal([SealRequest(secret_of("value 0"), "CUSTOM", "person")]) == sealed[:1]
