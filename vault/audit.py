"""The audit chain: who did what, without values; each row linked to all before it by plain SHA-256.

Anybody can verify it without a key. A chain whose last rows were cut off still verifies: only a checkpoint that was
exported off the machine shows the cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NoReturn

from sealgate.models.errors import AuditBroken, AuditUnavailable, InvalidInput, StoreFull, StoreUnavailable

from .auditfields import checked
from .clock import SteadyClock
from .encoding import lp
from .root import Root
from .rows import AuditRow
from .store import Store, Transaction

_VERSION: Final = b"\x01"
_CHUNK: Final = 500
_JSON: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_ACTION: Final = re.compile(r"[a-z][a-z0-9_.]{0,63}\Z")
_REFERENCE: Final = re.compile(r"[0-9a-f]{32}\Z")


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One row, decoded. ``at`` is Unix time in seconds, ``session`` a reference (``VaultSession.id``) or ``None``."""

    sequence: int
    at: float
    action: str
    session: str | None
    fields: dict[str, object]


class AuditLog:
    """The chain of one vault."""

    def __init__(self, store: Store, root: Root, clock: SteadyClock) -> None:
        self._store = store
        self._root = root
        self._clock = clock

    def append(self, action: str, *, session: str | None = None, fields: Mapping[str, object] | None = None) -> int:
        """Adds a row in a transaction of its own and returns its number.

        ``fields`` come from the closed list of ``auditfields``; ``InvalidInput`` names one that does not. Raises
        ``AuditUnavailable`` when the row could not be written: then do not do what it records.
        """
        try:
            with self._store.write() as transaction:
                return self.record(transaction, action, session, fields or {})
        except (StoreFull, StoreUnavailable):
            raise AuditUnavailable("the audit row could not be written, so nothing was done") from None

    def record(self, transaction: Transaction, action: str, session: str | None, fields: Mapping[str, object]) -> int:
        """Adds a row to the transaction of what it records: both are committed, or neither."""
        if not _ACTION.match(action) or (session is not None and not _REFERENCE.match(session)):
            raise InvalidInput("an audit row has an action and the reference of a session")
        event = {"action": action, "at": self._clock.now_ms(), "fields": checked(fields), "session": session}
        return add_row(transaction, self._root.vault_id, event)

    def pseudonym(self, name: str) -> str:
        """What stands in the chain for the name of a person or a call: 32 hex digits, the same for the same name."""
        return self._root.pseudonym(name)

    def rows(self, after: int = 0) -> Iterator[AuditEvent]:
        """All rows with a higher number in order, decoded, as of now."""
        for row in self._rows(after):
            yield decode(row)

    def checkpoint(self) -> dict[str, object]:
        """The chain's end, to be kept off this machine: ``version``, ``vault`` (hex), ``sequence``, ``link`` (hex)."""
        with self._store.read() as transaction:
            tail = transaction.audit.tail()
        at, last = (tail.seq, tail.link) if tail else (0, genesis(self._root.vault_id))
        return {"version": 1, "vault": self._root.vault_id.hex(), "sequence": at, "link": last.hex()}

    def verify(self, checkpoint: Mapping[str, object] | None = None) -> int:
        """The number of rows, all of which are linked. Raises ``AuditBroken`` with the first number that is not.

        With a checkpoint of this vault, rows that were cut off or rewritten before it are found too.
        """
        return sum(1 for _row in self.linked(checkpoint))

    def linked(self, checkpoint: Mapping[str, object] | None = None) -> Iterator[AuditRow]:
        """All rows as stored, each once it is known to be linked; raises like ``verify``."""
        before, count = genesis(self._root.vault_id), 0
        anchor = _anchor(checkpoint, self._root.vault_id) if checkpoint is not None else None
        for row in self._rows():
            if row.seq != count + 1 or row.link != link(before, row.seq, row.body):
                raise AuditBroken("the audit chain is broken", count + 1)
            before, count = row.link, row.seq
            if anchor is not None and anchor[0] == count and anchor[1] != row.link.hex():
                raise AuditBroken("the audit chain is not the one of the checkpoint", count)
            yield row
        if anchor is not None and anchor[0] > count:
            raise AuditBroken("the audit chain ends before the checkpoint", count + 1)

    def __reduce__(self) -> NoReturn:
        raise TypeError("an audit log cannot be pickled")

    def _rows(self, last: int = 0) -> Iterator[AuditRow]:
        while rows := self._chunk(last):
            yield from rows
            last = rows[-1].seq

    def _chunk(self, after: int) -> list[AuditRow]:
        with self._store.read() as transaction:
            return transaction.audit.after(after, _CHUNK)


def add_row(transaction: Transaction, vault_id: bytes, event: Mapping[str, object]) -> int:
    """Links an event to the chain. Needs no key, so that a sweeper can do it."""
    body = _VERSION + _JSON.encode(event).encode("ascii")
    tail = transaction.audit.tail()
    seq, before = (tail.seq, tail.link) if tail else (0, genesis(vault_id))
    transaction.audit.append(AuditRow(seq + 1, body, link(before, seq + 1, body)))
    return seq + 1


def genesis(vault_id: bytes) -> bytes:
    """The link before the first row."""
    return sha256(lp("audit/1", vault_id)).digest()


def link(before: bytes, seq: int, body: bytes) -> bytes:
    """The link of a row."""
    return sha256(lp(before, seq, body)).digest()


def decode(row: AuditRow) -> AuditEvent:
    """A row that can be read. Raises ``AuditBroken`` for another."""
    try:
        event = json.loads(row.body[1:])
        return AuditEvent(row.seq, event["at"] / 1000, event["action"], event["session"], event["fields"])
    except (ValueError, KeyError, TypeError):
        raise AuditBroken("a row of the audit chain cannot be read", row.seq) from None


def _anchor(checkpoint: Mapping[str, object], vault_id: bytes) -> tuple[int, str]:
    sequence, last = checkpoint.get("sequence"), checkpoint.get("link")
    if checkpoint.get("version") != 1 or not isinstance(sequence, int) or not isinstance(last, str):
        raise InvalidInput("not a checkpoint of an audit chain")
    if checkpoint.get("vault") != vault_id.hex():
        raise InvalidInput("a checkpoint of another vault")
    return sequence, last
