"""A passphrase as the key of a vault, for a person who opens it by hand."""

from __future__ import annotations

import os
from typing import Final, NoReturn

from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from sealgate.models.errors import KeyRefused, TamperDetected, WrongKey

from ..encoding import text_bytes
from ..envelope import KEY_BYTES, Cipher

MIN_PASSPHRASE: Final = 12
"""Code points of the shortest passphrase."""

_VERSION: Final = b"\x01"
_SALT_BYTES: Final = 16
_MEMORY: Final = 65_536  # KiB: 64 MiB, RFC 9106 section 4, second recommended option
_PASSES: Final = 3
_LANES: Final = 4


class PassphraseKeys:
    """``KeyProvider`` by Argon2id (RFC 9106: 64 MiB, 3 passes, 4 lanes; about a quarter of a second each time).

    A blob is ``version || salt || ciphertext``. Who has the store can try passphrases offline: take a long one. Raises
    ``KeyRefused`` for one under 12 code points.
    """

    __slots__ = ("_passphrase",)

    def __init__(self, passphrase: str) -> None:
        self._passphrase = text_bytes(passphrase)
        too_short = len(passphrase) < MIN_PASSPHRASE
        del passphrase  # A traceback that shows locals must not show it.
        if too_short:
            raise KeyRefused("a passphrase has at least 12 characters")

    def wrap(self, secret: bytes, context: bytes) -> bytes:
        """Wraps under the passphrase and a fresh salt."""
        salt = os.urandom(_SALT_BYTES)
        return _VERSION + salt + self._cipher(salt).encrypt(secret, _VERSION + salt + context)

    def unwrap(self, blob: bytes, context: bytes) -> bytes:
        """Unwraps, or raises ``WrongKey``."""
        salt, ciphertext = blob[1 : 1 + _SALT_BYTES], blob[1 + _SALT_BYTES :]
        if blob[:1] != _VERSION or not ciphertext:
            raise WrongKey("the vault's key was not wrapped under a passphrase")
        try:
            return self._cipher(salt).decrypt(ciphertext, _VERSION + salt + context)
        except TamperDetected:
            raise WrongKey("this is not the passphrase that the vault was made with") from None

    def _cipher(self, salt: bytes) -> Cipher:
        derivation = Argon2id(salt=salt, length=KEY_BYTES, iterations=_PASSES, lanes=_LANES, memory_cost=_MEMORY)
        return Cipher(derivation.derive(self._passphrase))

    def __repr__(self) -> str:
        return "PassphraseKeys(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")
