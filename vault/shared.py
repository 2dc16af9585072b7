"""What all sessions of an open vault share."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import NoReturn

from sealgate.models.errors import VaultError
from sealgate.models.grants import Inject, Purpose

from .audit import AuditLog
from .clock import SteadyClock
from .clockmark import keep_mark
from .index import Random
from .root import Root
from .store import Store, Transaction


class _Kept:
    """A transaction after which the time is stored, if it failed because a lifetime has ended."""

    __slots__ = ("_inner", "_shared")

    def __init__(self, shared: Shared, inner: AbstractContextManager[Transaction]) -> None:
        self._shared = shared
        self._inner = inner

    def __enter__(self) -> Transaction:
        return self._inner.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        try:
            return self._inner.__exit__(kind, error, trace)
        finally:
            if kind is not None:
                self._shared.keep_time()


@dataclass(frozen=True, slots=True)
class Shared:
    """The open vault behind its sessions."""

    store: Store
    root: Root
    clock: SteadyClock
    random: Random
    audit: AuditLog

    def read(self) -> AbstractContextManager[Transaction]:
        """``Store.read``; the end of a lifetime that is seen in it is kept in mind afterwards."""
        return _Kept(self, self.store.read())

    def write(self, *, durable: bool = True) -> AbstractContextManager[Transaction]:
        """``Store.write``, likewise."""
        return _Kept(self, self.store.write(durable=durable))

    def keep_time(self) -> None:
        """Stores the time if an end was seen that is later than what is stored, so that a clock turned back revives
        nothing that was refused; not inside a transaction. A store that cannot be written keeps what it knew.
        """
        if self.clock.seen > self.clock.stored:
            with suppress(VaultError), self.store.write() as transaction:
                keep_mark(transaction, self.root, self.clock)

    def note_end(self, transaction: Transaction, ended: int) -> None:
        """Stores the time in this transaction, if a value that somebody asked for ended (Unix milliseconds) later than
        what is stored.
        """
        if ended > self.clock.stored:
            self.clock.seen = max(self.clock.seen, ended)
            keep_mark(transaction, self.root, self.clock)

    def describe(self, purpose: Purpose) -> dict[str, object]:
        """A purpose in the fields of an audit row; names outside the grammar stand as pseudonyms."""
        if isinstance(purpose, Inject):
            return {
                "kind": "inject",
                "tool": self._word(purpose.tool),
                "argument": self._place(purpose.argument),
                "call": self.root.pseudonym(purpose.call_id),
            }
        return {"kind": type(purpose).__name__.lower(), "channel": self._word(purpose.channel)}

    def _place(self, place: str) -> str:
        """A place in the arguments, dotted: ``items.iban`` for ``items[].iban``."""
        plain = place.replace("{key}", ".key").replace("[]", "").replace("{}", "").strip("*") or "any"
        if len(plain) <= 128 and all(step.isascii() and step.isidentifier() for step in plain.split(".")):
            return plain
        return self.root.pseudonym(place)

    def _word(self, name: str) -> str:
        return name if name.isascii() and name.isidentifier() and len(name) <= 128 else self.root.pseudonym(name)

    def __repr__(self) -> str:
        return "Shared(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a vault cannot be pickled")
