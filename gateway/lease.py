"""The lease of a session's turn: one process at a time goes on with it, and a dead one is not waited for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from sealgate.models.errors import SessionBusy
from sealgate.vault import VaultSession

from .owner import Owner

_KIND: Final = "lease"
_KEY: Final = "turn"

FOREIGN: Final = 900.0
"""Seconds after which the lease of another machine, whose processes cannot be looked at, is taken over unless it was
renewed."""


class TurnLease:
    """The one lease of a session. Not protected: two machines whose clocks differ by more than ``FOREIGN``."""

    def __init__(self, vault: VaultSession, now: Callable[[], float]) -> None:
        self._records = vault.records
        self._now = now
        self._renew_at = 0.0

    @contextmanager
    def held(self) -> Iterator[None]:
        """The lease for this block. Raises ``SessionBusy`` while a living process has it."""
        owner = Owner.here()
        self._records.change(_KIND, _KEY, lambda stored: self._taken(stored, owner), durable=False)
        self._renew_at = self._now() + FOREIGN / 2
        try:
            yield
        finally:
            self._records.change(_KIND, _KEY, lambda stored: _given_back(stored, owner), durable=False)

    def renew(self) -> None:
        """Say that this process is still at it, when half of the lease's time is over."""
        if self._now() < self._renew_at:
            return
        self._renew_at = self._now() + FOREIGN / 2

        def renewed(stored: bytes | None) -> bytes | None:
            lease = json.loads(stored or b"{}")
            mine = bool(lease) and Owner.decode(lease["owner"]).is_here
            return json.dumps({**lease, "until": self._now() + FOREIGN}).encode() if mine else None

        self._records.change(_KIND, _KEY, renewed, durable=False)

    def _taken(self, stored: bytes | None, owner: Owner) -> bytes:
        lease = json.loads(stored or b"{}")
        if lease:
            holder = Owner.decode(lease["owner"])
            lapsed = holder.host != owner.host and self._now() >= lease["until"]
            if not lapsed and not holder.is_dead():
                raise SessionBusy("another process or thread runs a turn of this session")
        return json.dumps({"owner": owner.encode(), "until": self._now() + FOREIGN}).encode()


def _given_back(stored: bytes | None, owner: Owner) -> bytes | None:
    return b"{}" if stored and json.loads(stored).get("owner") == owner.encode() else None
