"""The lenient reader of placeholders."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.models.entities import ENTITY_TYPES
from sealgate.models.placeholder import ALPHABET, Placeholder
from sealgate.redaction import find_lenient

TYPES = st.one_of(st.sampled_from(sorted(ENTITY_TYPES)), st.just("CUSTOM_ORDER_NO"))
CODES = st.one_of(st.text(ALPHABET, min_size=8, max_size=8), st.text(ALPHABET, min_size=13, max_size=13))
FORMS = st.one_of(st.just(""), st.text(ALPHABET, min_size=3, max_size=3), st.text(ALPHABET, min_size=5, max_size=5))
PLACEHOLDERS = st.builds(Placeholder, TYPES, CODES, FORMS)
SPELLINGS = (
    str,
    lambda token: token.lower(),
    lambda token: token.strip("[]"),
    lambda token: token.replace("_", "\\_"),
    lambda token: token.replace("[", "\\[").replace("]", "\\]"),
    lambda token: token.replace("[", "&#91;").replace("]", "&#93;").replace("_", "&#95;"),
    lambda token: token.replace("[", "[**").replace("]", "**]"),
    lambda token: token[: token.rindex("_") + 1] + "\n" + token[token.rindex("_") + 1 :],
)


@settings(max_examples=60, deadline=None)
@given(PLACEHOLDERS, st.sampled_from(range(len(SPELLINGS))))
def test_every_tolerated_spelling_is_read(placeholder: Placeholder, spelling: int) -> None:
    text = f"see {SPELLINGS[spelling](str(placeholder))}, please"
    found = find_lenient(text)
    assert [item.placeholder for item in found] == [placeholder]
    assert found[0].strict == (spelling == 0)


@settings(max_examples=60, deadline=None)
@given(PLACEHOLDERS)
def test_a_bracketed_spelling_takes_its_brackets_along(placeholder: Placeholder) -> None:
    text = f"a {str(placeholder).lower()} b"
    found = find_lenient(text)
    assert (text[: found[0].start], text[found[0].end :]) == ("a ", " b")


@pytest.mark.parametrize(
    "text",
    [
        "[EMAIL_ADDRESS_K7Q2MXB]",
        "[EMAIL_ADDRESS_K7Q2MXB45]",
        "EMAIL_ADDRESS_K7Q2MXBA",
        "no_such_type_k7q2mxb4",
        "email_address_",
        "person_validated",
        "[PERSON K7Q2MXB4]",
    ],
)
def test_another_or_a_missing_symbol_is_never_guessed_at(text: str) -> None:
    assert find_lenient(text) == []


def test_a_longer_name_around_a_type_is_no_other_type() -> None:
    found = find_lenient("first_person_k7q2mxb4")
    assert [(item.start, item.placeholder.entity_type) for item in found] == [(6, "PERSON")]


def test_strict_tokens_of_unknown_types_are_found() -> None:
    assert [item.strict for item in find_lenient("[NO_SUCH_K7Q2MXB4]")] == [True]


@settings(max_examples=80, deadline=None)
@given(st.text(st.sampled_from("[]_\\*&#95;PINpin0K \n."), max_size=80))
def test_spans_are_in_order_and_do_not_overlap(text: str) -> None:
    found = find_lenient(text)
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert all(0 <= item.start < item.end <= len(text) for item in found)
