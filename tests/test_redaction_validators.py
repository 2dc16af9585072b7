"""Well-formed values, and the forms that machines want."""

from __future__ import annotations

import pytest

from sealgate.redaction import is_valid, machine_form


@pytest.mark.parametrize(
    ("entity_type", "value", "form"),
    [
        ("CREDIT_CARD", "4111 1111-1111.1111", "4111111111111111"),
        ("CREDIT_CARD", "４１１１１１１１１１１１１１１１", "4111111111111111"),
        ("IBAN_CODE", "de89 3704 0044-0532 0130 00", "DE89370400440532013000"),
        ("PHONE_NUMBER", "+1 (415) 555-0132 ext. 88", "+14155550132"),
        ("PHONE_NUMBER", "+49 (0)30 901820", "+4930901820"),
        ("PHONE_NUMBER", "0033 6 12 34 56 78", "+33612345678"),
        ("PHONE_NUMBER", "415-555-0132", "4155550132"),
        ("EMAIL_ADDRESS", "john [at] example [dot] com", "john@example.com"),
        ("EMAIL_ADDRESS", " ada@tallowbrook.net ", "ada@tallowbrook.net"),
        ("OTP_CODE", "double four two nine oh three", "442903"),
        ("OTP_CODE", "4 8-2 9 1 4", "482914"),
        ("OTP_CODE", "K7Q-2M9", "K7Q2M9"),
        ("PIN", "four eight two one", "4821"),
        ("CVV", "7 3 1", "731"),
        ("PASSWORD", " S3cret ", " S3cret "),
        ("PERSON", "Ada  Quill", "Ada  Quill"),
    ],
)
def test_machine_forms(entity_type: str, value: str, form: str) -> None:
    assert machine_form(entity_type, value) == form
    assert is_valid(entity_type, value)


@pytest.mark.parametrize(
    ("entity_type", "value"),
    [
        ("CREDIT_CARD", "4111 1111 1111 1112"),
        ("CREDIT_CARD", "no card"),
        ("IBAN_CODE", "DE89 3704 0044 0532 0130 01"),
        ("EMAIL_ADDRESS", "not an address"),
        ("PHONE_NUMBER", "12"),
        ("PHONE_NUMBER", "call me maybe 5551234567"),
        ("PIN", "ab"),
        ("CVV", "12345"),
        ("OTP_CODE", ""),
        ("US_SSN", "12-34"),
        ("SWIFT_CODE", "X"),
        ("ABA_ROUTING_NUMBER", "021000022"),
        ("ACCOUNT_NUMBER", "none"),
    ],
)
def test_malformed_values(entity_type: str, value: str) -> None:
    assert not is_valid(entity_type, value)


def test_a_type_without_a_validator_takes_anything() -> None:
    assert is_valid("ANSWER", "")
    assert is_valid("CUSTOM_ORDER", "x")
