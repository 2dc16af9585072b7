"""How much a vault holds, for its operator."""

from __future__ import annotations

from typing import Final, NamedTuple

from .shared import Shared

_CHUNK: Final = 1_000


class Status(NamedTuple):
    """``vault`` is its id in hex; ``sessions`` are live, ``older`` of them under another key than the newest; ``keys``
    is how many keys wrap sessions, ``audit`` how many rows the audit chain has.
    """

    vault: str
    sessions: int
    older: int
    keys: int
    audit: int


def status(shared: Shared) -> Status:
    """See ``Vault.status``."""
    sessions = older = after = 0
    with shared.store.read() as transaction:
        keks = transaction.meta.keks()
        tail = transaction.audit.tail()
        while rows := transaction.sessions.page(after, _CHUNK):
            sessions, after = sessions + len(rows), rows[-1].sid
            older += sum(row.kek_id != keks[-1].kek_id for row in rows)
    return Status(shared.root.vault_id.hex(), sessions, older, len(keks), tail.seq if tail else 0)
