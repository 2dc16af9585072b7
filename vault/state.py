"""A session's row as loaded: verified, with its keys; and the one way to load it again and to change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from sealgate.models.errors import SessionShredded, TamperDetected

from .clock import SteadyClock
from .clockmark import keep_mark
from .encoding import AUTHENTICATION
from .ledger import Heads, Spent
from .root import Root
from .rows import SHREDDED, SessionRow
from .sessionkeys import SessionKeys, load_keys
from .store import Transaction


class State:
    """A verified session row and its keys; not changed once made."""

    __slots__ = ("_spent", "keys", "row")

    def __init__(self, row: SessionRow, keys: SessionKeys, spent: Spent | None = None) -> None:
        self.row = row
        self.keys = keys
        self._spent = spent

    def spent(self) -> Spent:
        """A copy of the row's ledger of uses, to be changed and stored."""
        if self._spent is None:
            self._spent = Spent.parse(self.row.spent)
        return self._spent.copy()

    def heads(self) -> Heads:
        """The row's ledger of records, to be changed and stored."""
        return Heads.parse(self.row.heads)

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")


class SessionState:
    """The newest verified state of one session; a row that did not change since is not verified again."""

    __slots__ = ("_clock", "_keep_time", "_latest", "_written", "root", "sref")

    def __init__(self, root: Root, clock: SteadyClock, sref: bytes, keep_time: Callable[[], None]) -> None:
        self.root = root
        self._keep_time = keep_time
        self.sref = sref
        self._clock = clock
        self._latest: State | None = None
        self._written: State | None = None

    @property
    def latest(self) -> State | None:
        """The state as this process read it last: its index key stays, its row may be older than the stored one."""
        return self._latest

    def load(self, transaction: Transaction) -> State:
        """The state now. Raises ``SessionShredded`` for a tombstone or an ended lifetime, else ``TamperDetected``."""
        row = transaction.sessions.by_ref(self.sref)
        if row is not None and not self.root.has_kek(row.kek_id):
            self.root.refresh(transaction.meta.keks())
        return self._checked(row)

    def check(self, row: SessionRow | None) -> State:
        """The state that a row just read outside any transaction stands for; raises like ``load``."""
        try:
            return self._checked(row)
        except SessionShredded:
            self._keep_time()
            raise

    def _checked(self, row: SessionRow | None) -> State:
        latest = self._latest
        if latest is None or row != latest.row:
            written = self._written
            if written is None or row != written.row:
                written = self._verified(row, latest)
            latest = self._latest = written
        self._check_lifetime(latest.row)
        return latest

    def store(self, transaction: Transaction, state: State, row: SessionRow, spent: Spent | None = None) -> State:
        """Writes a changed row, signed and touched, in the transaction that read ``state``; ``spent`` is its ledger.

        The new state becomes the latest only when it is read again, so that a failed commit leaves no trace here.
        """
        keep_mark(transaction, self.root, self._clock)
        signed = state.keys.signed(row._replace(touched=self._clock.now_ms()) if row.idle else row)
        transaction.sessions.update(signed)
        self._written = State(signed, state.keys, spent)
        return self._written

    def drop(self) -> None:
        """Forgets the keys."""
        self._latest = self._written = None

    def _verified(self, row: SessionRow | None, latest: State | None) -> State:
        if row is None:
            raise TamperDetected(AUTHENTICATION)
        if row.state == SHREDDED:
            self.drop()
            raise SessionShredded("the session is shredded; its name is never used again")
        if latest is not None and _wrapping(row) == _wrapping(latest.row):
            latest.keys.check(row)
            return State(row, latest.keys)
        return State(row, load_keys(self.root, row))

    def _check_lifetime(self, row: SessionRow) -> None:
        if not row.expires and not row.idle:
            return
        now = self._clock.now_ms()
        ends = [end for end in (row.expires, row.idle and row.touched + row.idle) if 0 < end <= now]
        if ends:
            self._clock.seen = max(self._clock.seen, *ends)
            raise SessionShredded("the session's lifetime has ended")


def _wrapping(row: SessionRow) -> tuple[bytes, bytes | None, int]:
    return row.kek_id, row.wrapped, row.dek_ver
