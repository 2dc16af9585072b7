from __future__ import annotations

import pytest

from sealgate.redaction.names.rampart import RampartNames, load_rampart
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
