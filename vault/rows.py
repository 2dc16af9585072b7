"""The rows that a store keeps, as the vault sees them. Times are Unix milliseconds; 0 stands for never."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

LIVE: Final = 0
"""State of a session that can be used."""

SHREDDED: Final = 2
"""State of a tombstone: no key, no data, and a name that is never used again."""


OLD_FORMAT: Final = "the vault was written before the first release of sealgate, in a format that is gone"
"""Said of version 1 of every engine's tables."""


class SessionRow(NamedTuple):
    """One session. ``mac`` covers every column but ``sid``, ``kek_id`` and ``wrapped``, which the wrapping binds."""

    sid: int
    sref: bytes
    tref: bytes
    kek_id: bytes
    wrapped: bytes | None
    salt: bytes
    commitment: bytes
    subject: bytes
    dek_ver: int
    gen: int
    state: int
    created: int
    expires: int
    idle: int
    touched: int
    spent: bytes
    heads: bytes
    mac: bytes


class EntryRow(NamedTuple):
    """One exact form of one value. The form with an empty suffix is the entry's head and holds its facts.

    ``indirect`` is 1 if the code is not the one that the identity gives: drawn at random, or longer because another
    value has that one. Such rows are found by an index of their own.
    """

    id: int
    sid: int
    identity: bytes
    form: bytes
    code: str
    suffix: str
    indirect: int
    life: bytes
    dek_ver: int
    expires: int
    ct: bytes


LOOKED: Final = ", ".join([*(f"s.{name}" for name in SessionRow._fields), *(f"e.{name}" for name in EntryRow._fields)])
"""The columns of a session ``s`` joined with its entries ``e``, for ``looked``."""


def looked(rows: Sequence[Sequence[Any]]) -> tuple[SessionRow | None, list[EntryRow]]:
    """A session and its entries from the rows of a left join."""
    if not rows:
        return None, []
    width = len(SessionRow._fields)
    return SessionRow._make(rows[0][:width]), [EntryRow._make(row[width:]) for row in rows if row[width] is not None]


class RecordRow(NamedTuple):
    """One record. ``keyref`` is empty for those that are only appended."""

    id: int
    sid: int
    kind: str
    seq: int
    keyref: bytes
    ct: bytes


class AuditRow(NamedTuple):
    """One row of the audit chain: what happened, and the link that binds it to everything before."""

    seq: int
    body: bytes
    link: bytes


class KekRow(NamedTuple):
    """One key-encryption key with the vault's root secret, wrapped by the key provider."""

    kek_id: bytes
    created: int
    wrapped: bytes
