"""Which part of a streamed answer may be shown, and that all of it is the whole message."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealgate.gateway.events.holdback import MAX_BLOCK
from sealgate.gateway.turn.answer_stream import (
    CONTEXT,
    LONG_UNIT,
    LONGEST_UNIT,
    MIN_UNIT,
    AnswerStream,
    Shown,
    Span,
    units_of,
)

LONG = "This sentence is long enough to be a unit for itself, as it has far more than sixty-four. "


def hide(text: str) -> str:
    """A redactor of names that needs context: ``ada`` counts wherever it stands once ``Ada`` stands anywhere."""
    names = {name.lower() for name in re.findall(r"\b(?:Ada|Bob)\b", text)}
    return re.sub(r"\w+", lambda word: "[NAME]" if word[0].lower() in names else word[0], text)


def find(text: str) -> list[Span]:
    """Where it hides something."""
    names = {name.lower() for name in re.findall(r"\b(?:Ada|Bob)\b", text)}
    found = [word for word in re.finditer(r"\w+", text) if word[0].lower() in names]
    return [Span(word.start(), word.end(), "PERSON") for word in found]


def nothing(_text: str) -> list[Span]:
    return []


def streamed(text: str, size: int) -> tuple[str, int]:
    """What a browser has in the end, and how often it had to start anew."""
    stream, has, anew = AnswerStream(hide, find), "", 0
    pieces = [stream.feed(text[at : at + size]) for at in range(0, len(text), size)]
    for shown in (*pieces, stream.finish(hide(text))):
        anew += shown.discard
        has = shown.text if shown.discard else has + shown.text
    return has, anew


WORDS = st.sampled_from(["Ada", "ada", "bob", "Bob", "the", "word. ", "end!\n\n", "\n", LONG, "x" * 70, "1. ", "[A_B]"])


@given(parts=st.lists(WORDS, max_size=60), size=st.integers(1, 200))
def test_all_that_is_shown_is_the_whole_message(parts: list[str], size: int) -> None:
    text = " ".join(parts)
    assert streamed(text, size)[0] == hide(text)


@given(parts=st.lists(st.sampled_from(["Ada ", "bob ", LONG, "end.\n"]), max_size=80), size=st.integers(1, 50))
def test_it_starts_anew_for_nothing_but_a_late_name(parts: list[str], size: int) -> None:
    assert streamed("".join(parts), size)[1] == 0


def test_a_name_that_is_recognised_late_takes_back_what_was_shown() -> None:
    text = f"I know bob well. {LONG}{LONG}{LONG}But Bob knows me too, as it happens, and that is all. {LONG}{LONG}"
    assert streamed(text, 5) == (hide(text), 1)


def test_a_unit_waits_for_the_next_and_goes_with_it_where_that_changes_it() -> None:
    stream = AnswerStream(hide, find)
    first = "I know bob well, and I have known bob for some time, as I said to him. "
    second = "But Bob does not know me, and this is all that there is to say about it. "
    assert [stream.feed(unit).text for unit in (first, second, LONG)] == ["", "", ""]
    assert stream.feed(f"{LONG}And").text == hide(first + second) + LONG
    assert stream.feed(f" {LONG}And").text == LONG


def test_what_never_settles_leaves_at_last() -> None:
    spans = (Span(0, number, "PERSON") for number in range(1, 10**6))
    stream = AnswerStream(lambda text: text, lambda _text: [next(spans)])
    left = "".join(stream.feed(LONG).text for _ in range(60))
    assert LONGEST_UNIT <= len(left) <= 60 * len(LONG)


def test_it_gives_up_after_a_few_times() -> None:
    redacted: list[int] = []

    def fickle(text: str) -> str:
        redacted.append(len(text))
        return f"{len(redacted)} {text}"

    stream = AnswerStream(fickle, nothing)
    assert [bool(stream.feed(LONG).text) for _ in range(12)].count(True) < 12
    assert len(redacted) < 12
    assert stream.finish("whole") == Shown("whole", discard=True)


def test_what_is_read_again_is_bounded() -> None:
    seen: list[int] = []

    def redact(text: str) -> str:
        seen.append(len(text))
        return text

    stream = AnswerStream(redact, nothing)
    for _ in range(100):
        stream.feed(LONG)
    assert CONTEXT < max(seen) < CONTEXT + 3 * len(LONG)


BLOCK = "-----BEGIN PRIVATE KEY-----\n"
UNITS: dict[str, tuple[str, str | None]] = {
    "a sentence": (LONG + "And", LONG),
    "the last of several": (LONG + LONG + "And", LONG + LONG),
    "not before the next begins": (LONG, None),
    "nothing short": ("A word. And", None),
    "a title": ("x" * MIN_UNIT + " and Dr. Smith", None),
    "an initial": ("x" * MIN_UNIT + " and J. Smith", None),
    "a street": ("x" * MIN_UNIT + " at 12 Harbour Ave. Bristol", None),
    "a decimal": ("x" * MIN_UNIT + " is 3.14", None),
    "a paragraph": ("x" * MIN_UNIT + " Title\n\nAnd", "x" * MIN_UNIT + " Title\n\n"),
    "a line of an address": ("x" * MIN_UNIT + " 500 Main St\nSpringfield", None),
    "any line of many": ("a line\n" * 100 + "And", "a line\n" * 100),
    "any word of many": ("word " * 600 + "And", "word " * 600),
    "no word at all": ("x" * LONGEST_UNIT * 3, None),
    "a sentence without spaces": ("你" * MIN_UNIT + "。好", "你" * MIN_UNIT + "。"),
    "up to an open block": (LONG + BLOCK + "MIIE. " * 100, LONG),
    "in an open block": (BLOCK + "MIIE. " * 100, None),
    "a block that never ends": (BLOCK + "MIIE. " * MAX_BLOCK + "x", BLOCK + "MIIE. " * MAX_BLOCK),
}


@pytest.mark.parametrize("name", UNITS)
def test_the_unit_of_release(name: str) -> None:
    text, unit = UNITS[name]
    ends = units_of(text)
    assert (unit or "").startswith(text[: ends[-1] if ends else 0])
    assert len(unit or "") - (ends[-1] if ends else 0) < MIN_UNIT
    assert all(later - before >= MIN_UNIT for before, later in pairwise([0, *ends]))
    assert MIN_UNIT < LONG_UNIT < LONGEST_UNIT


def test_it_shows_no_text_in_its_repr() -> None:
    assert "secret" not in repr(Shown("secret"))
