"""Running turns: one at a time, blocking or not, streamed or not, cancelled or not; always the same outcome."""

from __future__ import annotations

import asyncio
import re
import threading
import traceback
from collections.abc import Callable
from contextlib import aclosing, closing
from typing import Any, Literal

import pytest

from sealgate.gateway import (
    AIMessage,
    Gateway,
    HumanMessage,
    LeakPrevented,
    ModelFailed,
    PrivateData,
    RunningLoop,
    Session,
    SessionBusy,
    SessionResponse,
    ToolCall,
    TooManySteps,
    depends_on_interrupt,
)
from sealgate.gateway.testing import ScriptedHuman, ScriptedModel
from sealgate.models.errors import SealgateError, TurnError
from sealgate.models.limits import Limits
from sealgate.models.messages import SealedMessage, sealing
from sealgate.models.tools import ToolSpec
from sealgate.redaction import Detector

ACCOUNT = "1234-5678-9012"
PLACEHOLDER = re.compile(r"\[[A-Z_]+_[0-9A-Z.]+\]")
Way = Literal["invoke", "ainvoke", "stream", "astream"]


class Coroutines:
    """A scripted model that is asynchronous."""

    def __init__(self, model: ScriptedModel) -> None:
        self._model = model

    async def complete(self, messages: list[SealedMessage], tools: list[ToolSpec]) -> AIMessage:
        await asyncio.sleep(0)
        return self._model.complete(messages, tools)


def run(session: Session, way: Way, model: Any, text: str = "Pay.") -> SessionResponse | None:
    """A turn in one of four ways; the response where the way gives one."""
    said = [HumanMessage(text)]

    async def drain() -> None:
        async for _event in session.astream(said, model=model):
            pass

    if way == "invoke":
        return session.invoke(said, model=model)
    if way == "ainvoke":
        return asyncio.run(session.ainvoke(said, model=model))
    if way == "stream":
        list(session.stream(said, model=model))
    else:
        asyncio.run(drain())
    return None


def pay(gateway: Gateway, *, coroutine: bool, received: list[str]) -> None:
    """A tool that asks for an account."""
    human = ScriptedHuman({"account": f"it is {ACCOUNT}"})
    plain = human.handler("account")

    async def asked(prompt: str) -> object:
        await asyncio.sleep(0)
        return plain(prompt)

    def pay(account: str) -> str:
        received.append(account)
        return f"paid from {account}"

    async def pay_later(account: str) -> str:
        await asyncio.sleep(0)
        return pay(account)

    asking = depends_on_interrupt("account", asked if coroutine else plain, sensitive="ACCOUNT_NUMBER")
    gateway.toolify(name="pay")(asking(pay_later if coroutine else pay))


WAYS: tuple[Way, ...] = ("invoke", "ainvoke", "stream", "astream")


@pytest.mark.parametrize("coroutine", [False, True])
def test_every_way_gives_the_same_conversation_and_the_same_events(detector: Detector, *, coroutine: bool) -> None:
    seen = []
    for way in WAYS:
        received: list[str] = []
        with Gateway.open(":memory:", detector=detector) as gateway:
            pay(gateway, coroutine=coroutine, received=received)
            session = gateway.session("s1")
            script = ScriptedModel([ToolCall(id="c1", name="pay"), "Done."])
            response = run(session, way, Coroutines(script) if coroutine else script)
            assert response is None or (response.status, response.response) == ("completed", "Done.")
            assert received == [ACCOUNT]
            assert ACCOUNT not in repr(session.history()) + repr(session.events().history())
            shape = [(message.role, message.status, len(message.text())) for message in session.history()]
            seen.append((shape, [event.type for event in session.events().history()], len(script.seen)))
    assert seen.count(seen[0]) == len(WAYS)


@pytest.mark.parametrize("way", WAYS)
def test_a_second_turn_from_another_thread_is_refused_and_the_first_goes_on(
    gateway: Gateway, session: Session, way: Way
) -> None:
    refused: list[BaseException] = []

    @gateway.toolify()
    def meanwhile() -> str:
        def other() -> None:
            for use in (
                lambda: session.invoke([HumanMessage("x")], model=ScriptedModel(["x"])),
                lambda: session.run_tool(ToolCall(id="c", name="meanwhile")),
                lambda: list(session.stream([HumanMessage("x")], model=ScriptedModel(["x"]))),
            ):
                try:
                    use()
                except SessionBusy as busy:
                    refused.append(busy)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join(30)
        return "done"

    run(session, way, ScriptedModel([ToolCall(id="c1", name="meanwhile"), "Done."]))
    assert len(refused) == 3
    assert [message.text() for message in session.history()] == ["Pay.", "", "done", "Done."]


async def test_a_second_turn_from_another_task_is_refused(gateway: Gateway, session: Session) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    @gateway.toolify()
    async def wait() -> str:
        started.set()
        await go_on.wait()
        return "waited"

    first = asyncio.create_task(
        session.ainvoke([HumanMessage("first")], model=ScriptedModel([ToolCall(id="c1", name="wait"), "one"]))
    )
    await started.wait()
    with pytest.raises(SessionBusy):
        await session.ainvoke([HumanMessage("second")], model=ScriptedModel(["two"]))
    with pytest.raises(SessionBusy):
        await session.arun_tool(ToolCall(id="c1", name="wait"))
    assert session.redact("jane.roe@example.com").findings
    go_on.set()
    assert (await first).response == "one"
    assert (await session.ainvoke([HumanMessage("second")], model=ScriptedModel(["two"]))).response == "two"


async def test_a_blocking_method_in_a_loop_names_its_twin_and_changes_nothing(session: Session) -> None:
    said, model = [HumanMessage("x")], ScriptedModel(["x"])
    uses: list[tuple[Callable[[], object], str]] = [
        (lambda: session.invoke(said, model=model), "ainvoke"),
        (lambda: list(session.stream(said, model=model)), "astream"),
        (lambda: session.run_tool(ToolCall(id="c1", name="x")), "arun_tool"),
    ]
    for use, twin in uses:
        with pytest.raises(RunningLoop, match=twin):
            use()
    assert session.history() == ()
    assert (await session.ainvoke(said, model=model)).response == "x"


def test_a_stream_yields_what_a_browser_gets_as_it_comes(gateway: Gateway, session: Session) -> None:
    pay(gateway, coroutine=False, received=[])
    events = session.stream([HumanMessage("Pay.")], model=ScriptedModel([ToolCall(id="c1", name="pay"), "Done."]))
    first = next(events)
    assert (first.type, session.history()[0].text()) == ("session.started", "Pay.")
    rest = list(events)
    assert [first, *rest] == session.events().history()
    assert [event.id for event in rest] == list(range(2, 2 + len(rest)))
    assert rest[-1].type == "final"


def held(kind: str, inside: threading.Event) -> Callable[[], object]:
    async def coroutine() -> str:
        inside.set()
        await asyncio.Event().wait()
        return "never"

    def blocking() -> str:
        inside.set()
        threading.Event().wait(0.3)
        return "late"

    return coroutine if kind == "coroutine" else blocking


@pytest.mark.parametrize("kind", ["coroutine", "blocking"])
@pytest.mark.parametrize("where", ["tool", "handler", "hook", "model"])
def test_a_cancelled_turn_is_recorded_and_the_next_one_works(
    gateway: Gateway, session: Session, kind: str, where: str
) -> None:
    inside = threading.Event()
    wait = held(kind, inside)
    model: Any = ScriptedModel([ToolCall(id="c1", name="act"), "Done."])
    if where == "tool":
        gateway.toolify(name="act")(wait)
    elif where == "hook":
        hook: Any = (lambda _call: wait()) if kind == "blocking" else _hook(wait)
        gateway.toolify(name="act", before_execute=hook)(lambda: "ok")
    elif where == "handler":
        handler: Any = (lambda _prompt: wait()) if kind == "blocking" else _hook(wait)
        gateway.toolify(name="act")(depends_on_interrupt("pin", handler)(lambda pin: "ok"))
    else:
        model = _Waiting(wait, coroutine=kind == "coroutine")

    async def scenario() -> None:
        task = asyncio.create_task(session.ainvoke([HumanMessage("first")], model=model))
        await asyncio.to_thread(inside.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(scenario())
    last = session.events().history()[-1]
    assert (last.type, last.error and last.error.code) == ("error", "turn_cancelled")
    may_have_run = "ToolOutcomeUnknown: the call was started and never reported back"
    not_run = "TurnCancelled: the turn ended before the call was run"
    left = {"model": [], "handler": ["", not_run]}.get(where, ["", may_have_run])
    assert [message.text() for message in session.history()] == ["first", *left]
    assert session.invoke([HumanMessage("second")], model=ScriptedModel(["two"])).response == "two"


def _hook(wait: Callable[[], Any]) -> Callable[[object], Any]:
    async def hook(_given: object) -> object:
        return await wait()

    return hook


class _Waiting:
    def __init__(self, wait: Callable[[], Any], *, coroutine: bool) -> None:
        async def complete(_messages: object, _tools: object) -> object:
            return await wait()

        self.complete: Any = complete if coroutine else lambda _messages, _tools: wait()


def test_a_reader_who_stops_reading_ends_the_turn_before_the_next_begins(gateway: Gateway, session: Session) -> None:
    pay(gateway, coroutine=False, received=[])
    model = ScriptedModel([ToolCall(id="c1", name="pay"), "Done."])
    events: Any = session.stream([HumanMessage("first")], model=model)
    with closing(events):
        assert next(event for event in events if event.type == "tool.started")
    assert session.events().history()[-1].type == "error"
    assert session.invoke([HumanMessage("second")], model=ScriptedModel(["two"])).response == "two"
    assert session.events().history()[-1].type == "final"


async def test_a_reader_in_a_loop_who_stops_reading_too(gateway: Gateway, session: Session) -> None:
    pay(gateway, coroutine=True, received=[])
    model = ScriptedModel([ToolCall(id="c1", name="pay"), "Done."])
    events: Any = session.astream([HumanMessage("first")], model=model)
    async with aclosing(events):
        async for event in events:
            if event.type == "tool.started":
                break
    assert session.events().history()[-1].type == "error"
    assert (await session.ainvoke([HumanMessage("second")], model=ScriptedModel(["two"]))).response == "two"


def test_an_interrupt_from_the_keyboard_goes_through_and_is_recorded(gateway: Gateway, session: Session) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    gateway.toolify(name="act")(interrupted)
    with pytest.raises(KeyboardInterrupt):
        session.invoke([HumanMessage("first")], model=ScriptedModel([ToolCall(id="c1", name="act")]))
    assert session.events().history()[-1].type == "error"
    assert session.invoke([HumanMessage("second")], model=ScriptedModel(["two"])).response == "two"


class Odd:
    """A model that answers with whatever it is told."""

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def complete(self, messages: object, tools: object) -> Any:
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer


NONSENSE: list[tuple[str, object]] = [
    ("nothing", None),
    ("a text", "hello"),
    ("a dict", {"role": "assistant"}),
    ("a person's message", HumanMessage("hello")),
    ("two calls of one id", AIMessage("", tool_calls=[ToolCall(id="c", name="a"), ToolCall(id="c", name="b")])),
    ("too many calls", AIMessage("", tool_calls=[ToolCall(id=f"c{n}", name="a") for n in range(65)])),
    ("an exception", ValueError(f"no model for {ACCOUNT}")),
    ("an exit", SystemExit(ACCOUNT)),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "answer"), NONSENSE)
def test_a_model_that_answers_nonsense_fails_the_turn(session: Session, way: Way, name: str, answer: object) -> None:
    with pytest.raises(ModelFailed) as failed:
        run(session, way, Odd(answer))
    assert ACCOUNT not in "".join(traceback.format_exception(failed.value))
    assert failed.value.__context__ is None
    last = session.events().history()[-1]
    assert (last.type, last.error and last.error.code) == ("error", "model_failed")
    assert session.invoke([HumanMessage("second")], model=ScriptedModel(["two"])).response == "two"


def test_a_call_whose_arguments_are_not_json_fails_the_turn(session: Session) -> None:
    call = ToolCall(id="c1", name="a", arguments={"x": {ACCOUNT}})
    with pytest.raises(SealgateError) as failed:
        session.invoke([HumanMessage("x")], model=ScriptedModel([call]))
    assert ACCOUNT not in "".join(traceback.format_exception(failed.value))


@pytest.mark.parametrize("script", ["loop", "unregistered"])
def test_a_model_that_never_stops_is_stopped(detector: Detector, script: str) -> None:
    with Gateway.open(":memory:", detector=detector, limits=Limits(model_steps=5)) as gateway:
        gateway.toolify(name="loop")(lambda: "again")
        session = gateway.session("s1")
        model = ScriptedModel([ToolCall(id=f"c{number}", name=script) for number in range(9)])
        with pytest.raises(TooManySteps) as stopped:
            session.invoke([HumanMessage("go")], model=model)
        assert stopped.value.limit == len(model.seen) == 5
        last = session.events().history()[-1]
        assert last.error is not None
        assert last.error.code == "too_many_steps"


def test_a_model_that_takes_too_long_is_left(detector: Detector) -> None:
    limits = Limits(model_timeout=0.05)
    with Gateway.open(":memory:", detector=detector, limits=limits) as gateway:
        released = threading.Event()
        waiting = _Waiting(lambda: released.wait(30), coroutine=False)
        for way in WAYS:
            with pytest.raises(ModelFailed, match="in time"):
                run(gateway.session(way), way, waiting)
        released.set()


def test_an_unexpected_failure_tells_where_and_nothing_else(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_given: object, **_options: object) -> None:
        raise RuntimeError(f"holds {ACCOUNT}")

    monkeypatch.setattr("sealgate.gateway.turn.model_step.seal_answer", broken)
    with pytest.raises(TurnError) as failed:
        session.invoke([HumanMessage("x")], model=ScriptedModel(["x"]))
    assert "RuntimeError at test_gateway_turns.py:" in str(failed.value)
    assert failed.value.__cause__ is failed.value.__context__ is None


def test_what_cannot_be_hidden_is_not_sent(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.redact(ACCOUNT, known=[ACCOUNT])
    monkeypatch.setattr("sealgate.redaction.redactor.Redactor.rescrub", lambda _self, message: message)
    monkeypatch.setattr("sealgate.redaction.redactor.Redactor.redact_message", _unredacted)
    model = ScriptedModel(["x"])
    with pytest.raises(LeakPrevented) as prevented:
        session.invoke([HumanMessage(f"from {ACCOUNT}")], model=model)
    assert prevented.value.where == "message 0 (user)"
    assert (model.seen, session.sent_to_model()) == ([], [])


def _unredacted(_redactor: object, message: HumanMessage, **_options: object) -> SealedMessage:
    with sealing():
        return SealedMessage(role=message.role, content=message.content)


WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@pytest.mark.parametrize(
    "pieces",
    [
        str,
        lambda pin: [int(digit) for digit in pin],
        lambda pin: [ord(char) for char in pin],
        lambda pin: " ".join(str(ord(char)) for char in pin),
        lambda pin: " ".join(f"{ord(char):08b}" for char in pin),
        lambda pin: "".join(f"<b>{char}</b>" for char in pin),
        lambda pin: "".join(chr(0xE0000 + ord(char)) for char in pin),
        lambda pin: " ".join(WORDS[int(char)] for char in pin),
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_a_page_that_lists_codes_in_pieces_learns_nothing(
    gateway: Gateway, pieces: Callable[[str], object], nested: bool
) -> None:
    """The secret is hidden among the rest, which is hidden likewise, so that it shows no more than another would."""
    pins = [f"{number:04d}" for number in range(4690, 4730)]
    rows = [list(pin) if pieces is str else pieces(pin) for pin in pins]

    @gateway.toolify(description="Read a page.")
    def read_page() -> list[Any]:
        return [{f"row{chr(97 + at // 26)}{chr(97 + at % 26)}": row} for at, row in enumerate(rows)] if nested else rows

    def answered(pin: str) -> str:
        session = gateway.session(f"pin-{pin}")
        session.private_data.put(PrivateData(pin, name="pin"))
        model = ScriptedModel([ToolCall(id="1", name="read_page", arguments={}), "Done."])
        session.invoke([HumanMessage("Read.")], model=model)
        return PLACEHOLDER.sub("[*]", model.seen[-1][0][-1].text())

    assert answered("4711") == answered("9393")
