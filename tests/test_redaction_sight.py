"""Matchers that share a sight of one text find what each finds by itself."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.models.placeholder import ALPHABET, Placeholder
from sealgate.models.sealing import LiveValue
from sealgate.models.secretvalue import SecretValue
from sealgate.redaction import KnownValues
from sealgate.redaction.known.patterns import Tables
from sealgate.redaction.reading import sight
from sealgate.redaction.reading.projection import project
from sealgate.redaction.reading.sight import Sight

CARD = "4929-1182-3345-9921"
VALUES = (CARD, "482913", "Priya Raman", "tok/en+77", "ünïcode-wörter-12")

PIECES = (
    *VALUES, CARD[::-1], CARD.replace("-", ""), base64.b64encode(CARD.encode()).decode(), CARD.encode().hex(),
    " ", "\0", "&#52;", "four eight two nine one three", "<b>", "[PERSON_00000000]", "sentence", "\U000e0034", "é",
)  # fmt: skip


def matcher(*values: str) -> KnownValues:
    return KnownValues(
        [
            LiveValue(SecretValue(value), Placeholder("CUSTOM", ALPHABET[VALUES.index(value)] * 8), ("CUSTOM",))
            for value in values
        ]
    )


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_a_shared_sight_is_a_fresh_one(text: str) -> None:
    seen = Sight(text)
    for known in (matcher(CARD), matcher(*VALUES[1:]), matcher(), matcher(*VALUES)):
        assert known.suspects(seen) == known.suspects(text)
        assert known.find(seen) == known.find(text)


def test_what_is_seen_is_made_once_and_only_as_far_as_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(text: str) -> object:
        made.append(text)
        return project(text)

    monkeypatch.setattr(sight, "project", counted)
    seen = Sight("nothing that anybody knows")
    assert not matcher(CARD).find(seen)
    assert made == []
    seen = Sight(f"a card {CARD} and a code 482913")
    assert matcher(CARD).find(seen)
    assert matcher("482913").find(seen)
    assert made == [seen.text]


def test_two_readers_at_different_places_see_everything() -> None:
    text = "&amp;#52; =31 <b>x</b> 50, 51, 52 and four five six"
    whole = list(Sight(text).glances)
    glances = Sight(text).glances
    first, second = iter(glances), iter(glances)
    assert [next(first), next(second), next(second), next(first)] == [whole[0], whole[0], whole[1], whole[1]]
    assert [*second] == [*first] == whole[2:]
    assert len(whole) > 3


def test_nothing_of_the_text_is_in_a_repr() -> None:
    seen = Sight(f"a card {CARD}")
    matcher(CARD).find(seen)
    shown = repr(
        [seen, seen.glances, *seen.glances, seen.views, *seen.views, Tables({CARD: Placeholder("CUSTOM", "0" * 8)})]
    )
    assert CARD not in shown
