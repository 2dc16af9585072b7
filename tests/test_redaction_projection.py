"""The projection and its way back."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.redaction.reading.escapes import decoded
from sealgate.redaction.reading.projection import project, project_text

SETTINGS = settings(max_examples=100, deadline=None)


@pytest.mark.parametrize(
    ("text", "projected"),
    [
        ("４１１１", "4111"),
        ("٤١١١", "4111"),
        ("4\u200b1\u00ad1\ufeff1", "4111"),
        ("4111\u00a01111", "4111 1111"),
        ("219–09—9999", "219-09-9999"),
        ("ＡＢｃ＠ｘ．io", "ABc@x.io"),
        ("ﬁ", "fi"),
        ("İ ı", "I i"),
        ("it’s “so”", 'it\'s "so"'),
        ("\u2028", "\n"),
        ("\ud800x", "\ud800x"),
        ("Jose\u0301", "José"),
        ("\u1112\u1161\u11ab", "한"),
        ("4\ufe0f\u20e32\u0336", "42"),
        ("4\U000e01011\u3164\u034f1", "411"),
        ("plain", "plain"),
    ],
)
def test_look_alikes(text: str, projected: str) -> None:
    assert project(text).text == projected


@SETTINGS
@given(st.text(st.sampled_from("eé4\u0301\u0332\u20e3한\u1112\u1161\u11ab\u3099か\u200b\ud800ﬁ "), max_size=30))
def test_both_projections_agree(text: str) -> None:
    assert project(text).text == project_text(text)


@SETTINGS
@given(st.text(st.characters(), max_size=60))
def test_every_projected_span_maps_to_one_original_span(text: str) -> None:
    projection = project(text)
    spans = [projection.span(at, at + 1) for at in range(len(projection.text))]
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(left.start <= right.start and left.end <= right.end for left, right in pairwise(spans))
    if projection.text:
        whole = projection.span(0, len(projection.text))
        assert (whole.start, whole.end) == (spans[0].start, spans[-1].end)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("to=john%40example.com", "to=john@example.com"),
        ("&lt;john&#64;example.com&gt;", "<john@example.com>"),
        ("a\\u0040b", "a@b"),
        ("a\\x40b", "a@b"),
        ("%C3%A9", "é"),
        ("\\ud83d\\udd11", "🔑"),
    ],
)
def test_escapes_are_seen_through(text: str, plain: str) -> None:
    through = decoded(project(text))
    assert through is not None
    assert through.text == plain
    assert through.span(0, len(plain)) == (0, len(text))


@pytest.mark.parametrize("text", ["100% sure", "a & b", "back\\slash", "plain", "&nosuch;", "%zz"])
def test_nothing_to_see_through(text: str) -> None:
    assert decoded(project(text)) is None


def test_a_part_of_an_escape_leads_to_the_whole() -> None:
    through = decoded(project("x&#64;y"))
    assert through is not None
    assert through.span(1, 2) == (1, 6)
