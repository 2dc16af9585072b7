"""Destroying what has outlived its time, without a key: a job that may run where no key is."""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from sealgate.models.errors import VaultMissing

from .audit import add_row
from .clock import SYSTEM_CLOCK, Clock
from .engines import engine_at, is_url
from .opener import stored_vault_id
from .sqlite.file import look
from .sqlite.store import SqliteStore
from .store import Store

_CHUNK: Final = 500


class Swept(NamedTuple):
    """How many sessions and single values were destroyed; ``purged`` is false while a reader holds journals back."""

    sessions: int
    values: int
    purged: bool


def sweep(location: str | os.PathLike[str], *, clock: Clock = SYSTEM_CLOCK) -> Swept:
    """Destroys the expired sessions and values of the vault at a path or URL.

    It trusts the clock and the store's own times: a store that somebody else wrote to may lose more, or keep more.
    Raises ``VaultMissing``, ``NotAVault``, ``StoreUnavailable``.
    """
    store = _store_at(os.fspath(location))
    try:
        return sweep_store(store, int(clock.now() * 1000))
    finally:
        store.close()


def _store_at(place: str) -> Store:
    if is_url(place):
        return engine_at(place)
    path = os.path.abspath(place)
    if look(path) != "database":
        raise VaultMissing("there is no vault at this place")
    return SqliteStore(path)


def sweep_store(store: Store, now: int) -> Swept:
    """The same on an open store; ``now`` in Unix milliseconds. Works in chunks, so it may be killed and run again."""
    sessions = values = 0
    while True:
        buried, dropped = _chunk(store, now)
        sessions, values = sessions + buried, values + dropped
        if not buried and not dropped:
            break
    return Swept(sessions, values, store.purge() if sessions or values else True)


def _chunk(store: Store, now: int) -> tuple[int, int]:
    with store.write() as transaction:
        ended = transaction.sessions.expired(now, _CHUNK)
        for sid in ended:
            transaction.sessions.bury(sid)
        dropped = transaction.entries.drop_expired(now, _CHUNK)
        if ended or dropped:
            fields = {"count": len(ended) + dropped, "reason": "expired"}
            event = {"action": "swept", "at": now, "fields": fields, "session": None}
            add_row(transaction, stored_vault_id(transaction), event)
    return len(ended), dropped
