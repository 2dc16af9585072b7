"""A streamed answer as a browser gets it: the same message, state and history as without, and nothing else shows."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealgate.gateway import (
    AIMessage,
    AppEvent,
    Gateway,
    HumanMessage,
    LeakPrevented,
    ModelFailed,
    PrivateData,
    Session,
    ToolCall,
)
from sealgate.gateway.testing import ScriptedModel, StreamingScriptedModel
from sealgate.models.errors import SealgateError, TextTooLong, TooManyValues
from sealgate.models.limits import Limits
from sealgate.redaction import Detector
from sealgate.redaction.reading.encodings import ENCODINGS

CARD = "4111 1111 1111 1111"
SECRET = "sk-live-9fK2xQ7vLm3TzR8w"
SAID = [HumanMessage("Go.")]
LONG = "Here is a sentence that is long enough to leave for itself, whatever may come after it today. "
TOKEN = re.compile(r"_[0-9A-Z]{8,13}(?:\.[0-9A-Z]{3,5})?\]")
ANSWER = f"{LONG * 2}The card is {CARD}, of jane.roe@example.com. {LONG}And again {CARD}; that is all.\n\n{LONG}Bye."


class Coroutines:
    """A streaming model that is asynchronous."""

    def __init__(self, model: StreamingScriptedModel) -> None:
        self._model = model
        self.closed = 0

    async def complete(self, messages: Any, tools: Any) -> AIMessage:
        raise AssertionError("it was asked for the whole")

    async def stream(self, messages: Any, tools: Any) -> AsyncIterator[str | AIMessage]:
        try:
            for piece in self._model.stream(messages, tools):
                await asyncio.sleep(0)
                yield piece
        finally:
            self.closed += 1


class Awaited:
    """One whose ``stream`` is a coroutine function that gives the iterator."""

    def __init__(self, model: StreamingScriptedModel) -> None:
        self._model = Coroutines(model)
        self.complete = self._model.complete

    async def stream(self, messages: Any, tools: Any) -> AsyncIterator[str | AIMessage]:
        await asyncio.sleep(0)
        return self._model.stream(messages, tools)


def streamed(session: Session, model: Any, *, way: str = "stream") -> list[AppEvent]:
    """The events of a turn."""

    async def gathered() -> list[AppEvent]:
        return [event async for event in session.astream(SAID, model=model)]

    return asyncio.run(gathered()) if way == "astream" else list(session.stream(SAID, model=model))


def shown(events: Sequence[AppEvent]) -> dict[str, str]:
    """What a front end that follows the rule has of each message."""
    has: dict[str, str] = {}
    for event in events:
        if event.type == "assistant.chunk":
            message = event.data["message_id"]
            has[message] = "" if event.data.get("discard") else has.get(message, "") + (event.text or "")
    return has


def messages(events: Sequence[AppEvent]) -> dict[str, str]:
    return {event.data["message_id"]: event.text or "" for event in events if event.type == "assistant.message"}


WAYS: dict[str, Callable[[StreamingScriptedModel], Any]] = {
    "iterator": lambda model: model,
    "asynchronous": Coroutines,
    "awaited": Awaited,
}


@pytest.mark.parametrize("way", ["stream", "astream"])
@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_the_chunks_are_the_message(session: Session, way: str, kind: str, piece: int) -> None:
    events = streamed(session, WAYS[kind](StreamingScriptedModel([ANSWER], piece=piece)), way=way)
    assert CARD not in repr(events)
    assert "jane.roe" not in repr(events)
    assert shown(events) == messages(events)
    assert [event.type for event in events].count("assistant.chunk") >= 2
    assert events == session.events().history()
    assert [event.id for event in events] == list(range(1, len(events) + 1))


def test_everything_else_is_as_without(detector: Detector) -> None:
    seen = []
    script: list[Any] = [
        [ToolCall(id="c1", name="look"), ToolCall(id="c2", name="look")],
        AIMessage(ANSWER),
        "And more.",
    ]
    for model in (ScriptedModel(script), StreamingScriptedModel(script, piece=3)):
        with Gateway.open(":memory:", detector=detector) as gateway:
            gateway.toolify(name="look")(lambda: f"it says {CARD}")
            session = gateway.session("s1")
            told = [*streamed(session, model), *streamed(session, model)]
            kinds = [event.type for event in told if event.type != "assistant.chunk"]
            texts = [TOKEN.sub("]", text) for text in messages(told).values()]
            history = [(one.role, TOKEN.sub("]", one.text()), one.tool_call_id) for one in session.history()]
            replayed = session.replay()
            assert replayed is not None
            seen.append((kinds, texts, history, replayed.status, replayed.steps, len(session.sent_to_model())))
            again = session.redact_messages([AIMessage(session.history()[4].text())])
            assert again[0].text() == session.history()[4].text()
    assert seen[0] == seen[1]
    assert seen[0][0].count("assistant.message") == 2


def test_only_who_follows_a_turn_is_streamed_to(session: Session) -> None:
    session.invoke(SAID, model=StreamingScriptedModel([ANSWER], piece=1))
    assert "assistant.chunk" not in [event.type for event in session.events().history()]


def test_it_comes_while_the_model_still_speaks(session: Session) -> None:
    go_on = threading.Event()

    class Slow(ScriptedModel):
        def stream(self, messages: Any, tools: Any) -> Iterator[str | AIMessage]:
            yield LONG * 3
            assert go_on.wait(30)
            yield LONG
            yield AIMessage(LONG * 4)

    events = session.stream(SAID, model=Slow([]))
    first = next(event for event in events if event.type == "assistant.chunk")
    assert (first.text or "").startswith("Here is")
    go_on.set()
    assert next(event.text for event in events if event.type == "assistant.message") == LONG * 4


def test_other_bridges_get_them_too(gateway: Gateway) -> None:
    session = gateway.session("s1", subject="jane")
    internal, owned = session.events(audience="internal"), session.events(owner="jane")
    events = streamed(session, StreamingScriptedModel([ANSWER], piece=5))
    assert shown(internal.history()) == shown(events)
    assert "•••• 1111" in "".join(shown(owned.history()).values())


def test_what_an_application_emits_is_not_the_turns(gateway: Gateway, session: Session) -> None:
    gateway.toolify(name="look")(lambda: session.events().emit("status", {"text": "looking"}).type)
    events = streamed(session, StreamingScriptedModel([ToolCall(id="c1", name="look"), "Done."]))
    assert "status" not in [event.type for event in events]
    assert messages(events).popitem()[1] == "Done."


def test_a_call_alone_shows_nothing(gateway: Gateway, session: Session) -> None:
    gateway.toolify(name="look")(lambda: "seen")
    events = streamed(session, StreamingScriptedModel([ToolCall(id="c1", name="look"), "Done."]))
    kinds = [event.type for event in events if event.type.startswith("assistant")]
    assert kinds == ["assistant.chunk", "assistant.message"]


# What the encodings of a secret look like in a stream of single symbols.


ENCODED = {
    f"{encoding.name} of {secret}": (secret, encoding.encode(secret))
    for encoding in ENCODINGS
    for secret in (SECRET, "4929-1182-3345-9921", "GB82 WEST 1234 5698 7654 32")
    # Words of digits are read for values of digits alone, streamed or not.
    if encoding.name != "digits in words" or not any(map(str.isalpha, secret))
}


@pytest.mark.parametrize("piece", [1, 2, 9])
@pytest.mark.parametrize("name", ENCODED)
def test_no_encoding_of_a_sealed_value_shows(session: Session, name: str, piece: int) -> None:
    secret, encoded = ENCODED[name]
    session.private_data.put(PrivateData(secret, name="canary", pii_type="CUSTOM"))
    answer = f"{LONG}It is {encoded} as you know. {LONG}\n{encoded}\n{LONG}"
    events = streamed(session, StreamingScriptedModel([answer], piece=piece))
    chunks = [event.text or "" for event in events if event.type == "assistant.chunk"]
    for text in (*chunks, "".join(chunks), *messages(events).values(), repr(session.history())):
        assert encoded not in text
        assert not any(encoded[at : at + 12] in text for at in range(0, len(encoded) - 12, 4))
    assert shown(events) == messages(events)


def test_a_one_time_code_and_a_split_value_do_not_show(session: Session) -> None:
    session.private_data.put(PrivateData("831942", name="otp_code"))
    session.private_data.put(PrivateData(CARD, name="card", pii_type="CREDIT_CARD"))
    spread = "\n".join(CARD.replace(" ", ""))
    answer = f"{LONG}The code is 831942, or 8-3-1-9-4-2. {LONG}{spread}\n{LONG}831 942. {LONG}"
    events = streamed(session, StreamingScriptedModel([answer]))
    whole = "".join(shown(events).values())
    assert not any(leak in whole for leak in ("831942", "8-3-1-9", "1\n1\n1\n1", "831 942"))
    assert shown(events) == messages(events)


def test_a_placeholder_is_never_half_there(session: Session) -> None:
    placeholder = str(session.redact(CARD).findings[0].placeholder)
    answer = f"{LONG}It is {placeholder}. {LONG}{placeholder} {placeholder}\n{LONG}"
    events = streamed(session, StreamingScriptedModel([answer]))
    for event in events:
        if event.type == "assistant.chunk":
            assert (event.text or "").count("[") == (event.text or "").count(placeholder)
    assert messages(events).popitem()[1] == answer


PARTS = st.sampled_from(
    [
        LONG, CARD, "4111", "jane.roe@example.com", "\n", "\n\n", ". ", " ", "my PIN is 4821. ", "-----BEGIN ",
        "[CARD_", "Mr. Bean. ", "call +44 20 7946 0958 ", "GB82 WEST 1234 5698 7654 32", "the code is 482913", "IBAN: ",
        "x" * 40,
    ]
)  # fmt: skip


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(PARTS, max_size=25), piece=st.integers(1, 60))
def test_any_answer_is_shown_as_its_message(shared_gateway: Gateway, parts: list[str], piece: int) -> None:
    session = shared_gateway.session(f"s{next(_NUMBERS)}")
    events = streamed(session, StreamingScriptedModel(["".join(parts)], piece=piece))
    assert {key: text for key, text in shown(events).items() if text} == messages(events)


_NUMBERS = iter(range(10**9))

# What ends a stream before its message.


class Pulled:
    """A model that streams whatever it is told, and knows whether its generator was closed."""

    def __init__(self, *pieces: object, stuck: bool = False) -> None:
        self._pieces = pieces
        self._stuck = stuck
        self.inside, self.closed = threading.Event(), threading.Event()

    def complete(self, messages: Any, tools: Any) -> AIMessage:
        return AIMessage("Whole.")

    def stream(self, messages: Any, tools: Any) -> Iterator[Any]:
        try:
            for piece in self._pieces:
                if isinstance(piece, BaseException):
                    raise piece
                yield piece
            self.inside.set()
            if self._stuck:
                threading.Event().wait(0.4)
                yield LONG
        finally:
            self.closed.set()


FIRST = f"{LONG}The card is {CARD}. {LONG}{LONG}"
MANY = " ".join(f"user{number}@example.com is one of them. " for number in range(30))
BREAKS: dict[str, tuple[Pulled, type[SealgateError], str]] = {
    "breaks off": (Pulled(FIRST, ConnectionError(CARD)), ModelFailed, "model_failed"),
    "exits": (Pulled(FIRST, SystemExit(CARD)), ModelFailed, "model_failed"),
    "ends without a message": (Pulled(FIRST), ModelFailed, "model_failed"),
    "gives nonsense": (Pulled(FIRST, 5), ModelFailed, "model_failed"),
    "gives bytes": (Pulled(FIRST, b"x"), ModelFailed, "model_failed"),
    "has too many calls": (
        Pulled(FIRST, AIMessage(FIRST, tool_calls=[ToolCall(id=f"c{n}", name="x") for n in range(70)])),
        ModelFailed,
        "model_failed",
    ),
    "has a secret in a label": (
        Pulled(FIRST, AIMessage(FIRST, tool_calls=[ToolCall(id=SECRET, name="x")])),
        LeakPrevented,
        "leak_prevented",
    ),
    "is too long": (Pulled(FIRST, "x" * 1_000_001), TextTooLong, "text_too_long"),
    "brings too many values": (Pulled(FIRST, MANY, AIMessage(FIRST + MANY)), TooManyValues, "too_many_values"),
    "brings too many in a call": (
        Pulled(FIRST, AIMessage(FIRST, tool_calls=[ToolCall(id="c", name="x", arguments={"x": MANY})])),
        TooManyValues,
        "too_many_values",
    ),
}


@pytest.mark.parametrize("way", ["stream", "astream"])
@pytest.mark.parametrize("name", BREAKS)
def test_a_stream_that_comes_to_nothing_is_taken_back(detector: Detector, way: str, name: str) -> None:
    model, error, code = BREAKS[name]
    with Gateway.open(":memory:", detector=detector, limits=Limits(new_values=20)) as gateway:
        session = gateway.session("s1")
        session.private_data.put(PrivateData(SECRET, name="canary"))
        with pytest.raises(error) as failed:
            streamed(session, model, way=way)
        events = session.events().history()
        assert [event.error.code for event in events if event.error] == [code]
        assert any((event.text or "").startswith("Here is") for event in events)
        assert set(shown(events).values()) == {""}
        assert "assistant.message" not in [event.type for event in events]
        assert [message.text() for message in session.history()] == ["Go."]
        assert model.closed.wait(30)
        assert CARD not in repr(events) + repr(failed.value)
        assert failed.value.__context__ is None
        assert session.invoke(SAID, model=ScriptedModel(["Done."])).response == "Done."


def test_as_many_new_values_as_a_whole_answer_may_have(detector: Detector) -> None:
    text = " ".join(f"user{number}@example.com is one of them. " for number in range(20))
    with Gateway.open(":memory:", detector=detector, limits=Limits(new_values=20)) as gateway:
        events = streamed(gateway.session("s1"), StreamingScriptedModel([text], piece=11))
    assert shown(events) == messages(events)


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_stream_that_takes_too_long_is_left(detector: Detector, way: str) -> None:
    model = Pulled(FIRST, stuck=True)
    with Gateway.open(":memory:", detector=detector, limits=Limits(model_timeout=0.3)) as gateway:
        session = gateway.session("s1")
        with pytest.raises(ModelFailed, match="in time"):
            streamed(session, model, way=way)
        assert set(shown(session.events().history()).values()) == {""}
        assert model.closed.wait(30)


def test_a_reader_who_stops_reading_closes_the_stream(session: Session) -> None:
    model = Pulled(FIRST, LONG, LONG, AIMessage(""))
    events: Any = session.stream(SAID, model=model)
    with closing(events):
        assert next(event for event in events if event.type == "assistant.chunk")
    assert model.closed.is_set()
    assert set(shown(session.events().history()).values()) == {""}
    last = session.events().history()[-1]
    assert last.error is not None
    assert last.error.code == "turn_cancelled"
    assert [message.text() for message in session.history()] == ["Go."]


async def test_a_reader_in_a_loop_who_stops_reading_closes_it_too(session: Session) -> None:
    model = Coroutines(StreamingScriptedModel([ANSWER], piece=9))
    async with aclosing(session.astream(SAID, model=model)) as events:  # type: ignore[type-var]  # it is a generator
        async for event in events:
            if event.type == "assistant.chunk":
                break
    assert model.closed == 1
    assert set(shown(session.events().history()).values()) == {""}
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_cancelled_reader_leaves_nothing_behind(session: Session) -> None:
    model = Pulled(FIRST, stuck=True)

    async def read() -> None:
        async for _event in session.astream(SAID, model=model):
            pass

    task = asyncio.create_task(read())
    await asyncio.to_thread(model.inside.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert set(shown(session.events().history()).values()) == {""}
    assert await asyncio.to_thread(model.closed.wait, 30)
    assert (await session.ainvoke(SAID, model=ScriptedModel(["Done."]))).response == "Done."


@pytest.mark.parametrize("given", [None, 5, "text", AIMessage("x")])
def test_a_stream_that_is_none(session: Session, given: object) -> None:
    class Odd(ScriptedModel):
        def stream(self, messages: Any, tools: Any) -> Any:
            return given

    with pytest.raises(ModelFailed):
        streamed(session, Odd([]))


def test_a_message_that_is_not_its_pieces_decides(session: Session) -> None:
    events = streamed(session, Pulled(FIRST, AIMessage(f"Something else, {CARD}.")))
    assert shown(events) == messages(events)
    assert next(iter(messages(events).values())).startswith("Something else")
