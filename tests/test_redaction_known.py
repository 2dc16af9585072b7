"""A sealed value is found in every way that it is spelled, and nothing else is."""

from __future__ import annotations

import unicodedata

import pytest

from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue
from sealgate.models.secretvalue import SecretValue
from sealgate.redaction import KnownValues

PASSWORD, NAME, CODE, CARD = "pässwörtchen", "Åse Nguyễn-한글", "482913", "4539578763621486"


def matcher(*values: str) -> KnownValues:
    """A matcher of these values."""
    return KnownValues(
        [
            LiveValue(SecretValue(value), Placeholder("CUSTOM", f"{index:08d}"), ("CUSTOM",))
            for index, value in enumerate(values)
        ]
    )


@pytest.mark.parametrize("value", [PASSWORD, NAME, "né12"])
@pytest.mark.parametrize("sealed", ["NFC", "NFD"])
@pytest.mark.parametrize("found", ["NFC", "NFD", "NFKD"])
def test_letters_in_pieces_are_the_same_letters(value: str, sealed: str, found: str) -> None:
    known = matcher(unicodedata.normalize(sealed, value))  # type: ignore[arg-type]
    text = f"it is {unicodedata.normalize(found, value)}."  # type: ignore[arg-type]
    assert known.suspects(text)
    assert known.scrub(text) == "it is [CUSTOM_00000000]."


@pytest.mark.parametrize("value", [CODE, CARD])
@pytest.mark.parametrize(
    "between",
    ["\u034f", "\u115f", "\u17b4", "\u180b", "\u200b", "\u2060", "\u2800", "\u3164", "\uffa0", "\ufe0f", "\U000e0100"],
)
def test_what_is_not_seen_hides_nothing(value: str, between: str) -> None:
    assert matcher(value).appears_in(f"it is {between.join(value)}.")


@pytest.mark.parametrize("value", [CODE, CARD])
@pytest.mark.parametrize("mark", ["\u0332", "\u0336", "\ufe0f\u20e3", "\u0301"])
def test_marks_on_digits_hide_nothing(value: str, mark: str) -> None:
    assert matcher(value).appears_in(f"it is {''.join(digit + mark for digit in value)}.")


def test_a_long_value_is_found_without_its_accents() -> None:
    assert matcher(PASSWORD).appears_in("it is Passwortchen")


def test_only_long_values_have_long_ranges() -> None:
    known = matcher(CARD, CODE)
    spaced = " ".join(CARD)
    text = f"{CODE} {spaced} NDgyOTEz {CARD}{CARD}"
    assert known.long_ranges(text) == [(7, 7 + len(spaced)), (len(text) - 2 * len(CARD), len(text))]
    assert known.long_ranges("nothing here") == []


@pytest.mark.parametrize("card", ["4242424242424242", "5555555555554444", "4111111111111111"])
def test_a_card_of_few_digits_is_found_anywhere(card: str) -> None:
    known = matcher(card)
    spelled = (" ".join(card), f"x{card}y", f"{card[:4]}, {card[4:8]}/{card[8:]}", card[::-1], card.encode().hex())
    assert all(map(known.appears_in, spelled))


def test_a_row_of_one_digit_is_found_as_a_token_only() -> None:
    known = matcher("0000000000000000")
    assert known.appears_in("it is 0000000000000000.")
    assert not known.appears_in("a bitmap of 00000000000000000000")


@pytest.mark.parametrize("pattern", ["&#{};", "&#{}", "&#{:010d};", "&#x{:08x};", "&#X{:X};"])
@pytest.mark.parametrize("value", [CODE, CARD])
def test_html_is_read_as_browsers_read_it(pattern: str, value: str) -> None:
    assert matcher(value).appears_in(f"it is {''.join(pattern.format(ord(char)) for char in value)} .")


@pytest.mark.parametrize(
    "text",
    [
        "a=45395787&b=63621486",
        "first 4539 and then 5787, then 6362 and last 1486",
        "4539x5787y6362z1486",
        "call four five three nine five seven eight seven six three six two one four eight six",
    ],
)
def test_a_long_number_is_found_however_its_digits_are_parted(text: str) -> None:
    known = matcher(CARD)
    assert known.suspects(text)
    assert known.appears_in(text)
    assert not matcher(CARD).appears_in(known.scrub(text))


@pytest.mark.parametrize("text", ["45 and 39 and 57 and 87", "4539, 63621486 and 5787", "45395787 1 63621486"])
def test_other_numbers_are_no_such_number(text: str) -> None:
    known = matcher(CARD, "45395787876")
    assert not known.appears_in(text)


def test_tag_characters_are_read_and_passed_over() -> None:
    tagged = "".join(chr(0xE0000 + ord(char)) for char in CARD)
    assert matcher(CARD).scrub(f"hello{tagged}!") == "hello[CUSTOM_00000000]!"
    parted = "\U000e0078".join(CARD)
    assert matcher(CARD).scrub(f"({parted})") == "([CUSTOM_00000000])"


@pytest.mark.parametrize("value", ["Пётр Ильич Чайковский", "Ελένη Παπαδοπούλου"])
def test_values_in_other_alphabets_are_found_in_any_case(value: str) -> None:
    for spelling in (value, value.upper(), value.lower()):
        assert matcher(value).appears_in(f"it is {spelling}.")


@pytest.mark.parametrize("between", [" ", "\n", ", ", "", " and again "])
def test_a_value_that_stands_twice_is_hidden_twice(between: str) -> None:
    """Backwards, the end of one and the beginning of the next read like such a card."""
    card = "4111-1111-1111-1111"
    shown = "[CUSTOM_00000000]"
    assert matcher(card).scrub(f"{card}{between}{card}") == f"{shown}{between}{shown}"
