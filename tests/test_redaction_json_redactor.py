"""The redactor of JSON."""

from __future__ import annotations

import math
from typing import Any

import pytest

from sealgate.models.errors import LimitExceeded, NotJson, TextTooLong, TooManyValues
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.placeholder import STRICT
from sealgate.redaction import Detector, Redactor, Restorer, batch, key_cue


@pytest.fixture
def redactor(memory_sealer: Any) -> Redactor:
    """A redactor without models."""
    return Redactor(Detector(names=False), memory_sealer)


def test_keys_are_redacted_too(redactor: Redactor, memory_sealer: Any) -> None:
    value: JsonValue = {"contacts": {"ada@tallowbrook.net": "VIP"}}
    redacted: Any = redactor.redact_json(value)
    (key,) = redacted["contacts"]
    assert STRICT.fullmatch(key)
    assert redacted["contacts"][key] == "VIP"
    assert Restorer(memory_sealer).restore_json(redacted) == value


def test_a_number_is_sealed_whole_and_comes_back_as_that_number(redactor: Redactor, memory_sealer: Any) -> None:
    value: JsonValue = {"card": 4539787789328790, "amount": 12, "rate": -0.0}
    redacted: Any = redactor.redact_json(value)
    assert STRICT.fullmatch(redacted["card"])
    assert redacted["amount"] == 12
    assert math.copysign(1, redacted["rate"]) == -1
    restored: Any = Restorer(memory_sealer).restore_json(redacted)
    assert restored == value
    assert type(restored["card"]) is int


def test_a_key_is_a_cue_for_its_value(redactor: Redactor) -> None:
    redacted: Any = redactor.redact_json({"ssn": 219099999, "cardPin": "4821"})
    assert STRICT.fullmatch(redacted["ssn"])
    assert STRICT.fullmatch(redacted["cardPin"])


def test_booleans_and_null_are_never_hidden(redactor: Redactor) -> None:
    value: JsonValue = [True, False, None, "True"]
    redacted: Any = redactor.redact_json(value, known=["True", "None"])
    assert redacted[:3] == [True, False, None]


@pytest.mark.parametrize("value", [math.nan, math.inf, {1: 2}, {"a": {1, 2}}, b"x", (1,), object()])
def test_what_json_cannot_carry_is_refused(redactor: Redactor, memory_sealer: Any, value: Any) -> None:
    with pytest.raises(NotJson):
        redactor.redact_json({"mail": "ada@tallowbrook.net", "rest": value})
    assert memory_sealer.entries == {}


def test_a_huge_integer_is_refused(redactor: Redactor) -> None:
    with pytest.raises(LimitExceeded):
        redactor.redact_json([10**5000])


def test_all_texts_together_have_a_bound(redactor: Redactor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MAX_TEXT", 10)
    with pytest.raises(TextTooLong):
        redactor.redact_json(["x" * 6, "y" * 6])


def test_new_values_are_counted_over_the_whole_value(redactor: Redactor, memory_sealer: Any) -> None:
    with pytest.raises(TooManyValues):
        redactor.redact_json(["a@x.io", {"b@x.io": "c@x.io"}], max_new=2)
    assert memory_sealer.entries == {}


@pytest.mark.parametrize(
    ("key", "cue"),
    [("cardNumber", "card number: "), ("first_name", "first name: "), ("SSN", "SSN: "), ("", ""), ("ключ", "")],
)
def test_key_cues(key: str, cue: str) -> None:
    assert key_cue(key) == cue


@pytest.mark.parametrize(
    ("value", "private"),
    [
        ({"password": "p@ss w0rd with spaces"}, ["p@ss w0rd with spaces"]),
        ({"client_secret": "s3cr,et;1(x)"}, ["s3cr,et;1(x)"]),
        ({"passwords": ["hunter2x", "let me in 99"]}, ["hunter2x", "let me in 99"]),
        ({"phones": ["4156822671", 4156822672]}, ["4156822671", 4156822672]),
        ({"password": {"value": "letmein1"}}, ["letmein1"]),
        ({"phone": {"number": "4156822671"}}, ["4156822671"]),
        ({"account": {"id": "00123456789"}}, ["00123456789"]),
        ({"ssn": {"data": 536228145}}, [536228145]),
    ],
)
def test_a_key_is_a_cue_for_all_that_stands_under_it(redactor: Redactor, value: Any, private: list[Any]) -> None:
    redacted = redactor.redact_json(value)
    assert leaves(redacted) == [None] * len(private)
    assert leaves(value) == private


@pytest.mark.parametrize(
    "value",
    [
        {"id": 3074185296, "items": [{"id": 48213001}]},
        {"data": {"id": 12345678, "value": 3.5}},
        {"tokens": [101, 2023, 102], "max_token": "4096"},
        {"token": "the next word", "secret": "must be set", "password": ""},
        {"model": "gpt-4o-mini", "seed": 1234567890},
    ],
)
def test_what_programs_keep_under_such_keys_stays(redactor: Redactor, value: Any) -> None:
    assert redactor.redact_json(value) == value


def leaves(value: Any) -> list[Any]:
    """The strings and numbers of a JSON value, ``None`` for a placeholder."""
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [None if isinstance(value, str) and STRICT.fullmatch(value) else value]
