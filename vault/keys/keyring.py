"""The operating system's key store as the key of a vault (extra ``keyring``)."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import keyring
from keyring.errors import KeyringError

from sealgate.models.errors import KeyMissing, KeyRefused, KeyUnavailable

from ..envelope import KEY_BYTES
from .provider import LocalKeys, decode_key

SERVICE: Final = "sealgate"
"""The service under which the key store files the keys; the account is the name of the key."""

_SAFE: Final = frozenset(
    f"keyring.backends.{name}" for name in ("SecretService", "kwallet", "libsecret", "macOS", "Windows")
)
_CHAIN: Final = "keyring.backends.chainer"


class KeyringKeys:
    """``RotatingProvider`` over keys in the macOS keychain, the Secret Service, KWallet or Windows' credential store.

    Backends that keep passwords in files, in clear or nowhere are ``KeyRefused``; so is what is stored if it is no list
    of keys. ``KeyMissing`` when there is no key of this name: ``create`` makes one. Not protected from: programs of the
    same user that the key store lets in.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        check_backend(keyring.get_keyring())
        self._keys = LocalKeys(self._load())

    @classmethod
    def create(cls, name: str) -> KeyringKeys:
        """Draws a key and stores it. Raises ``KeyRefused`` if there is one of this name already."""
        check_backend(keyring.get_keyring())
        if read_entry(name) is not None:
            raise KeyRefused("the key store holds a key of this name already")
        _write(name, [os.urandom(KEY_BYTES)])
        return cls(name)

    def wrap(self, secret: bytes, context: bytes) -> bytes:
        """Wraps under the newest key."""
        return self._keys.wrap(secret, context)

    def unwrap(self, blob: bytes, context: bytes) -> bytes:
        """Unwraps under whichever key it was."""
        return self._keys.unwrap(blob, context)

    def rotate(self) -> None:
        """Adds a key."""
        self._store([*self._load(), os.urandom(KEY_BYTES)])

    def destroy_older(self) -> None:
        """Leaves the newest key. Copies of the key store still hold the older ones."""
        self._store(self._load()[-1:])

    def _load(self) -> list[bytes]:
        stored = read_entry(self._name)
        if stored is None:
            raise KeyMissing("the key store holds no key of this name")
        return [decode_key(part) for part in stored.split(",")]

    def _store(self, keys: Sequence[bytes]) -> None:
        _write(self._name, keys)
        self._keys = LocalKeys(self._load())

    def __repr__(self) -> str:
        return "KeyringKeys(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")


def check_backend(backend: Any) -> None:
    """Nothing, or ``KeyRefused`` for a backend that is not one of the operating systems' own."""
    parts = list(backend.backends) if type(backend).__module__ == _CHAIN else [backend]
    if not parts or any(type(part).__module__ not in _SAFE for part in parts):
        raise KeyRefused("the key store is not one of the operating system's own")


def read_entry(name: str) -> str | None:
    """What the key store holds under a name, or ``None``. Raises ``KeyUnavailable`` when it is locked."""
    try:
        return keyring.get_password(SERVICE, name)
    except KeyringError:
        raise KeyUnavailable("the key store is locked or does not answer", retryable=True) from None


def write_entry(name: str, text: str) -> None:
    """Stores or replaces it; raises as ``read_entry`` does."""
    try:
        keyring.set_password(SERVICE, name, text)
    except KeyringError:
        raise KeyUnavailable("the key store is locked or does not answer", retryable=True) from None


def _write(name: str, keys: Sequence[bytes]) -> None:
    write_entry(name, ",".join(base64.b64encode(key).decode("ascii") for key in keys))
