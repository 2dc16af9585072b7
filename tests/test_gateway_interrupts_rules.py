"""The five rules of a pause inside a tool's body: each with the fault that breaks it, and what is done about it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sealgate.gateway import (
    Gateway,
    GraphInterrupt,
    HumanMessage,
    InterruptConfig,
    InterruptError,
    InvalidName,
    Session,
    SessionResponse,
    ToolCall,
    interrupt,
)
from sealgate.gateway.testing import ScriptedModel
from sealgate.redaction import Detector


def run(session: Session, *answers: object) -> SessionResponse:
    """A turn that calls the tool ``work`` once, with these answers to its pauses."""
    model = ScriptedModel([ToolCall(id="c1", name="work"), "Done."])
    response = session.invoke([HumanMessage("Go.")], model=model)
    for answer in answers:
        (asked,) = response.interrupts
        response = session.resume(asked.id, answer)
    return response


def read(session: Session) -> str:
    """What the model read of the tool."""
    return next(message.text() for message in session.history() if message.role == "tool")


# Rule 1: a pause that is caught is a fault.


@pytest.mark.parametrize("caught", [BaseException, GraphInterrupt])
def test_a_tool_that_swallows_its_pause_fails(gateway: Gateway, session: Session, caught: type[BaseException]) -> None:
    @gateway.toolify()
    def work() -> str:
        with suppress(caught):
            interrupt("Go on?")
        return "went on"

    assert run(session).status == "completed"
    assert read(session).startswith("InterruptSwallowed:")


def test_tasks_of_one_body_that_ask_at_once_are_asked_one_after_the_other(gateway: Gateway, session: Session) -> None:
    async def ask(question: str) -> str:
        return str(interrupt(question))

    @gateway.toolify()
    async def both() -> list[str]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(question)) for question in ("first?", "second?", "third?")]
        return [task.result() for task in tasks]

    model = ScriptedModel([ToolCall(id="c1", name="both"), "Done."])
    response = session.invoke([HumanMessage("Go.")], model=model)
    asked: list[str] = []
    while response.status == "interrupted":
        (pause,) = response.interrupts
        asked.append(pause.prompt)
        response = session.resume(pause.id, f"re {pause.prompt}")
    assert asked == ["first?", "second?", "third?"]
    assert session.restore(session.history()[-2].text()) == '["re first?", "re second?", "re third?"]'


def test_an_ordinary_handler_of_errors_and_a_task_group_let_a_pause_through(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    async def work() -> str:
        async def ask() -> str:
            try:
                return str(interrupt("In whose name?"))
            except Exception:
                return "caught"

        async with asyncio.TaskGroup() as group:
            task = group.create_task(ask())
        return task.result()

    assert run(session, "Zed").status == "completed"
    assert session.restore(read(session)) == "Zed"


def test_a_cleanup_belongs_into_on_abort(gateway: Gateway, session: Session) -> None:
    cleaned: list[str] = []

    @session.on_abort
    def clean() -> None:
        cleaned.append("cleaned")

    @session.on_abort
    def broken() -> None:
        raise RuntimeError("of no account")

    @gateway.toolify()
    def work() -> str:
        return str(interrupt("Go on?"))

    @gateway.toolify()
    def stop() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session.invoke([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id="c1", name="stop")]))
    assert cleaned == ["cleaned"]
    assert run(session, "Zed").status == "completed"
    assert cleaned == ["cleaned"]


# Rule 2: payloads are JSON.


@pytest.mark.parametrize(
    ("payload", "path"),
    [
        ({"at": datetime(2026, 1, 1, tzinfo=UTC)}, "$"),
        ({"a": [1, {2}]}, "$"),
        (b"x", "$"),
        ({"a": Decimal(1)}, "$"),
        ({1: "x"}, "$"),
        ([print], "$"),
        (float("nan"), "$"),
        (float("inf"), "$"),
        ({"a": object()}, "$"),
        (2 + 3j, "$"),
        ((1, 2), "$"),
    ],
)
def test_a_payload_that_is_no_json_fails_the_tool_and_names_the_place(
    gateway: Gateway, session: Session, payload: Any, path: str
) -> None:
    @gateway.toolify()
    def work() -> str:
        return str(interrupt(payload))

    assert run(session).status == "completed"
    assert read(session).startswith("NotJson:")
    assert path in read(session)
    assert session.interrupts.pending() == []


# Rule 3: what is done before a pause is done again, unless it is remembered.


@pytest.mark.parametrize(("remembered", "times"), [(False, 3), (True, 1)])
def test_an_effect_before_two_pauses_and_a_new_process(
    tmp_path: Path, detector: Detector, *, remembered: bool, times: int
) -> None:
    counted: list[int] = []

    def opened() -> Gateway:
        gateway = Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector)

        @gateway.toolify()
        def work() -> str:
            def effect() -> int:
                counted.append(1)
                return len(counted)

            number = gateway.session("s1").cache.once("count", effect) if remembered else effect()
            first = interrupt("First?")
            second = interrupt("Second?")
            return f"{number} {first} {second}"

        return gateway

    with opened() as gateway:
        session = gateway.session("s1")
        model = ScriptedModel([ToolCall(id="c1", name="work")])
        (asked,) = session.invoke([HumanMessage("Go.")], model=model).interrupts
        (asked,) = session.resume(asked.id, "one").interrupts
    with opened() as gateway:
        session = gateway.session("s1")
        assert session.resume(asked.id, "two", model=ScriptedModel(["Done."])).status == "completed"
        assert session.restore(read(session)) == f"{times} one two"
    assert len(counted) == times


def test_an_asynchronous_effect_is_remembered_too(gateway: Gateway, session: Session) -> None:
    counted: list[int] = []

    @gateway.toolify()
    async def work() -> str:
        async def effect() -> dict[str, str]:
            await asyncio.sleep(0)
            counted.append(1)
            return {"mail": "jane.roe@example.com"}

        sent = await session.cache.aonce("send", effect)
        return f"{sent['mail']} {interrupt('Sure?')}"

    assert run(session, "yes").status == "completed"
    assert len(counted) == 1
    assert session.restore(read(session)) == "jane.roe@example.com yes"


def test_what_an_effect_gave_is_stored_hidden(tmp_path: Path, detector: Detector) -> None:
    with Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector) as gateway:
        session = gateway.session("s1")

        @gateway.toolify()
        def work() -> str:
            session.cache.once("k", lambda: "jane.roe@example.com")
            return "done"

        run(session)
        stored = session._services.vault.records.all("memo")
        assert len(stored) == 1
        assert b"jane.roe" not in stored[0]


def test_an_effect_that_failed_is_tried_again_and_keys_are_per_call(gateway: Gateway, session: Session) -> None:
    tried: list[int] = []

    @gateway.toolify()
    def work() -> str:
        def effect() -> int:
            tried.append(1)
            if len(tried) == 1:
                raise OSError("no")
            return len(tried)

        try:
            session.cache.once("k", effect)
        except OSError:
            interrupt("Again?")
        return str(session.cache.once("k", effect))

    assert run(session).status == "interrupted"
    assert len(tried) == 1


@pytest.mark.parametrize(
    ("use", "error"),
    [
        (lambda session: session.cache.once("k", lambda: 1), InterruptError),
        (lambda session: session.cache.once("", lambda: 1), InterruptError),
    ],
)
def test_the_memo_belongs_to_a_body(session: Session, use: Callable[[Session], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        use(session)


@pytest.mark.parametrize(
    ("key", "outcome", "said"), [("", 1, "InvalidName"), ("k", {1}, "NotJson"), (5, 1, "InvalidName")]
)
def test_what_cannot_be_remembered(gateway: Gateway, session: Session, key: Any, outcome: Any, said: str) -> None:
    @gateway.toolify()
    def work() -> str:
        return str(session.cache.once(key, lambda: outcome))

    run(session)
    assert read(session).startswith(f"{said}:")
    assert issubclass(InvalidName, ValueError)


# Rule 4: the same questions in the same order.


def test_another_order_after_a_resume_fails_the_tool(gateway: Gateway, session: Session) -> None:
    names = ["a", "b", "c"]

    @gateway.toolify()
    def work() -> str:
        for name in list(names):
            interrupt({"about": name})
        return "done"

    response = run(session, "one")
    names.reverse()
    (asked,) = response.interrupts
    assert session.resume(asked.id, "two").status == "completed"
    assert read(session).startswith("InterruptDiverged:")


def test_three_in_a_loop_in_a_stable_order(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    def work() -> str:
        return " ".join(str(interrupt({"about": name})) for name in sorted({"b", "a", "c"}))

    assert run(session, "one", "two", "three").status == "completed"
    assert session.restore(read(session)) == "one two three"


# Rule 5: static points and a pause in the body do not go together.


@pytest.mark.parametrize("static", [{"interrupt_before": ["work"]}, {"interrupt_after": ["work"]}])
def test_static_points_and_a_pause_in_the_body_are_refused(detector: Detector, static: dict[str, Any]) -> None:
    with Gateway.open(":memory:", detector=detector, interrupt=InterruptConfig(**static)) as gateway:
        session = gateway.session("s1")

        @gateway.toolify()
        def work() -> str:
            return str(interrupt("Go on?"))

        answers = [True] if "interrupt_before" in static else []
        assert run(session, *answers).status == "completed"
        assert read(session).startswith("InvalidPolicy:")


def test_a_response_schema_is_kept_by_the_manager_and_by_the_body(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    def work() -> str:
        ok: bool = interrupt("Sure?", response_schema=bool)
        return f"{ok}"

    response = run(session)
    (asked,) = response.interrupts
    with pytest.raises(ValueError, match="does not fit the response schema"):
        session.resume(asked.id, "perhaps")
    assert session.resume(asked.id, True).status == "completed"
    assert read(session) == "True"
