"""The table of pauses of one session: filed once, settled once, by whichever thread or process comes first."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import anyio

from sealgate.models.errors import InterruptNotPending, LimitExceeded, TooManyInterrupts
from sealgate.models.limits import Limits
from sealgate.vault import VaultSession

from ..owner import Owner
from .record import InterruptRecord

_KIND: Final = "interrupt"
_COUNTS: Final = "interrupt.count"

POLL: Final = 0.05
"""Seconds between two looks at the store while somebody waits for another process."""

CLAIM: Final = 15.0
"""Seconds for which whoever answers a pause keeps it while the answer is read and sealed; a process that is dead does
not keep it."""

_REMEMBERED: Final = 1000
"""Settled pauses that stay when the table is full and the older ones make room."""

_HOUR: Final = 3600.0

Change = Callable[[InterruptRecord], InterruptRecord]
Reader = Callable[[InterruptRecord], Mapping[str, object]]


class InterruptTable:
    """Every pause of a session by its id, encrypted on the store. There is no second list of what is pending.

    ``ended`` is called with each pause that has just ended, once, by whoever ended it.
    """

    def __init__(
        self,
        vault: VaultSession,
        limits: Limits,
        now: Callable[[], float],
        ended: Callable[[InterruptRecord], object] = lambda _record: None,
    ) -> None:
        self._records = vault.records
        self._limits = limits
        self._now = now
        self._ended = ended

    def file(self, record: InterruptRecord, *, durable: bool = True) -> InterruptRecord:
        """Store a new pending pause, with the time it is asked at. One that is there already is left as it is and
        comes back: a turn that a crash stopped files it again.

        Raises ``TooManyInterrupts`` when more than ``Limits.secret_asks_open`` asks for a secret would be open, more
        than ``Limits.secret_asks_hour`` were made within an hour, or no more pauses can wait in this session.
        """
        known = self.get(record.id)
        if known is not None:
            return known
        filed = record.but(created_at=self._now())
        if filed.secret:
            self._count_secret(filed)
        try:
            self._add(filed, durable)
        except LimitExceeded:
            self._make_room()
            self._add(filed, durable)
        return filed

    def get(self, interrupt_id: str) -> InterruptRecord | None:
        """The pause with this id, or ``None``. One whose time is over is settled as timed out by looking at it."""
        record = self._stored(interrupt_id)
        if record is None or record.state != "pending" or not self._is_over(record):
            return record
        try:
            return self.settle(interrupt_id, lambda pending: pending.but(state="timed_out"), late=True)
        except InterruptNotPending:  # somebody else ended it in between
            return self._stored(interrupt_id)

    def all(self) -> list[InterruptRecord]:
        """Every remembered pause, the one that changed last at the end."""
        return [InterruptRecord.decode(stored) for stored in self._records.all(_KIND)]

    def pending(self) -> list[InterruptRecord]:
        """The pauses that still wait, oldest first."""
        waiting = [record for record in self.all() if record.state == "pending" and not self._is_over(record)]
        return sorted(waiting, key=lambda record: record.created_at)

    def settle(self, interrupt_id: str, change: Change, *, late: bool = False, claim: str = "") -> InterruptRecord:
        """The pause after ``change``, which is given it only while it is pending: of two answers at once, one wins.

        Raises ``InterruptNotPending`` for one that is unknown, settled, over, or being answered by somebody else; then
        nothing was changed.
        """

        def settled(stored: bytes | None) -> bytes:
            record = None if stored is None else InterruptRecord.decode(stored)
            if record is None or record.state != "pending" or (self._is_over(record) and not late):
                raise InterruptNotPending("no pending interrupt of this session has this id")
            if record.claim != claim and self._is_claimed(record):
                raise InterruptNotPending("the interrupt is being answered")
            return change(record).encode()

        record = InterruptRecord.decode(self._records.change(_KIND, interrupt_id, settled) or b"")
        if record.state != "pending":
            self._ended(record)
        return record

    def take(self, interrupt_id: str, read: Reader) -> InterruptRecord:
        """The pause, resolved with what ``read`` made of it.

        Only whoever has claimed the pause reads, so nothing of an answer that comes too late or second is ever sealed.
        Raises as ``settle`` does; what ``read`` raises goes through, and the pause waits on.
        """
        claim = Owner.here().encode()
        until = self._now() + CLAIM
        record = self.settle(interrupt_id, lambda pending: pending.but(claim=claim, claimed_until=until))
        try:
            changes = read(record)
        except BaseException:
            self.settle(interrupt_id, _unclaimed, late=True, claim=claim)
            raise
        return self.settle(
            interrupt_id,
            lambda pending: _unclaimed(pending).but(state="resolved", **changes),
            late=True,
            claim=claim,
        )

    async def wait(self, interrupt_ids: Sequence[str], until: float | None = None) -> None:
        """Until one of these pauses no longer waits, settled here or in another process, or its time is over; or
        until ``until``, in Unix seconds.
        """
        while all(record is not None and record.state == "pending" for record in map(self.get, interrupt_ids)):
            if until is not None and self._now() >= until:
                return
            await anyio.sleep(POLL)

    def _stored(self, interrupt_id: str) -> InterruptRecord | None:
        stored = self._records.get(_KIND, interrupt_id)
        return None if stored is None else InterruptRecord.decode(stored)

    def _add(self, record: InterruptRecord, durable: bool) -> None:
        self._records.change(_KIND, record.id, lambda before: None if before else record.encode(), durable=durable)

    def _make_room(self) -> None:
        """Drop the settled pauses but the newest; those that wait are never dropped."""
        settled = [record.id for record in self.all() if record.state != "pending"]
        for interrupt_id in settled[:-_REMEMBERED]:
            self._records.discard(_KIND, interrupt_id)
        if len(settled) <= _REMEMBERED:
            raise TooManyInterrupts("too many interrupts of this session wait", 20_000)

    def _is_over(self, record: InterruptRecord) -> bool:
        over = record.expires_at is not None and self._now() >= record.expires_at
        return over and not self._is_claimed(record)

    def _is_claimed(self, record: InterruptRecord) -> bool:
        return bool(record.claim) and self._now() < record.claimed_until and not Owner.decode(record.claim).is_dead()

    def _count_secret(self, record: InterruptRecord) -> None:
        """Count an ask for a secret, atomically, so that two processes together keep the limit too."""

        def counted(stored: bytes | None) -> bytes:
            asked = [one for one in json.loads(stored or b"[]") if one[1] > record.created_at - _HOUR]
            if len(asked) >= self._limits.secret_asks_hour:
                limit = self._limits.secret_asks_hour
                raise TooManyInterrupts("secrets were asked for too often within an hour", limit)
            return json.dumps([*asked, [record.id, record.created_at]]).encode()

        self._check_open_secrets()
        self._records.change(_COUNTS, "secrets", counted)

    def _check_open_secrets(self) -> None:
        asked = [one[0] for one in json.loads(self._records.get(_COUNTS, "secrets") or b"[]")]
        waiting = [known for known in map(self.get, asked) if known is not None and known.state == "pending"]
        if len(waiting) >= self._limits.secret_asks_open:
            raise TooManyInterrupts("too many asks for a secret are open", self._limits.secret_asks_open)


def _unclaimed(record: InterruptRecord) -> InterruptRecord:
    return record.but(claim="", claimed_until=0.0)
