"""The keys of one session: index key, data key and record key, wrapped together under a key-encryption key."""

from __future__ import annotations

import hmac
import os
from typing import Final, NamedTuple, NoReturn

from sealgate.models.errors import TamperDetected

from .encoding import AUTHENTICATION, lp
from .envelope import KEY_BYTES, Cipher, Mac, derive
from .index import Index
from .root import Root
from .rows import SessionRow

_SALT_BYTES: Final = 32
_VERSION: Final = b"\x01"


class Wrapping(NamedTuple):
    """A session's wrapped keys, with the salt and the commitment that make them unambiguous."""

    kek_id: bytes
    wrapped: bytes
    salt: bytes
    commitment: bytes


class SessionKeys:
    """A session's keys in use. Losing the wrapped keys loses everything that the session ever stored.

    ``index`` names values, ``entries`` encrypts them, ``records`` encrypts everything else; ``entry_aad`` and
    ``record_aad`` are the fixed parts of their associated data: vault, tenant and session.
    """

    __slots__ = ("_bound", "_mac", "commitment", "entries", "entry_aad", "index", "record_aad", "records")

    def __init__(self, secret: bytes, salt: bytes, bound: tuple[bytes, bytes, bytes]) -> None:
        index_key, data_key, record_key = (secret[at : at + KEY_BYTES] for at in (0, KEY_BYTES, 2 * KEY_BYTES))
        self.index = Index(derive(index_key, "index/1", salt))
        self._mac = Mac(derive(index_key, "session-mac/1", salt))
        self.entries = Cipher(derive(data_key, "entries/1", salt))
        self.records = Cipher(derive(record_key, "records/1", salt))
        self.commitment = _commitment(secret, salt)
        self._bound = lp("session/1", *bound)
        self.entry_aad = lp("entry/1", *bound)
        self.record_aad = lp("record/1", *bound)

    def row_mac(self, row: SessionRow) -> bytes:
        """The MAC of a session's row: 1 + 32 bytes."""
        covered = lp(
            row.salt, row.commitment, row.subject, row.dek_ver, row.gen, row.state,
            row.created, row.expires, row.idle, row.touched, row.spent, row.heads,
        )  # fmt: skip
        return _VERSION + self._mac.digest(self._bound + covered)

    def signed(self, row: SessionRow) -> SessionRow:
        """The row with its MAC."""
        return row._replace(mac=self.row_mac(row))

    def check(self, row: SessionRow) -> None:
        """Nothing, or ``TamperDetected``."""
        if not hmac.compare_digest(self.row_mac(row), row.mac):
            raise TamperDetected(AUTHENTICATION)

    def tag(self, *fields: bytes | str | int) -> int:
        """128 keyed bits of some fields, as a number: the summands of ``ledger.Heads``."""
        return int.from_bytes(self._mac.digest(lp("tag/1", *fields))[:16], "big")

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")


def _bound(root: Root, row: SessionRow) -> tuple[bytes, bytes, bytes]:
    return root.vault_id, row.tref, row.sref


def _wrap_aad(root: Root, row: SessionRow, kek_id: bytes) -> bytes:
    return lp("wrap/1", *_bound(root, row)) + lp(kek_id, row.dek_ver)


def _commitment(secret: bytes, salt: bytes) -> bytes:
    return derive(secret, "commit/1", salt)


def new_keys(root: Root, row: SessionRow) -> Wrapping:
    """Fresh keys for a new session's row."""
    return _wrapping(root, row, os.urandom(3 * KEY_BYTES), os.urandom(_SALT_BYTES))


def renew_data_key(root: Root, row: SessionRow, dek_ver: int) -> Wrapping:
    """The same keys but for a fresh data key; index and record key stay, so placeholders and records do too."""
    secret = _unwrap(root, row)
    renewed = secret[:KEY_BYTES] + os.urandom(KEY_BYTES) + secret[2 * KEY_BYTES :]
    return _wrapping(root, row._replace(dek_ver=dek_ver), renewed, row.salt)


def rewrap(root: Root, row: SessionRow) -> tuple[bytes, bytes, int]:
    """``(kek_id, wrapped, sid)`` of the same keys under the active key-encryption key."""
    if row.wrapped is None:
        raise TamperDetected(AUTHENTICATION)
    bound = lp("wrap/1", *_bound(root, row))
    secret = root.kek(row.kek_id).decrypt(row.wrapped, bound + lp(row.kek_id, row.dek_ver))
    return root.active, root.kek(root.active).encrypt(secret, bound + lp(root.active, row.dek_ver)), row.sid


def load_keys(root: Root, row: SessionRow) -> SessionKeys:
    """The keys of a stored row, whose MAC and commitment are checked. Raises ``TamperDetected``."""
    keys = unwrap_keys(root, row)
    if not hmac.compare_digest(keys.commitment, row.commitment):
        raise TamperDetected(AUTHENTICATION)
    keys.check(row)
    return keys


def unwrap_keys(root: Root, row: SessionRow) -> SessionKeys:
    """The keys of a row that this process made itself, whose MAC is not there yet."""
    return SessionKeys(_unwrap(root, row), row.salt, _bound(root, row))


def _wrapping(root: Root, row: SessionRow, secret: bytes, salt: bytes) -> Wrapping:
    wrapped = root.kek(root.active).encrypt(secret, _wrap_aad(root, row, root.active))
    return Wrapping(root.active, wrapped, salt, _commitment(secret, salt))


def _unwrap(root: Root, row: SessionRow) -> bytes:
    if row.wrapped is None:
        raise TamperDetected(AUTHENTICATION)
    return root.kek(row.kek_id).decrypt(row.wrapped, _wrap_aad(root, row, row.kek_id))
