"""The private event loop of a gateway, for coroutines that a blocking turn meets."""

from __future__ import annotations

import inspect
import os
import threading
import time
import weakref
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import anyio
import anyio.from_thread

from sealgate.models.errors import TurnError
from sealgate.models.processlock import ProcessLock

from .waits import WaitTimedOut

_LOOK: Final = 1.0
"""Seconds between two looks at whether the loop that somebody waits for still runs."""


class Closed(BaseException):
    """The loop was stopped while a turn waited in it: the turn is left as a crash would leave it."""


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop, its thread, the process that it runs in, whether it is being stopped, and who waits for it."""

    portal: anyio.from_thread.BlockingPortal
    thread: threading.Thread
    pid: int
    stopping: threading.Event
    waiting: set[threading.Thread]


class Portal:
    """One private event loop in one thread, started at first use, for coroutines that a blocking turn meets. A forked
    child, in which that thread does not go on, starts one of its own."""

    def __init__(self) -> None:
        self._lock = ProcessLock()
        self._stop: weakref.finalize[..., Portal] | None = None
        self._loop: _Loop | None = None
        self._closed = False

    def run(self, awaitable: Awaitable[object], timeout: float | None) -> object:
        """The outcome of an awaitable. Raises ``WaitTimedOut`` after ``timeout`` seconds, having cancelled it, and
        ``Closed`` when the loop was stopped before.
        """
        if self._closed:
            if inspect.iscoroutine(awaitable):
                awaitable.close()
            raise Closed
        loop = self._started()
        try:
            future = loop.portal.start_task_soon(_finish, awaitable, timeout)
        except RuntimeError:  # it is just ending
            loop.thread.join(_LOOK)
            loop = self._started()
            future = loop.portal.start_task_soon(_finish, awaitable, timeout)
        loop.waiting.add(threading.current_thread())
        try:
            while not wait([future], _LOOK).done:
                if not loop.thread.is_alive():
                    raise TurnError("the loop of coroutines ended: something in a task of its own left it")
            outcome = future.result()
        except BaseException:
            future.cancel()
            if loop.stopping.is_set():
                raise Closed from None
            raise
        loop.waiting.discard(threading.current_thread())
        return outcome()

    def close(self) -> None:
        """Stop the loop for good; what still waits on it is cancelled."""
        with self._lock:
            self._closed = True
            if self._stop is not None and self._loop is not None:
                self._stop.detach()
                _leave(self._loop)
            self._stop = self._loop = None

    def _started(self) -> _Loop:
        with self._lock:
            if self._loop is None or self._loop.pid != os.getpid() or not self._loop.thread.is_alive():
                ready: Future[anyio.from_thread.BlockingPortal] = Future()
                thread = threading.Thread(target=_serve, args=(ready,), name="sealgate-loop", daemon=True)
                thread.start()
                self._loop = _Loop(ready.result(), thread, os.getpid(), threading.Event(), set())
                # Also at exit of a process that never closed it, while the loop's thread still runs.
                self._stop = weakref.finalize(self, _leave, self._loop, at_exit=True)
            return self._loop


def _serve(ready: Future[anyio.from_thread.BlockingPortal]) -> None:
    """Run a loop in this thread until it is stopped. ``start_blocking_portal`` would do, but that waits for its thread
    in a forked child too, when it is collected there."""

    async def until_stopped() -> None:
        async with anyio.from_thread.BlockingPortal() as portal:
            ready.set_result(portal)
            await portal.sleep_until_stopped()

    try:
        anyio.run(until_stopped)
    except BaseException as error:
        if ready.done():
            raise
        ready.set_exception(error)


def _leave(loop: _Loop, *, at_exit: bool = False) -> None:
    """Stop a loop, in the process whose thread it runs in. A turn that waits for a person may wait for ever.

    At exit whoever waited gets a moment: a thread that still works while the interpreter ends can abort the process.
    """
    if os.getpid() != loop.pid or not loop.thread.is_alive():
        return
    loop.stopping.set()
    loop.portal.call(loop.portal.stop, True)
    loop.thread.join()
    until = time.monotonic() + _LOOK
    for thread in loop.waiting if at_exit else ():
        if thread is not threading.current_thread():
            thread.join(max(0.0, until - time.monotonic()))


async def _finish(awaitable: Awaitable[object], seconds: float | None) -> Callable[[], object]:
    """What gives the outcome: an exception that is no ordinary one would end the loop, and every turn in it."""
    try:
        with deadline(seconds):
            outcome = await awaitable
    except anyio.get_cancelled_exc_class():
        raise
    except BaseException as error:
        failure = error
        return lambda: raised(failure)
    return lambda: outcome


@contextmanager
def deadline(timeout: float | None) -> Iterator[None]:
    """Cancel what is awaited in this block after so many seconds. Raises ``WaitTimedOut`` then."""
    with anyio.move_on_after(timeout) as scope:
        yield
    if scope.cancelled_caught:
        raise WaitTimedOut


def raised(error: BaseException) -> object:
    """Nothing: raises the error."""
    raise error
