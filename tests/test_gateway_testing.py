from __future__ import annotations

import inspect
from typing import Any

import pytest

from sealgate.gateway.interrupts.handlers import bind_handler
from sealgate.gateway.interrupts.question import Question
from sealgate.gateway.model import Model, StreamingModel
from sealgate.gateway.testing import FakeClock, ScriptedHuman, ScriptedModel, StreamingScriptedModel
from sealgate.models.errors import InterruptCancelled, InterruptTimeout, ModelFailed
from sealgate.models.messages import AIMessage, SealedMessage, ToolCall, sealing
from sealgate.models.tools import ToolSpec
from sealgate.vault.clock import Clock, SteadyClock

CANARY = "canary-7f3a91"
CALL = ToolCall(id="c1", name="pay", arguments={})


def conversation(text: str = "Hello") -> list[SealedMessage]:
    with sealing():
        return [SealedMessage(role="user", content=text)]


@pytest.mark.parametrize(
    ("item", "content", "calls"),
    [
        ("Hello", "Hello", []),
        (AIMessage("Hello", tool_calls=[CALL]), "Hello", [CALL]),
        (CALL, "", [CALL]),
        ([CALL, CALL], "", [CALL, CALL]),
        (lambda messages, tools: f"{messages[-1].text()} {tools[0].name}", "Hello pay", []),
        (lambda messages, tools: CALL, "", [CALL]),
    ],
)
def test_a_scripted_model_says_its_items(item: Any, content: str, calls: list[ToolCall]) -> None:
    said = ScriptedModel([item]).complete(conversation(), [ToolSpec(name="pay")])
    assert said.content == content
    assert said.tool_calls == calls


@pytest.mark.parametrize("item", [LookupError("x"), LookupError, lambda messages, tools: LookupError("x")])
def test_a_scripted_model_raises_its_exceptions(item: Any) -> None:
    with pytest.raises(LookupError):
        ScriptedModel([item]).complete(conversation(), [])


def test_a_scripted_model_keeps_what_it_was_given_and_ends() -> None:
    model = ScriptedModel(["one", "two"])
    assert isinstance(model, Model)
    first, second = conversation("first"), conversation("second")
    model.complete(first, [])
    model.complete(second, [ToolSpec(name="pay")])
    first.clear()
    assert [(messages[0].text(), len(tools)) for messages, tools in model.seen] == [("first", 0), ("second", 1)]
    with pytest.raises(ModelFailed):
        model.complete(second, [])


@pytest.mark.parametrize(("piece", "pieces"), [(1, ["H", "e", "y"]), (2, ["He", "y"]), (9, ["Hey"])])
def test_a_scripted_model_that_streams(piece: int, pieces: list[str]) -> None:
    parts = AIMessage([{"type": "text", "text": "Hey"}], tool_calls=[CALL])
    model = StreamingScriptedModel(["Hey", parts, CALL, "whole"], piece=piece)
    assert isinstance(model, StreamingModel)
    assert not isinstance(ScriptedModel([]), StreamingModel)
    *said, last = model.stream(conversation(), [])
    assert (said, last) == (pieces, AIMessage("Hey"))
    assert [*model.stream(conversation(), [])] == [*pieces, parts]
    assert [*model.stream(conversation(), [])] == [AIMessage("", tool_calls=[CALL])]
    assert model.complete(conversation(), []).content == "whole"
    assert len(model.seen) == 4


def test_a_scripted_stream_that_breaks() -> None:
    model, said = StreamingScriptedModel(["one", "two"], breaks=LookupError("x")), list[object]()
    with pytest.raises(LookupError):
        said.extend(model.stream(conversation(), []))
    with pytest.raises(LookupError):
        model.complete(conversation(), [])
    with pytest.raises(ValueError, match="at least one"):
        StreamingScriptedModel([], piece=0)


def test_a_human_answers_by_argument_or_prompt() -> None:
    human = ScriptedHuman({"otp": "482913", "Your name?": "Ada", "pin": ["1", "2"], "error": LookupError})
    assert human.handler("otp")("Code: ") == "482913"
    assert human.handler("otp")("Code again: ") == "482913"
    assert human("Your name?") == "Ada"
    assert human(" Your name? ") == "Ada"
    assert human.handler("name")("Your name?") == "Ada"
    assert human("otp: ") == "482913"
    assert [human.handler("pin")("PIN: "), human("pin")] == ["1", "2"]
    with pytest.raises(LookupError):
        human.handler("error")("?")
    assert human.asked == [
        "Code: ",
        "Code again: ",
        "Your name?",
        " Your name? ",
        "Your name?",
        "otp: ",
        "PIN: ",
        "pin",
        "?",
    ]


def test_a_human_answers_in_order() -> None:
    human = ScriptedHuman(["a", True, lambda prompt: prompt.upper(), InterruptTimeout("late")])
    assert [human("x"), human.handler("any")("y"), human("z")] == ["a", True, "Z"]
    with pytest.raises(InterruptTimeout):
        human("w")
    with pytest.raises(InterruptCancelled):
        human("v")


@pytest.mark.parametrize("answers", [{}, {"other": "1"}, [], {"otp": []}])
def test_a_human_without_an_answer_does_not_answer(answers: Any) -> None:
    with pytest.raises(InterruptCancelled):
        ScriptedHuman(answers).handler("otp")("Code: ")


def test_a_human_is_an_input_handler_and_does_not_show_answers() -> None:
    human = ScriptedHuman({"otp": CANARY})
    question = Question("otp", human.handler("otp"), "Code: ", "text", sensitive="OTP_CODE", timeout=5.0)
    assert bind_handler(question)("Code: ") == CANARY
    assert CANARY not in f"{human!r}{human}"


async def test_a_clock_moves_when_it_is_told() -> None:
    clock = FakeClock(100.0)
    as_protocol: Clock = clock
    assert (clock.now(), clock.monotonic()) == (100.0, 0.0)
    assert (clock.now(), clock.monotonic()) == (100.0, 0.0)
    clock.advance(5)
    clock.sleep(2)
    await clock.asleep(1)
    assert (clock.now(), clock.monotonic()) == (108.0, 8.0)
    clock.turn(-50)
    assert (as_protocol.now(), clock.monotonic()) == (58.0, 8.0)
    assert SteadyClock(clock).now_ms() == 58_000
    with pytest.raises(ValueError, match="forwards"):
        clock.advance(-1)


def test_the_shipped_fakes_say_what_they_do() -> None:
    for fake in (ScriptedModel, ScriptedHuman, FakeClock):
        assert inspect.getdoc(fake)
