"""How entries end: destroyed one by one, at the end of a turn, or made unreadable by a new data key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sealgate.models.placeholder import Placeholder

from .entries import Opened, close_row, open_row, placeholder_of
from .facts import Facts
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


def ends_with_turn(
    transaction: Transaction, state: State, mortal: Iterable[Opened], now: int
) -> tuple[list[EntryRow], list[Placeholder]]:
    """The rows that a turn's end destroys, and the placeholders of those that are entries' heads.

    ``mortal`` are the heads that have a lifetime or a number of uses.
    """
    spent = state.spent()
    rows: list[EntryRow] = []
    shown = []
    for row, facts, _ in mortal:
        if facts is not None and _ends(row, facts, spent, now):
            rows += transaction.entries.by_code(row.sid, row.code)
            shown.append(placeholder_of(row, facts))
    return rows, shown


def _ends(row: EntryRow, facts: Facts, spent: Spent, now: int) -> bool:
    burnt = facts.uses is not None and spent.used(row.life) >= facts.uses
    return burnt or facts.until_turn_ends or 0 < row.expires <= now or spent.is_ended(row.life)


def renew(transaction: Transaction, session: SessionState, state: State) -> State:
    """Gives a session a new data key and encrypts all its entries again; older copies of its rows are dead.

    Placeholders, index key, record key and records stay. The ended lives are dropped: no row of theirs opens any more.
    """
    session.root.refresh(transaction.meta.keks())
    row = transaction.sessions.by_ref(state.row.sref) or state.row
    wrapping = renew_data_key(session.root, row, row.dek_ver + 1)
    spent = Spent.parse(row.spent)
    rows = transaction.entries.after(row.sid, 0)
    dead = [one.id for one in rows if spent.is_ended(one.life)]
    transaction.entries.delete(dead)
    spent.ended = {}
    spent.moved = row.gen + 1
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
