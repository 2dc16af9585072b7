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


def field(**changes: Any) -> Question:
    return Question(**{"arg_name": "a", "handler": None, "prompt": "?", "input_type": "text", **changes})


@pytest.mark.parametrize(
    "changes",
    [{"sensitive": False}, {"arg_name": "b"}, {"input_type": "password"}, {"digits": 4}, {"required": False}],
)
def test_a_form_asks_as_another_only_if_each_field_does(changes: dict[str, Any]) -> None:
    def form(*fields: Question) -> Question:
        return Question("form", None, "?", "text", fields=fields)

    asked = form(field(sensitive=True))
    assert form(field(sensitive=True, prompt="Again?")).asks_as(asked)
    assert not form(field(**{"sensitive": True, **changes})).asks_as(asked)
    assert not form(field(sensitive=True), field(arg_name="more")).asks_as(asked)
    assert not form().asks_as(asked)
