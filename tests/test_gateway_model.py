from __future__ import annotations

from collections.abc import Sequence

from sealgate.gateway.model import Model, StreamingModel
from sealgate.gateway.testing import ScriptedModel
from sealgate.gateway.turn.waits import is_coroutine
from sealgate.models.messages import AIMessage, SealedMessage
from sealgate.models.tools import ToolSpec


class Asynchronous:
    async def complete(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> AIMessage:
        return AIMessage("")


class Completion:
    async def __call__(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> AIMessage:
        return AIMessage("")


class ByAttribute:
    def __init__(self) -> None:
        self.complete = Completion()


def test_a_model_is_whatever_completes() -> None:
    models: list[Model] = [ScriptedModel([]), Asynchronous(), ByAttribute()]
    assert all(isinstance(model, Model) for model in models)
    assert not any(isinstance(model, StreamingModel) for model in models)
    assert not isinstance(object(), Model)


def test_whether_it_is_awaited() -> None:
    assert [is_coroutine(model.complete) for model in (ScriptedModel([]), Asynchronous(), ByAttribute())] == [
        False,
        True,
        True,
    ]
