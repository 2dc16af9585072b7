"""Operators on detected values."""

from __future__ import annotations

from typing import Any

import pytest

from sealgate.models.errors import InvalidPolicy, UnknownEntityType
from sealgate.redaction import Detector, Operator, Redactor, Restorer

TEXT = "card 4539 7877 8932 8790 for ada@tallowbrook.net"
CARD = "4539 7877 8932 8790"


def redacted(memory_sealer: Any, operator: Operator, **options: Any) -> str:
    redactor = Redactor(Detector(names=False), memory_sealer, operators={"CREDIT_CARD": operator}, **options)
    return Restorer(memory_sealer).restore(redactor.redact(TEXT).text)


@pytest.mark.parametrize(
    ("operator", "stands"),
    [
        (Operator("seal"), CARD),
        (Operator("keep"), CARD),
        (Operator("redact"), ""),
        (Operator("replace"), "<CREDIT_CARD>"),
        (Operator("replace", new_value="a card"), "a card"),
        (Operator("mask"), "*" * 19),
        (Operator("mask", masking_char="#", chars_to_mask=14), "#" * 14 + " 8790"),
        (Operator("mask", chars_to_mask=4, from_end=True), "4539 7877 8932 ****"),
    ],
)
def test_what_stands_for_a_value(memory_sealer: Any, operator: Operator, stands: str) -> None:
    assert redacted(memory_sealer, operator) == TEXT.replace(CARD, stands)
    sealed = {request.entity_type for request in memory_sealer.entries.values()}
    assert sealed == ({"CREDIT_CARD", "EMAIL_ADDRESS"} if operator.name == "seal" else {"EMAIL_ADDRESS"})


def test_a_hash_is_keyed(memory_sealer: Any) -> None:
    hashed = {redacted(memory_sealer, Operator("hash"), hash_key=bytes([number] * 16)) for number in (1, 1, 2)}
    assert len(hashed) == 2
    with pytest.raises(InvalidPolicy):
        redacted(memory_sealer, Operator("hash"))


def test_known_and_asked_for_values_are_always_sealed(memory_sealer: Any) -> None:
    redactor = Redactor(Detector(names=False), memory_sealer, operators={"CREDIT_CARD": Operator("keep")})
    assert CARD in redactor.redact(TEXT).text
    assert CARD not in redactor.redact(TEXT, known=[CARD]).text
    assert CARD not in redactor.redact(TEXT).text


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "encrypt"},
        {"name": "mask", "masking_char": "**"},
        {"name": "mask", "masking_char": "x"},
        {"name": "mask", "chars_to_mask": 0},
        {"name": "replace", "new_value": "[PIN_12345678]"},
        {"name": "replace", "new_value": "pin_12345678"},
    ],
)
def test_operators_that_make_no_sense_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidPolicy):
        Operator(**fields)


def test_a_misspelled_type_is_refused(memory_sealer: Any) -> None:
    with pytest.raises(UnknownEntityType):
        Redactor(Detector(names=False), memory_sealer, operators={"CREDIT_CRAD": Operator("keep")})
