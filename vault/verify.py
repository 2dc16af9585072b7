"""Reading everything that is stored and checking it against its keys: for operators, and after a restore.

What it cannot see: an entry that was deleted together with all its forms (it opens to nothing), the oldest records of
a kind (they may be dropped), all records of a session that were rolled back together, a whole store that was rolled
back (see ``anchoring``), and a tail of the audit chain that was cut off (see ``AuditLog.checkpoint``). It sees a
session that is older than the audit chain says, or gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from sealgate.models.errors import TamperDetected

from .encoding import AUTHENTICATION
from .entries import head_of, open_row
from .history import History
from .records import check_records
from .rows import EntryRow, SessionRow
from .sessionkeys import load_keys
from .shared import Shared
from .state import State
from .store import CheckedStore, Transaction

_CHUNK: Final = 100


class Verified(NamedTuple):
    """How much was read and found to be in order."""

    sessions: int
    values: int
    records: int
    audit: int


def verify(shared: Shared, progress: Callable[[int], object] | None = None) -> Verified:
    """Checks the engine's structures, every live session, every value and record in it, and the audit chain.

    Raises ``TamperDetected`` for the first thing that does not authenticate, ``RollbackDetected`` for a session that is
    older than the chain says, ``AuditBroken`` for the chain.
    """
    if isinstance(shared.store, CheckedStore):  # What a damaged index hides would be counted as nothing.
        shared.store.check_structure()
    history = History(shared.audit)
    sessions = values = records = after = 0
    while True:
        with shared.store.read() as transaction:
            rows = transaction.sessions.page(after, _CHUNK)
            for row in rows:
                state = _state(shared, transaction, row)
                history.check(row)
                values += _check_entries(state, transaction.entries.after(row.sid, 0))
                records += check_records(state, transaction.records)
                if progress is not None:
                    progress(values)
        if not rows:
            history.finish(shared.store, shared.audit)
            return Verified(sessions, values, records, history.rows)
        sessions, after = sessions + len(rows), rows[-1].sid


def _state(shared: Shared, transaction: Transaction, row: SessionRow) -> State:
    if not shared.root.has_kek(row.kek_id):
        shared.root.refresh(transaction.meta.keks())
    return State(row, load_keys(shared.root, row))


def _check_entries(state: State, rows: list[EntryRow]) -> int:
    """Opens every form and computes its identity and form again from the value; the number of forms. A row whose life
    has ended was put back: what ends is deleted in the same transaction.
    """
    by_code: dict[str, list[EntryRow]] = {}
    spent = state.spent()
    for row in rows:
        by_code.setdefault(row.code, []).append(row)
        if spent.is_ended(row.life):
            raise TamperDetected(AUTHENTICATION)
        secret = open_row(state.keys, row).secret
        marks = [state.keys.index.mark(secret, apart=apart) for apart in (False, True)]
        if (row.identity, row.form) not in [(mark.identity, mark.form) for mark in marks]:
            raise TamperDetected(AUTHENTICATION)
    for forms in by_code.values():
        head = head_of(forms)
        if head is None or open_row(state.keys, head).facts is None:
            raise TamperDetected(AUTHENTICATION)
    return len(rows)
