"""How entries end: destroyed one by one, at the end of a turn, or made unreadable by a new data key."""

from __future__ import annotations

from collections.abc import Sequence

from sealgate.models.errors import TamperDetected
from sealgate.models.placeholder import Placeholder

from .encoding import AUTHENTICATION
from .entries import UNTIL_TURN_ENDS, close_row, open_row, placeholder_of
from .ledger import Spent
from .rows import EntryRow
from .sessionkeys import renew_data_key, unwrap_keys
from .state import SessionState, State
from .store import Transaction


def end_entries(transaction: Transaction, state: State, rows: Sequence[EntryRow]) -> Spent:
    """Deletes rows and returns the ledger that says their lives ended."""
    spent = state.spent()
    for row in rows:
        spent.end(row.life, row.expires, row.code)
    transaction.entries.delete([row.id for row in rows])
    return spent


def ends_with_turn(transaction: Transaction, state: State, now: int) -> tuple[list[EntryRow], list[Placeholder]]:
    """The rows that a turn's end destroys, and the placeholders of those that are entries' heads."""
    spent = state.spent()
    ending: set[str] = set()
    shown = []
    rows = transaction.entries.all(state.row.sid)
    for row in rows:
        if row.suffix:
            continue
        facts = open_row(state.keys, row).facts
        if facts is None:
            raise TamperDetected(AUTHENTICATION)
        burnt = facts.uses is not None and spent.used(row.life) >= facts.uses
        if burnt or UNTIL_TURN_ENDS in facts.flags or 0 < row.expires <= now or spent.is_ended(row.life):
            ending.add(row.code)
            shown.append(placeholder_of(row, facts))
    return [row for row in rows if row.code in ending], shown


def renew(transaction: Transaction, session: SessionState, state: State) -> State:
    """Gives a session a new data key and encrypts all its entries again; older copies of its rows are dead.

    Placeholders, index key, record key and records stay. The ended lives are dropped: no row of theirs opens any more.
    """
    session.root.refresh(transaction.meta.keks())
    row = transaction.sessions.by_ref(state.row.sref) or state.row
    wrapping = renew_data_key(session.root, row, row.dek_ver + 1)
    spent = Spent.parse(row.spent)
    rows = transaction.entries.all(row.sid)
    dead = [one.id for one in rows if spent.is_ended(one.life)]
    transaction.entries.delete(dead)
    spent.ended = {}
    renewed = row._replace(
        kek_id=wrapping.kek_id, wrapped=wrapping.wrapped, commitment=wrapping.commitment,
        dek_ver=row.dek_ver + 1, gen=row.gen + 1, spent=spent.encode(),
    )  # fmt: skip
    keys = unwrap_keys(session.root, renewed)
    for old in (one for one in rows if one.id not in dead):
        opened = open_row(state.keys, old)
        moved = old._replace(dek_ver=renewed.dek_ver)
        transaction.entries.replace([close_row(keys, moved, opened.facts, opened.secret)])
    return session.store(transaction, State(row, keys), renewed)
