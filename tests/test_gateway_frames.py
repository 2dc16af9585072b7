"""What the frames of an error show that leaves the gateway: its way, and nothing of what went it."""

from __future__ import annotations

import asyncio
import inspect
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from sealgate.gateway import Gateway, HumanMessage, PrivateData, Session, ToolCall, depends_on_interrupt
from sealgate.gateway.frames import without_locals
from sealgate.gateway.testing import ScriptedModel, StreamingScriptedModel
from sealgate.models.errors import (
    InterruptNotPending,
    InvalidAnswer,
    InvalidInput,
    SessionShredded,
    StoreUnavailable,
    TextTooLong,
    TooManyValues,
)

CANARY = "zanzibar-quokka-77"
MANY = " ".join(f"u{number}@{CANARY}.example" for number in range(300))
LONG = CANARY + " x" * 500_000


def shown(error: BaseException | None) -> str:
    """The local variables of our frames in an error and all that it comes from."""
    if error is None:
        return ""
    ours = [
        frame
        for frame, _ in traceback.walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__")).startswith("sealgate.")
    ]
    return "".join(repr(frame.f_locals) for frame in ours) + shown(error.__cause__) + shown(error.__context__)


def shredding(session: Session, value: str = CANARY) -> Callable[..., str]:
    """Something that gives a value and takes the vault away, so that what follows fails."""

    def give(*_given: object) -> str:
        session.shred()
        return value

    return give


def tool_call(session: Session, gateway: Gateway) -> ToolCall:
    give = shredding(session)

    @gateway.toolify()
    def fetch(x: int) -> str:
        return give(x)

    return ToolCall(id="c", name="fetch", arguments={"x": 1})


def asking(session: Session, gateway: Gateway, handler: Callable[..., object] | None) -> ScriptedModel:
    @gateway.toolify()
    @depends_on_interrupt("code", handler, "Code: ", sensitive="OTP_CODE")
    def use(code: str) -> str:
        return code

    return ScriptedModel([ToolCall(id="c", name="use", arguments={}), "done"])


def answered(session: Session, gateway: Gateway, answer: Callable[[str], object]) -> None:
    response = session.invoke([HumanMessage("go")], model=asking(session, gateway, None))
    answer(response.interrupts[0].id)


async def astreamed(session: Session) -> None:
    async for _ in session.astream([HumanMessage("x")], model=ScriptedModel([shredding(session)])):
        pass


def emitted_late(session: Session) -> None:
    bridge = session.events()
    session.shred()
    bridge.emit("status", {"text": CANARY})


Failure = Callable[[Session, Gateway], object]
FAILURES: dict[str, tuple[type[Exception], Failure]] = {
    "redact": (TextTooLong, lambda session, _: session.redact(LONG)),
    "redact_messages": (TextTooLong, lambda session, _: session.redact_messages([HumanMessage(LONG)])),
    "a message": (TooManyValues, lambda session, _: session.invoke([HumanMessage(MANY)], model=ScriptedModel(["x"]))),
    "a tool's result": (
        SessionShredded,
        lambda session, gateway: session.run_tool(tool_call(session, gateway)),
    ),
    "a tool's result in a turn": (
        SessionShredded,
        lambda session, gateway: session.invoke(
            [HumanMessage("x")], model=ScriptedModel([tool_call(session, gateway), "x"])
        ),
    ),
    "a tool's result in a loop": (
        SessionShredded,
        lambda session, gateway: asyncio.run(
            session.ainvoke([HumanMessage("x")], model=ScriptedModel([tool_call(session, gateway), "x"]))
        ),
    ),
    "a handler's answer": (
        SessionShredded,
        lambda session, gateway: session.invoke(
            [HumanMessage("x")], model=asking(session, gateway, shredding(session, f"482913 {CANARY}"))
        ),
    ),
    "a model's answer": (
        SessionShredded,
        lambda session, _: list(session.stream([HumanMessage("x")], model=ScriptedModel([shredding(session)]))),
    ),
    "a streamed answer": (
        SessionShredded,
        lambda session, _: list(
            session.stream(
                [HumanMessage("x")], model=StreamingScriptedModel([shredding(session, f"It is {CANARY}, so. " * 20)])
            )
        ),
    ),
    "a model's answer in a loop": (SessionShredded, lambda session, _: asyncio.run(astreamed(session))),
    "an answer that does not fit": (
        InvalidAnswer,
        lambda session, gateway: answered(session, gateway, lambda pause: session.resume(pause, CANARY)),
    ),
    "an answer that is filed": (
        InvalidAnswer,
        lambda session, gateway: answered(session, gateway, lambda pause: session.interrupts.answer(pause, CANARY)),
    ),
    "an answer to nothing": (
        InterruptNotPending,
        lambda session, _: session.resume("nothing", CANARY, model=ScriptedModel([])),
    ),
    "an event": (SessionShredded, lambda session, _: emitted_late(session)),
    "an event of no type": (InvalidInput, lambda session, _: session.events().emit(CANARY, {"text": CANARY})),
    "private data": (
        TextTooLong,
        lambda session, _: session.private_data.put(PrivateData(LONG, name="note")),
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_no_frame_shows_the_value(name: str) -> None:
    expected, fail = FAILURES[name]
    with Gateway.open(":memory:") as gateway:
        with pytest.raises(expected) as caught:
            fail(gateway.session("s"), gateway)
        assert CANARY not in shown(caught.value)
        assert len(traceback.extract_tb(caught.value.__traceback__)) > 3


@pytest.mark.parametrize(
    ("expected", "location"),
    [
        (StoreUnavailable, f"postgresql://someone:{CANARY}@127.0.0.1:1/none?sslmode=require"),
        (StoreUnavailable, f"valkeys://someone:{CANARY}@127.0.0.1:1/0"),
        (InvalidInput, f"mysql://someone:{CANARY}@127.0.0.1:1/none"),
        (InvalidInput, f"postgresql://someone:{CANARY}@[::1/none"),
    ],
)
def test_no_frame_shows_the_password_of_a_store(expected: type[Exception], location: str) -> None:
    with pytest.raises(expected) as caught:
        Gateway.open(location, key=bytes(range(32)))
    assert CANARY not in shown(caught.value)
    assert CANARY not in "".join(traceback.format_exception(caught.value))


@without_locals
class Kinds:
    def plain(self, value: str) -> str:
        return self._fail(value)

    def generator(self, value: str) -> Iterator[str]:
        yield "first"
        yield self._fail(value)

    async def coroutine(self, value: str) -> str:
        await asyncio.sleep(0)
        return self._fail(value)

    async def async_generator(self, value: str) -> AsyncIterator[str]:
        yield "first"
        yield self._fail(value)

    def _fail(self, value: str) -> str:
        inner = value.upper()
        try:
            raise KeyError(len(inner))
        except KeyError as error:
            raise ValueError(len(value)) from error


async def drained(items: AsyncIterator[str]) -> list[str]:
    return [item async for item in items]


RUNS: dict[str, Callable[[], Any]] = {
    "plain": lambda: Kinds().plain(CANARY),
    "generator": lambda: list(Kinds().generator(CANARY)),
    "coroutine": lambda: asyncio.run(Kinds().coroutine(CANARY)),
    "async_generator": lambda: asyncio.run(drained(Kinds().async_generator(CANARY))),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_way_of_an_error_stays_and_its_variables_do_not(name: str) -> None:
    with pytest.raises(ValueError, match="18") as caught:
        RUNS[name]()
    frames = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert isinstance(caught.value.__cause__, KeyError)
    assert {name, "_fail"} <= {frame.name for frame in frames.stack}
    inside = [frame.locals for frame in frames.stack if frame.name in (name, "_fail", "call")]
    assert CANARY not in repr(inside)
    assert CANARY.upper() not in shown(caught.value.__cause__)


def test_what_the_caller_was_handling_keeps_its_variables() -> None:
    def own(value: str) -> None:
        raise LookupError(len(value))

    with pytest.raises(ValueError, match="18") as caught:  # noqa: PT012 - the error in the error
        try:
            own("mine")
        except LookupError:
            Kinds().plain(CANARY)
    before = caught.value.__cause__.__context__ if caught.value.__cause__ else None
    assert before is not None
    assert [frame.f_locals for frame, _ in traceback.walk_tb(before.__traceback__)][-1] == {"value": "mine"}


def test_a_method_stays_of_its_kind() -> None:
    assert inspect.isgeneratorfunction(Kinds.generator)
    assert inspect.iscoroutinefunction(Kinds.coroutine)
    assert inspect.isasyncgenfunction(Kinds.async_generator)
    assert list(inspect.signature(Session.redact).parameters) == ["self", "text", "known", "expect", "origin"]
    assert Session.redact.__doc__


def test_a_generator_that_is_left_is_closed() -> None:
    ended: list[str] = []

    @without_locals
    class Left:
        def items(self) -> Iterator[int]:
            try:
                yield from range(9)
            finally:
                ended.append("items")

        async def aitems(self) -> AsyncIterator[int]:
            try:
                for number in range(9):
                    yield number
            finally:
                ended.append("aitems")

    async def leave() -> None:
        items = Left().aitems()
        await anext(items)
        await items.aclose()  # type: ignore[attr-defined]  # it is a generator

    items = Left().items()
    next(items)
    items.close()  # type: ignore[attr-defined]  # likewise
    asyncio.run(leave())
    assert ended == ["items", "aitems"]
