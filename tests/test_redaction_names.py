"""What models take for names, measured against words and code; windows; growth; propagation."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.models.findings import Finding
from sealgate.redaction.names.code_lines import is_code_line, is_code_text, is_code_value, touches_code
from sealgate.redaction.names.extend import grown
from sealgate.redaction.names.plausible import Prose
from sealgate.redaction.names.windows import OVERLAP, SIZE, windows
from sealgate.redaction.propagation import named_by_addresses, repeats
from sealgate.redaction.words import NAME_WORDS, PLAIN_WORDS, is_plain, is_word


def found_in(text: str, value: str, entity_type: str = "PERSON", recognizer: str = "spacy") -> Finding:
    start = text.index(value)
    return Finding(entity_type, start, start + len(value), 0.75, recognizer)


@pytest.mark.parametrize(
    ("text", "span", "kept"),
    [
        ("the Ada Quill's bike", "the Ada Quill's", "Ada Quill"),
        ("Ask (Priya), please", "(Priya)", "Priya"),
        ("Goodbye and thanks", "Goodbye", None),
        ("it runs on Linux today", "Linux", None),
        ("call getName there", "getName", None),
        ("call Mc Donald or McDonald", "McDonald", "McDonald"),
        ("a vegan kebab for Ada", "vegan kebab", None),
        ("see User.name for it", "User", None),
        ("ASK JOHN SMITH NOW", "JOHN SMITH", "JOHN SMITH"),
        ("the UUID of it", "UUID", None),
        ("sku SKU-42-RED is out", "SKU-42-RED", None),
    ],
)
def test_plausible_names(text: str, span: str, kept: str | None) -> None:
    start = text.index(span)
    found = Prose.of(text).name("PERSON", start, start + len(span), 0.75, "spacy")
    assert (None if found is None else text[found.start : found.end]) == kept


@pytest.mark.parametrize(
    "line",
    [
        "def f(x):",
        "x = call(y)",
        'return {"a": 1}',
        "if (a) {",
        "import os; os.system()",
        "a->b::c",
        "    timeout)",
        "f(8)",
    ],
)
def test_code_lines(line: str) -> None:
    assert is_code_line(line)


@pytest.mark.parametrize(
    "line",
    [
        "Please email John Smith (our CFO) about it.",
        "My mail is ada_quill@x.test, thanks",
        "thanks Odalys :)",
        "@ada_quill @bob_b so good ;-)",
        "I <3 Odalys #best_day",
        "Meet Odalys (from sales)",
        "o_O what did Odalys do",
        "Ask Odalys; she has it",
        "Odalys > Selma, sorry",
        "News of the day | Odalys wins",
    ],
)
def test_prose_lines(line: str) -> None:
    assert not is_code_line(line)


@pytest.mark.parametrize(
    ("span", "score", "kept"),
    [("tom", 0.7, True), ("zorblina", 0.7, False), ("zorblina", 0.9, True), ("tom", 0.5, False)],
)
def test_lower_case_names_in_a_line_of_mixed_case(span: str, score: float, kept: bool) -> None:
    text = f"Did {span} call you back"
    found = Prose.of(text).name("PERSON", 4, 4 + len(span), score, "rampart")
    assert (found is not None) is kept


@pytest.mark.parametrize("unit", ["a", "a1", "a(", ") ", "; ", "a_", ":-", "@a", "http://", '" ', "<"])
def test_one_long_line_is_looked_at_in_one_pass(unit: str) -> None:
    assert is_code_line(unit * (200_000 // len(unit))) in (True, False)


def test_a_text_is_code_by_a_third_of_its_lines() -> None:
    assert is_code_text("def f():\n    return g(x)\nsome words here\n")
    assert not is_code_text("one line")


def test_identifiers_and_what_touches_them() -> None:
    assert all(map(is_code_value, ("a_b", "getName", "f(x", "os.path", "x1")))
    assert not any(map(is_code_value, ("Ada Quill", "McDonald", "O'Neil")))
    assert touches_code("self.Ada", 5, 8)
    assert not touches_code("Ada, Bob", 0, 3)


def test_word_lists() -> None:
    assert is_plain("the following weekend")
    assert not is_plain("Will")
    assert is_word("Will")
    assert is_word("Weekend")
    assert PLAIN_WORDS.isdisjoint(NAME_WORDS)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["Zq", "b ", " ", "zq ", "\n", "."]), max_size=900).map("".join))
def test_windows_are_bounded_and_cover_every_unusual_word(text: str) -> None:
    found = list(windows(text))
    assert all(0 < window.end - window.start <= SIZE for window in found)
    assert all(left.end - right.start <= 2 * OVERLAP for left, right in pairwise(found))
    covered = {place for window in found for place in range(window.start, window.end)}
    assert {at for at, char in enumerate(text) if char in "Zq"} <= covered


def test_windows_of_everyday_words_are_left_out() -> None:
    assert list(windows("Yes, that sounds good. Is it at 7:30 for 2?")) == []
    assert len(list(windows("Yes, that sounds good, Priya."))) == 1
    assert len(list(windows("the number is 12345678"))) == 1


@pytest.mark.parametrize(
    ("text", "value", "whole"),
    [
        ("meet Bryna Barskyex G. today", "Bryna", "Bryna Barskyex G."),
        ("meet Barskyex Bryna today", "Bryna", "Barskyex Bryna"),
        ("Ask Bryna Tomorrow", "Bryna", "Bryna"),
        ("meet Jane van der Berg now", "Jane", "Jane van der Berg"),
        ("a Barskyex Bryna A, therapist", "Bryna", "Barskyex Bryna A"),
        ("met Bryna Barskyex Rheumatologist", "Bryna", "Bryna Barskyex"),
        ("meet Bryna Barskyex. Zooming Doors", "Bryna", "Bryna Barskyex"),
        ("at Heather Barskyex. GCS 15", "Heather", "Heather Barskyex"),
    ],
)
def test_names_grow(text: str, value: str, whole: str) -> None:
    (found,) = grown(text, [found_in(text, value)])
    assert text[found.start : found.end] == whole


def test_addresses_grow_and_stray_numbers_go() -> None:
    text = "at 855 El Camino Real Building #1 Suite #3 and 12 people"
    address = found_in(text, "855 El Camino Real", "STREET_ADDRESS", "rampart")
    stray = found_in(text, "12", "STREET_ADDRESS", "rampart")
    (found,) = grown(text, [address, stray])
    assert text[found.start : found.end] == "855 El Camino Real Building #1 Suite #3"


def test_found_values_are_found_again() -> None:
    text = "Ada Quill wrote. ADA QUILL called, and Quill signed; quill pens."
    again = repeats(text, [found_in(text, "Ada Quill")])
    assert [text[item.start : item.end] for item in again] == ["ADA QUILL", "Quill"]


def test_everyday_words_are_not_looked_for() -> None:
    assert repeats("May came in May", [found_in("May came in May", "May")]) == []


def test_an_address_spells_a_name() -> None:
    text = "Jos? ?lvarez wrote from jose.alvarez@example.es"
    found = named_by_addresses(text, [found_in(text, "jose.alvarez@example.es", "EMAIL_ADDRESS", "email")])
    assert [text[item.start : item.end] for item in found] == ["Jos?", "?lvarez"]
