"""The step that runs a tool: what the model reads where a tool has run and its result cannot be shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sealgate.gateway import Gateway, HumanMessage, Session, ToolCall
from sealgate.gateway.testing import ScriptedModel
from sealgate.gateway.turn.tool_step import UNREAD


def fails() -> object:
    raise ValueError("no money")


@pytest.mark.parametrize(
    ("outcome", "said", "ran"),
    [
        (lambda: "x" * 1_000_001, "TextTooLong: ", True),
        (lambda: iter([1]), "ToolFailed: ", True),
        (object, "ToolFailed: ", True),
        (lambda: {"a": float("nan")}, "ToolFailed: ", True),
        (lambda: " ".join(f"user{n}@example.com" for n in range(300)), "TooManyValues: ", True),
        (fails, "ValueError: no money", False),
    ],
)
def test_a_model_that_may_call_again_is_told_whether_the_tool_has_run(
    gateway: Gateway, session: Session, outcome: Callable[[], object], said: str, *, ran: bool
) -> None:
    runs: list[int] = []

    @gateway.toolify()
    def pay() -> object:
        runs.append(1)
        return outcome()

    session.invoke([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id="c1", name="pay"), "Done."]))
    (message,) = [message for message in session.history() if message.role == "tool"]
    assert (message.text().startswith(said), message.text().endswith(UNREAD), message.status) == (True, ran, "error")
    assert runs == [1]
