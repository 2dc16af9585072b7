"""The two drivers: they perform waits, pass events on, and leave nothing behind."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator

import anyio
import anyio.lowlevel
import pytest

from sealgate.gateway.turn.driver import Ended, adrive, drive, refuse_running_loop
from sealgate.gateway.turn.portal import Portal
from sealgate.gateway.turn.waits import Abandoned, Effects, Wait, WaitTimedOut
from sealgate.models.errors import RunningLoop
from sealgate.models.events import AppEvent


@pytest.fixture
def portal() -> Iterator[Portal]:
    portal = Portal()
    yield portal
    portal.close()


def one(wait: Wait) -> Effects[object]:
    try:
        outcome = yield wait
    except WaitTimedOut:
        return "timed out"
    except (Exception, SystemExit) as error:
        return type(error).__name__
    yield AppEvent(type="status", text="between")
    return outcome


def run(turn: Effects[object], portal: Portal, *, looped: bool) -> list[object]:
    if not looped:
        return [item.outcome if isinstance(item, Ended) else item.text for item in drive(turn, portal)]

    async def collect() -> list[object]:
        return [item.outcome if isinstance(item, Ended) else item.text async for item in adrive(turn)]

    return anyio.run(collect)


async def coroutine() -> str:
    await anyio.lowlevel.checkpoint()
    return "awaited"


async def sleeper() -> None:
    await anyio.sleep(30)


def fail() -> None:
    raise KeyError("x")


def leave() -> None:
    raise SystemExit(3)


@pytest.mark.parametrize("looped", [False, True])
@pytest.mark.parametrize(
    ("call", "inline", "timeout", "expected"),
    [
        (lambda: 7, False, None, ["between", 7]),
        (lambda: 7, False, 5.0, ["between", 7]),
        (coroutine, True, None, ["between", "awaited"]),
        (coroutine, True, 5.0, ["between", "awaited"]),
        (coroutine, False, None, ["between", "awaited"]),
        (fail, False, None, ["KeyError"]),
        (fail, False, 5.0, ["KeyError"]),
        (leave, False, None, ["SystemExit"]),
        (lambda: time.sleep(0.5), False, 0.01, ["timed out"]),
        (sleeper, True, 0.01, ["timed out"]),
    ],
)
def test_a_wait_is_performed(
    portal: Portal,
    *,
    call: Callable[[], object],
    inline: bool,
    timeout: float | None,
    expected: list[object],
    looped: bool,
) -> None:
    wait = Wait("tool", call, timeout=timeout, inline=inline)
    assert run(one(wait), portal, looped=looped) == expected


def test_the_blocking_driver_works_in_the_callers_thread(portal: Portal) -> None:
    assert run(one(Wait("tool", threading.get_ident)), portal, looped=False)[-1] == threading.get_ident()


def recording(seen: list[str], wait: Wait) -> Effects[object]:
    try:
        return (yield wait)
    except Abandoned:
        seen.append("cancelled")
        raise
    finally:
        seen.append("closed")


def interrupt() -> None:
    raise KeyboardInterrupt


def test_an_interrupt_from_the_keyboard_cancels_the_turn_and_goes_through(portal: Portal) -> None:
    seen: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        list(drive(recording(seen, Wait("handler", interrupt)), portal))
    assert seen == ["cancelled", "closed"]


def test_cancelling_a_task_cancels_the_turn_before_the_task_ends() -> None:
    seen: list[str] = []

    async def body() -> None:
        with anyio.move_on_after(0.05):
            async for _item in adrive(recording(seen, Wait("tool", sleeper, inline=True))):
                pass

    anyio.run(body)
    assert seen == ["cancelled", "closed"]


@pytest.mark.parametrize("cancels", [1, 2])
def test_a_task_cancelled_while_its_turn_works_in_a_thread_waits_for_that_work(cancels: int) -> None:
    seen: list[str] = []
    entered, go_on = threading.Event(), threading.Event()

    def turn() -> Effects[object]:
        try:
            entered.set()
            go_on.wait(10)
            yield AppEvent(type="status")
        finally:
            seen.append("closed")
        return None

    async def drain() -> None:
        async for _item in adrive(turn()):
            pass

    async def body() -> None:
        task = asyncio.create_task(drain())
        await asyncio.to_thread(entered.wait, 10)
        threading.Timer(0.1, go_on.set).start()
        for _ in range(cancels):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(body())
    assert seen == ["closed"]


def test_a_reader_that_stops_reading_cancels_the_turn(portal: Portal) -> None:
    seen: list[str] = []

    def turn() -> Effects[object]:
        try:
            yield AppEvent(type="status")
        except Abandoned:
            seen.append("cancelled")
            raise
        return None

    items = drive(turn(), portal)
    next(items)
    items.close()
    assert seen == ["cancelled"]


def test_a_blocking_call_in_a_loop_names_its_twin() -> None:
    async def body() -> None:
        with pytest.raises(RunningLoop, match="ainvoke"):
            refuse_running_loop("ainvoke")

    anyio.run(body)
    refuse_running_loop("ainvoke")


def test_a_wait_does_not_show_what_it_calls() -> None:
    assert "lambda" not in repr(Wait("tool", lambda: 7))


@pytest.mark.parametrize("error", [SystemExit(3), BaseExceptionGroup("x", [GeneratorExit()]), GeneratorExit()])
def test_what_a_coroutine_raises_ends_no_loop(portal: Portal, error: BaseException) -> None:
    async def leaves() -> None:
        await anyio.lowlevel.checkpoint()
        raise error

    ended = run(one(Wait("tool", leaves, inline=True)), portal, looped=False)
    assert ended[0] in ("SystemExit", "Escaped")
    assert run(one(Wait("tool", coroutine, inline=True)), portal, looped=False) == ["between", "awaited"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_loop_that_a_task_of_its_own_ended_is_told_and_the_next_turn_has_another(portal: Portal) -> None:
    async def leaves() -> None:
        await anyio.lowlevel.checkpoint()
        raise SystemExit(3)

    async def starts() -> None:
        task = asyncio.ensure_future(leaves())
        task.add_done_callback(lambda ended: ended.exception())
        await anyio.sleep(300)
        await task

    assert run(one(Wait("tool", starts, inline=True)), portal, looped=False)[0] in ("TurnError", "CancelledError")
    assert run(one(Wait("tool", coroutine, inline=True)), portal, looped=False) == ["between", "awaited"]
