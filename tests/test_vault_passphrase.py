from __future__ import annotations

import pickle
import traceback
from pathlib import Path

import pytest

from sealgate.models.errors import KeyRefused, WrongKey
from sealgate.models.grants import Restore
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import KeyProvider, LocalKeys, PassphraseKeys, Vault

PASSPHRASE = "correct horse battery staple"


def test_a_passphrase_opens_its_vault_and_no_other_does(tmp_path: Path) -> None:
    path = tmp_path / "vault.db"
    with Vault.open(path, PassphraseKeys(PASSPHRASE)) as vault:
        placeholders = vault.session("s1").seal([SealRequest(secret_of("Ann Example"), "PERSON", "person")])
    with Vault.open(path, PassphraseKeys(PASSPHRASE)) as vault:
        assert len(vault.session("s1").open(placeholders, Restore())) == 1
    before = path.read_bytes()
    with pytest.raises(WrongKey):
        Vault.open(path, PassphraseKeys(PASSPHRASE + "!"))
    with pytest.raises(WrongKey):
        Vault.open(path, bytes(range(32)))
    assert path.read_bytes() == before


def test_a_blob_is_bound_to_its_context_and_salted() -> None:
    keys = PassphraseKeys(PASSPHRASE)
    blob = keys.wrap(b"secret", b"one")
    assert keys.unwrap(blob, b"one") == b"secret"
    assert keys.wrap(b"secret", b"one")[1:17] != blob[1:17]
    for wrong, context in ((blob, b"two"), (b"\x02" + blob[1:], b"one"), (b"", b""), (blob[:17], b"one")):
        with pytest.raises(WrongKey):
            keys.unwrap(wrong, context)
    with pytest.raises(WrongKey):
        keys.unwrap(LocalKeys([bytes(range(32))]).wrap(b"secret", b"one"), b"one")


@pytest.mark.parametrize("passphrase", ["", "MARKER-0451"])
def test_a_short_passphrase_is_refused_and_stands_in_no_frame(passphrase: str) -> None:
    with pytest.raises(KeyRefused) as caught:
        PassphraseKeys(passphrase)
    frames = traceback.TracebackException.from_exception(caught.value, capture_locals=True).stack
    assert not any("MARKER" in value for value in (frames[-1].locals or {}).values())


def test_a_passphrase_is_a_provider_that_shows_nothing() -> None:
    keys = PassphraseKeys(PASSPHRASE)
    assert isinstance(keys, KeyProvider)
    assert PASSPHRASE not in repr(keys)
    with pytest.raises(TypeError):
        pickle.dumps(keys)
