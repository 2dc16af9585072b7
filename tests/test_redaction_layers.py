"""Layers of patterns find what one layer of all values finds, whatever order the values came in."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.models.placeholder import ALPHABET, Placeholder
from sealgate.models.sealing import LiveValue
from sealgate.models.secretvalue import SecretValue
from sealgate.redaction import KnownValues, build_known_values
from sealgate.redaction.known import patterns
from sealgate.redaction.reading.encodings import forms

WORDS = [f"value-{number:05d}-of-many" for number in range(60)] + [
    *("4821", "77-12", "zz9", "482913"),
    *("VALUE-00001-of-many", "value 00002 of many", "77 12", "ZZ9"),  # share patterns with others
]


def live(word: str) -> LiveValue:
    index = WORDS.index(word)
    code = ALPHABET[index // 30] * 7 + ALPHABET[index % 30]
    return LiveValue(SecretValue(word), Placeholder("CUSTOM", code), ("CUSTOM",))


def test_one_value_more_does_not_build_the_large_layer_again() -> None:
    many = build_known_values([live(word) for word in WORDS[:60]])
    more = build_known_values.extend(many, [live("zz9")])
    assert more._patterns._layers[0] is many._patterns._layers[0]
    assert more.appears_in("a zz9 b")
    assert not many.appears_in("a zz9 b")


@settings(max_examples=60, deadline=None)
@given(
    order=st.permutations(WORDS),
    cuts=st.sets(st.integers(1, len(WORDS) - 1), max_size=8),
    seen=st.sampled_from(WORDS),
    kept=st.sampled_from([0, 20, 512]),
)
def test_layers_find_what_one_layer_finds(order: list[str], cuts: set[int], seen: str, kept: int) -> None:
    values = [live(word) for word in order]
    edges = [0, *sorted(cuts), len(values)]
    layered = KnownValues(())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sealgate.redaction.known.patterns._KEPT", kept)
        for start, end in itertools.pairwise(edges):
            layered = layered.extended(values[start:end])
    text = f"so: {seen}, {seen.upper()} and {' '.join(seen)}; no more"
    assert layered.find(text) == KnownValues(values).find(text)
    assert layered.scrub(text) == KnownValues(values).scrub(text)
    assert layered.exact(seen) == live(seen).placeholder


def test_a_value_is_spelled_out_once() -> None:
    """Until there are too many of them to keep their patterns beside the automata."""
    layered = KnownValues(())
    seen: list[str] = []

    def counted(text: str) -> list[str]:
        seen.append(text)
        return forms(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "forms", counted)
        for word in WORDS[:40]:
            layered = layered.extended([live(word)])
    assert sorted(seen) == sorted(WORDS[:40])
