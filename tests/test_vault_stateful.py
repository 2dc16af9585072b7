"""The vault against a dictionary: whatever is done in whatever order, every answer is the model's or an error.

The machine runs on each engine against the same model, so all engines give the same observations (I23 of the vault's
invariants; the others are named where they are shown).
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from sealgate.models.errors import SessionShredded, TamperDetected, ValueGone, VaultError, WrongKey
from sealgate.models.grants import Inject, Restore
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue, SealRequest
from sealgate.models.secretvalue import SecretValue, secret_of
from sealgate.vault import LocalKeys, Vault, VaultSession, sweep
from sealgate.vault.rows import EntryRow
from vault_engines import Engine, PostgresEngine, SqliteEngine, ValkeyEngine

KEYS = [bytes([number + 1]) * 16 + bytes([number + 2]) * 16 for number in range(64)]
NAMES = st.sampled_from(["s1", "s2", "s3"])
VALUES = st.one_of(
    st.sampled_from(["1234-5678-9012", "123456789012", "Ann Example", "\ud800", "", "[PERSON_00000000]"]),
    st.text(max_size=8),
    st.integers(0, 10**13),
)


@dataclass
class Life:
    """What the model knows of one value in all its forms. ``expires`` is in seconds of the fake clock."""

    expires: float | None = None
    one_time: bool = False
    call: str | None = None


@dataclass
class ModelEntry:
    """What the model knows of one sealed form."""

    value: SecretValue
    life: Life = field(default_factory=Life)


@dataclass
class ModelSession:
    """One session of the model: live entries by placeholder."""

    entries: dict[Placeholder, ModelEntry] = field(default_factory=dict)
    shredded: bool = False


class FakeTime:
    """A clock that the rules turn, forwards and back."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0
        self.latest = self.seconds

    def now(self) -> float:
        return self.seconds

    def turn(self, seconds: float) -> None:
        self.seconds += seconds
        self.latest = max(self.latest, self.seconds)


def live_texts(values: list[LiveValue]) -> set[tuple[str, str]]:
    return {(str(live.placeholder), repr(live.value.reveal())) for live in values}


class VaultMachine(RuleBasedStateMachine):
    """Rules are what a user, an operator and an attacker with the file can do."""

    saved = Bundle("saved")

    @initialize()
    def make(self) -> None:
        self.directory = Path(tempfile.mkdtemp())
        self.raw = self.new_engine()
        self.time = FakeTime()
        self.key = 0
        self.model: dict[str, ModelSession] = {}
        self.calls = 0
        self.vault = self.open()

    def new_engine(self) -> Engine[Any]:
        return SqliteEngine(str(self.directory / "vault.db"))

    def open(self) -> Vault:
        return Vault.open(self.raw.place, KEYS[self.key], clock=self.time)

    def teardown(self) -> None:
        if hasattr(self, "vault"):
            self.vault.close()
            self.raw.close()
            shutil.rmtree(self.directory)

    def session(self, name: str) -> tuple[VaultSession | None, ModelSession]:
        model = self.model.setdefault(name, ModelSession())
        if model.shredded:
            with pytest.raises(SessionShredded):
                self.vault.session(name)
            return None, model
        return self.vault.session(name), model

    def lives(self, entry: ModelEntry) -> bool:
        return entry.life.expires is None or self.time.latest < entry.life.expires

    @rule(name=NAMES, values=st.lists(VALUES, min_size=1, max_size=4))
    def seal(self, name: str, values: list[str | int]) -> None:
        """I1 and I2: one value has one placeholder, whatever happened before."""
        session, model = self.session(name)
        if session is None:
            return
        secrets = [secret_of(value) for value in values]
        sealed = session.seal([SealRequest(secret, "CUSTOM", "person") for secret in secrets])
        for secret, placeholder in zip(secrets, sealed, strict=True):
            known = model.entries.get(placeholder)
            assert known is None or known.value == secret
            assert [one for one, entry in model.entries.items() if entry.value == secret and self.lives(entry)] in (
                [],
                [placeholder],
            )
            same = [entry.life for one, entry in model.entries.items() if one.code == placeholder.code]
            model.entries.setdefault(placeholder, ModelEntry(secret, *same[:1]))

    @rule(name=NAMES, number=st.integers(100_000, 999_999))
    def ask(self, name: str, number: int) -> None:
        session, model = self.session(name)
        if session is None:
            return
        secret = SecretValue(str(number))
        if any(entry.value.text() == str(number) for entry in model.entries.values()):
            return
        [placeholder] = session.seal([SealRequest(secret, "OTP_CODE", "interrupt")])
        model.entries[placeholder] = ModelEntry(secret, Life(self.time.latest + 600, one_time=True))

    @rule(name=NAMES, data=st.data())
    def inject(self, name: str, data: st.DataObject) -> None:
        session, model = self.session(name)
        if session is None or not model.entries:
            return
        placeholder = data.draw(st.sampled_from(sorted(model.entries)))
        entry = model.entries[placeholder]
        call = data.draw(st.sampled_from(["c1", "c2"]))
        purpose = Inject(call, "pay", "code", given=frozenset((placeholder,)))
        if self.lives(entry) and (not entry.life.one_time or entry.life.call in (None, call)):
            assert session.open([placeholder], purpose) == {placeholder: entry.value}
            entry.life.call = call
        else:
            with pytest.raises(ValueGone):
                session.open([placeholder], purpose)

    @rule(name=NAMES, data=st.data())
    def retire(self, name: str, data: st.DataObject) -> None:
        """I13: all others stay, also when the data key is renewed."""
        session, model = self.session(name)
        if session is None or not model.entries:
            return
        placeholder = data.draw(st.sampled_from(sorted(model.entries)))
        data.draw(st.sampled_from([session.retire, session.forget]))([placeholder])
        self.drop_code(model, placeholder)

    @staticmethod
    def drop_code(model: ModelSession, placeholder: Placeholder) -> None:
        model.entries = {one: entry for one, entry in model.entries.items() if one.code != placeholder.code}

    @rule(name=NAMES)
    def end_turn(self, name: str) -> None:
        session, model = self.session(name)
        if session is None:
            return
        session.end_turn()
        for placeholder, entry in list(model.entries.items()):
            if not self.lives(entry) or (entry.life.one_time and entry.life.call is not None):
                self.drop_code(model, placeholder)

    @rule(seconds=st.sampled_from([1.0, 300.0, 601.0, -3600.0]))
    def turn_the_clock(self, seconds: float) -> None:
        self.time.turn(seconds)

    @rule()
    def reopen(self) -> None:
        """A restart may lose a minute of what the vault knew of the time, and no more."""
        self.time.seconds = max(self.time.seconds, self.time.latest)
        self.vault.close()
        self.vault = self.open()

    @rule()
    def reopen_with_the_wrong_key(self) -> None:
        """I6: refused, and nothing is written."""
        self.vault.purge()
        before = self.raw.image()
        with pytest.raises(WrongKey):
            Vault.open(self.raw.place, KEYS[-1])
        assert self.raw.image() == before

    @precondition(lambda self: self.key < len(KEYS) - 2)
    @rule(destroy=st.booleans())
    def rotate(self, destroy: bool) -> None:
        """I12: entries stay as they are, and one key wraps all sessions."""
        before = self.raw.entries()
        self.vault.rotate(LocalKeys([KEYS[self.key], KEYS[self.key + 1]]))
        self.key += 1
        assert self.raw.entries() == before
        assert len({row.kek_id for row in self.raw.sessions() if row.state == 0}) <= 1
        if destroy:
            self.vault.destroy_old_keys()

    @rule(name=NAMES)
    def shred(self, name: str) -> None:
        """I14: neither the wrapped keys nor an entry is stored any more."""
        session, model = self.session(name)
        if session is None:
            return
        row = session._read_state().row
        entries = [one.ct for one in self.raw.entries() if one.sid == row.sid]
        assert session.shred()
        stored = self.raw.stored()
        assert row.wrapped
        assert [one for one in (row.wrapped, *entries) if one in stored] == []
        model.shredded, model.entries = True, {}

    @rule()
    def sweep(self) -> None:
        """I17: it needs no key, and takes nothing that lives."""
        sweep(self.raw.place, clock=self.time)

    @rule(target=saved, data=st.data())
    def save_a_row(self, data: st.DataObject) -> EntryRow | None:
        found = self.raw.entries()
        return data.draw(st.sampled_from(found)) if found else None

    @rule(row=consumes(saved))
    def put_a_row_back(self, row: EntryRow | None) -> None:
        """I5: a row that is put back is the one that is there, or dead. It may make its session unreadable for a while.
        Verification sees it, but for one that had expired when it was swept.
        """
        there = self.raw.entries()
        if row is None or [one for one in there if one.id == row.id or self.in_its_place(one, row)]:
            return
        self.raw.add_entry(row)
        self.check_answers()
        if not 0 < row.expires <= self.time.latest * 1000 and self.is_live(row.sid):
            self.check_verification()
        self.raw.drop_entry(row)
        self.vault.close()
        self.vault = self.open()

    @staticmethod
    def in_its_place(one: EntryRow, row: EntryRow) -> bool:
        """Whether a row has a name that an engine gives only once."""
        same = (one.code, one.suffix) == (row.code, row.suffix) or (one.identity, one.form) == (row.identity, row.form)
        return one.sid == row.sid and same

    def is_live(self, sid: int) -> bool:
        return any(row.sid == sid and row.state == 0 for row in self.raw.sessions())

    @rule(column=st.sampled_from(["ct", "identity", "form", "life"]), at=st.integers(0, 200), data=st.data())
    def tamper(self, column: str, at: int, data: st.DataObject) -> None:
        """I4 and I22: any changed byte gives the model's value or an error, and does not verify."""
        found = self.raw.entries()
        if not found:
            return
        row = data.draw(st.sampled_from(found))
        stored = getattr(row, column)
        changed = bytearray(stored)
        changed[at % len(changed)] ^= 1 << (at % 8)
        change: dict[str, Any] = {column: bytes(changed)}
        self.raw.change_entry(row, **change)
        self.check_answers()
        self.check_verification()
        self.raw.change_entry(row._replace(**change), **{column: stored})

    @rule(data=st.data())
    def swap(self, data: st.DataObject) -> None:
        """I4 and I22, for two rows of any sessions."""
        found = self.raw.entries()
        if len(found) < 2:
            return
        one, other = data.draw(st.lists(st.sampled_from(found), min_size=2, max_size=2, unique=True))
        for row, ct in ((one, other.ct), (other, one.ct)):
            self.raw.change_entry(row, ct=ct)
        self.check_answers()
        self.check_verification()
        for row in (one, other):
            self.raw.change_entry(row, ct=row.ct)

    def check_verification(self) -> None:
        with self.open() as fresh, pytest.raises(VaultError):
            fresh.verify()

    def check_answers(self) -> None:
        """Every placeholder opens to the model's value or to an error, in a process that has seen nothing."""
        with self.open() as fresh:
            for name, model in self.model.items():
                for placeholder, entry in model.entries.items():
                    try:
                        opened = fresh.session(name, create=False).open([placeholder], Restore())
                    except (TamperDetected, SessionShredded):
                        continue
                    assert opened in ({}, {placeholder: entry.value})

    @invariant()
    def every_live_value_is_there(self) -> None:
        for name, model in getattr(self, "model", {}).items():
            session, _ = self.session(name)
            if session is None:
                continue
            open_now = {
                one: entry.value
                for one, entry in model.entries.items()
                if self.lives(entry) and not (entry.life.one_time and entry.life.call is not None)
            }
            assert session.open(list(model.entries), Restore()) == open_now
            matched = {(str(one), repr(e.value.reveal())) for one, e in model.entries.items() if self.lives(e)}
            assert session.match(lambda values: live_texts(list(values))) == matched

    @invariant()
    def everything_verifies_and_nonces_differ(self) -> None:
        """I10 and I22, in every state that can be reached."""
        if hasattr(self, "vault"):
            self.vault.verify()
            nonces = [row.ct[1:13] for row in self.raw.entries()]
            assert len(set(nonces)) == len(nonces)


class PostgresMachine(VaultMachine):
    """The same on PostgreSQL. ``url`` is that of a server's database, each example has a schema of its own."""

    url = ""

    def new_engine(self) -> Engine[Any]:
        return PostgresEngine(f"{self.url}_{secrets.token_hex(8)}")


class ValkeyMachine(VaultMachine):
    """The same on Valkey, with a prefix for each example; rows are changed through a plain client."""

    url = ""

    def new_engine(self) -> Engine[Any]:
        return ValkeyEngine(f"{self.url}{secrets.token_hex(8)}")


FEW = settings(max_examples=6, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck))


def test_postgres_answers_like_the_model(postgres_url: str) -> None:
    run_state_machine_as_test(type("Machine", (PostgresMachine,), {"url": postgres_url}), settings=FEW)


def test_valkey_answers_like_the_model(valkey_url: str) -> None:
    run_state_machine_as_test(type("Machine", (ValkeyMachine,), {"url": valkey_url}), settings=FEW)


VaultMachine.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestVaultMachine = VaultMachine.TestCase
