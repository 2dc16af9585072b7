"""Numbers in words: what a quick look passes over holds none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealgate.redaction.reading.spoken import runs, said

WORDS = (
    "one", "two", "Three", "FOUR", "seventeen", "forty", "double", "oh", "o", "no", "sorry", "sentence", "phone",
    "weight", "someone's", "one's", "'two'", "4", "12", "-", ",", "\u212aone", "\u017fix", "é",
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=10), st.sampled_from(["", " ", "-"]))
def test_what_is_said_is_what_is_read_at_length(words: list[str], between: str) -> None:
    text = between.join([*words, " ten sentences, often"])
    at_length = [run for run in runs(text) if run.spoken and len(run.digits) >= 3]
    assert [(edit.start, edit.end) for edit in said(text)] == [(run.start, run.end) for run in at_length]


@pytest.mark.parametrize("text", ["most sentences often mention a phone", "the weight of attention"])
def test_parts_of_words_say_nothing(text: str) -> None:
    assert said(text) == []
