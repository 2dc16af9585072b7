from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealgate.models.placeholder import Placeholder, parse
from sealgate.models.secretvalue import SecretValue, secret_of
from sealgate.vault.index import Index, random_code, random_suffix

INDEX = Index(bytes(range(32)))


@given(st.text(st.characters(exclude_categories=[]), max_size=40))
def test_marks_depend_on_the_value_alone(text: str) -> None:
    assert INDEX.mark(SecretValue(text)) == INDEX.mark(SecretValue(text))
    assert INDEX.mark(SecretValue(text)) != Index(bytes(32)).mark(SecretValue(text))


@pytest.mark.parametrize(
    "spellings",
    [
        ("4111 1111 1111 1111", "4111-1111-1111-1111", 4111111111111111),
        ("1234-5678-9012", "1234 5678 9012", 123456789012),
        ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
        ("Ann@Example.org", "ann@example.ORG"),
    ],
)
def test_spellings_share_the_identity_and_differ_in_form(spellings: tuple[str | int, ...]) -> None:
    marks = [INDEX.mark(secret_of(value)) for value in spellings]
    assert len({mark.identity for mark in marks}) == 1
    assert len({mark.code(8) for mark in marks}) == 1
    assert len({mark.form for mark in marks}) == len(spellings)


@given(st.text(max_size=20))
def test_codes_and_suffixes_fit_the_grammar(text: str) -> None:
    mark = INDEX.mark(SecretValue(text))
    for code in (mark.code(8), mark.code(13)):
        for suffix in ("", mark.suffix(3), mark.suffix(5)):
            placeholder = Placeholder("CUSTOM", code, suffix)
            assert parse(str(placeholder)) == placeholder


def test_random_codes_differ() -> None:
    assert len({random_code(os.urandom) for _ in range(500)}) == 500
    assert len({random_suffix(os.urandom) for _ in range(50)}) > 40


def test_pseudonyms_keep_purposes_and_fields_apart() -> None:
    names = {INDEX.name("a", "b", "c"), INDEX.name("a", "bc", ""), INDEX.name("ab", "c", ""), INDEX.name("a", "b")}
    assert len(names) == 4
