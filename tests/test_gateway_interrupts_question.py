from __future__ import annotations

from typing import Any

import pytest

from sealgate.gateway.interrupts.question import Question


@pytest.mark.parametrize(
    ("fields", "secret"),
    [
        ({"input_type": "password"}, True),
        ({"sensitive": True}, True),
        ({"sensitive": "OTP_CODE"}, True),
        ({"sensitive": False}, False),
        ({"sensitive": None}, False),
        ({"input_type": "choice", "choices": ("a",), "sensitive": True}, True),
        ({"input_type": "password", "sensitive": False}, True),
    ],
)
def test_what_is_not_shown_while_it_is_typed(fields: dict[str, Any], secret: bool) -> None:
    assert (
        Question(**{"arg_name": "a", "handler": None, "prompt": "?", "input_type": "text", **fields}).secret is secret
    )


def test_descriptor() -> None:
    question = Question("size", None, "Which?", "choice", ("s", "l"), number=2, total=3)
    described = question.descriptor("i1", "order", 1_750_000_000.0)
    assert described.model_dump() == {
        "id": "i1",
        "kind": "ask",
        "prompt": "Which?",
        "arg_name": "size",
        "tool_name": "order",
        "input_type": "choice",
        "choices": ["s", "l"],
        "number": 2,
        "total": 3,
        "fields": [],
        "confirm": False,
        "human": None,
        "expires_at": 1_750_000_000.0,
    }
