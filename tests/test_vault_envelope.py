from __future__ import annotations

import pickle

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESGCMSIV
from hypothesis import given
from hypothesis import strategies as st

from sealgate.models.errors import StoreUnavailable, TamperDetected
from sealgate.vault.envelope import DEFAULT_SUITE, GCM, GCM_SIV, Cipher, Mac, derive

KEY = bytes(range(32))
SUITES = [GCM, GCM_SIV] if DEFAULT_SUITE == GCM_SIV else [GCM]


@given(st.binary(max_size=200), st.binary(max_size=60), st.sampled_from(SUITES))
def test_what_was_encrypted_comes_back(plaintext: bytes, associated: bytes, suite: int) -> None:
    sealed = Cipher(KEY, suite).encrypt(plaintext, associated)
    assert Cipher(KEY).decrypt(sealed, associated) == plaintext
    assert plaintext not in sealed or len(plaintext) < 4


@pytest.mark.parametrize("suite", SUITES)
def test_no_changed_bit_is_accepted(suite: int) -> None:
    cipher = Cipher(KEY, suite)
    sealed = cipher.encrypt(b"4111111111111111", b"row 1")
    for at in range(len(sealed)):
        for bit in range(8):
            changed = bytearray(sealed)
            changed[at] ^= 1 << bit
            with pytest.raises(TamperDetected):
                cipher.decrypt(bytes(changed), b"row 1")


@pytest.mark.parametrize("length", [0, 1, 12, 28, 29, 30])
def test_short_ciphertexts_are_refused(length: int) -> None:
    with pytest.raises(TamperDetected):
        Cipher(KEY).decrypt(bytes([DEFAULT_SUITE]) * length, b"")


@pytest.mark.parametrize("suite", [0, 3, 7, 255])
def test_an_unknown_suite_is_refused_and_a_known_one_cannot_be_claimed(suite: int) -> None:
    sealed = Cipher(KEY).encrypt(b"value", b"")
    with pytest.raises(TamperDetected):
        Cipher(KEY).decrypt(bytes([suite]) + sealed[1:], b"")


def test_other_associated_data_and_other_keys_are_refused() -> None:
    sealed = Cipher(KEY).encrypt(b"value", b"row 1")
    with pytest.raises(TamperDetected):
        Cipher(KEY).decrypt(sealed, b"row 2")
    with pytest.raises(TamperDetected):
        Cipher(KEY[::-1]).decrypt(sealed, b"row 1")


def test_nonces_are_fresh() -> None:
    cipher = Cipher(KEY)
    assert len({cipher.encrypt(b"", b"")[1:13] for _ in range(2000)}) == 2000


def test_a_short_nonce_is_refused() -> None:
    with pytest.raises(StoreUnavailable):
        Cipher(KEY).encrypt_with(b"short", b"value", b"")


@pytest.mark.skipif(DEFAULT_SUITE != GCM_SIV, reason="this OpenSSL has no AES-GCM-SIV")
def test_a_repeated_nonce_does_not_repeat_the_keystream() -> None:
    cipher = Cipher(KEY, GCM_SIV)
    first, second = b"4111111111111111", b"5555555555554444"
    one, two = (cipher.encrypt_with(bytes(12), plain, b"")[13:29] for plain in (first, second))
    assert bytes(a ^ b for a, b in zip(one, two, strict=True)) != bytes(
        a ^ b for a, b in zip(first, second, strict=True)
    )


def test_known_answer_aes_256_gcm() -> None:
    """Test case 14 of the GCM specification (McGrew and Viega): zero key, zero nonce, sixteen zero bytes."""
    expected = "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
    assert AESGCM(bytes(32)).encrypt(bytes(12), bytes(16), b"").hex() == expected


@pytest.mark.skipif(DEFAULT_SUITE != GCM_SIV, reason="this OpenSSL has no AES-GCM-SIV")
def test_known_answer_aes_256_gcm_siv() -> None:
    """RFC 8452, appendix C.2: key and nonce that start with 1 and 3, eight bytes of plaintext."""
    key, nonce = bytes([1]) + bytes(31), bytes([3]) + bytes(11)
    expected = "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28"
    assert AESGCMSIV(key).encrypt(nonce, bytes([1]) + bytes(7), b"").hex() == expected


def test_known_answer_hmac_sha256() -> None:
    """RFC 4231, test case 2."""
    expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert Mac(b"Jefe").digest(b"what do ya want for nothing?").hex() == expected


def test_derived_keys_differ_by_purpose_and_salt() -> None:
    keys = {derive(KEY, purpose, salt) for purpose in ("a", "b", "ab") for salt in (b"", b"a", b"b")}
    assert len(keys) == 9


@pytest.mark.parametrize("handle", [Cipher(KEY), Mac(KEY)])
def test_keys_refuse_to_be_pickled_or_shown(handle: object) -> None:
    with pytest.raises(TypeError):
        pickle.dumps(handle)
    assert KEY.hex() not in repr(handle)
    assert repr(KEY)[2:-1] not in repr(handle)


def test_the_suite_byte_is_no_decoration() -> None:
    """AES-GCM under the derived key opens what suite 1 sealed."""
    sealed = Cipher(KEY, GCM).encrypt(b"value", b"row")
    assert AESGCM(derive(KEY, "suite/1")).decrypt(sealed[1:13], sealed[13:], b"\x01row") == b"value"
