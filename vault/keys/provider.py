"""Where the vault's keys are wrapped: a protocol of two methods, and the providers that need no service."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Sequence
from typing import Final, NamedTuple, NoReturn, Protocol, runtime_checkable

from sealgate.models.errors import InvalidInput, KeyMissing, KeyRefused, TamperDetected, WrongKey

from ..envelope import KEY_BYTES, Cipher, derive

KEY_ID_BYTES: Final = 8

CACHE_TTL: Final = 3600.0
"""Seconds for which a vault uses what a key service gave it, unless told otherwise."""


@runtime_checkable
class KeyProvider(Protocol):
    """**Protocol:** wraps the keys of a vault. A key service, a key file and 32 bytes all look like this.

    Neither method may fall back to a weaker key. Errors are ``KeyMissing`` (no key there, or the service cannot be
    reached), ``KeyRefused`` (a key that is not safe to use) and ``WrongKey`` (not the key that wrapped the blob).
    """

    def wrap(self, secret: bytes, context: bytes) -> bytes:
        """The secret (at most 128 bytes), encrypted and bound to ``context``, under the newest key."""
        ...

    def unwrap(self, blob: bytes, context: bytes) -> bytes:
        """The secret of a blob that ``wrap`` made with the same context, under whichever key it was."""
        ...


@runtime_checkable
class RotatingProvider(KeyProvider, Protocol):
    """**Protocol:** a provider that can make a new key itself, and destroy the older ones."""

    def rotate(self) -> None:
        """Makes a new key; ``wrap`` uses it from now on, ``unwrap`` still knows the older ones."""
        ...

    def destroy_older(self) -> None:
        """Destroys all keys but the newest, for good."""
        ...


@runtime_checkable
class ExpiringProvider(KeyProvider, Protocol):
    """**Protocol:** a provider whose keys a vault asks for again, so that a key taken away ends access.

    ``cache_ttl`` is for how many seconds a vault may use what it was given; ``None`` for as long as it is open, which
    is how other providers are taken. A vault looks at it when it is opened.
    """

    cache_ttl: float | None


class _LocalKey(NamedTuple):
    key_id: bytes
    cipher: Cipher


class LocalKeys:
    """Wrapping under keys that this process holds: a list, newest last; the newest wraps, all unwrap.

    Raises ``KeyMissing`` for an empty list and ``KeyRefused`` for a key that is not 32 bytes. Whether
    those are random is not looked at.
    """

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = tuple(_LocalKey(key_id(key), Cipher(derive(key, "wrap/1"))) for key in keys if _usable(key))
        refused = len(self._keys) != len(keys)
        del keys  # A traceback that shows locals must not show them.
        if refused:
            raise KeyRefused("a key is exactly 32 bytes, and not zeros alone")
        if not self._keys:
            raise KeyMissing("no key was given")

    def wrap(self, secret: bytes, context: bytes) -> bytes:
        """``key id (8) || ciphertext`` under the newest key."""
        newest = self._keys[-1]
        return newest.key_id + newest.cipher.encrypt(secret, newest.key_id + context)

    def unwrap(self, blob: bytes, context: bytes) -> bytes:
        """The secret; ``WrongKey`` when none of the keys wrapped it, or it was changed."""
        wanted = blob[:KEY_ID_BYTES]
        for one in self._keys:
            if one.key_id == wanted:
                try:
                    return one.cipher.decrypt(blob[KEY_ID_BYTES:], wanted + context)
                except TamperDetected:
                    break
        raise WrongKey("this is not the key that the vault was made with")

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")


def _usable(key: bytes) -> bool:
    return isinstance(key, bytes | bytearray) and len(key) == KEY_BYTES


def key_id(key: bytes) -> bytes:
    """Eight bytes that name a key and say nothing about it."""
    return derive(bytes(key), "key-id/1")[:KEY_ID_BYTES]


class EnvironmentKeys(LocalKeys):
    """Keys from an environment variable: base64 of exactly 32 bytes each, separated by commas, newest last.

    The variable is removed from ``os.environ`` once it was read. ``/proc/<pid>/environ`` still shows it to the same
    user and to root. Raises ``KeyMissing`` when it is absent or blank, ``KeyRefused`` when it is anything else.
    """

    def __init__(self, variable: str = "SEALGATE_KEY") -> None:
        if not os.environ.get(variable, "").strip():
            raise KeyMissing(f"the environment variable {variable} holds no key")
        super().__init__([decode_key(part) for part in os.environ.pop(variable).split(",")])


def decode_key(encoded: str) -> bytes:
    """The bytes of a base64 text; none for anything else, and for zeros alone, as a place has that nobody filled: no
    user of keys accepts that.
    """
    try:
        key = base64.b64decode(encoded.strip(), validate=True)
    except (binascii.Error, ValueError):
        return b""
    return key if any(key) else b""


def checked_ttl(seconds: float | None) -> float | None:
    """A lifetime of keys as given. Raises ``InvalidInput`` unless it is a number of seconds above 0, or ``None``."""
    if seconds is not None and not 0 < seconds < 1e9:
        raise InvalidInput("cache_ttl is a number of seconds above 0")
    return seconds


def provider_of(key: bytes | bytearray | KeyProvider | None) -> KeyProvider | KeyRefused | None:
    """The provider that a caller's ``key`` is. The error is returned: no frame that raises it may show the key."""
    if not isinstance(key, bytes | bytearray):
        return key if key is None or isinstance(key, KeyProvider) else KeyRefused("a key is 32 bytes or a KeyProvider")
    try:
        return LocalKeys([bytes(key)])
    except KeyRefused as refused:
        return refused.with_traceback(None)
