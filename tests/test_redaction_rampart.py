from __future__ import annotations

import pytest

from sealgate.models.findings import Finding
from sealgate.redaction.names.rampart import RampartNames, _is_slug, load_rampart
from sealgate.redaction.names.windows import SIZE

SAID = "please call thomas whitfield of 45 elm grove in leeds today"

SCRIPTS = {
    "Hangul, which the model takes apart": "안녕하세요 여러분 ",
    "Hangul in pieces": "각각 ",
    "Chinese": "漢字 ",
    "accents": "ếệ ",
    "Latin": "x y z ",
    "digits": "1 2 3 ",
}


@pytest.mark.parametrize("before", range(0, SIZE - len(SAID), 60))
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_window_is_read_to_its_end_in_any_script(script: str, before: int) -> None:
    text = (SCRIPTS[script] * SIZE)[:before] + SAID
    found = " ".join(text[one.start : one.end] for one in RampartNames().recognize(text))
    assert all(word in found for word in ("thomas", "whitfield", "grove"))


def test_some_windows_have_more_tokens_than_the_model_reads_at_once() -> None:
    assert load_rampart().tokenizer.encode("안" * 3 + " 녕하" * 159).overflowing


@pytest.mark.parametrize(
    ("text", "value", "slug"),
    [
        ("see https://t.example/8UgQ98d7N9", "8UgQ98d7N9", True),
        ("see https://t.example/u/88129934", "88129934", False),
        ("my licence is 8UgQ98d7N9", "8UgQ98d7N9", False),
        ("https://t.example/a then D1234567", "D1234567", False),
    ],
)
def test_the_path_of_a_shortened_url_is_nobodys_number(text: str, value: str, slug: bool) -> None:
    start = text.index(value)
    assert _is_slug(text, Finding("ID_NUMBER", start, start + len(value), 0.9, "rampart")) is slug
