from __future__ import annotations

import pytest

from sealgate.redaction.reading.edits import edited
from sealgate.redaction.reading.wrappings import FENCE, spelled, unwrapped


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<b>48</b><i class='x'>21</i>", "4821"),
        ("48<!-- a comment -->21", "4821"),
        ("48<wbr/>21", "4821"),
        ("<td>48</td><td>21</td>", " 48  21 "),
        ("48<br>21", "48 21"),
        ("\x1b[1;31m48\x1b[0m21", "4821"),
        ("48\x1b]8;;https://x.example\x1b\\21", "4821"),
        ("48\x9b2K21", "4821"),
        ("a < b and c > d", "a < b and c > d"),
        ("2 <3", "2 <3"),
        ("plain", "plain"),
    ],
)
def test_what_shows_nothing_is_taken_out(text: str, plain: str) -> None:
    assert edited(text, unwrapped(text)) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("bytes 52, 56, 50, 49.", "bytes |4821|."),
        ("[52,56,50,49]", "[|4821|]"),
        ("52 56 50", "|482|"),
        ("52; 56; 50", "|482|"),
        ("[\n    52,\n    56,\r\n    50\n]", "[\n    |482|\n]"),
        (" 52,  56,   50", " |482|"),
        ("00110100\n00111000\r\n00110010", "|482|"),
        ("00110100 00111000 00110010", "|482|"),
        ("001101000011100000110010", "|482|"),
        ("195,156,108", "|Ül|"),
        ("12:30, 14:50, 10.5, 11.5", "12:30, 14:50, 10.5, 11.5"),
        ("1, 2, 3, 4", "1, 2, 3, 4"),
        ("300, 400, 500", "300, 400, 500"),
        ("52, 56", "52, 56"),
        ("00110100 0011100", "00110100 0011100"),
        ("order 11001010", "order 11001010"),
    ],
)
def test_numbers_that_spell_a_text_are_read(text: str, plain: str) -> None:
    assert edited(text, spelled(text)).replace(FENCE, "|") == plain


@pytest.mark.parametrize(
    "unit",
    ["<", "<b", "<b ", "<!--", "<!-- -", "\x1b[", "\x1b]", "52,", "52, ", "52\n ", ",", "; ", "01", "01 ", "01010101"],
)
def test_hostile_text_is_read_in_one_pass(unit: str) -> None:
    text = unit * 30_000
    assert len(edited(text, unwrapped(text))) <= len(text)
    assert len(edited(text, spelled(text))) <= len(text) + 2
