"""Conformance checks of the tables, one by one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias

from ..rows import SHREDDED, AuditRow, EntryRow, KekRow
from ..store import Store
from .rules import Undone, add_sessions, entry_row, expect, expect_raises, record_row, session_row

_Check: TypeAlias = Callable[[Store, Store], None]


def meta_is_stored_and_replaced(store: Store, other: Store) -> None:
    """Facts of the vault, with bytes of every kind."""
    with store.write() as transaction:
        transaction.meta.put("one", b"first")
        transaction.meta.put("one", bytes(range(256)))
        transaction.meta.put("two", b"")
    with other.read() as transaction:
        expect(transaction.meta.get("one") == bytes(range(256)), "a replaced fact is not the last one written")
        expect(transaction.meta.get("two") == b"", "an empty fact is not empty")
        expect(transaction.meta.get("three") is None, "a fact that nobody stored is there")


def keks_are_in_order_of_age(store: Store, other: Store) -> None:
    """Wrapped keys, oldest first."""
    with store.write() as transaction:
        for name, created in ((b"c", 3), (b"a", 1), (b"b", 2)):
            transaction.meta.add_kek(KekRow(name * 16, created, b"wrapped" + name))
        transaction.meta.drop_kek(b"b" * 16)
    with other.read() as transaction:
        found = transaction.meta.keks()
    expect(found == [KekRow(n * 16, c, b"wrapped" + n) for n, c in ((b"a", 1), (b"c", 3))], "keys are not as stored")


def a_transaction_is_all_or_nothing(store: Store, other: Store) -> None:
    """What raises is rolled back, and what was rolled back can be done again."""
    [sid] = add_sessions(store, session_row(1))
    with suppress(Undone), store.write() as transaction:
        transaction.meta.put("one", b"1")
        transaction.sessions.insert(session_row(2))
        transaction.entries.insert(entry_row(sid, 1))
        transaction.records.append(record_row(sid, "step", 1))
        transaction.audit.append(AuditRow(1, b"body", b"link"))
        raise Undone
    with other.read() as transaction:
        nothing = (
            transaction.meta.get("one"), transaction.sessions.by_ref(session_row(2).sref),
            transaction.records.last(sid, "step"), transaction.audit.tail(),
        )  # fmt: skip
        expect(nothing == (None,) * 4 and transaction.entries.count(sid) == 0, "a rolled back transaction left rows")
    expect(len(add_sessions(store, session_row(2))) == 1, "what was rolled back cannot be stored again")


def a_transaction_sees_what_it_wrote(store: Store, other: Store) -> None:
    """Reads inside a writing transaction, after each kind of write."""
    with store.write() as transaction:
        sid = transaction.sessions.insert(session_row(1))
        first = transaction.entries.insert(entry_row(sid, 1))
        second = transaction.entries.insert(entry_row(sid, 2, expires=50))
        expect(first < second, "the ids of entries do not grow")
        expect([row.id for row in transaction.entries.after(sid, 0)] == [first, second], "own entries are not seen")
        transaction.entries.replace([entry_row(sid, 1, id=first, ct=b"changed")])
        expect(transaction.entries.by_code(sid, "00000001")[0].ct == b"changed", "an own change is not seen")
        transaction.entries.delete([second])
        expect(transaction.entries.by_code(sid, "00000002") == [], "an own deletion is not seen")
        transaction.records.append(record_row(sid, "step", 1))
        transaction.records.append(record_row(sid, "note", 1, b"key"))
        expect(transaction.records.last(sid, "step") is not None, "an own record is not seen")
        transaction.records.delete_keyed(sid, "note", b"key")
        expect(transaction.records.keys(sid, "note") == [], "an own deletion of a record is not seen")
        transaction.audit.append(AuditRow(1, b"body", b"link"))
        expect(transaction.audit.tail() == AuditRow(1, b"body", b"link"), "an own audit row is not seen")


def sessions_keep_every_column(store: Store, other: Store) -> None:
    """A session by its reference, inside and outside a transaction, before and after a change of all columns."""
    row = session_row(1, expires=9_999_999_999_999, idle=60_000, subject=b"\0s")
    [sid] = add_sessions(store, row)
    expect(other.session(row.sref) == row._replace(sid=sid), "a session is not as stored")
    expect(other.session(b"?" * 16) is None, "a session that nobody stored is there")
    expect(other.look(b"?" * 16, "00000001") == (None, []), "a session that nobody stored is looked at")
    expect(other.look(row.sref, "00000001") == (row._replace(sid=sid), []), "a session is not what is looked at")
    changed = session_row(9, sid=sid, sref=row.sref, wrapped=b"new", dek_ver=3, heads=b"h", spent=b"s", touched=77)
    with store.write() as transaction:
        transaction.sessions.update(changed)
        expect(transaction.sessions.by_ref(row.sref) == changed, "a changed session is not as stored")
    expect(other.session(row.sref) == changed, "another handle does not see a committed change")


def a_reference_is_stored_once(store: Store, other: Store) -> None:
    """A second session, code or record in the same place is an error, and nothing of it stays."""
    [sid] = add_sessions(store, session_row(1))
    with store.write() as transaction:
        transaction.entries.insert(entry_row(sid, 1))
        transaction.records.append(record_row(sid, "step", 1))
    for again in (
        lambda: add_sessions(store, session_row(1)),
        lambda: _insert_entry(store, sid, identity=b"other id 16 byte"),
        lambda: _append(store, sid),
    ):
        expect_raises(Exception, again, "a second row in the place of one is accepted")
    with other.read() as transaction:
        expect(transaction.entries.count(sid) == 1, "a refused row is there")


def _insert_entry(store: Store, sid: int, **changes: Any) -> None:
    with store.write() as transaction:
        transaction.entries.insert(entry_row(sid, 1, **changes))


def _append(store: Store, sid: int) -> None:
    with store.write() as transaction:
        transaction.records.append(record_row(sid, "step", 1))


def sessions_are_paged_and_rewrapped(store: Store, other: Store) -> None:
    """What the rotation of keys needs."""
    sids = add_sessions(store, *(session_row(number) for number in range(5)))
    with store.write() as transaction:
        transaction.sessions.bury(sids[1])
        expect([row.sid for row in transaction.sessions.page(0, 2)] == [sids[0], sids[2]], "a page is not in order")
        expect([row.sid for row in transaction.sessions.page(sids[2], 9)] == sids[3:], "a page does not go on")
        expect(transaction.sessions.on_kek(b"k" * 16) == 4, "live sessions of a key are not counted")
        transaction.sessions.rewrap([(b"n" * 16, b"again", sid) for sid in sids[2:]])
    with other.read() as transaction:
        expect(transaction.sessions.on_kek(b"k" * 16) == 1, "rewrapped sessions count for the old key")
        expect(transaction.sessions.on_kek(b"n" * 16) == 3, "rewrapped sessions do not count for the new key")
        expect([row.wrapped for row in transaction.sessions.page(sids[1], 9)] == [b"again"] * 3, "no new wrapping")


def what_expired_is_found(store: Store, other: Store) -> None:
    """Absolute and idle lifetimes of sessions, and lifetimes of entries."""
    rows = [session_row(1, expires=100), session_row(2, idle=10, touched=50), session_row(3), session_row(4, expires=9)]
    sids = add_sessions(store, *rows)
    with store.write() as transaction:
        transaction.sessions.bury(sids[3])
        expect(transaction.sessions.expired(59, 9) == [], "a living session is found")
        expect(transaction.sessions.expired(60, 9) == [sids[1]], "an idle session is not found")
        expect(sorted(transaction.sessions.expired(100, 9)) == sids[:2], "an ended session is not found")
        expect(len(transaction.sessions.expired(100, 1)) == 1, "a limit is not kept")
        for number, expires in enumerate((0, 10, 20, 30)):
            transaction.entries.insert(entry_row(sids[2], number, expires=expires))
    with store.write() as transaction:
        expect(
            [transaction.entries.drop_expired(20, limit) for limit in (1, 9, 9)] == [1, 1, 0], "not all that expired"
        )
        expect([row.expires for row in transaction.entries.after(sids[2], 0)] == [0, 30], "the wrong entries went")


def a_buried_session_leaves_a_tombstone(store: Store, other: Store) -> None:
    """Keys, entries and records go; the reference stays taken."""
    first, second = add_sessions(store, session_row(1), session_row(2))
    for sid in (first, second):
        with store.write() as transaction:
            transaction.entries.insert(entry_row(sid, 1))
            transaction.records.append(record_row(sid, "step", 1))
            transaction.records.append(record_row(sid, "note", 1, b"key"))
    with store.write() as transaction:
        transaction.sessions.bury(first)
    row = other.session(session_row(1).sref)
    expect(row is not None and (row.state, row.wrapped, row.gen) == (SHREDDED, None, 2), "there is no tombstone")
    empty = row is not None and not any((row.salt, row.commitment, row.subject, row.spent, row.heads, row.mac))
    expect(empty, "a tombstone holds more than its name")
    with other.read() as transaction:
        expect([transaction.entries.count(sid) for sid in (first, second)] == [0, 1], "the wrong entries went")
        expect(transaction.records.last(first, "step") is None, "a shredded session has records")
        expect(transaction.records.keys(first, "note") == [], "a shredded session has keyed records")
        expect(transaction.records.last(second, "step") is not None, "another session's records went")


def _forms(sid: int) -> list[EntryRow]:
    """Two forms of one value, another value, and one whose code does not say its identity."""
    return [
        entry_row(sid, 1), entry_row(sid, 1, form=b"form two", suffix="9FD"), entry_row(sid, 2),
        entry_row(sid, 3, indirect=1),
    ]  # fmt: skip


def entries_are_found_by_each_name(store: Store, other: Store) -> None:
    """By identity and code, with all forms; after an id; never across sessions."""
    first, second = add_sessions(store, session_row(1), session_row(2))
    rows = _forms(first)
    with store.write() as transaction:
        ids = [transaction.entries.insert(row) for row in (*rows, entry_row(second, 1))]
    stored = [row._replace(id=row_id) for row, row_id in zip(rows, ids, strict=False)]
    with other.read() as transaction:
        table = transaction.entries
        table.gather(first, [rows[0].identity], [rows[2].code, "77777777"])
        expect(sorted(table.by_code(first, rows[0].code)) == stored[:2], "not all forms of a code")
        expect(table.by_code(first, rows[2].code) == stored[2:3], "a gathered code is not found")
        expect(table.by_code(first, "77777777") == [], "a code that nobody stored is found")
        expect(table.after(first, ids[0]) == stored[1:], "entries after an id are wrong")
        expect(table.count(first) == 4, "entries are not counted by session")
    row, forms = other.look(session_row(1).sref, rows[0].code)
    expect(row == session_row(1, sid=first) and sorted(forms) == stored[:2], "not all forms of a code are looked at")


def entries_are_found_by_their_mark(store: Store, other: Store) -> None:
    """All forms of a value, direct or not, and what stands in the way of its code; gathered before or not."""
    first, second = add_sessions(store, session_row(1), session_row(2))
    rows = _forms(first)
    with store.write() as transaction:
        ids = [
            transaction.entries.insert(row) for row in (*rows, entry_row(second, 1), entry_row(second, 3, indirect=1))
        ]
    stored = [row._replace(id=row_id) for row, row_id in zip(rows, ids, strict=False)]
    asked = {
        (rows[0].identity, "00000001"): stored[:2],
        (rows[3].identity, "77777777"): stored[3:],
        (rows[3].identity, "00000003"): stored[3:],
        (rows[3].identity, "00000002"): stored[2:],
        (b"another iden", "00000002"): stored[2:3],
    }
    for gathered in (False, True):
        with other.read() as transaction:
            for (identity, code), expected in asked.items():
                if gathered:
                    transaction.entries.gather(first, [identity], [code])
                found = sorted(transaction.entries.by_mark(first, identity, code))
                expect(found == expected, "not all forms of a value, or of its code, are found")


def records_are_kept_by_sequence_and_by_key(store: Store, other: Store) -> None:
    """Appended and keyed records of two sessions."""
    first, second = add_sessions(store, session_row(1), session_row(2))
    with store.write() as transaction:
        for sid in (first, second):
            for seq in (1, 2, 3, 4):
                transaction.records.append(record_row(sid, "step", seq))
            for seq, key in enumerate((b"z", b"a\0"), 1):
                transaction.records.append(record_row(sid, "note", seq, key))
        transaction.records.delete_before(first, "step", 3)
    with other.read() as transaction:
        table = transaction.records
        expect([row.seq for row in table.after(first, "step", 0, 9)] == [3, 4], "records were not dropped")
        expect([row.seq for row in table.after(second, "step", 1, 2)] == [2, 3], "a limit is not kept")
        last = table.last(second, "step")
        expect(last is not None and last[1:] == record_row(second, "step", 4)[1:], "the last record is wrong")
        expect(table.keys(first, "note") == [(b"z", 1), (b"a\0", 2)], "keys are not in order of their sequence")
        keyed = table.keyed(first, "note", b"a\0")
        expect(keyed is not None and keyed[1:] == record_row(first, "note", 2, b"a\0")[1:], "a keyed record is wrong")
        expect(table.keyed(first, "note", b"none") is None, "a key that nobody stored is found")
        expect(table.last(first, "note") is None, "a keyed record counts as appended")


def audit_rows_are_in_order(store: Store, other: Store) -> None:
    """The chain's rows, and its end."""
    rows = [AuditRow(seq, b"body" + bytes([seq]), b"link" * 8) for seq in (1, 2, 3)]
    for row in rows:
        with store.write() as transaction:
            transaction.audit.append(row)
    with other.read() as transaction:
        expect(transaction.audit.tail() == rows[-1], "the last audit row is wrong")
        expect(transaction.audit.after(0, 9) == rows, "audit rows are not as stored")
        expect(transaction.audit.after(1, 1) == rows[1:2], "a limit is not kept")


TABLE_CHECKS: Final[tuple[_Check, ...]] = (
    meta_is_stored_and_replaced,
    keks_are_in_order_of_age,
    a_transaction_is_all_or_nothing,
    a_transaction_sees_what_it_wrote,
    sessions_keep_every_column,
    a_reference_is_stored_once,
    sessions_are_paged_and_rewrapped,
    what_expired_is_found,
    a_buried_session_leaves_a_tombstone,
    entries_are_found_by_each_name,
    entries_are_found_by_their_mark,
    records_are_kept_by_sequence_and_by_key,
    audit_rows_are_in_order,
)
