"""The top of the key hierarchy: the vault's root secret and the key-encryption keys, as the key provider gave them."""

from __future__ import annotations

import hmac
import os
from typing import Final, NoReturn

from sealgate.models.errors import KeyUnavailable, TamperDetected, WrongKey

from .encoding import AUTHENTICATION, lp
from .envelope import KEY_BYTES, Cipher, Mac, derive
from .keys.provider import KeyProvider
from .rows import KekRow

VAULT_ID_BYTES: Final = 16
_REF_BYTES: Final = 16
_KEK_ID_BYTES: Final = 16
_VERSION: Final = b"\x01"


class Root:
    """What is derived from the root secret, and the ciphers of the live key-encryption keys.

    ``sref`` and ``tref`` are what sessions and tenants are called in the store: their names are never in clear there.
    """

    __slots__ = ("_audit", "_keks", "_lapsed", "_meta", "_refs", "active", "provider", "vault_id")

    def __init__(self, vault_id: bytes, provider: KeyProvider, secret: bytes) -> None:
        self.vault_id = vault_id
        self.provider = provider
        self._refs = Mac(derive(secret, "ref/1"))
        self._meta = Mac(derive(secret, "meta/1"))
        self._audit = Mac(derive(secret, "audit/1"))
        self._keks: dict[bytes, Cipher] = {}
        self._lapsed = False
        self.active = b""

    def sref(self, tenant: str, name: str) -> bytes:
        """16 bytes for a session of a tenant."""
        return self._refs.digest(lp("session", tenant, name))[:_REF_BYTES]

    def tref(self, tenant: str) -> bytes:
        """16 bytes for a tenant."""
        return self._refs.digest(lp("tenant", tenant))[:_REF_BYTES]

    def pseudonym(self, text: str) -> str:
        """32 hex digits that stand for a name in the audit chain."""
        return self._audit.digest(lp("pseudonym/1", text))[:_REF_BYTES].hex()

    def protect(self, name: str, data: bytes) -> bytes:
        """A row of ``meta``: ``version || data || MAC``."""
        return _VERSION + data + self._meta.digest(lp("meta/1", self.vault_id, name, data))

    def unprotect(self, name: str, stored: bytes) -> bytes:
        """The data of such a row, or ``TamperDetected``."""
        data = stored[1:-KEY_BYTES]
        if not hmac.compare_digest(stored, self.protect(name, data)):
            raise TamperDetected(AUTHENTICATION)
        return data

    def kek(self, kek_id: bytes) -> Cipher:
        """The cipher of a key-encryption key; ``TamperDetected`` when the vault has none of this name."""
        try:
            return self._keks[kek_id]
        except KeyError:
            if self._lapsed:
                raise KeyUnavailable("the key service did not give the vault's keys again", retryable=True) from None
            raise TamperDetected(AUTHENTICATION) from None

    def has_kek(self, kek_id: bytes) -> bool:
        """Whether it was loaded."""
        return kek_id in self._keks

    def refresh(self, rows: list[KekRow]) -> None:
        """Loads key-encryption keys that another process added; ``rows`` are all, oldest first.

        Raises ``WrongKey`` when the newest is wrapped under a key that this process does not have.
        """
        for row in rows:
            if row.kek_id not in self._keks and (row is rows[-1] or self._can_unwrap(row)):
                _load_row(self.vault_id, row, self.provider, self)
        if rows and rows[-1].kek_id in self._keks:
            self.active = rows[-1].kek_id

    def _can_unwrap(self, row: KekRow) -> bool:
        try:
            return bool(self.provider.unwrap(row.wrapped, _context(self.vault_id, row.kek_id)))
        except WrongKey:
            return False

    def lapse(self) -> None:
        """Drops all key-encryption keys; what needs one is ``KeyUnavailable`` until ``renew``."""
        self._lapsed, self._keks = True, {}

    def renew(self, fresh: Root) -> None:
        """Takes the key-encryption keys of another root of the same vault, that was just loaded."""
        self._keks, self.active, self._lapsed = fresh._keks, fresh.active, False

    def adopt(self, kek_id: bytes, kek: Cipher) -> None:
        """Adds a key-encryption key; the last one added is the active one."""
        self._keks[kek_id] = kek
        self.active = kek_id

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")


def new_root(vault_id: bytes, provider: KeyProvider, created: int) -> KekRow:
    """The first key row of a new vault: a fresh root secret under a fresh key-encryption key."""
    return wrap_kek(vault_id, os.urandom(KEY_BYTES), provider, created)


def wrap_kek(vault_id: bytes, secret: bytes, provider: KeyProvider, created: int) -> KekRow:
    """A new key-encryption key with the root secret beside it, wrapped by the provider."""
    kek = os.urandom(KEY_BYTES)
    kek_id = _kek_id(vault_id, kek)
    return KekRow(kek_id, created, provider.wrap(kek + secret, _context(vault_id, kek_id)))


def load_root(vault_id: bytes, rows: list[KekRow], provider: KeyProvider) -> Root:
    """The root from its key rows, oldest first.

    A row that the provider cannot unwrap any more is passed over while another one can be. Raises ``WrongKey`` when
    none can, and ``TamperDetected`` when a row does not hold what its name says.
    """
    root: Root | None = None
    for row in rows:
        try:
            root = _load_row(vault_id, row, provider, root)
        except WrongKey:
            continue
    if root is None:
        raise WrongKey("this is not the key that the vault was made with")
    return root


def _load_row(vault_id: bytes, row: KekRow, provider: KeyProvider, root: Root | None) -> Root:
    secret = provider.unwrap(row.wrapped, _context(vault_id, row.kek_id))
    kek, root_secret = secret[:KEY_BYTES], secret[KEY_BYTES:]
    matches = len(root_secret) == KEY_BYTES and hmac.compare_digest(_kek_id(vault_id, kek), row.kek_id)
    loaded = (root or Root(vault_id, provider, root_secret)) if matches else None
    cipher = Cipher(derive(kek, "kek/1")) if matches else None
    del secret, kek, root_secret
    if loaded is None or cipher is None:
        raise TamperDetected(AUTHENTICATION)
    loaded.adopt(row.kek_id, cipher)
    return loaded


def rewrap_kek(root: Root, row: KekRow, provider: KeyProvider, created: int) -> KekRow:
    """A new key-encryption key, wrapped by a new provider, for the root secret of an existing row."""
    secret = root.provider.unwrap(row.wrapped, _context(root.vault_id, row.kek_id))
    return wrap_kek(root.vault_id, secret[KEY_BYTES:], provider, created)


def _kek_id(vault_id: bytes, kek: bytes) -> bytes:
    return derive(kek, "kek-id/1", vault_id)[:_KEK_ID_BYTES]


def _context(vault_id: bytes, kek_id: bytes) -> bytes:
    return lp("kek/1", vault_id, kek_id)
