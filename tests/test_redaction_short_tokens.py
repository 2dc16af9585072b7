from __future__ import annotations

import pytest

from sealgate.redaction.known.short_tokens import short_tokens


@pytest.mark.parametrize(
    "text",
    [
        "831942",
        "otp=831942",
        "code:831942",
        "otp_831942!",
        "17,831942",
        "831942,17",
        "831942,4821",
        "831942.",
        "831942.0",
        "831942.00",
        "831,942",
        "8 3 1 9 4 2",
        "8-3-1-9-4-2",
        "8.3.1.9.4.2",
        "8, 3, 1, 9, 4, 2",
        "831 942",
        "831-942",
        "83 19 42",
        "83/19/42",
        "831\n942",
        "code 30 831 942",
        "on 2026-11-30 8 3 1 9 4 2",
        "at 12:34 831942",
        "(831942)",
        "**8** **3** **1** **9** **4** **2**",
    ],
)
def test_the_code_is_a_token(text: str) -> None:
    assert "831942" in [key for _, _, key in short_tokens(text)]


@pytest.mark.parametrize("text", ["4821", "4 8 2 1", "4-8-2-1", "48 21", "pin 4821."])
def test_a_pin_is_a_token(text: str) -> None:
    assert "4821" in [key for _, _, key in short_tokens(text)]


@pytest.mark.parametrize(
    "text",
    [
        "48.21",
        "48,21",
        "4821.50",
        "4,821.50",
        "v4.8.2.1",
        "[4, 8, 2, 1]",
        "[48, 21]",
        "04821",
        "4821x",
        "x4821",
        "192.48.2.1",
        "6f1ed002-4821-4b8e-9f5c-1e2f83194a55",
        "2001:db8:4821::7334",
        "4821-11-30",
        "17.4821",
    ],
)
def test_a_pin_is_no_token_of_other_things(text: str) -> None:
    assert "4821" not in [key for _, _, key in short_tokens(text)]


@pytest.mark.parametrize("text", ["1, 2, 3", "1 2 3", "1.23", "12:34:56,123", "192.0.2.123"])
def test_three_digits_are_not_put_together(text: str) -> None:
    assert "123" not in [key for _, _, key in short_tokens(text)]


def test_a_span_covers_the_whole_number() -> None:
    assert ("831942", "831942.00") in [
        (key, "is 831942.00 x"[start:end]) for start, end, key in short_tokens("is 831942.00 x")
    ]
    text = "a 8 3 1 9 4 2 b"
    assert "8 3 1 9 4 2" in [text[start:end] for start, end, key in short_tokens(text) if key == "831942"]


@pytest.mark.parametrize("unit", ["1 ", "1.", "12:", "1,234", "a-", "0:", "1-", "[1]", "12-34-"])
def test_a_long_run_gives_few_tokens(unit: str) -> None:
    assert len(list(short_tokens(unit * 20_000))) <= 8 * 20_000 * len(unit)
