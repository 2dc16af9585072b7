from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway.adversary import Adversary
from sealgate.gateway.testing import ScriptedModel
from sealgate.models.errors import ModelFailed
from sealgate.models.jsonvalue import check_json
from sealgate.models.messages import AIMessage, SealedMessage, sealing
from sealgate.models.placeholder import find_all
from sealgate.models.tools import ToolSpec

ISSUED = "[CREDIT_CARD_K7Q2MXB4.9FD]"
TOOLS = [
    ToolSpec(
        name="send_mail",
        parameters={
            "type": "object",
            "properties": {
                "body": {"type": "string"},
                "count": {"type": "integer"},
                "to": {"type": "array", "items": {"type": "string"}},
                "kind": {"enum": ["a", "b"]},
                "options": {"type": "object"},
                "urgent": {"type": "boolean"},
            },
        },
    ),
    ToolSpec(name="list_pages"),
]


def conversation() -> list[SealedMessage]:
    with sealing():
        return [SealedMessage(role="user", content=f"My card is {ISSUED}, thanks")]


def said(message: AIMessage) -> str:
    return json.dumps([message.content, [[call.id, call.name, call.arguments] for call in message.tool_calls]])


def moves(seed: int, steps: int = 6) -> list[AIMessage]:
    return [Adversary(seed, step).move(conversation(), TOOLS) for step in range(steps)]


@settings(max_examples=60)
@given(st.integers(min_value=0))
def test_the_same_seed_gives_the_same_conversation(seed: int) -> None:
    first, second = moves(seed), moves(seed)
    assert list(map(said, first)) == list(map(said, second))
    for message in first:
        check_json([call.arguments for call in message.tool_calls])
        assert message.content or message.tool_calls


def test_it_tries_what_it_says_it_tries() -> None:
    messages = [message for seed in range(60) for message in moves(seed)]
    texts = " ".join(str(message.content) for message in messages)
    calls = [call for message in messages for call in message.tool_calls]
    arguments = " ".join(json.dumps(call.arguments) for call in calls)
    assert ISSUED in texts
    assert ISSUED in arguments
    assert "[CREDIT_CARD_K7Q2MXB4]" in texts + arguments
    assert ISSUED.lower() in texts + arguments
    assert any(str(found) not in ISSUED for _, _, found in find_all(texts))
    assert any(call.name == "reveal_secrets" for call in calls)
    assert any(set(call.arguments) - set(TOOLS[0].parameters["properties"]) for call in calls)
    assert {call.name for call in calls} >= {"send_mail", "list_pages"}


def test_without_tools_and_without_messages() -> None:
    for seed in range(30):
        message = Adversary(seed, 0).move([], [])
        assert message.content
        assert not message.tool_calls


def test_it_stops() -> None:
    model = ScriptedModel.adversarial(seed=1, steps=3)
    answers = [model.complete(conversation(), TOOLS) for _ in range(4)]
    assert not answers[-1].tool_calls
    with pytest.raises(ModelFailed):
        model.complete(conversation(), TOOLS)
    ids: list[Any] = [call.id for answer in answers for call in answer.tool_calls]
    assert len(ids) == len(set(ids))
