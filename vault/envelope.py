"""Authenticated encryption of small things, and key derivation. Only the primitives of ``cryptography`` are used.

A ciphertext is ``suite (1) || nonce (12) || AEAD output``. The nonce comes from ``os.urandom`` for every encryption and
from nothing that can be rolled back. Which suite was used is authenticated, and each suite has a key of its own.
"""

from __future__ import annotations

import os
from typing import Final, NoReturn, Protocol

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESGCMSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from sealgate.models.errors import StoreUnavailable, TamperDetected

from .encoding import AUTHENTICATION, lp

GCM: Final = 1
"""Suite byte of AES-256-GCM (NIST SP 800-38D)."""

GCM_SIV: Final = 2
"""Suite byte of AES-256-GCM-SIV (RFC 8452): a repeated nonce tells equality of messages and nothing else."""

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16


class _Aead(Protocol):
    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None) -> bytes: ...

    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None) -> bytes: ...

    def decrypt_into(self, nonce: bytes, data: bytes, associated_data: bytes | None, buf: bytearray) -> int: ...


def preferred_suite() -> int:
    """AES-256-GCM-SIV where this OpenSSL has it (3.2 and later), else AES-256-GCM."""
    try:
        AESGCMSIV(bytes(KEY_BYTES))
    except UnsupportedAlgorithm:
        return GCM
    return GCM_SIV


DEFAULT_SUITE: Final = preferred_suite()


def derive(secret: bytes, purpose: str, salt: bytes = b"") -> bytes:
    """32 bytes by HKDF-Expand-SHA256 (RFC 5869) from a uniformly random secret; one key a purpose and salt."""
    return HKDFExpand(algorithm=SHA256(), length=KEY_BYTES, info=lp(purpose, salt)).derive(secret)


class Mac:
    """HMAC-SHA256 under one key that is kept inside."""

    __slots__ = ("_keyed",)

    def __init__(self, key: bytes) -> None:
        self._keyed = HMAC(key, SHA256())

    def digest(self, data: bytes) -> bytes:
        """32 bytes."""
        keyed = self._keyed.copy()
        keyed.update(data)
        return keyed.finalize()

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")


class Cipher:
    """An encryption key. It refuses to be pickled and shows nothing."""

    __slots__ = ("_aeads", "_suite")

    def __init__(self, key: bytes, suite: int = DEFAULT_SUITE) -> None:
        self._aeads: dict[int, _Aead] = {GCM: AESGCM(derive(key, "suite/1"))}
        if GCM_SIV in (suite, DEFAULT_SUITE):
            self._aeads[GCM_SIV] = AESGCMSIV(derive(key, "suite/2"))
        self._suite = suite

    def encrypt(self, plaintext: bytes, associated: bytes) -> bytes:
        """The ciphertext under a fresh nonce."""
        return self.encrypt_with(os.urandom(NONCE_BYTES), plaintext, associated)

    def encrypt_with(self, nonce: bytes, plaintext: bytes, associated: bytes) -> bytes:
        """``encrypt`` with a given nonce, for test vectors. Raises ``StoreUnavailable`` for a short one."""
        if len(nonce) != NONCE_BYTES:
            raise StoreUnavailable("the system's random source gave too few bytes")
        lead = bytes((self._suite,))
        return lead + nonce + self._aeads[self._suite].encrypt(nonce, plaintext, lead + associated)

    def decrypt(self, ciphertext: bytes, associated: bytes) -> bytes:
        """The plaintext. Raises ``TamperDetected`` for every way in which the ciphertext can be wrong."""
        aead = self._aeads.get(ciphertext[0]) if len(ciphertext) > NONCE_BYTES + _TAG_BYTES else None
        if aead is None:
            raise TamperDetected(AUTHENTICATION)
        lead, nonce, body = ciphertext[:1], ciphertext[1 : 1 + NONCE_BYTES], ciphertext[1 + NONCE_BYTES :]
        try:
            return aead.decrypt(nonce, body, lead + associated)
        except InvalidTag:
            raise TamperDetected(AUTHENTICATION) from None

    def decrypt_into(self, ciphertext: bytes, associated: bytes) -> bytearray:
        """``decrypt`` into a buffer that can be overwritten; no other copy of the plaintext is made."""
        aead = self._aeads.get(ciphertext[0]) if len(ciphertext) > NONCE_BYTES + _TAG_BYTES else None
        if aead is None:
            raise TamperDetected(AUTHENTICATION)
        lead, nonce, body = ciphertext[:1], ciphertext[1 : 1 + NONCE_BYTES], ciphertext[1 + NONCE_BYTES :]
        buffer = bytearray(len(body) - _TAG_BYTES)
        try:
            aead.decrypt_into(nonce, body, lead + associated, buffer)
        except InvalidTag:
            raise TamperDetected(AUTHENTICATION) from None
        return buffer

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")
