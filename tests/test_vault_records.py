from __future__ import annotations

from collections.abc import Iterator
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealgate.models.errors import InvalidInput, LimitExceeded, TamperDetected
from sealgate.vault import Vault, VaultSession, records


@pytest.fixture
def vault() -> Iterator[Vault]:
    with Vault.open(":memory:") as opened:
        yield opened


@pytest.fixture
def session(vault: Vault) -> VaultSession:
    return vault.session("s1")


def run(vault: Vault, statement: str, *parameters: object) -> list[tuple[object, ...]]:
    with vault._shared.store.write() as transaction:
        rows: list[tuple[object, ...]] = transaction.audit._run(statement, parameters).fetchall()  # type: ignore[attr-defined]
        return rows


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(st.lists(st.binary(max_size=400), min_size=1, max_size=6))
def test_records_come_back_in_order(session: VaultSession, payloads: list[bytes]) -> None:
    before = session.records.latest("event")
    start = before.sequence if before else 0
    sequences = session.records.extend("event", payloads)
    assert sequences == list(range(start + 1, start + 1 + len(payloads)))
    assert [one.payload for one in session.records.read("event", start)] == payloads
    latest = session.records.latest("event")
    assert latest is not None
    assert latest.payload == payloads[-1]


def test_kinds_and_sessions_are_apart(vault: Vault, session: VaultSession) -> None:
    other = vault.session("s2")
    assert session.records.append("step", b"one") == 1
    assert session.records.append("event", b"two") == 1
    assert other.records.append("step", b"three") == 1
    assert [one.payload for one in session.records.read("step")] == [b"one"]
    assert session.records.latest("transcript") is None
    assert session.records.read("transcript") == []


def test_reading_goes_on_from_a_sequence(session: VaultSession) -> None:
    session.records.extend("event", [b"%d" % number for number in range(10)])
    assert [one.sequence for one in session.records.read("event", after=3, limit=4)] == [4, 5, 6, 7]
    assert session.records.read("event", after=10) == []
    session.records.drop_before("event", 8)
    assert [one.sequence for one in session.records.read("event")] == [8, 9, 10]
    session.records.drop_before("event", 99)
    assert [one.sequence for one in session.records.read("event")] == [10]
    assert session.records.append("event", b"next") == 11


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.binary(max_size=40)), max_size=12))
def test_keyed_records_are_a_dictionary(session: VaultSession, changes: list[tuple[str, bytes | None]]) -> None:
    for key in "abc":
        session.records.discard("private", key)
    model: dict[str, bytes] = {}
    for key, payload in changes:
        if payload is None:
            session.records.discard("private", key)
        else:
            session.records.replace("private", key, payload)
        model.pop(key, None)
        model |= {} if payload is None else {key: payload}
    assert {key: session.records.get("private", key) for key in "abc"} == {key: model.get(key) for key in "abc"}
    assert session.records.all("private") == list(model.values())


def test_nothing_is_stored_in_clear(vault: Vault, session: VaultSession) -> None:
    session.records.replace("private", "card_last_four", b"MARKER-4242")
    session.records.append("step", b"MARKER-4242")
    stored = repr(run(vault, "SELECT * FROM record")) + repr(run(vault, "SELECT * FROM session"))
    assert "MARKER" not in stored
    assert "card_last_four" not in stored


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM record WHERE seq = 3",
        "DELETE FROM record WHERE seq = 2",
        "UPDATE record SET ct = (SELECT ct FROM record WHERE seq = 1) WHERE seq = 3",
        "UPDATE record SET kind = 'event' WHERE seq = 3",
        "UPDATE record SET seq = 4 WHERE seq = 3",
        "UPDATE record SET ct = x'' WHERE seq = 3",
        "DELETE FROM record",
    ],
)
def test_changed_records_are_noticed(vault: Vault, session: VaultSession, statement: str) -> None:
    session.records.extend("step", [b"one", b"two", b"three"])
    run(vault, statement)
    with pytest.raises(TamperDetected):
        session.records.read("step")


def test_an_older_step_put_back_is_noticed(vault: Vault, session: VaultSession) -> None:
    session.records.append("step", b"one")
    session.records.append("step", b"two")
    run(vault, "DELETE FROM record WHERE seq = 2")
    with pytest.raises(TamperDetected):
        session.records.latest("step")


def test_an_older_keyed_record_put_back_is_noticed(vault: Vault, session: VaultSession) -> None:
    session.records.replace("private", "card", b"old")
    [row] = run(vault, "SELECT * FROM record")
    session.records.replace("private", "card", b"new")
    run(vault, "DELETE FROM record")
    run(vault, "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?)", *row)
    for fresh in (session, None):
        reader = fresh or vault.session("s1")
        with pytest.raises(TamperDetected):
            reader.records.get("private", "card")
        reader.records._known.clear()


def test_a_removed_keyed_record_is_noticed(vault: Vault, session: VaultSession) -> None:
    session.records.replace("private", "card", b"old")
    session.records._known.clear()
    run(vault, "DELETE FROM record")
    with pytest.raises(TamperDetected):
        session.records.get("private", "card")
    with pytest.raises(TamperDetected):
        session.records.get("private", "another")


@pytest.mark.parametrize("kind", ["", "Step", "a b", "x" * 33])
def test_kinds_have_a_grammar(session: VaultSession, kind: str) -> None:
    with pytest.raises(InvalidInput):
        session.records.append(kind, b"")


def test_sizes_and_numbers_are_bounded(session: VaultSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_PAYLOAD", 10)
    monkeypatch.setattr(records, "MAX_KINDS", 2)
    monkeypatch.setattr(records, "MAX_KEYED", 2)
    with pytest.raises(LimitExceeded):
        session.records.append("step", b"x" * 11)
    session.records.append("step", b"x" * 10)
    session.records.replace("private", "a", b"1")
    session.records.replace("private", "b", b"1")
    session.records.replace("private", "b", b"2")
    with pytest.raises(LimitExceeded):
        session.records.replace("private", "c", b"1")
    with pytest.raises(LimitExceeded):
        session.records.append("third", b"")
    assert session.records.get("private", "c") is None


def test_a_record_does_not_show_its_payload(session: VaultSession) -> None:
    session.records.append("step", b"MARKER")
    assert "MARKER" not in repr(session.records.read("step"))


def test_only_the_newest_of_a_ring_are_kept(vault: Vault) -> None:
    records = vault.session("ring").records
    for number in range(10):
        records.replace("ring", f"key-{number % 4}", str(number).encode(), newest=3)
    assert records.all("ring") == [b"7", b"8", b"9"]
    assert records.get("ring", "key-2") is None


def test_a_change_is_given_what_stood_there_and_may_leave_it(vault: Vault) -> None:
    records = vault.session("change").records
    assert records.change("kind", "key", lambda before: None if before is None else before + b"!") is None
    assert records.change("kind", "key", lambda _before: b"one") == b"one"
    assert records.change("kind", "key", lambda before: (before or b"") + b"!") == b"one!"
    assert records.change("kind", "key", lambda _before: None) == b"one!"


def test_of_two_who_change_a_key_at_once_one_sees_the_others(vault: Vault) -> None:
    records = vault.session("race").records

    def add() -> None:
        for _ in range(20):
            records.change("kind", "count", lambda before: str(int(before or b"0") + 1).encode(), durable=False)

    threads = [Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert records.get("kind", "count") == b"80"


def test_a_whole_kind_has_its_first_record_too(
    vault: Vault, session: VaultSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "_PAGE", 2)
    session.records.extend("log", [b"1", b"2", b"3", b"4", b"5"])
    assert [one.payload for one in session.records.whole("log")] == [b"1", b"2", b"3", b"4", b"5"]
    assert [one.payload for one in session.records.whole("log", 3)] == [b"4", b"5"]
    assert list(session.records.whole("log", 5)) == []
    run(vault, "DELETE FROM record WHERE kind = 'log' AND seq = 1")
    with pytest.raises(TamperDetected):
        list(session.records.whole("log"))
    assert len(list(session.records.whole("log", 1))) == 4
