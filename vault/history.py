"""What the audit chain tells of every session, and whether the stored sessions agree with it.

The chain names each session that was made or shredded, and the generation that a session had after values were sealed,
used up or destroyed. So a session that is older than the chain says was put back by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sealgate.models.errors import AuditBroken, RollbackDetected, TamperDetected

from .audit import AuditEvent, AuditLog, decode
from .encoding import AUTHENTICATION
from .rows import LIVE, SessionRow
from .store import RoleStore, Store

_CHUNK: Final = 500
_SHREDDED: Final = -1
_OLDER: Final = "a stored session is older than the audit chain says"


class History:
    """The generations of all sessions by their reference, as of the chain's end; some 150 bytes each."""

    __slots__ = ("_latest", "_seen", "_young", "rows")

    def __init__(self, audit: AuditLog) -> None:
        self._latest: dict[str, int] = {}
        self._seen: set[str] = set()
        self._young: set[str] = set()
        self.rows = 0
        for row in audit.linked():
            self._note(decode(row))
            self.rows = row.seq

    def _note(self, event: AuditEvent) -> None:
        if event.session is None:
            return
        if event.action == "session.created":
            self._latest[event.session] = 1
        elif event.action == "shredded":
            self._latest[event.session] = _SHREDDED
        elif event.session in self._latest and isinstance(gen := event.fields.get("gen"), int):
            self._latest[event.session] = max(gen, self._latest[event.session])

    def check(self, row: SessionRow) -> None:
        """Nothing, or ``RollbackDetected`` for a live session, read after the chain, that the chain is ahead of."""
        session = row.sref.hex()
        latest = self._latest.get(session)
        if latest is None:
            self._young.add(session)
        elif latest == _SHREDDED or row.gen < latest:
            raise RollbackDetected(_OLDER)
        self._seen.add(session)

    def finish(self, store: Store, audit: AuditLog) -> None:
        """Once all live sessions were checked: ``RollbackDetected`` if one that the chain tells of left no row,
        ``TamperDetected`` if another one lives, ``AuditBroken`` if the chain does not tell how one began.
        """
        for event in audit.rows(self.rows) if self._young else ():
            if event.action == "session.created":
                self._young.discard(event.session or "")
        if self._young:
            raise AuditBroken("the audit chain does not tell how a session began", self.rows + 1)
        if isinstance(store, RoleStore) and store.is_confined():
            return
        for chunk in self._unseen():
            with store.read() as transaction:
                for row in (transaction.sessions.by_ref(sref) for sref in chunk):
                    if row is None:
                        raise RollbackDetected(_OLDER)
                    if row.state == LIVE:
                        self.check(row)
                        raise TamperDetected(AUTHENTICATION)

    def _unseen(self) -> Iterator[list[bytes]]:
        left = [bytes.fromhex(session) for session in self._latest if session not in self._seen]
        for start in range(0, len(left), _CHUNK):
            yield left[start : start + _CHUNK]
