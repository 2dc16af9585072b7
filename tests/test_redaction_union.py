"""The union of findings."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.models.findings import Finding
from sealgate.redaction.union import EXPECTED, KNOWN, LITERAL, resolve

TYPES = ("PERSON", "LOCATION", "STREET_ADDRESS", "CREDIT_CARD", "PASSWORD", "ACCOUNT_NUMBER", "DATE_OF_BIRTH", "URL")
TEXT = "Ada Quill, 12 Main St. paid 4539 7877 8932 8790.com today!"


def resolved(*findings: Finding) -> list[tuple[str, str]]:
    return [(item.entity_type, TEXT[item.start : item.end]) for item in resolve(TEXT, findings)]


def at(text: str, entity_type: str, recognizer: str = "rule", score: float = 0.9) -> Finding:
    start = TEXT.index(text)
    return Finding(entity_type, start, start + len(text), score, recognizer)


def test_a_validated_value_keeps_its_boundaries() -> None:
    card = at("4539 7877 8932 8790", "CREDIT_CARD")
    assert resolved(card, at("8790.com", "URL")) == [("CREDIT_CARD", "4539 7877 8932 8790"), ("URL", "com")]


def test_the_class_decides_and_not_the_score() -> None:
    found = resolved(at("4539 7877", "DATE_OF_BIRTH", score=1.0), at("4539 7877", "PHONE_NUMBER", score=0.4))
    assert found == [("PHONE_NUMBER", "4539 7877")]


def test_pieces_of_a_name_are_one() -> None:
    assert resolved(at("Ada", "PERSON"), at("Quill", "PERSON")) == [("PERSON", "Ada Quill")]


def test_pieces_of_an_address_are_one_and_a_name_is_not_part_of_it() -> None:
    found = resolved(at("Quill", "PERSON"), at("12", "STREET_ADDRESS"), at("Main St", "STREET_ADDRESS"))
    assert found == [("PERSON", "Quill"), ("STREET_ADDRESS", "12 Main St")]


def test_a_known_value_inside_a_larger_finding_stays_itself() -> None:
    found = resolved(at("Ada Quill", "PERSON", "spacy"), at("Quill", "CUSTOM", KNOWN))
    assert found == [("PERSON", "Ada"), ("CUSTOM", "Quill")]


def test_a_short_rest_of_a_guess_is_dropped() -> None:
    assert resolved(at("12 Main", "STREET_ADDRESS", "rampart"), at("Main", "CUSTOM", KNOWN)) == [("CUSTOM", "Main")]


@pytest.mark.parametrize("recognizer", [KNOWN, LITERAL, EXPECTED])
def test_fixed_classes_are_not_swallowed(recognizer: str) -> None:
    inner = at("7877", "PIN" if recognizer != LITERAL else "LITERAL", recognizer)
    found = [text for _, text in resolved(at("4539 7877 8932 8790", "PASSWORD"), inner)]
    assert found == ["4539", "7877", "8932 8790"]


FINDINGS = st.builds(
    lambda kind, start, size, score, name: Finding(kind, start, min(start + size, len(TEXT)), score, name),
    st.sampled_from(TYPES),
    st.integers(0, len(TEXT) - 1),
    st.integers(1, 20),
    st.sampled_from([0.5, 0.9]),
    st.sampled_from(["rule", KNOWN, EXPECTED]),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(FINDINGS, max_size=12))
def test_all_letters_and_digits_stay_covered_and_nothing_overlaps(findings: list[Finding]) -> None:
    found = resolve(TEXT, findings)
    assert all(left.end <= right.start for left, right in pairwise(found))
    covered = {place for item in found for place in range(item.start, item.end)}
    wanted = {place for item in findings for place in range(item.start, item.end) if TEXT[place].isalnum()}
    assert wanted <= covered


def test_a_rule_that_found_the_value_beats_a_model_that_took_more_for_it() -> None:
    wider = Finding("EMAIL_ADDRESS", 0, 20, 0.99, "rampart")
    found = resolve("mail eve@example.org now", [wider, Finding("EMAIL_ADDRESS", 5, 20, 0.9, "email")])
    assert [(item.start, item.end, item.recognizer) for item in found] == [(5, 20, "email")]
