"""Everything of a session that is no value: checkpoints, events, transcripts, private data; encrypted, in order."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from sealgate.models.errors import InvalidInput, LimitExceeded, TamperDetected

from .encoding import AUTHENTICATION, lp, pad, unpad
from .ledger import Heads
from .rows import RecordRow
from .shared import Shared
from .state import SessionState, State
from .store import RecordTable, Transaction

MAX_PAYLOAD: Final = 8 * 1024 * 1024
"""Bytes of the largest record."""

MAX_KINDS: Final = 64
MAX_KEYED: Final = 20_000
"""Keyed records of one kind."""

_PAGE: Final = 500
_KIND: Final = re.compile(r"[a-z][a-z0-9_.-]{0,31}\Z")


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it was stored; ``sequence`` counts from 1 within its kind. ``repr`` does not show the payload."""

    sequence: int
    payload: bytes

    def __repr__(self) -> str:
        return f"Record(sequence={self.sequence}, payload=…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a record cannot be pickled")


class Records:
    """The records of one session.

    Appended records form one sequence a kind; keyed records replace each other. How far each kind got stands under
    the session row's MAC, so a record that is missing at the end, or an older one put back, is ``TamperDetected``.
    """

    __slots__ = ("_known", "_shared", "_state")

    def __init__(self, shared: Shared, state: SessionState) -> None:
        self._shared = shared
        self._state = state
        self._known: dict[str, tuple[int, dict[bytes, int]]] = {}

    def append(self, kind: str, payload: bytes, *, durable: bool = True) -> int:
        """Adds a record and returns its sequence. One that is not ``durable`` may be lost with the power."""
        return self.extend(kind, [payload], durable=durable)[0]

    def extend(self, kind: str, payloads: Sequence[bytes], *, durable: bool = True) -> list[int]:
        """Adds several in one transaction: all or none."""
        _check(kind, payloads)
        with self._shared.write(durable=durable) as transaction:
            state = self._state.load(transaction)
            heads = _with_room(state, kind)
            sequences = [self._add(transaction, state, kind, heads.advance(kind), b"", one) for one in payloads]
            self._state.store(transaction, state, state.row._replace(heads=heads.encode()))
        return sequences

    def read(self, kind: str, after: int = 0, limit: int = 1000) -> list[Record]:
        """At most ``limit`` appended records with a higher sequence, in order."""
        with self._shared.read() as transaction:
            state = self._state.load(transaction)
            rows = transaction.records.after(state.row.sid, kind, after, limit)
        _check_sequence(rows, state.heads().last(kind), complete=len(rows) < limit, after=after)
        return [Record(row.seq, _open(state, row)) for row in rows]

    def whole(self, kind: str, after: int = 0) -> Iterator[Record]:
        """Every appended record with a higher sequence, in order, of a kind of which none is ever dropped: a missing
        one is ``TamperDetected``.
        """
        while page := self.read(kind, after, _PAGE):
            if page[0].sequence != after + 1:
                raise TamperDetected(AUTHENTICATION)
            yield from page
            after = page[-1].sequence

    def latest(self, kind: str) -> Record | None:
        """The last appended record of a kind, or ``None`` before the first."""
        with self._shared.read() as transaction:
            state = self._state.load(transaction)
            row = transaction.records.last(state.row.sid, kind)
        last = state.heads().last(kind)
        if (row.seq if row else 0) != last:
            raise TamperDetected(AUTHENTICATION)
        return Record(row.seq, _open(state, row)) if row else None

    def drop_before(self, kind: str, sequence: int) -> None:
        """Deletes appended records with a lower sequence; the last one always stays."""
        with self._shared.write(durable=False) as transaction:
            state = self._state.load(transaction)
            transaction.records.delete_before(state.row.sid, kind, min(sequence, state.heads().last(kind)))

    def replace(self, kind: str, key: str, payload: bytes, *, newest: int | None = None, durable: bool = True) -> None:
        """Stores the record of a key in place of the one before. A kind has appended or keyed records, not both.

        With ``newest`` only that many are kept, those changed last; without, the 20,001st is ``LimitExceeded``.
        """
        self.change(kind, key, lambda _before: payload, newest=newest, durable=durable)

    def change(
        self,
        kind: str,
        key: str,
        change: Callable[[bytes | None], bytes | None],
        *,
        newest: int | None = None,
        durable: bool = True,
    ) -> bytes | None:
        """The record of a key after ``change`` was given what stood there (or ``None``); ``None`` from it changes
        nothing.

        One transaction, so of two who change a key at once the second is given what the first made of it. What
        ``change`` raises goes through, and nothing was stored.
        """
        _check(kind, [])
        with self._shared.write(durable=durable) as transaction:
            state = self._state.load(transaction)
            before = self._stored(transaction, state, kind, key)
            after = change(before)
            if after is None:
                return before
            _check(kind, [after])
            written = self._put(transaction, state, kind, key, after, newest)
        self._remember(kind, *written)
        return after

    def _stored(self, transaction: Transaction, state: State, kind: str, key: str) -> bytes | None:
        keyref = _keyref(state, kind, key)
        seq = self._sequences(transaction, state, kind).get(keyref)
        return None if seq is None else _open(state, self._fetch(transaction, state, kind, keyref, seq))

    def _put(
        self, transaction: Transaction, state: State, kind: str, key: str, payload: bytes, newest: int | None
    ) -> tuple[int, bytes, int, bytes | None]:
        """The kind's new sum, the key and its sequence, and the key that had to go."""
        heads, keyref = _with_room(state, kind), _keyref(state, kind, key)
        sequences = self._sequences(transaction, state, kind)
        removed, dropped = self._remove(transaction, state, kind, keyref), None
        if keyref not in sequences and len(sequences) >= (newest or MAX_KEYED):
            if newest is None:
                raise LimitExceeded("a session holds at most 20,000 records of a kind", MAX_KEYED)
            dropped = next(iter(sequences))
            removed += self._remove(transaction, state, kind, dropped)
        seq = heads.last(kind) + 1
        heads.advance(kind, added=_tag(state, kind, keyref, seq), removed=removed)
        self._add(transaction, state, kind, seq, keyref, payload)
        self._state.store(transaction, state, state.row._replace(heads=heads.encode()))
        return heads.total(kind), keyref, seq, dropped

    def _remember(self, kind: str, total: int, keyref: bytes, seq: int, dropped: bytes | None) -> None:
        """What a committed change did, so that the next one need not read all keys; the last changed stands last."""
        sequences = self._known[kind][1]
        sequences.pop(keyref, None)
        if dropped is not None:
            sequences.pop(dropped, None)
        sequences[keyref] = seq
        self._known[kind] = (total, sequences)

    def get(self, kind: str, key: str) -> bytes | None:
        """The record of a key, or ``None``. Raises ``TamperDetected`` when one of its kind was put back."""
        with self._shared.read() as transaction:
            return self._stored(transaction, self._state.load(transaction), kind, key)

    def all(self, kind: str) -> list[bytes]:
        """All keyed records of a kind, the latest change last."""
        with self._shared.read() as transaction:
            state = self._state.load(transaction)
            sequences = sorted(self._sequences(transaction, state, kind).copy().items(), key=lambda item: item[1])
            rows = [self._fetch(transaction, state, kind, keyref, seq) for keyref, seq in sequences]
        return [_open(state, row) for row in rows]

    def discard(self, kind: str, key: str) -> None:
        """Deletes the record of a key; nothing if there is none."""
        with self._shared.write() as transaction:
            state = self._state.load(transaction)
            heads = state.heads()
            removed = self._remove(transaction, state, kind, _keyref(state, kind, key))
            if removed:
                heads.advance(kind, removed=removed)
                self._state.store(transaction, state, state.row._replace(heads=heads.encode()))

    def _remove(self, transaction: Transaction, state: State, kind: str, keyref: bytes) -> int:
        """Deletes a keyed record and returns its tag, 0 if there was none."""
        row = transaction.records.keyed(state.row.sid, kind, keyref)
        if row is None:
            return 0
        transaction.records.delete_keyed(state.row.sid, kind, keyref)
        return _tag(state, kind, keyref, row.seq)

    def _sequences(self, transaction: Transaction, state: State, kind: str) -> dict[bytes, int]:
        """The sequence of each keyed record, checked against the sum under the MAC once a change of it."""
        total = state.heads().total(kind)
        known = self._known.get(kind)
        if known is None or known[0] != total:
            rows = dict(transaction.records.keys(state.row.sid, kind))
            _check_sum(state, kind, rows.items(), total)
            known = self._known[kind] = (total, rows)
        return known[1]

    def __reduce__(self) -> NoReturn:
        raise TypeError("records cannot be pickled")

    @staticmethod
    def _fetch(transaction: Transaction, state: State, kind: str, keyref: bytes, seq: int) -> RecordRow:
        row = transaction.records.keyed(state.row.sid, kind, keyref)
        if row is None or row.seq != seq:
            raise TamperDetected(AUTHENTICATION)
        return row

    @staticmethod
    def _add(transaction: Transaction, state: State, kind: str, seq: int, keyref: bytes, payload: bytes) -> int:
        row = RecordRow(0, state.row.sid, kind, seq, keyref, b"")
        ct = state.keys.records.encrypt(pad(payload), _associated(state, row))
        transaction.records.append(row._replace(ct=ct))
        return seq


def check_records(state: State, table: RecordTable) -> int:
    """Opens every record of a session and compares what is there with the ledger; the number of records.

    Raises ``TamperDetected``.
    """
    count = 0
    for kind, (last, total) in state.heads().kinds.items():
        keyed = table.keys(state.row.sid, kind)
        _check_sum(state, kind, keyed, total)
        rows = [row for keyref, _ in keyed if (row := table.keyed(state.row.sid, kind, keyref)) is not None]
        appended = table.after(state.row.sid, kind, 0, last + 1)
        if not keyed and total == 0 and appended:
            _check_sequence(appended, last, complete=True, after=0)
        for row in (*rows, *appended):
            _open(state, row)
        count += len(rows) + len(appended)
    return count


def _check_sum(state: State, kind: str, keyed: Iterable[tuple[bytes, int]], total: int) -> None:
    """Nothing, or ``TamperDetected`` unless the tags of these records add up to the sum under the MAC."""
    found = sum(_tag(state, kind, keyref, seq) for keyref, seq in keyed) % (1 << 128)
    if not hmac.compare_digest(found.to_bytes(16, "big"), total.to_bytes(16, "big")):
        raise TamperDetected(AUTHENTICATION)


def _check_sequence(rows: list[RecordRow], last: int, *, complete: bool, after: int) -> None:
    """Nothing, or ``TamperDetected`` when a record inside or at the end is missing or beyond the end."""
    if rows and (rows[-1].seq > last or rows[-1].seq - rows[0].seq != len(rows) - 1):
        raise TamperDetected(AUTHENTICATION)
    if complete and after < last and (not rows or rows[-1].seq != last):
        raise TamperDetected(AUTHENTICATION)


def _check(kind: str, payloads: Sequence[bytes]) -> None:
    if not _KIND.match(kind):
        raise InvalidInput("a kind of record matches [a-z][a-z0-9_.-]{0,31}")
    if any(len(payload) > MAX_PAYLOAD for payload in payloads):
        raise LimitExceeded("a record is larger than 8 MiB", MAX_PAYLOAD)


def _with_room(state: State, kind: str) -> Heads:
    heads = state.heads()
    if kind not in heads.kinds and len(heads.kinds) >= MAX_KINDS:
        raise LimitExceeded("a session has at most 64 kinds of records", MAX_KINDS)
    return heads


def _keyref(state: State, kind: str, key: str) -> bytes:
    return state.keys.index.name("record-key/1", kind, key)


def _tag(state: State, kind: str, keyref: bytes, seq: int) -> int:
    return state.keys.tag(kind, keyref, seq)


def _associated(state: State, row: RecordRow) -> bytes:
    return state.keys.record_aad + lp(row.kind, row.seq, row.keyref)


def _open(state: State, row: RecordRow) -> bytes:
    return unpad(state.keys.records.decrypt(row.ct, _associated(state, row)))
