"""An anchor in the operating system's key store (extra ``keyring``)."""

from __future__ import annotations

import binascii
from typing import Final

import keyring

from sealgate.models.errors import AnchorRefused, KeyRefused, KeyUnavailable

from ..keys.keyring import check_backend, read_entry, write_entry

_PREFIX: Final = "anchor: "
"""Stands before the anchor's name in the key store, where keys have theirs."""


class KeyringAnchor:
    """``Anchor`` under a name in the macOS keychain, the Secret Service, KWallet or Windows' credential store.

    Refuses the backends that ``KeyringKeys`` refuses. Not protected from: programs of the same user that the key store
    lets in, and a backup that brings back the key store together with the vault.
    """

    def __init__(self, name: str) -> None:
        self._entry = _PREFIX + name
        try:
            check_backend(keyring.get_keyring())
        except KeyRefused as refused:
            raise AnchorRefused(str(refused)) from None

    def load(self) -> bytes | None:
        """What the key store holds; none of the vault's for an entry that is no hexadecimal number."""
        try:
            stored = read_entry(self._entry)
            return None if stored is None else binascii.unhexlify(stored)
        except KeyUnavailable as locked:
            raise AnchorRefused(str(locked)) from None
        except ValueError:
            return b""

    def save(self, data: bytes) -> None:
        """Stores it, in hexadecimal."""
        try:
            write_entry(self._entry, data.hex())
        except KeyUnavailable as locked:
            raise AnchorRefused(str(locked)) from None

    def __repr__(self) -> str:
        return "KeyringAnchor(…)"
