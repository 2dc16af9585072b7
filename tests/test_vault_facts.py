from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealgate.models.entities import ENTITY_TYPES
from sealgate.models.errors import TamperDetected
from sealgate.models.origins import TRUSTED
from sealgate.models.secretvalue import JsonType
from sealgate.vault.encoding import pad
from sealgate.vault.facts import Facts, decode_facts, encode_facts, facts_end

TYPES = st.sampled_from(sorted(ENTITY_TYPES)) | st.from_regex(r"CUSTOM_[A-Z][A-Z0-9_]{0,31}", fullmatch=True)
ORIGINS = st.sampled_from([*TRUSTED, "model"]) | st.from_regex(r"tool:[A-Za-z0-9_.-]{1,64}", fullmatch=True)
FACTS = st.builds(
    Facts,
    st.lists(TYPES, min_size=1, max_size=6).map(tuple),
    st.lists(ORIGINS, min_size=1, max_size=6).map(tuple),
    st.none() | st.integers(1, 1000),
    st.booleans(),
    st.booleans(),
    st.none() | st.integers(0, 2**40 - 1),
)


@given(st.none() | FACTS, st.sampled_from(get_args(JsonType)), st.binary(max_size=40))
def test_facts_come_back_and_end_where_the_value_begins(facts: Facts | None, kind: JsonType, value: bytes) -> None:
    stored = encode_facts(facts, kind)
    assert facts_end(stored + value) == len(stored)
    assert decode_facts(stored) == (facts, kind)


@given(FACTS)
def test_facts_that_are_cut_short_are_refused(facts: Facts) -> None:
    stored = encode_facts(facts, "string")
    for end in range(len(stored)):
        with pytest.raises(TamperDetected):
            facts_end(stored[:end])


@pytest.mark.parametrize("entity_type", sorted(ENTITY_TYPES))
def test_a_value_of_23_bytes_and_its_facts_take_the_shortest_length(entity_type: str) -> None:
    stored = encode_facts(Facts((entity_type,), ("person",), sealed_at=1_800_000_000), "string")
    assert len(pad(stored + b"x" * 23)) == 32


def test_facts_know_when_nothing_new_is_said() -> None:
    facts = Facts(("PERSON",), ("person",), searchable=False)
    assert facts.widened("PERSON", "person", searchable=False) is facts
    assert facts.widened("CUSTOM", "model", searchable=True) == Facts(("PERSON", "CUSTOM"), ("person", "model"))
