"""Our reading of the recognizer's model finds what spaCy's own finds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.models.errors import DetectionFailed
from sealgate.redaction.names.ner import load_ner
from sealgate.redaction.names.transitions import Entity, Transitions

WORDS = (
    "Ada", "Lovelace", "lives", "in", "New", "York", "City", "and", "the", "Bank", "of", "England", "on", "Monday",
    "at", "14:30", "paid", "$", "20", "million", "to", "Dr.", "O'Neill", ",", "who", "works", "for", "Acme", "Corp.",
    "\n", "  ", "\t", "Brooklyn", "Bridge", "London", "Grace", "Hopper", "can't", "#", "Priya",
)  # fmt: skip


def spacys(texts: Sequence[str]) -> list[list[Entity]]:
    pipeline = load_ner().pipeline
    with pipeline.memory_zone():
        return [
            [Entity(entity.label_, entity.start_char, entity.end_char) for entity in document.ents]
            for document in pipeline.pipe(texts)
        ]


def ours(texts: Sequence[str]) -> list[list[Entity]]:
    pipeline, transitions = load_ner()
    with pipeline.memory_zone():
        return transitions.read([pipeline.tokenizer(text) for text in texts])


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_entities_are_spacys(texts: list[str]) -> None:
    assert ours(texts) == spacys(texts)


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "London", "New York", " London", "London\n", "in the White House of", "\n Ada \n"]
)
def test_entities_at_the_edges_are_spacys(text: str) -> None:
    assert ours([text, "Ada Lovelace met Charles Babbage in London."]) == spacys(
        [text, "Ada Lovelace met Charles Babbage in London."]
    )


def test_offsets_are_code_points() -> None:
    (found,) = ours(["😀 Ada Lovelace met Charles Babbage in London."])
    assert [(entity.label, entity.start, entity.end) for entity in found] == [
        ("PERSON", 2, 14),
        ("PERSON", 19, 34),
        ("GPE", 38, 44),
    ]


def test_a_recognizer_of_another_kind_is_refused() -> None:
    """It would be read wrongly, and silently."""
    pipeline = load_ner().pipeline
    settings_of = pipeline.get_pipe("ner").cfg
    width = settings_of["beam_width"]
    settings_of["beam_width"] = 8
    try:
        with pytest.raises(DetectionFailed):
            Transitions(pipeline)
    finally:
        settings_of["beam_width"] = width
