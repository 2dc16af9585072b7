"""The vault against a dictionary: whatever is done in whatever order, every answer is the model's or an error."""

from __future__ import annotations

import secrets
import shutil
import sqlite3
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
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

from sealgate.models.errors import SessionShredded, TamperDetected, ValueGone, WrongKey
from sealgate.models.grants import Inject, Restore
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue, SealRequest
from sealgate.models.secretvalue import SecretValue, secret_of
from sealgate.vault import LocalKeys, Vault, VaultSession, sweep
from sealgate.vault.valkey import ValkeyStore

KEYS = [bytes([number + 1]) * 16 + bytes([number + 2]) * 16 for number in range(64)]
NAMES = st.sampled_from(["s1", "s2", "s3"])
VALUES = st.one_of(
    st.sampled_from(["1234-5678-9012", "123456789012", "Ann Example", "\ud800", "", "[PERSON_00000000]"]),
    st.text(max_size=8),
    st.integers(0, 10**13),
)


@dataclass
class ModelEntry:
    """What the model knows of one sealed form. ``expires`` is in seconds of the fake clock."""

    value: SecretValue
    expires: float | None
    one_time: bool
    call: str | None = None


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
        self.path = self.directory / "vault.db"
        self.place = self.new_place()
        self.time = FakeTime()
        self.key = 0
        self.model: dict[str, ModelSession] = {}
        self.calls = 0
        self.vault = self.open()

    def new_place(self) -> str:
        return str(self.path)

    def stored(self) -> bytes:
        """What lies on the disk, where that can be looked at."""
        return b"".join(one.read_bytes() for one in sorted(self.directory.iterdir()))

    def open(self) -> Vault:
        return Vault.open(self.place, KEYS[self.key], clock=self.time)

    def teardown(self) -> None:
        if hasattr(self, "vault"):
            self.vault.close()
            shutil.rmtree(self.directory)

    def session(self, name: str) -> tuple[VaultSession | None, ModelSession]:
        model = self.model.setdefault(name, ModelSession())
        if model.shredded:
            with pytest.raises(SessionShredded):
                self.vault.session(name)
            return None, model
        return self.vault.session(name), model

    def lives(self, entry: ModelEntry) -> bool:
        return entry.expires is None or self.time.latest < entry.expires

    @rule(name=NAMES, values=st.lists(VALUES, min_size=1, max_size=4))
    def seal(self, name: str, values: list[str | int]) -> None:
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
            model.entries.setdefault(placeholder, ModelEntry(secret, None, one_time=False))

    @rule(name=NAMES, number=st.integers(100_000, 999_999))
    def ask(self, name: str, number: int) -> None:
        session, model = self.session(name)
        if session is None:
            return
        secret = SecretValue(str(number))
        if any(entry.value == secret for entry in model.entries.values()):
            return
        [placeholder] = session.seal([SealRequest(secret, "OTP_CODE", "interrupt")])
        model.entries[placeholder] = ModelEntry(secret, self.time.latest + 600, one_time=True)

    @rule(name=NAMES, data=st.data())
    def inject(self, name: str, data: st.DataObject) -> None:
        session, model = self.session(name)
        if session is None or not model.entries:
            return
        placeholder = data.draw(st.sampled_from(sorted(model.entries)))
        entry = model.entries[placeholder]
        call = data.draw(st.sampled_from(["c1", "c2"]))
        purpose = Inject(call, "pay", "code", given=frozenset((placeholder,)))
        if self.lives(entry) and (not entry.one_time or entry.call in (None, call)):
            assert session.open([placeholder], purpose) == {placeholder: entry.value}
            entry.call = call
        else:
            with pytest.raises(ValueGone):
                session.open([placeholder], purpose)

    @rule(name=NAMES, data=st.data())
    def retire(self, name: str, data: st.DataObject) -> None:
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
            if not self.lives(entry) or (entry.one_time and entry.call is not None):
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
        self.vault.purge()
        before = self.stored()
        with pytest.raises(WrongKey):
            Vault.open(self.place, KEYS[-1])
        assert self.stored() == before

    @precondition(lambda self: self.key < len(KEYS) - 2)
    @rule(destroy=st.booleans())
    def rotate(self, destroy: bool) -> None:
        before = self.rows("SELECT * FROM entry ORDER BY id")
        self.vault.rotate(LocalKeys([KEYS[self.key], KEYS[self.key + 1]]))
        self.key += 1
        assert self.rows("SELECT * FROM entry ORDER BY id") == before
        assert len(self.rows("SELECT DISTINCT kek_id FROM session WHERE state = 0")) <= 1
        if destroy:
            self.vault.destroy_old_keys()

    @rule(name=NAMES)
    def shred(self, name: str) -> None:
        session, model = self.session(name)
        if session is None:
            return
        wrapped = session._read_state().row.wrapped
        assert session.shred()
        assert wrapped
        assert wrapped not in self.stored()
        model.shredded, model.entries = True, {}

    @rule()
    def sweep(self) -> None:
        sweep(self.place, clock=self.time)

    @rule(target=saved)
    def save_a_row(self) -> tuple[object, ...]:
        found = self.rows("SELECT * FROM entry ORDER BY random() LIMIT 1")
        return found[0] if found else ()

    @rule(row=consumes(saved))
    def put_a_row_back(self, row: tuple[object, ...]) -> None:
        """A row that is put back is the one that is there, or dead. It may make its session unreadable, for a while."""
        if not row or self.rows("SELECT 1 FROM entry WHERE id = ?", row[0]):
            return
        taken = self.rows(
            "SELECT 1 FROM entry WHERE sid = ? AND (code = ? AND suffix = ? OR identity = ? AND form = ?)",
            row[1], row[4], row[5], row[2], row[3],
        )  # fmt: skip
        if taken:
            return
        self.run(f"INSERT INTO entry VALUES ({', '.join('?' * len(row))})", *row)
        self.check_answers()
        self.run("DELETE FROM entry WHERE id = ?", row[0])
        self.vault.close()
        self.vault = self.open()

    @rule(column=st.sampled_from(["ct", "identity", "life"]), at=st.integers(0, 200), data=st.data())
    def tamper(self, column: str, at: int, data: st.DataObject) -> None:
        found = self.rows(f"SELECT id, {column} FROM entry ORDER BY id")
        if not found:
            return
        row_id, stored = data.draw(st.sampled_from(found))
        assert isinstance(stored, bytes)
        changed = bytearray(stored)
        changed[at % len(changed)] ^= 1 << (at % 8)
        self.run(f"UPDATE entry SET {column} = ? WHERE id = ?", bytes(changed), row_id)
        self.check_answers()
        self.run(f"UPDATE entry SET {column} = ? WHERE id = ?", stored, row_id)

    @rule(data=st.data())
    def swap(self, data: st.DataObject) -> None:
        found = self.rows("SELECT id, ct FROM entry ORDER BY id")
        if len(found) < 2:
            return
        one, other = data.draw(st.lists(st.sampled_from(found), min_size=2, max_size=2, unique=True))
        for row, ct in ((one[0], other[1]), (other[0], one[1])):
            self.run("UPDATE entry SET ct = ? WHERE id = ?", ct, row)
        self.check_answers()
        for row, ct in (one, other):
            self.run("UPDATE entry SET ct = ? WHERE id = ?", ct, row)

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
                if self.lives(entry) and not (entry.one_time and entry.call is not None)
            }
            assert session.open(list(model.entries), Restore()) == open_now
            matched = {(str(one), repr(e.value.reveal())) for one, e in model.entries.items() if self.lives(e)}
            assert session.match(lambda values: live_texts(list(values))) == matched

    @invariant()
    def the_audit_chain_holds_and_nonces_differ(self) -> None:
        if hasattr(self, "vault"):
            self.vault.audit.verify()
            nonces = self.rows("SELECT substr(ct, 2, 12) FROM entry")
            assert len(set(nonces)) == len(nonces)

    def rows(self, statement: str, *parameters: object) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            return connection.execute(statement, parameters).fetchall()
        finally:
            connection.close()

    run = rows


class PostgresMachine(VaultMachine):
    """The same on PostgreSQL. ``url`` is that of a server's database, each example has a schema of its own."""

    url = ""

    def new_place(self) -> str:
        return f"{self.url}_{secrets.token_hex(8)}"

    def stored(self) -> bytes:
        return b""

    def rows(self, statement: str, *parameters: object) -> list[tuple[object, ...]]:
        plain, _, schema = self.place.partition("&schema=")
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute(f"SET search_path = {schema}".encode())
            cursor = connection.execute(statement.replace("?", "%s").encode(), parameters)
            return cursor.fetchall() if cursor.description else []

    run = rows


def test_postgres_answers_like_the_model(postgres_url: str) -> None:
    few = settings(max_examples=4, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck))
    machine = type("Machine", (PostgresMachine,), {"url": postgres_url})
    run_state_machine_as_test(machine, settings=few)


class ValkeyMachine(VaultMachine):
    """The same on Valkey, without the rules that change rows by SQL. Rows are looked at in a copy."""

    url = ""

    save_a_row = put_a_row_back = tamper = swap = None  # type: ignore[assignment]

    def new_place(self) -> str:
        return f"{self.url}{secrets.token_hex(8)}"

    def stored(self) -> bytes:
        return b""

    def rows(self, statement: str, *parameters: object) -> list[tuple[object, ...]]:
        store = ValkeyStore(self.place)
        with store.snapshot() as copy:
            connection = sqlite3.connect(":memory:")
            connection.deserialize(copy.read())
            found = connection.execute(statement, parameters).fetchall()
            connection.close()
        store.close()
        return found


def test_valkey_answers_like_the_model(valkey_url: str) -> None:
    few = settings(max_examples=4, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck))
    machine = type("Machine", (ValkeyMachine,), {"url": valkey_url})
    run_state_machine_as_test(machine, settings=few)


VaultMachine.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestVaultMachine = VaultMachine.TestCase
