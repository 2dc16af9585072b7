from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealgate.models.errors import (
    InvalidInput,
    InvalidName,
    SessionShredded,
    StoreUnavailable,
    TextTooLong,
    TooManyValues,
    UnknownEntityType,
    UnknownSession,
    ValueGone,
)
from sealgate.models.grants import Accepts, Inject, Restore, Reveal
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue, Opener, Sealer, SealRequest
from sealgate.models.secretvalue import SecretValue, secret_of
from sealgate.vault import Vault, VaultSession, sealing
from sealgate.vault.entries import Opened, open_row
from sealgate.vault.rows import EntryRow
from sealgate.vault.sessionkeys import SessionKeys

JSON_SCALARS = st.one_of(
    st.text(st.characters(exclude_categories=[]), max_size=60),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)


class FakeTime:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def now(self) -> float:
        return self.seconds


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def vault(time: FakeTime) -> Iterator[Vault]:
    with Vault.open(":memory:", clock=time) as opened:
        yield opened


@pytest.fixture
def session(vault: Vault) -> VaultSession:
    return vault.session("s1")


def request(
    value: str | int | float,
    entity_type: str = "CUSTOM",
    origin: str = "person",
    *,
    uses: int | None = None,
    ttl: float | None = None,
    searchable: bool = True,
) -> SealRequest:
    return SealRequest(secret_of(value), entity_type, origin, uses, ttl, searchable)


def given_to(placeholder: Placeholder, call: str = "c1") -> Inject:
    return Inject(call, "pay", "code", given=frozenset((placeholder,)))


def texts(values: Sequence[LiveValue]) -> list[str]:
    return sorted(live.value.text() for live in values)


def test_a_session_is_a_sealer_and_an_opener(session: VaultSession) -> None:
    sealer: Sealer = session
    opener: Opener = session
    [placeholder] = sealer.seal([request("Ann Example", "PERSON")])
    assert opener.open([placeholder], Restore())[placeholder].reveal() == "Ann Example"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.lists(JSON_SCALARS, max_size=8))
def test_every_value_comes_back_in_its_json_type(session: VaultSession, values: list[str | int | float]) -> None:
    placeholders = session.seal([request(value) for value in values])
    opened = session.open(placeholders, Restore())
    for value, placeholder in zip(values, placeholders, strict=True):
        back = opened[placeholder].reveal()
        assert type(back) is type(value)
        assert repr(back) == repr(value)
    assert session.seal([request(value) for value in values]) == placeholders


def test_one_value_has_one_placeholder_and_each_other_form_a_suffix(session: VaultSession) -> None:
    first, again, plain, number = session.seal(
        [request("1234-5678-9012"), request("1234-5678-9012"), request("123456789012"), request(123456789012)]
    )
    assert first == again
    assert first.form == ""
    assert {first.code, plain.code, number.code} == {first.code}
    assert len({first.form, plain.form, number.form}) == 3
    assert len(plain.form) == len(number.form) == 3


def test_types_and_origins_are_added_to_an_entry(session: VaultSession) -> None:
    [first] = session.seal([request("DE89370400440532013000", "IBAN_CODE", "tool:web")])
    [second] = session.seal([request("DE89370400440532013000", "ACCOUNT_NUMBER", "person")])
    assert first == second
    facts = session.facts([first])[first]
    assert facts.entity_types == ("IBAN_CODE", "ACCOUNT_NUMBER")
    assert facts.origins == ("tool:web", "person")
    assert (facts.uses_left, facts.expires_at, facts.burnt) == (None, None, False)


def test_a_value_kept_apart_shares_nothing_with_the_same_value(vault: Vault, session: VaultSession) -> None:
    kept = SealRequest(secret_of("482913"), "OTP_CODE", "tool:web", searchable=False, apart=True)
    [apart, again, plain] = session.seal([kept, kept, request("482913", "OTP_CODE", "interrupt")])
    assert apart == again
    assert apart.code != plain.code
    assert session.open([plain], given_to(plain))
    assert session.open([apart], Restore())[apart].text() == "482913"
    assert vault.verify().values == 2


def test_a_batch_is_all_or_nothing(session: VaultSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "MAX_VALUES", 5)
    session.seal([request(f"value {number}") for number in range(3)])
    with pytest.raises(TooManyValues) as caught:
        session.seal([request(f"other {number}") for number in range(3)])
    assert caught.value.limit == 5
    assert session.match(texts) == ["value 0", "value 1", "value 2"]
    assert session.seal([request("value 1")])


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (request("x", "NO_SUCH_TYPE"), UnknownEntityType),
        (request("x", origin="browser"), InvalidInput),
        (request("x", uses=0), InvalidInput),
        (request("x", ttl=0.0), InvalidInput),
        (request("x", ttl=float("nan")), InvalidInput),
        (request("é" * 32_769), TextTooLong),
    ],
)
def test_a_wrong_request_changes_nothing(session: VaultSession, wrong: SealRequest, error: type[Exception]) -> None:
    with pytest.raises(error):
        session.seal([request("fine"), wrong])
    assert session.match(texts) == []


def test_the_longest_value_is_kept(session: VaultSession) -> None:
    value = "x" * 65_536
    [placeholder] = session.seal([request(value)])
    assert session.open([placeholder], Restore())[placeholder].text() == value


def test_small_secrets_have_a_random_code_for_one_life(session: VaultSession) -> None:
    [first] = session.seal([request("4829", "PIN", "interrupt")])
    assert session.seal([request("4829", "PIN", "tool:web")]) == [first]
    session.retire([first])
    [second] = session.seal([request("4829", "PIN", "interrupt")])
    assert second.code != first.code


def test_other_values_keep_their_code_over_their_lives(session: VaultSession) -> None:
    [first] = session.seal([request("Ann Example", "PERSON")])
    session.retire([first])
    assert session.open([first], Restore()) == {}
    assert session.seal([request("Ann Example", "PERSON")]) == [first]
    assert session.open([first], Restore())[first].text() == "Ann Example"


def test_a_code_that_is_taken_is_lengthened(session: VaultSession, monkeypatch: pytest.MonkeyPatch) -> None:
    [first] = session.seal([request("Ann Example", "PERSON")])
    index = session._read_state().keys.index
    taken = index.mark(SecretValue("Ann Example"))
    monkeypatch.setattr(
        type(index), "mark", lambda self, secret, apart: taken._replace(identity=b"i" * 16, form=b"f" * 8)
    )
    [second] = session.seal([request("Bob Example", "PERSON")])
    assert len(second.code) == 13
    assert second.code.endswith(first.code)
    assert session.open([first, second], Restore())[second].text() == "Bob Example"


def test_a_suffix_that_is_taken_is_lengthened(session: VaultSession, monkeypatch: pytest.MonkeyPatch) -> None:
    session.seal([request("1234-5678-9012"), request("1234 5678 9012")])
    index = session._read_state().keys.index
    taken = index.mark(SecretValue("1234 5678 9012"))
    monkeypatch.setattr(type(index), "mark", lambda self, secret, apart: taken._replace(form=b"another!"))
    [placeholder] = session.seal([request("12345678 9012")])
    assert len(placeholder.form) == 5


def test_a_one_time_value_opens_for_one_call(session: VaultSession) -> None:
    [code] = session.seal([request("482913", "OTP_CODE", "interrupt")])
    for _ in range(3):
        assert session.open([code], given_to(code))[code].text() == "482913"
    with pytest.raises(ValueGone):
        session.open([code], given_to(code, "c2"))
    assert session.open([code], Restore()) == {}
    with pytest.raises(ValueGone):
        session.open([code], Reveal())
    facts = session.facts([code])[code]
    assert (facts.uses_left, facts.burnt) == (0, True)


def test_a_burnt_value_is_matched_until_its_turn_ends(session: VaultSession) -> None:
    [code] = session.seal([request("482913", "OTP_CODE", "interrupt")])
    session.open([code], given_to(code))
    assert session.match(texts) == ["482913"]
    session.end_turn()
    assert session.match(texts) == []
    assert session.facts([code]) == {}
    with pytest.raises(ValueGone):
        session.open([code], given_to(code))


def test_a_burnt_value_given_again_lives_again_but_not_for_a_page(session: VaultSession) -> None:
    [code] = session.seal([request("123", "CVV", "interrupt")])
    session.open([code], given_to(code))
    assert session.seal([request("123", "CVV", "tool:web")]) == [code]
    assert session.facts([code])[code].burnt
    [again] = session.seal([request("123", "CVV", "interrupt")])
    assert again.code != code.code
    assert session.open([again], given_to(again, "c2"))[again].text() == "123"
    with pytest.raises(ValueGone):
        session.open([code], given_to(code))


def test_several_uses_count_per_call(session: VaultSession) -> None:
    [value] = session.seal([request("token-1", "API_KEY", "interrupt", uses=2)])
    for call in ("c1", "c1", "c2"):
        session.open([value], given_to(value, call))
    assert session.facts([value])[value].uses_left == 0
    with pytest.raises(ValueGone):
        session.open([value], given_to(value, "c3"))


def test_a_pin_lives_to_the_end_of_its_turn(session: VaultSession) -> None:
    [pin, kept, name] = session.seal(
        [request("4829", "PIN", "interrupt"), request("7777", "PIN", "interrupt", ttl=60.0), request("Ann", "PERSON")]
    )
    session.open([pin], given_to(pin))
    session.end_turn()
    assert set(session.facts([pin, kept, name])) == {kept, name}


def test_an_otp_lives_ten_minutes(session: VaultSession, time: FakeTime) -> None:
    [code] = session.seal([request("482913", "OTP_CODE", "interrupt")])
    time.seconds += 599.9
    assert session.match(texts) == ["482913"]
    time.seconds += 0.2
    assert session.match(texts) == []
    assert session.open([code], Restore()) == {}
    with pytest.raises(ValueGone):
        session.open([code], given_to(code))


def test_an_expired_value_stays_expired_when_the_clock_is_turned_back(session: VaultSession, time: FakeTime) -> None:
    [code] = session.seal([request("482913", "OTP_CODE", "interrupt")])
    time.seconds += 700
    assert session.match(texts) == []
    time.seconds -= 3600
    assert session.open([code], Restore()) == {}


def test_a_value_given_again_gets_its_full_time_in_every_form(session: VaultSession, time: FakeTime) -> None:
    first, second = session.seal([request("1234 5678", ttl=60.0), request("1234-5678", ttl=60.0)])
    time.seconds += 50
    session.seal([request("1234 5678", origin="interrupt", ttl=60.0)])
    time.seconds += 50
    assert session.match(texts) == ["1234 5678", "1234-5678"]
    assert len(session.open([first, second], Restore())) == 2
    time.seconds += 11
    assert session.match(texts) == []


def test_unsearchable_values_are_matched_nowhere_until_they_become_searchable(session: VaultSession) -> None:
    [placeholder] = session.seal([request("yes", "ANSWER", "interrupt", searchable=False)])
    assert session.match(texts) == []
    assert session.open([placeholder], Restore())[placeholder].text() == "yes"
    session.seal([request("yes", "ANSWER", "interrupt", searchable=True)])
    assert session.match(texts) == ["yes"]


def test_a_match_is_cached_until_the_values_change(session: VaultSession) -> None:
    calls = []

    def build(values: Sequence[LiveValue]) -> list[str]:
        calls.append(len(values))
        return texts(values)

    session.seal([request("one")])
    assert session.match(build) == session.match(build) == ["one"]
    session.seal([request("one")])
    session.match(build)
    assert calls == [1]
    [two] = session.seal([request("two")])
    assert session.match(build) == ["one", "two"]
    session.seal([request("two", "PERSON")])
    session.match(build)
    session.retire([two])
    assert session.match(build) == ["one"]
    assert calls == [1, 2, 2, 1]


def test_forget_leaves_every_other_placeholder(session: VaultSession) -> None:
    """I13: by their codes and their values."""
    kept = session.seal([request(f"value {number}", ttl=1000.0 if number % 2 else None) for number in range(20)])
    [gone] = session.seal([request("Ann Example", "PERSON")])
    session.records.append("step", b"state")
    session.forget([gone])
    assert session.open([gone], Restore()) == {}
    assert [value.text() for value in session.open(kept, Restore()).values()] == [f"value {n}" for n in range(20)]
    assert session.seal([request(f"value {number}", ttl=1000.0) for number in range(20)]) == kept
    assert session.records.latest("step")
    assert session.seal([request("Ann Example", "PERSON")]) == [gone]


def test_many_ended_lives_renew_the_data_key(session: VaultSession) -> None:
    [kept] = session.seal([request("Ann Example", "PERSON")])
    before = session._read_state().row.dek_ver
    for batch in range(3):
        session.retire(session.seal([request(f"{batch} {number}") for number in range(100)]))
    assert session._read_state().row.dek_ver == before + 1
    assert len(session._read_state().spent().ended) <= 256
    assert session.open([kept], Restore())[kept].text() == "Ann Example"


def test_a_shredded_session_is_gone_for_good(vault: Vault, session: VaultSession) -> None:
    [placeholder] = session.seal([request("Ann Example", "PERSON")])
    assert session.shred() is True
    for attempt in (
        lambda: session.open([placeholder], Restore()),
        lambda: session.seal([request("Ann Example", "PERSON")]),
        lambda: session.match(texts),
        lambda: session.records.latest("step"),
        lambda: vault.session("s1"),
        lambda: vault.session("s1", create=False),
    ):
        with pytest.raises(SessionShredded):
            attempt()
    assert vault.session("s2")


def test_sessions_and_tenants_share_nothing(vault: Vault) -> None:
    """I3: neither placeholders nor values."""
    sessions = [vault.session("bc", tenant="a"), vault.session("c", tenant="ab"), vault.session("bc", tenant="b")]
    sealed = [one.seal([request("Ann Example", "PERSON")])[0] for one in sessions]
    assert len(set(sealed)) == 3
    for one, own in zip(sessions, sealed, strict=True):
        assert set(one.open(sealed, Restore())) == {own}
    assert len({one.id for one in sessions}) == 3


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.tuples(*[st.text(st.characters(exclude_categories=[]), min_size=1, max_size=6)] * 4))
def test_session_references_are_injective(vault: Vault, names: tuple[str, str, str, str]) -> None:
    tenant, session, other_tenant, other_session = names
    root = vault._shared.root
    same = root.sref(tenant, session) == root.sref(other_tenant, other_session)
    assert same == ((tenant, session) == (other_tenant, other_session))


def test_a_subject_stays(vault: Vault) -> None:
    session = vault.session("s9", subject="ann")
    assert session.subject == "ann"
    assert vault.session("s9").subject == "ann"
    assert vault.session("s9", subject="ann") is session
    with pytest.raises(UnknownSession):
        vault.session("s9", subject="bob")
    vault.session("s8")
    with pytest.raises(UnknownSession):
        vault.session("s8", subject="bob")


def test_an_unknown_session_is_not_made_unasked(vault: Vault) -> None:
    with pytest.raises(UnknownSession):
        vault.session("nobody", create=False)
    with pytest.raises(UnknownSession):
        vault.session("nobody", create=False)
    assert list(vault.audit.rows()) == []


@pytest.mark.parametrize("name", ["", "x" * 257])
def test_names_have_1_to_256_code_points(vault: Vault, name: str) -> None:
    for session, tenant, subject in ((name, "t", None), ("s", name, None), ("s", "t", name)):
        with pytest.raises(InvalidName):
            vault.session(session, tenant=tenant, subject=subject)
    assert vault.session("x" * 256, tenant="\0/\ud800", subject="é" * 256)


def test_a_closed_vault_does_nothing(vault: Vault, session: VaultSession) -> None:
    vault.close()
    vault.close()
    with pytest.raises(StoreUnavailable):
        session.seal([request("x")])


def test_nothing_shows_a_value_or_is_pickled(
    vault: Vault, session: VaultSession, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    marker = "MARKER-0451"
    [placeholder] = session.seal([request(marker, "PASSWORD", "interrupt")])
    session.open([placeholder], Inject("c", "t", "a", Accepts("PASSWORD")))
    session.match(len)
    session.records.replace("private", "key", marker.encode())
    session.records.append("step", marker.encode())
    shown = [repr(vault), repr(session), str(session.facts([placeholder])), str(session.records.read("step"))]
    shown += [str(event) for event in vault.audit.rows()] + [record.getMessage() for record in caplog.records]
    assert not any(marker in text for text in shown)
    for handle in (vault, session, vault._shared, session._read_state(), session._matching):
        with pytest.raises(TypeError):
            pickle.dumps(handle)


def test_a_value_that_ends_costs_the_others_no_decryption(
    session: VaultSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    placeholders = session.seal([request(f"value {number}") for number in range(20)])
    assert session.match(len) == 20
    opened: list[int] = []

    def counted(keys: SessionKeys, row: EntryRow) -> Opened:
        opened.append(row.id)
        return open_row(keys, row)

    monkeypatch.setattr("sealgate.vault.matching.open_row", counted)
    session.retire(placeholders[5:6])
    assert session.match(len) == 19
    assert opened == []
    session.seal([request("value 3", "PERSON"), request("another")])
    assert session.match(len) == 20
    assert len(opened) == 2
    session.forget(placeholders[7:8])
    assert session.match(len) == 19
    assert len(opened) == 21
