"""The table of pauses of one session: filed once, settled once, by whichever thread or process comes first."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Final

import anyio

from sealgate.models.errors import InterruptNotPending, TooManyInterrupts
from sealgate.models.limits import Limits
from sealgate.vault import VaultSession

from .record import InterruptRecord

_KIND: Final = "interrupt"
_COUNTS: Final = "interrupt.count"

POLL: Final = 0.05
"""Seconds between two looks at the store while somebody waits for another process."""

MAX_RECORDS: Final = 10_000
"""Pauses of one session that are remembered; of more, the newest."""

_HOUR: Final = 3600.0


class InterruptTable:
    """Every pause of a session by its id, encrypted on the store. There is no second list of what is pending."""

    def __init__(self, vault: VaultSession, limits: Limits, now: Callable[[], float]) -> None:
        self._records = vault.records
        self._limits = limits
        self._now = now

    def file(self, record: InterruptRecord, *, durable: bool = True) -> InterruptRecord:
        """Store a new pending pause, with the time it is asked at.

        Raises ``TooManyInterrupts`` when more than ``Limits.secret_asks_open`` asks for a secret would be open, or
        more than ``Limits.secret_asks_hour`` were made within an hour.
        """
        filed = record.but(created_at=self._now())
        if filed.secret:
            self._count_secret(filed)
        self._records.replace(_KIND, filed.id, filed.encode(), newest=MAX_RECORDS, durable=durable)
        return filed

    def get(self, interrupt_id: str) -> InterruptRecord | None:
        """The pause with this id, or ``None``. One whose time is over is settled as timed out by looking at it."""
        stored = self._records.get(_KIND, interrupt_id)
        if stored is None:
            return None
        record = InterruptRecord.decode(stored)
        if record.state == "pending" and self._is_over(record):
            return self.settle(interrupt_id, lambda pending: pending.but(state="timed_out"), late=True)
        return record

    def all(self) -> list[InterruptRecord]:
        """Every remembered pause, the one that changed last at the end."""
        return [InterruptRecord.decode(stored) for stored in self._records.all(_KIND)]

    def pending(self) -> list[InterruptRecord]:
        """The pauses that still wait, oldest first."""
        waiting = [record for record in self.all() if record.state == "pending" and not self._is_over(record)]
        return sorted(waiting, key=lambda record: record.created_at)

    def settle(
        self, interrupt_id: str, change: Callable[[InterruptRecord], InterruptRecord], *, late: bool = False
    ) -> InterruptRecord:
        """The pause after ``change``, which is given it only while it is pending: of two answers at once, one wins.

        Raises ``InterruptNotPending`` for one that is unknown, settled or over; then nothing was changed.
        """

        def settled(stored: bytes | None) -> bytes:
            record = None if stored is None else InterruptRecord.decode(stored)
            if record is None or record.state != "pending" or (self._is_over(record) and not late):
                raise InterruptNotPending("no pending interrupt of this session has this id")
            return change(record).encode()

        stored = self._records.change(_KIND, interrupt_id, settled)
        return InterruptRecord.decode(stored or b"")

    async def wait(self, interrupt_ids: Sequence[str]) -> None:
        """Until one of these pauses no longer waits, settled here or in another process, or its time is over."""
        while all(record is not None and record.state == "pending" for record in map(self.get, interrupt_ids)):  # noqa: ASYNC110
            await anyio.sleep(POLL)

    def _is_over(self, record: InterruptRecord) -> bool:
        return record.expires_at is not None and self._now() >= record.expires_at

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
