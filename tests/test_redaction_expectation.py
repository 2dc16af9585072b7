"""Replies read as what was asked for."""

from __future__ import annotations

import pytest

from sealgate.models.expectation import Expectation, ExpectationKind
from sealgate.redaction.expectation import read_answer
from sealgate.redaction.reading.spoken import spoken_digits


def read(text: str, kind: ExpectationKind, **bounds: int) -> list[str]:
    return [hit.text() for hit in read_answer(text, Expectation(kind=kind, **bounds))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("482913", ["482913"]),
        ("it's 482 913, thanks", ["482 913"]),
        ("4.8.2.9.1.3", ["4.8.2.9.1.3"]),
        ("4-8-2-9-1-3", ["4-8-2-9-1-3"]),
        ("four eight two nine one three", ["four eight two nine one three"]),
        ("sure, um, double four two nine oh three ok", ["double four two nine oh three"]),
        ("four two, no, four three nine one", ["four two, no, four three nine one"]),
        ("the code is 482914, sorry, 482913", ["482914, sorry, 482913"]),
        ("forty-eight twenty-nine thirteen", ["forty-eight twenty-nine thirteen"]),
        ("order 482913, code 4 8 2 9 1 4", ["4 8 2 9 1 4"]),
        ("my order number is 12345678 and the code is 5512", ["5512"]),
        ("G-482913", ["482913"]),
        ("use K7Q2M9", ["K7Q2M9"]),
        ("٤٨٢٩١٣", ["٤٨٢٩١٣"]),
        ("I didn't get a code", []),
        ("resend it, it was 12 minutes", []),
        ("I waited 1200 seconds", []),
        ("it costs $1234", []),
        ("no", []),
        ("", []),
        ("123456 or 654321", ["123456", "654321"]),
        ("482913 yes 482 913", ["482913"]),
        ("Your code is 482913. It expires in 10 minutes.", ["482913"]),
        ("it's 482913 (sent 12:30)", ["482913"]),
        ("Dein Code lautet 482913. Gültig bis 14:05 Uhr.", ["482913"]),
        ("482913 sent 30.11.2026", ["482913"]),
        ("Code 482913 valid until 2026-11-30 14:05", ["482913"]),
        ("482913, received on 11/30/26 at 9:05:11", ["482913"]),
        ("OTP for Rs. 5,000.00 at SHOP is 482913", ["482913"]),
        ("EUR 1.234,56 an SHOP: 482 913", ["482 913"]),
        ("482913 for card ending 4242", ["482913"]),
        ("<#> 482913 is your code FA+9qCX9VSu", ["482913"]),
        ("Your Example code is 482913.\n\n@example.com #482913", ["482913"]),
        ("12:30", ["12:30"]),
        ("48.29.13", ["48.29.13"]),
        ("11.12.2013", ["11.12.2013"]),
        ("4829 or 1230", ["4829", "1230"]),
    ],
)
def test_one_time_codes(text: str, found: list[str]) -> None:
    assert read(text, "otp") == found


def test_the_length_bounds_what_is_read() -> None:
    assert read("1234 and 482913", "otp", digits=6) == ["482913"]
    assert read("12345678", "otp", max_digits=6) == []
    prompted = Expectation(kind="otp", prompt="Enter the 6-digit code we sent")
    assert [hit.text() for hit in read_answer("in 2024: 482913", prompted)] == ["482913"]


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("pin", "my PIN is 4821", ["4821"]),
        ("cvv", "731 on the back", ["731"]),
        ("card", "4539 7877 8932 8790 exp 09/27", ["4539 7877 8932 8790"]),
        ("account", "account 1234-5678-9012 please", ["1234-5678-9012"]),
        ("ssn", "536-22-8145", ["536-22-8145"]),
        ("phone", "+1 415 555 0132", ["1 415 555 0132"]),
        ("email", "it is ada@tallowbrook.net", ["ada@tallowbrook.net"]),
        ("iban", "DE89 3704 0044 0532 0130 00", ["DE89 3704 0044 0532 0130 00"]),
        ("name", "My name is Ada Quill.", ["Ada Quill"]),
        ("name", "I'd rather not say, why?", []),
        ("address", "I live at 418 Alder Crest Road", ["418 Alder Crest Road"]),
        ("date_of_birth", "born 14 March 1961", ["14 March 1961"]),
        ("password", " /Tr0ub4dor-93x ", ["/Tr0ub4dor-93x"]),
        ("text", "whatever I say", ["whatever I say"]),
        ("text", "   ", []),
    ],
)
def test_other_kinds(kind: ExpectationKind, text: str, found: list[str]) -> None:
    assert read(text, kind) == found


def test_a_hit_never_shows_its_value() -> None:
    assert "482913" not in repr(read_answer("482913", Expectation(kind="otp")))


def test_an_expected_type_may_differ_from_its_kind() -> None:
    expect = Expectation(kind="otp", entity_type="PIN")
    assert [hit.entity_type for hit in read_answer("4821", expect)] == ["PIN"]


@pytest.mark.parametrize(
    ("said", "digits"),
    [
        ("four two, no, four three", "43"),
        ("4 8 2 9 4 2, no, 4 3", "482943"),
        ("double four triple nine", "44999"),
        ("twenty one oh five", "2105"),
        ("forty", "40"),
        ("one, I mean two", "2"),
        ("nothing", ""),
        ("4821", "4821"),
    ],
)
def test_spoken_digits(said: str, digits: str) -> None:
    assert spoken_digits(said) == digits
