"""A store that looks at the vault's keys and its anchor before and after what is done with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import BinaryIO, NoReturn

from sealgate.models.errors import InvalidInput

from .anchors.anchoring import Anchoring
from .keys.lease import KeyLease
from .rows import EntryRow, SessionRow
from .store import CheckedStore, RoleStore, Store, Transaction


class GuardedStore:
    """``RoleStore`` and ``CheckedStore`` around another store: nothing is read or written with keys that have lapsed,
    and the anchor follows what is written. Both are looked at before a lock is taken, because a service may take its
    time.
    """

    def __init__(self, inner: Store, lease: KeyLease | None, anchoring: Anchoring | None) -> None:
        self._inner = inner
        self._lease = lease
        self._anchoring = anchoring

    def session(self, sref: bytes) -> SessionRow | None:
        """One session's row."""
        self._check()
        return self._inner.session(sref)

    def look(self, sref: bytes, code: str) -> tuple[SessionRow | None, list[EntryRow]]:
        """One session's row and its forms under one code."""
        self._check()
        return self._inner.look(sref, code)

    def read(self) -> AbstractContextManager[Transaction]:
        """A consistent view."""
        self._check()
        return self._inner.read()

    def write(self, *, durable: bool = True) -> AbstractContextManager[Transaction]:
        """The one writer."""
        self._check()
        if self._anchoring is None:
            return self._inner.write(durable=durable)
        return self._anchored_write(self._anchoring, durable)

    @contextmanager
    def _anchored_write(self, anchoring: Anchoring, durable: bool) -> Iterator[Transaction]:
        anchoring.before_write()
        with self._inner.write(durable=durable) as transaction:
            yield transaction
        anchoring.after_write()

    def snapshot(self) -> AbstractContextManager[BinaryIO]:
        """A consistent copy of everything."""
        return self._inner.snapshot()

    def purge(self) -> bool:
        """Removes deleted data from the engine's journals."""
        return self._inner.purge()

    def check_structure(self) -> None:
        """Has an engine that can look at its own structures do so."""
        if isinstance(self._inner, CheckedStore):
            self._inner.check_structure()

    def admit(self, role: str, tref: bytes) -> None:
        """Lets a role use the sessions of one tenant. Raises ``InvalidInput`` where there are no roles."""
        if not isinstance(self._inner, RoleStore):
            raise InvalidInput("this engine has no roles")
        self._inner.admit(role, tref)

    def is_confined(self) -> bool:
        """Whether this process sees one tenant's sessions only."""
        return isinstance(self._inner, RoleStore) and self._inner.is_confined()

    def close(self) -> None:
        """Saves the anchor for the last time, and releases everything in any case."""
        try:
            if self._anchoring is not None:
                self._anchoring.finish()
        finally:
            self._inner.close()

    def keep_anchor(self) -> None:
        """Saves the anchor now, if something was written since."""
        if self._anchoring is not None:
            self._anchoring.keep()

    def on_lapse(self, drop: Callable[[], None]) -> None:
        """Says what is to be called when the keys have lapsed."""
        if self._lease is not None:
            self._lease.drop = drop

    def _check(self) -> None:
        if self._lease is not None:
            self._lease.check()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a store cannot be pickled")


def keep_anchor(store: Store) -> None:
    """Saves the vault's anchor, if it has one: after what must not be taken back by an older copy of the store."""
    if isinstance(store, GuardedStore):
        store.keep_anchor()
