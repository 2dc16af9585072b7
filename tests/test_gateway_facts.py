"""Facts instead of values: fixed per type, none for secrets, each reading in the audit."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sealgate.gateway import (
    Gateway,
    GrantRefused,
    MalformedPlaceholder,
    Policy,
    Rule,
    SealedFacts,
    Session,
    UnknownPlaceholder,
    ValueGone,
)
from sealgate.gateway.facts import card_brand, last_four, over_18
from sealgate.models.placeholder import parse
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.redaction import Detector

NOW = datetime(2026, 6, 15, tzinfo=UTC).timestamp()


def seal(session: Session, value: str, entity_type: str, origin: str = "person", **options: Any) -> str:
    request = SealRequest(secret_of(value), entity_type, origin, **options)
    return str(session._services.vault.seal([request])[0])


@pytest.mark.parametrize(
    ("value", "entity_type", "told"),
    [
        ("4111 1111 1111 1111", "CREDIT_CARD", {"format_valid": True, "card_brand": "visa"}),
        ("4111 1111 1111 1112", "CREDIT_CARD", {"format_valid": False}),
        ("GB82 WEST 1234 5698 7654 32", "IBAN_CODE", {"format_valid": True, "issuer_country": "GB"}),
        ("+44 20 7946 0958", "PHONE_NUMBER", {"format_valid": True, "issuer_country": "GB"}),
        ("020 7946 0958", "PHONE_NUMBER", {"format_valid": True}),
        ("a@example.com", "EMAIL_ADDRESS", {"format_valid": True}),
        ("1990-02-01", "DATE_OF_BIRTH", {"over_18": True}),
        ("Jane Roe", "PERSON", {}),
        ("blue", "ANSWER", {}),
    ],
)
def test_what_is_told(session: Session, value: str, entity_type: str, told: dict[str, Any]) -> None:
    placeholder = seal(session, value, entity_type)
    facts = session.sealed_facts(placeholder)
    assert facts == SealedFacts(placeholder=placeholder, entity_type=entity_type, **told)


@pytest.mark.parametrize("entity_type", ["OTP_CODE", "PIN", "CVV", "PASSWORD", "API_KEY", "PRIVATE_KEY", "JWT"])
def test_secrets_have_none(gateway: Gateway, session: Session, entity_type: str) -> None:
    placeholder = seal(session, "hunter2-4821", entity_type)
    with pytest.raises(GrantRefused):
        session.sealed_facts(placeholder)
    row = list(gateway.audit.rows())[-1]
    assert (row.action, row.fields["placeholders"]) == ("refused", [placeholder])


def test_a_card_that_is_also_a_secret_has_none(session: Session) -> None:
    placeholder = seal(session, "4111 1111 1111 1111", "CREDIT_CARD")
    seal(session, "4111 1111 1111 1111", "PASSWORD")
    with pytest.raises(GrantRefused):
        session.sealed_facts(placeholder)


def test_the_last_four_only_by_the_policy(detector: Detector) -> None:
    policy = Policy(version=1, rules=(Rule(purpose="facts", types=("CREDIT_CARD",)),))
    with Gateway.open(":memory:", detector=detector, policy=policy) as gateway:
        session = gateway.session("s")
        assert session.sealed_facts(seal(session, "4111 1111 1111 1111", "CREDIT_CARD")).last_four == "1111"
        page = seal(session, "5555 5555 5555 4444", "CREDIT_CARD", "tool:web")
        assert session.sealed_facts(page).last_four is None
        account = seal(session, "GB82WEST12345698765432", "IBAN_CODE")
        assert session.sealed_facts(account).last_four is None


def test_other_spellings_only_of_what_a_person_gave(session: Session) -> None:
    first = seal(session, "4111 1111 1111 1111", "CREDIT_CARD")
    second = seal(session, "4111-1111-1111-1111", "CREDIT_CARD")
    assert session.sealed_facts(first).same_entity == (second,)
    assert session.sealed_facts(second).same_entity == (first,)
    page = seal(session, "5555 5555 5555 4444", "CREDIT_CARD", "tool:web")
    seal(session, "5555-5555-5555-4444", "CREDIT_CARD", "tool:web")
    assert session.sealed_facts(page).same_entity == ()


def test_what_cannot_be_told(gateway: Gateway, session: Session) -> None:
    placeholder = seal(session, "Jane Roe", "PERSON")
    with pytest.raises(UnknownPlaceholder):
        gateway.session("another").sealed_facts(placeholder)
    with pytest.raises(MalformedPlaceholder):
        session.sealed_facts(f"x {placeholder}")
    session._services.vault.forget([parse(placeholder)])
    with pytest.raises((UnknownPlaceholder, ValueGone)):
        session.sealed_facts(placeholder)


def test_each_reading_is_audited(gateway: Gateway, session: Session) -> None:
    placeholder = seal(session, "Jane Roe", "PERSON")
    before = gateway.audit.verify()
    session.sealed_facts(placeholder)
    session.sealed_facts(placeholder)
    rows = list(gateway.audit.rows())[before:]
    assert [(row.action, row.fields["channel"]) for row in rows] == [("opened", "sealed_facts")] * 2


@pytest.mark.parametrize(
    ("number", "brand"),
    [
        ("4111111111111111", "visa"), ("5555555555554444", "mastercard"), ("2223003122003222", "mastercard"),
        ("378282246310005", "amex"), ("6011111111111117", "discover"), ("30569309025904", "diners"),
        ("3530111333300000", "jcb"), ("6200000000000005", "unionpay"), ("9999999999999995", None),
    ],
)  # fmt: skip
def test_card_brands(number: str, brand: str | None) -> None:
    assert card_brand(number) == brand


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2008-06-15", True), ("2008-06-16", False), ("15.06.2008", True), ("16/06/2008", False),
        ("05/07/2008", None), ("05/06/2000", True), ("June 15, 2008", True), ("1 July 2008", False),
        ("yesterday", None), ("2008-02-30", None),
    ],
)  # fmt: skip
def test_over_18(text: str, expected: bool | None) -> None:
    assert over_18(text, NOW) is expected


def test_four_digits_of_a_short_number_are_too_many() -> None:
    assert last_four("12345678") is None
    assert last_four("1234-5678-9") == "6789"
