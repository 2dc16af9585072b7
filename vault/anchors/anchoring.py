"""Keeping an anchor: what it holds, when the store is compared with it, and when it is saved.

An anchor holds the vault's id and one row of the audit chain, number and link, under a MAC of the vault's root. That
row was committed for good before the anchor was saved, so a crash or a power cut leaves the anchor behind the store,
never ahead of it. A store that does not have this row is an older copy: ``RollbackDetected``, when it is opened, and
while it is open when the anchor is saved next.

Not noticed: a copy that is no older than the anchor. The anchor is saved when the vault is opened and closed, after
``shred``, ``forget``, ``rotate``, ``destroy_old_keys`` and ``sweep``, and else once a minute of writing; so what a
process wrote in its last minute before it was killed, or since if it then wrote no more, can be taken back. Nor is it
noticed at opening when older rows of some sessions are put back beside the newest chain: ``verify`` sees that.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from sealgate.models.errors import AnchorMissing, AnchorRefused, RollbackDetected, StoreUnavailable, TamperDetected

from ..audit import add_row
from ..clock import SteadyClock
from ..encoding import AUTHENTICATION
from ..envelope import KEY_BYTES
from ..root import VAULT_ID_BYTES, Root
from ..sqlite.lockfile import DEADLINE
from ..store import Store, Transaction
from .anchor import Anchor

_NAME: Final = "anchor"
_MARK: Final = "anchored"
"""The row of ``meta`` that says whether this vault has an anchor: without data, no more."""

_STEP: Final = 60_000
"""Milliseconds of writing after which the anchor is saved again."""

_SEQUENCE_BYTES: Final = 8
_BYTES: Final = 1 + VAULT_ID_BYTES + _SEQUENCE_BYTES + 32 + KEY_BYTES
"""An anchor's length: version, vault, sequence, link and MAC."""

_FOREIGN: Final = "the anchor belongs to another vault"
_ACCEPT: Final = "or accept the present state with `sealgate vault anchor`"

NO_ANCHOR: Final = "the vault has an anchor: open it with that, or give it up with `sealgate vault anchor --give-up`"
"""Said when a vault that has an anchor is opened without it."""


class Point(NamedTuple):
    """A row of the audit chain."""

    sequence: int
    link: bytes


class Anchoring:
    """The anchor of an open vault. May be used from many threads, and goes on in a forked child."""

    def __init__(self, store: Store, root: Root, clock: SteadyClock, anchor: Anchor) -> None:
        self._store = store
        self._root = root
        self._clock = clock
        self._anchor = anchor
        self._known: Point | None = None
        self._due = 0
        self._unsaved = self._failed = False
        self._pid = os.getpid()
        self._turn = threading.Lock()

    def begin(self) -> None:
        """Compares the store with the anchor, and saves it if there is news. The first time of all makes the anchor.

        Raises ``RollbackDetected``, ``AnchorMissing`` when this vault had one, ``AnchorRefused``, ``TamperDetected``.
        """
        known = self._load()  # Before the store is looked at: another process may save a newer one any time.
        with self._store.read() as transaction:
            anchored = is_anchored(transaction, self._root)
            _check(transaction, known)
            tail = transaction.audit.tail()
        if known is None and anchored and self._load() is None:  # The mark is stored after the first anchor.
            raise AnchorMissing(f"the anchor of this vault is gone: put it back, {_ACCEPT}")
        self._known = known
        if not anchored or known is None or tail is None or tail.seq > known.sequence:
            self._attempt()
        self._due = self._clock.now_ms() + _STEP

    def before_write(self) -> None:
        """Saves the anchor if that failed the last time. Raises what it raises, and then nothing is to be written."""
        self._check_process()
        if self._failed:
            with self._alone():
                self._attempt()

    def after_write(self) -> None:
        """Takes note of a commit, and saves the anchor once a minute."""
        self._unsaved = True
        if self._clock.now_ms() >= self._due:
            self.keep()

    def keep(self) -> None:
        """Saves the anchor if something was written. A failure is raised by the next write: this one is committed."""
        self._check_process()
        with suppress(Exception), self._alone():
            if self._unsaved:
                self._attempt()

    def finish(self) -> None:
        """Saves the anchor for the last time. Raises ``AnchorRefused`` and ``RollbackDetected``."""
        self._check_process()
        if self._unsaved:
            with suppress(StoreUnavailable):
                self._attempt()
        self._unsaved = self._failed = False

    def accept(self) -> None:
        """Saves the present state, whatever the anchor was. Raises ``AnchorRefused`` for that of another vault."""
        data = self._anchor.load()
        if data is not None and _is_foreign(data, self._root):
            raise AnchorRefused(_FOREIGN)
        point = self._append("anchor.accepted", None)
        with self._store.write() as transaction:
            self._save(transaction, point)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=DEADLINE):
            raise StoreUnavailable("the anchor stayed locked by another thread")
        try:
            yield
        finally:
            self._turn.release()

    def _attempt(self) -> None:
        self._due = self._clock.now_ms() + _STEP
        self._unsaved, self._failed = False, True
        try:
            point = self._append("anchored", self._newest)
            with self._store.write(durable=False) as transaction:  # One process at a time: the anchor never goes back.
                newest = self._newest()
                if newest is None or newest.sequence < point.sequence:
                    self._save(transaction, point)
            self._failed = False
        finally:
            self._unsaved |= self._failed

    def _append(self, action: str, newest: Callable[[], Point | None] | None) -> Point:
        """A durable row of its own, so that the anchor covers everything that was written before, records too."""
        event = {"action": action, "at": self._clock.now_ms(), "fields": {}, "session": None}
        with self._store.write() as transaction:
            if newest is not None:
                _check(transaction, newest())
            add_row(transaction, self._root.vault_id, event)
            tail = transaction.audit.tail()
        if tail is None:
            raise TamperDetected(AUTHENTICATION)
        return Point(tail.seq, tail.link)

    def _newest(self) -> Point | None:
        """The newest row that is known to have been there, from the anchor or from this process."""
        found = [one for one in (self._load(), self._known) if one is not None]
        return max(found, key=lambda one: one.sequence, default=None)

    def _load(self) -> Point | None:
        data = self._anchor.load()
        if data is None:
            return None
        if _is_foreign(data, self._root):
            raise AnchorRefused(_FOREIGN)
        try:
            fields = self._root.unprotect(_NAME, data)[VAULT_ID_BYTES:]
        except TamperDetected:
            raise AnchorRefused(f"the anchor was changed: put it back, {_ACCEPT}") from None
        return Point(int.from_bytes(fields[:_SEQUENCE_BYTES], "big"), fields[_SEQUENCE_BYTES:])

    def _save(self, transaction: Transaction, point: Point) -> None:
        fields = self._root.vault_id + point.sequence.to_bytes(_SEQUENCE_BYTES, "big") + point.link
        self._anchor.save(self._root.protect(_NAME, fields))
        self._known = point
        if not is_anchored(transaction, self._root):
            transaction.meta.put(_MARK, self._root.protect(_MARK, b"\x01"))

    def _check_process(self) -> None:
        if self._pid != os.getpid():
            self._turn, self._pid, self._unsaved, self._failed = threading.Lock(), os.getpid(), False, False


def is_anchored(transaction: Transaction, root: Root) -> bool:
    """Whether this vault is to be opened with its anchor. Raises ``TamperDetected``."""
    stored = transaction.meta.get(_MARK)
    return stored is not None and bool(root.unprotect(_MARK, stored))


def give_up(store: Store, root: Root, clock: SteadyClock) -> None:
    """From now on the vault opens without an anchor."""
    with store.write() as transaction:
        event = {"action": "anchor.given.up", "at": clock.now_ms(), "fields": {}, "session": None}
        add_row(transaction, root.vault_id, event)
        transaction.meta.put(_MARK, root.protect(_MARK, b""))


def _check(transaction: Transaction, known: Point | None) -> None:
    """Nothing, or ``RollbackDetected`` when the chain does not have this row."""
    if known is None:
        return
    rows = transaction.audit.after(known.sequence - 1, 1)
    if [(row.seq, row.link) for row in rows] != [known]:
        raise RollbackDetected(f"the store is older than its anchor: put the newest copy back, {_ACCEPT}")


def _is_foreign(data: bytes, root: Root) -> bool:
    """Whether this looks like an anchor, of another vault."""
    return len(data) == _BYTES and data[1 : 1 + VAULT_ID_BYTES] != root.vault_id
