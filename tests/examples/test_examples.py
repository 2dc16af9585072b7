"""Each example runs as a script and prints what it promises."""

from __future__ import annotations

import io
import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parent

EXPECTED = {
    "terminal_prompt": ["Please enter your name: ", "Hello, Ada!", "completed - The greeting is out.", "[ANSWER_"],
    "ordered_collection": [
        "Asked: ['What is your name? ', 'What is your e-mail address? ']",
        "The application holds: [PERSON_",
        "Behind it: Ada Lovelace ada@example.org basic",
    ],
    "custom_handler": ["Processing /home/ada/taxes-2025.pdf", "completed - Done."],
    "async_handler": ["The frontend shows: The code we texted you: ", "The tool got 482913", "completed - Verified."],
    "reply_queue": [
        "The browser shows: Confirm the charge? (yes/no)",
        "Charged 12.5",
        "completed - The invoice is paid.",
    ],
    "routed_handler": [
        "[picker]  Which size? ['S', 'M', 'L']",
        "[number box] How many?",
        "[text box] Which color?",
        "[toggle]  Wrap it as a gift?",
        "Ordering {'size': 'M', 'count': 3, 'color': 'blue', 'gift': True}",
        "completed - Ordered.",
    ],
    "timeout_cancel": ["After-hook: cancel_account failed with", "completed - I did not cancel anything"],
    "streamed_reply": [
        "… Your order is on",
        "I charged the card",
        "The whole message is what was shown: True",
        "The card was shown: False",
    ],
    "browser_events": [
        "The page asks: The code we texted you:",
        "The tool got 482913",
        "The page shows: tool.completed unlock",
        "The page shows: assistant.message Your account is open again.",
        "The page got the code: False",
    ],
    "disambiguation": ["Looking up Savings", "Asked 2 times", "completed - Your savings account"],
}
"""What each prints, in this order."""

HIDDEN = {
    "terminal_prompt": "The model saw: Ada",
    "ordered_collection": "The application holds: Ada",
    "custom_handler": "/etc/passwd",
    "streamed_reply": "ada@example.org",
}
"""What must not be printed."""


def test_every_example_is_run() -> None:
    assert {path.stem for path in HERE.glob("*.py")} - {"test_examples"} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_example(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Ada\n"))
    runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    place = 0
    for expected in EXPECTED[name]:
        place = printed.find(expected, place)
        assert place >= 0, f"{expected!r} is missing in:\n{printed}"
    assert name not in HIDDEN or HIDDEN[name] not in printed
