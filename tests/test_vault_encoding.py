from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealgate.models.errors import TamperDetected
from sealgate.models.placeholder import ALPHABET
from sealgate.vault.encoding import bytes_text, lp, pad, padded_length, symbols, text_bytes, unpad

ANY_TEXT = st.text(st.characters(exclude_categories=[]))
FIELDS = st.lists(st.binary(max_size=20), max_size=6)


@given(FIELDS, FIELDS)
def test_fields_with_lengths_are_injective(first: list[bytes], second: list[bytes]) -> None:
    """I20: no two lists of fields have one encoding."""
    assert (lp(*first) == lp(*second)) == (first == second)


@given(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))
def test_pairs_of_names_never_run_into_each_other(a: str, b: str, c: str, d: str) -> None:
    assert (lp(a, b) == lp(c, d)) == ((a, b) == (c, d))


@given(ANY_TEXT)
def test_every_text_has_bytes_and_comes_back(text: str) -> None:
    assert bytes_text(text_bytes(text)) == text


def test_bytes_that_no_text_has_are_refused_without_quoting_them() -> None:
    with pytest.raises(TamperDetected) as caught:
        bytes_text(b"4111111111111111\xff")
    assert "4111" not in str(caught.value)
    assert caught.value.__suppress_context__


@given(st.binary(max_size=3000))
def test_padding_comes_off_again(data: bytes) -> None:
    """I21: exactly what was padded."""
    assert unpad(pad(data)) == data
    assert len(pad(data)) == padded_length(len(data))


@given(st.binary(min_size=1, max_size=300), st.integers(0), st.integers(1, 255))
def test_changed_padding_never_gives_other_data_of_the_same_length(data: bytes, at: int, flip: int) -> None:
    padded = bytearray(pad(data))
    padded[at % len(padded)] ^= flip
    try:
        assert unpad(bytes(padded)) != data
    except TamperDetected:
        return


def test_short_values_have_four_lengths() -> None:
    assert {padded_length(length) for length in range(65)} == {32, 48, 64, 80}


@pytest.mark.parametrize("length", [0, 31, 32, 255, 256, 1000, 65_536, 10_000_000])
def test_padding_costs_at_most_a_quarter_or_32_bytes(length: int) -> None:
    assert length + 1 <= padded_length(length) <= max(length * 5 // 4, length + 32)


@given(st.integers(0, 2**128 - 1), st.sampled_from([3, 5, 8, 13]))
def test_symbols_are_the_last_digits_in_base_30(number: int, count: int) -> None:
    written = symbols(number, count)
    assert len(written) == count
    assert sum(ALPHABET.index(char) * 30**place for place, char in enumerate(reversed(written))) == number % 30**count
