"""The exact round trip: ``restore(redact(x)) == x``, for texts and for JSON, whatever they look like."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sealgate.models.jsonvalue import JsonValue
from sealgate.models.placeholder import ALPHABET, find_all
from sealgate.redaction import Detector, Redactor, Restorer, find_lenient

FAST = Detector(names=False)
SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

PIECES = st.sampled_from(
    [
        "[EMAIL_ADDRESS_K7Q2MXB4]", "[PIN_12345678.9FD]", "[LITERAL_", "_K7Q2MXB4]", "[[", "]]",
        "email_address_k7q2mxb4",
        "\\[PERSON\\_K7Q2MXB4\\]", "&#91;CVV_00000000&#93;", "[CUSTOM_X_BCDFGHJK]", "[NO_SUCH_TYPE_K7Q2MXB4]",
        "ada@tallowbrook.net",
        "4111 1111 1111 1111", "ada%40tallowbrook.net", "code 482913", "\ud800", "\udfff", "\u200b", "\u00ad",
        "١٢٣٤٥٦٧٨", "ﬁ", "ẞ", "İ",
        "password: hunter2!X", " ", "\n", ".", "PIN 4821", "4821", "DE89 3704 0044 0532 0130 00", "\x00",
        "YWRhQHRhbGxvd2Jyb29rLm5ldA==",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(st.characters(), max_size=80), st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=12).map("".join)
)
CODES = st.text(ALPHABET, min_size=8, max_size=8)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=12
)


def exactly(value: JsonValue) -> Any:
    """A form of a JSON value that tells 1 from 1.0, -0.0 from 0.0 and one key order from another."""
    if isinstance(value, dict):
        return [(key, exactly(item)) for key, item in value.items()]
    return [exactly(item) for item in value] if isinstance(value, list) else (type(value), repr(value))


@SETTINGS
@given(text=TEXTS)
@example(text="[EMAIL_ADDRESS_K7Q2MXB4.9FD]")
@example(text="\ud83d code: 482913 \udd11")
def test_text_comes_back_exactly(text: str, memory_sealer: Any) -> None:
    redacted = Redactor(FAST, memory_sealer).redact(text).text
    assert Restorer(memory_sealer).restore(redacted) == text


@SETTINGS
@given(text=TEXTS)
def test_each_redaction_is_one_layer(text: str, memory_sealer: Any) -> None:
    redactor, restorer = Redactor(FAST, memory_sealer), Restorer(memory_sealer)
    once = redactor.redact(text).text
    twice = redactor.redact(once).text
    assert restorer.restore(twice) == once
    assert restorer.restore(restorer.restore(twice)) == text


@SETTINGS
@given(text=TEXTS, known=st.lists(TEXTS, max_size=3))
def test_known_values_do_not_break_it(text: str, known: list[str], memory_sealer: Any) -> None:
    redactor, restorer = Redactor(FAST, memory_sealer), Restorer(memory_sealer)
    assert restorer.restore(redactor.redact(text, known=known).text) == text
    joined = text + "".join(known) + text
    assert restorer.restore(redactor.redact(joined).text) == joined


@SETTINGS
@given(value=JSON)
@example(value={"a": [1, 1.0, -0.0, 0.0, "1"], "4111111111111111": 4111111111111111, "card": 4111111111111111.0})
def test_json_comes_back_exactly(value: JsonValue, memory_sealer: Any) -> None:
    redacted = Redactor(FAST, memory_sealer).redact_json(value)
    assert exactly(Restorer(memory_sealer).restore_json(redacted)) == exactly(value)


@SETTINGS
@given(text=TEXTS)
def test_no_look_alike_is_left(text: str, memory_sealer: Any) -> None:
    redacted = Redactor(FAST, memory_sealer).redact(text)
    issued = {finding.placeholder for finding in redacted.findings}
    assert {placeholder for _, _, placeholder in find_all(redacted.text)} <= issued
    assert {item.placeholder for item in find_lenient(redacted.text)} <= issued


@pytest.mark.parametrize("name", ["person", "Iban_Code", "custom_order"])
@SETTINGS
@given(code=CODES)
def test_lenient_spellings_are_sealed_as_literals(name: str, code: str, memory_sealer: Any) -> None:
    text = f"see {name}_{code.lower()} there"
    redaction = Redactor(FAST, memory_sealer).redact(text)
    assert [finding.entity_type for finding in redaction.findings] == ["LITERAL"]
    assert Restorer(memory_sealer).restore(redaction.text) == text


@pytest.mark.parametrize("before", ["", "see ", "first_"])
def test_look_alikes_that_a_value_was_glued_to_are_sealed(before: str, memory_sealer: Any) -> None:
    text = f"{before}EMAIL_ADDRESS_0000000G4111111111111111"
    redaction = Redactor(FAST, memory_sealer).redact(text)
    assert [finding.entity_type for finding in redaction.findings] == ["LITERAL", "CREDIT_CARD"]
    assert {item.placeholder for item in find_lenient(redaction.text)} == {
        item.placeholder for item in redaction.findings
    }
    assert Restorer(memory_sealer).restore(redaction.text) == text
