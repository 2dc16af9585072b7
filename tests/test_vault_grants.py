from __future__ import annotations

from collections.abc import Iterator

import pytest

from sealgate.models.errors import AuditUnavailable, GrantRefused, UnknownPlaceholder
from sealgate.models.grants import Accepts, Inject, Restore, Reveal
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault, VaultSession
from sealgate.vault.sqlite.tables import SqliteAudit

IBAN = "DE89370400440532013000"


@pytest.fixture
def vault() -> Iterator[Vault]:
    with Vault.open(":memory:") as opened:
        yield opened


@pytest.fixture
def session(vault: Vault) -> VaultSession:
    return vault.session("s1")


def sealed(session: VaultSession, value: str, entity_type: str, *origins: str) -> Placeholder:
    for origin in origins:
        [placeholder] = session.seal([SealRequest(secret_of(value), entity_type, origin)])
    return placeholder


def inject(
    accepts: Accepts | None = None,
    *,
    given: tuple[Placeholder, ...] = (),
    written: tuple[Placeholder, ...] = (),
    call: str = "c1",
) -> Inject:
    return Inject(call, "transfer", "to", accepts, frozenset(given), frozenset(written))


@pytest.mark.parametrize(
    ("entity_type", "origins", "accepts", "opens"),
    [
        ("IBAN_CODE", ("person",), Accepts("IBAN_CODE"), True),
        ("IBAN_CODE", ("person",), Accepts("ACCOUNT_NUMBER", "IBAN_CODE"), True),
        ("IBAN_CODE", ("person",), Accepts("ACCOUNT_NUMBER"), False),
        ("IBAN_CODE", ("person",), None, False),
        ("IBAN_CODE", ("tool:web",), Accepts("IBAN_CODE"), False),
        ("IBAN_CODE", ("tool:web",), Accepts("IBAN_CODE", origins=("tool:web",)), True),
        ("IBAN_CODE", ("tool:web",), Accepts("IBAN_CODE", origins=("tool:mail",)), False),
        ("IBAN_CODE", ("tool:web", "person"), Accepts("IBAN_CODE"), True),
        ("IBAN_CODE", ("person", "tool:web"), Accepts("IBAN_CODE", origins=("tool:web",)), True),
        ("IBAN_CODE", ("model",), Accepts("IBAN_CODE"), False),
        ("IBAN_CODE", ("application",), Accepts("IBAN_CODE"), True),
        ("IBAN_CODE", ("interrupt",), Accepts("IBAN_CODE"), True),
        ("OTP_CODE", ("interrupt",), Accepts("OTP_CODE"), False),
        ("OTP_CODE", ("person",), Accepts("OTP_CODE"), True),
        ("LITERAL", ("person",), None, True),
        ("LITERAL", ("tool:web",), Accepts("PERSON"), True),
    ],
)
def test_a_written_grant(
    session: VaultSession, entity_type: str, origins: tuple[str, ...], accepts: Accepts | None, opens: bool
) -> None:
    placeholder = sealed(session, IBAN, entity_type, *origins)
    if opens:
        assert session.open([placeholder], inject(accepts))[placeholder].text() == IBAN
    else:
        with pytest.raises(GrantRefused) as caught:
            session.open([placeholder], inject(accepts))
        assert (caught.value.tool, caught.value.argument, caught.value.entity_type) == ("transfer", "to", entity_type)
        assert IBAN not in str(caught.value)


def test_a_value_given_for_the_argument_opens_without_accepts(session: VaultSession) -> None:
    placeholder = sealed(session, "482913", "OTP_CODE", "interrupt")
    assert session.open([placeholder], inject(given=(placeholder,)))


def test_what_the_model_wrote_itself_opens_in_that_call(session: VaultSession) -> None:
    own = sealed(session, "Berlin", "LOCATION", "model")
    assert session.open([own], inject(written=(own,)))
    with pytest.raises(GrantRefused):
        session.open([own], inject())
    theirs = sealed(session, "Paris", "LOCATION", "person", "model")
    with pytest.raises(GrantRefused):
        session.open([theirs], inject(written=(theirs,)))


def test_a_grant_matches_only_types_that_the_value_is_valid_as(session: VaultSession) -> None:
    placeholder = sealed(session, "no iban at all", "CUSTOM", "person")
    sealed(session, "no iban at all", "IBAN_CODE", "person")

    def valid(entity_type: str, value: str) -> bool:
        return entity_type != "IBAN_CODE"

    with pytest.raises(GrantRefused):
        session.open([placeholder], Inject("c", "t", "a", Accepts("IBAN_CODE"), valid=valid))
    assert session.open([placeholder], Inject("c", "t", "a", Accepts("CUSTOM"), valid=valid))


def test_a_validator_that_raises_counts_as_a_no(session: VaultSession) -> None:
    placeholder = sealed(session, IBAN, "IBAN_CODE", "person")

    def valid(entity_type: str, value: str) -> bool:
        raise ValueError(value)

    with pytest.raises(GrantRefused) as caught:
        session.open([placeholder], Inject("c", "t", "a", Accepts("IBAN_CODE"), valid=valid))
    assert caught.value.__context__ is None


def test_one_refusal_opens_and_burns_none(session: VaultSession) -> None:
    code = sealed(session, "482913", "OTP_CODE", "interrupt")
    name = sealed(session, "Ann Example", "PERSON", "person")
    with pytest.raises(GrantRefused):
        session.open([code, name], inject(given=(code,)))
    assert session.facts([code])[code].uses_left == 1


def test_the_missing_grant_is_named_and_audited(vault: Vault, session: VaultSession) -> None:
    placeholder = sealed(session, IBAN, "IBAN_CODE", "tool:web")
    for accepts, missing in (
        (None, "Accepts('IBAN_CODE')"),
        (Accepts("IBAN_CODE"), "Accepts('IBAN_CODE', origins=('tool:web',))"),
    ):
        with pytest.raises(GrantRefused) as caught:
            session.open([placeholder], inject(accepts))
        assert caught.value.missing == missing
        event = list(vault.audit.rows())[-1]
        assert event.action == "refused"
        assert event.fields["missing"] == missing
        assert event.fields["placeholders"] == [str(placeholder)]
        assert (event.fields["tool"], event.fields["argument"]) == ("transfer", "to")


def test_unknown_placeholders_are_refused_for_a_tool_and_left_out_of_a_text(session: VaultSession) -> None:
    known = sealed(session, "Ann Example", "PERSON", "person")
    for wrong in (
        Placeholder("PERSON", "00000000"),
        Placeholder("LOCATION", known.code),
        Placeholder("PERSON", known.code, "ABC".replace("A", "0")),
        Placeholder("PERSON", known.code + "00000"),
    ):
        with pytest.raises(UnknownPlaceholder):
            session.open([wrong], inject(Accepts("PERSON")))
        with pytest.raises(UnknownPlaceholder):
            session.open([wrong], Reveal())
        assert session.open([wrong, known], Restore()).keys() == {known}


def test_openings_are_audited_without_values(vault: Vault, session: VaultSession) -> None:
    placeholder = sealed(session, IBAN, "IBAN_CODE", "person")
    session.open([placeholder], Restore("restore_reply"))
    session.open([placeholder], Reveal())
    session.open([placeholder], inject(Accepts("IBAN_CODE")))
    events = list(vault.audit.rows())[-3:]
    assert [event.fields["kind"] for event in events] == ["restore", "reveal", "inject"]
    assert {event.session for event in events} == {session.id}
    assert IBAN not in str(events)


def test_names_outside_the_grammar_become_pseudonyms(vault: Vault, session: VaultSession) -> None:
    placeholder = sealed(session, IBAN, "IBAN_CODE", "person")
    session.open([placeholder], Inject("call 4829", "Ann's tool", "é", Accepts("IBAN_CODE")))
    assert not {"Ann's tool", "é", "call 4829"} & {str(value) for value in list(vault.audit.rows())[-1].fields.values()}


def test_without_an_audit_row_nothing_opens(
    vault: Vault, session: VaultSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = sealed(session, "482913", "OTP_CODE", "interrupt")

    def fail(self: SqliteAudit, row: object) -> None:
        raise AuditUnavailable("no row")

    with monkeypatch.context() as patched:
        patched.setattr(SqliteAudit, "append", fail)
        for purpose in (Restore(), Reveal(), inject(given=(code,))):
            with pytest.raises(AuditUnavailable):
                session.open([code], purpose)
        with pytest.raises(AuditUnavailable):
            session.shred()
        with pytest.raises(AuditUnavailable):
            session.seal([SealRequest(secret_of("new"), "CUSTOM", "person")])
    assert session.facts([code])[code].uses_left == 1
    assert session.match(len) == 1
