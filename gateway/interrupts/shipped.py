"""Handlers for applications whose answers come from elsewhere: from a queue, from another task, from a callback.

Each is an ``input_handler``. None keeps an answer once it has been given, and none shows one.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

from sealgate.models.errors import InterruptCancelled, InterruptNotPending, InterruptTimeout

from .handlers import DEADLINE
from .question import Handler

_CANCELLED: Final = object()
_LATE: Final = object()


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt as it is put to a person: its text, which control fits it, and whether the answer is to be hidden."""

    prompt: str
    input_type: str = "text"
    choices: tuple[str, ...] = ()
    secret: bool = False


Show = Callable[[Asked], object]


class QueueHandler:
    """A handler that blocks its thread until ``reply`` is called from another one.

    ``show`` puts the prompt to the person; the one that waits is in ``asked``. One prompt at a time, and one reply for
    each: a second one, as of a form that is sent twice, answers no later prompt.
    """

    def __init__(self, show: Show = lambda _asked: None) -> None:
        self._show = show
        self._one = threading.Lock()
        self._replies: list[queue.SimpleQueue[object]] = []
        self.asked: Asked | None = None

    def __call__(
        self, prompt: str, input_type: str = "text", choices: list[str] | None = None, secret: bool = False
    ) -> object:
        """The reply. Raises ``InterruptTimeout`` past the question's deadline, ``InterruptCancelled`` by ``cancel``."""
        deadline = DEADLINE.get()
        with self._one:
            replies: queue.SimpleQueue[object] = queue.SimpleQueue()
            self.asked = Asked(prompt, input_type, tuple(choices or ()), secret)
            self._replies.append(replies)
            try:
                self._show(self.asked)
                reply = replies.get(timeout=None if deadline is None else max(0.0, deadline - monotonic()))
            except queue.Empty:
                reply = _LATE
            finally:
                self._replies.clear()
                self.asked = None
        if reply is _LATE:
            raise InterruptTimeout("nobody replied before the deadline")
        if reply is _CANCELLED:
            raise InterruptCancelled("the prompt was cancelled")
        return reply

    def reply(self, answer: object) -> None:
        """Answer the prompt that waits. Raises ``InterruptNotPending`` when none does, or it has its reply already;
        the answer is dropped then.
        """
        try:
            replies = self._replies.pop()  # by whoever comes first
        except IndexError:
            replies = None
        if replies is None:
            raise InterruptNotPending("no prompt waits for a reply")
        replies.put(answer)

    def cancel(self) -> None:
        """Say that nobody will answer. Raises ``InterruptNotPending`` when no prompt waits."""
        self.reply(_CANCELLED)

    def __repr__(self) -> str:
        return f"QueueHandler(waits={self.asked is not None})"


class FutureHandler:
    """The same for event loops: a coroutine that waits without a thread; ``reply`` may be called from any thread."""

    def __init__(self, show: Show = lambda _asked: None) -> None:
        self._show = show
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[object]]] = []
        self._busy = False
        self.asked: Asked | None = None

    async def __call__(
        self, prompt: str, input_type: str = "text", choices: list[str] | None = None, secret: bool = False
    ) -> object:
        """The reply. A question's deadline cancels it; ``cancel`` raises ``InterruptCancelled``."""
        if self._busy:
            raise InterruptCancelled("another prompt waits for a reply")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[object] = loop.create_future()
        self._busy = True
        self._waiting.append((loop, future))
        self.asked = Asked(prompt, input_type, tuple(choices or ()), secret)
        try:
            self._show(self.asked)
            reply = await future
        finally:
            self._waiting.clear()
            self._busy, self.asked = False, None
        if reply is _CANCELLED:
            raise InterruptCancelled("the prompt was cancelled")
        return reply

    def reply(self, answer: object) -> None:
        """Answer the prompt that waits. Raises ``InterruptNotPending`` when none does, or it has its reply already;
        the answer is dropped then.
        """
        try:
            waiting = self._waiting.pop()
        except IndexError:
            waiting = None
        if waiting is None:
            raise InterruptNotPending("no prompt waits for a reply")
        loop, future = waiting
        loop.call_soon_threadsafe(lambda: None if future.done() else future.set_result(answer))

    def cancel(self) -> None:
        """Say that nobody will answer. Raises ``InterruptNotPending`` when no prompt waits."""
        self.reply(_CANCELLED)

    def __repr__(self) -> str:
        return f"FutureHandler(waits={self.asked is not None})"


def callback_handler(function: Callable[[Asked], object]) -> Handler:
    """A handler that hands the whole prompt to ``function`` and takes what it returns, or the awaitable that it
    returns.
    """

    def handler(
        prompt: str, input_type: str = "text", choices: list[str] | None = None, secret: bool = False
    ) -> object:
        return function(Asked(prompt, input_type, tuple(choices or ()), secret))

    return handler
