"""Conformance checks of a whole vault on an engine: what is promised of sessions, keys and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from sealgate.models.errors import SealgateError, SessionShredded, TamperDetected, ValueGone, WrongKey
from sealgate.models.grants import Inject, Restore
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import SecretValue

from ..session import VaultSession
from ..store import Store
from ..sweep import sweep_store
from ..vault import Vault
from .rules import expect, expect_raises

_Check: TypeAlias = Callable[[Store, Store], None]

_KEY: Final = bytes(range(32))
_VALUES: Final = tuple(f"example value {number}" for number in range(25))


class _Clock:
    """A clock that the checks turn."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def now(self) -> float:
        return self.seconds


def _seal(session: VaultSession, values: Sequence[str], entity_type: str = "CUSTOM") -> list[Placeholder]:
    return session.seal([SealRequest(SecretValue(value), entity_type, "interrupt") for value in values])


def _texts(session: VaultSession, placeholders: Sequence[Placeholder]) -> list[str]:
    opened = session.open(placeholders, Restore())
    return [opened[one].text() for one in placeholders if one in opened]


def values_are_the_same_through_every_handle(store: Store, other: Store) -> None:
    """One value has one placeholder, whoever seals it, and opens everywhere."""
    vault, second = Vault.on(store, _KEY), Vault.on(other, _KEY)
    placeholders = _seal(vault.session("s"), _VALUES)
    session = second.session("s", create=False)
    expect(_seal(session, _VALUES[::-1]) == placeholders[::-1], "a value has two placeholders")
    expect(_texts(session, placeholders) == list(_VALUES), "a value opens to another one, or not at all")
    more = _seal(session, ["one more"])
    expect(vault.session("s").match(len) == len(_VALUES) + 1, "a value of another handle is not looked for")
    expect(_texts(vault.session("s"), more) == ["one more"], "a value of another handle does not open")
    expect(_seal(vault.session("t"), _VALUES[:1]) != placeholders[:1], "two sessions share a placeholder")
    expect(vault.audit.verify() == second.audit.verify(), "the audit chain is not one")
    expect(vault.verify().values == len(_VALUES) + 2, "verification does not see every value")


def the_wrong_key_opens_nothing(store: Store, other: Store) -> None:
    """It is refused before anything is written."""
    Vault.on(store, _KEY)
    expect_raises(WrongKey, lambda: Vault.on(other, _KEY[::-1]), "a wrong key is accepted")
    Vault.on(other, _KEY)


def a_one_time_value_is_used_once(store: Store, other: Store) -> None:
    """By one call, through whichever handle."""
    first, second = (Vault.on(one, _KEY).session("s") for one in (store, other))
    placeholders = _seal(first, ["482913"], "OTP_CODE")

    def use(session: VaultSession, call: str) -> int:
        return len(session.open(placeholders, Inject(call, "pay", "code", given=frozenset(placeholders))))

    expect(use(first, "c1") == 1, "a one-time value does not open")
    expect_raises(ValueGone, lambda: use(second, "c2"), "a one-time value opens twice")
    expect(use(second, "c1") == 1, "the same call is refused what it has used")


def records_keep_their_order(store: Store, other: Store) -> None:
    """Appended and keyed records, through both handles."""
    first, second = (Vault.on(one, _KEY).session("s").records for one in (store, other))
    sequences = [*first.extend("step", [b"1", b"2"]), second.append("step", b"3", durable=False)]
    expect(sequences == [1, 2, 3], "sequences have gaps")
    expect([one.payload for one in first.read("step")] == [b"1", b"2", b"3"], "records are not in order")
    for payload in (b"old", b"new"):
        first.replace("note", "key", payload)
    expect(second.get("note", "key") == b"new", "a keyed record is not the last one")
    second.discard("note", "key")
    expect(first.all("note") == [], "a discarded record is there")


def moved_rows_are_refused(store: Store, other: Store) -> None:
    """A ciphertext opens in its own place only."""
    vault = Vault.on(store, _KEY)
    one, two = _seal(vault.session("s"), _VALUES[:2])
    row = store.session(bytes.fromhex(vault.session("s").id))
    with store.write() as transaction:
        [first], [second] = (
            transaction.entries.by_code(row.sid if row else 0, placeholder.code) for placeholder in (one, two)
        )
        transaction.entries.replace([first._replace(ct=second.ct)])
    fresh = Vault.on(other, _KEY).session("s")
    expect_raises(TamperDetected, lambda: _texts(fresh, [one]), "a ciphertext opens in the place of another")
    expect(_texts(fresh, [two]) == [_VALUES[1]], "an untouched value does not open")


def keys_change_and_end(store: Store, other: Store) -> None:
    """Rotation keeps every value, forgetting the others, shredding none."""
    vault = Vault.on(store, _KEY)
    session = vault.session("s")
    placeholders = _seal(session, _VALUES)
    vault.session("t")
    expect(vault.rotate(_KEY[::-1]) == 2, "not every session got a new key")
    expect(vault.destroy_old_keys() == 1, "the old key is not destroyed")
    session.forget(placeholders[:1])
    reader = Vault.on(other, _KEY[::-1]).session("s")
    expect(_texts(reader, placeholders) == list(_VALUES[1:]), "the wrong values are forgotten")
    session.shred()
    for refused in (lambda: _seal(reader, ["late"]), lambda: reader.match(len), lambda: vault.session("s")):
        expect_raises(SessionShredded, refused, "a shredded session answers")
    expect(Vault.on(other, _KEY[::-1]).verify().sessions == 1, "the other session does not verify")


def what_expired_is_swept(store: Store, other: Store) -> None:
    """Without a key, and only that."""
    clock = _Clock()
    vault = Vault.on(store, _KEY, clock=clock)
    _seal(vault.session("short", ttl=60), _VALUES[:2])
    session = vault.session("long")
    kept, _ = _seal(session, _VALUES[:1]) + _seal(session, ["482913"], "OTP_CODE")
    clock.seconds += 3600
    swept = sweep_store(other, int(clock.seconds * 1000))
    expect((swept.sessions, swept.values) == (1, 1), "the sweep did not find what had expired")
    expect_raises(SealgateError, lambda: vault.session("short"), "an ended session answers")
    expect(_texts(session, [kept]) == [_VALUES[0]], "the sweep took a living value")
    vault.audit.verify()


VAULT_CHECKS: Final[tuple[_Check, ...]] = (
    values_are_the_same_through_every_handle,
    the_wrong_key_opens_nothing,
    a_one_time_value_is_used_once,
    records_keep_their_order,
    moved_rows_are_refused,
    keys_change_and_end,
    what_expired_is_swept,
)
