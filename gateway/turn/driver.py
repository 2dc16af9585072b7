"""The two drivers of a turn. They only perform what it yields; everything that decides is in the turn itself."""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import anyio
import anyio.abc
import anyio.from_thread
import anyio.to_thread
import sniffio

from sealgate.models.errors import RunningLoop, TurnCancelled
from sealgate.models.events import AppEvent

from .portal import Closed, Portal, deadline, raised
from .waits import Abandoned, Effects, Escaped, Wait, WaitTimedOut

Outcome = TypeVar("Outcome")

MAX_WAITING_THREADS = 256
"""Worker threads that may wait for people, tools and models at once; further turns queue for one."""


@dataclass(frozen=True, slots=True)
class Ended(Generic[Outcome]):
    """The outcome of a turn: the last thing that a driver yields."""

    outcome: Outcome = field(repr=False)


def drive(turn: Effects[Outcome], portal: Portal) -> Generator[AppEvent | Ended[Outcome], None, None]:
    """Perform a turn in the caller's thread: its events as they come, its outcome last."""
    resume: Callable[[], Wait | AppEvent] = turn.__next__
    closed = False
    try:
        while True:
            effect = resume()
            if isinstance(effect, Wait):
                resume = _resumption(turn, effect, portal)
            else:
                yield effect
                resume = turn.__next__
    except StopIteration as stop:
        yield Ended(stop.value)
    except (GeneratorExit, KeyboardInterrupt):
        _abandon(turn, nullcontext())
        raise
    except Closed:
        closed = True
    finally:
        turn.close()
    if closed:
        raise TurnCancelled("the gateway was closed; resume() goes on with the turn where it is opened again")


def _resumption(turn: Effects[Any], wait: Wait, portal: Portal) -> Callable[[], Wait | AppEvent]:
    try:
        outcome = _perform(wait, portal)
    except (KeyboardInterrupt, Closed):
        raise
    except BaseException as error:
        failure = _contained(error)
        return lambda: turn.throw(failure)
    return lambda: turn.send(outcome)


def _contained(error: BaseException) -> BaseException:
    return error if isinstance(error, (Exception, SystemExit)) else Escaped(type(error).__name__)


def _perform(wait: Wait, portal: Portal) -> object:
    outcome = wait.call() if wait.timeout is None or wait.inline else _in_abandoned_thread(wait.call, wait.timeout)
    return portal.run(outcome, wait.timeout) if inspect.isawaitable(outcome) else outcome


def _in_abandoned_thread(call: Callable[[], object], timeout: float) -> object:
    """The outcome of a blocking call, or ``WaitTimedOut``; the thread is left to end on its own, as Python cannot
    stop it.
    """
    outcome: list[Callable[[], object]] = []
    worker = threading.Thread(target=lambda: outcome.append(_captured(call)), name="sealgate-wait", daemon=True)
    worker.start()
    worker.join(timeout)
    if not outcome:
        raise WaitTimedOut
    return outcome[0]()


def _captured(call: Callable[[], object]) -> Callable[[], object]:
    try:
        result = call()
    except BaseException as error:
        failure = _contained(error)
        return lambda: raised(failure)
    return lambda: result


async def adrive(turn: Effects[Outcome]) -> AsyncGenerator[AppEvent | Ended[Outcome], None]:
    """Perform a turn in an event loop: its own work and blocking calls in worker threads, coroutines awaited here."""
    limiter = anyio.CapacityLimiter(MAX_WAITING_THREADS)
    # A task of asyncio can be cancelled while its turn works in a thread; whoever ends the turn then waits for that.
    working = threading.Lock()
    resume: Callable[[], Wait | AppEvent] = turn.__next__
    try:
        while True:
            effect = await _advance(resume, working)
            if isinstance(effect, Ended):
                yield effect
                return
            if isinstance(effect, Wait):
                resume = await _aresumption(turn, effect, limiter)
            else:
                yield effect
                resume = turn.__next__
    except (GeneratorExit, anyio.get_cancelled_exc_class()):
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_abandon, turn, working)
        raise
    finally:
        with working:
            turn.close()


async def _advance(resume: Callable[[], Wait | AppEvent], working: threading.Lock) -> Wait | AppEvent | Ended[Any]:
    # A StopIteration cannot cross a future, so the last step is unpacked in the worker thread.
    def step() -> Wait | AppEvent | Ended[Any]:
        try:
            with working:
                return resume()
        except StopIteration as stop:
            return Ended(stop.value)

    return await anyio.to_thread.run_sync(step)


async def _aresumption(turn: Effects[Any], wait: Wait, limiter: anyio.CapacityLimiter) -> Callable[[], Wait | AppEvent]:
    try:
        with deadline(wait.timeout):
            outcome = wait.call() if wait.inline else (await _in_worker(wait.call, limiter))()
            if inspect.isawaitable(outcome):
                outcome = await outcome
    except (GeneratorExit, KeyboardInterrupt, anyio.get_cancelled_exc_class()):
        raise
    except BaseException as error:
        failure = _contained(error)
        return lambda: turn.throw(failure)
    return lambda: turn.send(outcome)


async def _in_worker(call: Callable[[], object], limiter: anyio.CapacityLimiter) -> Callable[[], object]:
    return await anyio.to_thread.run_sync(_captured, call, abandon_on_cancel=True, limiter=limiter)


def _abandon(turn: Effects[Any], working: AbstractContextManager[object]) -> None:
    """Tell a turn that it was cancelled, once its own work is done, so that it records that; whatever it raises then is
    dropped."""
    with working, suppress(BaseException):
        turn.throw(Abandoned())


def refuse_running_loop(twin: str) -> None:
    """Nothing outside of an event loop. Raises ``RunningLoop``, naming the async twin, inside of one."""
    try:
        sniffio.current_async_library()
    except sniffio.AsyncLibraryNotFoundError:
        return
    raise RunningLoop(f"a blocking method was called in a running event loop; use {twin}")
