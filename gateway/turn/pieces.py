"""The pieces of a streamed answer, one at a time, whichever kind of iterator a model gives."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterable, AsyncIterator, Coroutine, Iterable, Iterator
from contextlib import suppress
from typing import Final

END: Final = object()
"""What there is after the last piece."""

CLOSING: Final = 5.0
"""Seconds that an asynchronous generator may take to close; then it is left to its loop."""


class Pieces:
    """``take`` gives the next piece, or an awaitable of it where ``awaited`` says so; then ``END``.

    ``close`` may be called from any thread and more than once, also while a thread that was abandoned still reads: that
    one closes the iterator once its read is over.
    """

    def __init__(self, source: Iterable[object] | AsyncIterable[object]) -> None:
        self.awaited = isinstance(source, AsyncIterable)
        self._later: AsyncIterator[object] | None = aiter(source) if isinstance(source, AsyncIterable) else None
        self._source: Iterator[object] | None = None if isinstance(source, AsyncIterable) else iter(source)
        self._reading = threading.Lock()
        self._over = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def take(self) -> object:
        """The next piece, an awaitable of it, or ``END``. Raises what the iterator raises."""
        return self._awaited() if self._later is not None else self._next()

    def close(self) -> None:
        """Close the generator. What it raises then is dropped."""
        self._over = True
        if self._later is not None:
            self._close_later()
        elif self._reading.acquire(blocking=False):
            try:
                with suppress(Exception):
                    getattr(self._source, "close", _nothing)()
            finally:
                self._reading.release()

    def _next(self) -> object:
        with self._reading:
            piece = END if self._over or self._source is None else next(self._source, END)
        if self._over:
            self.close()
        return piece

    async def _awaited(self) -> object:
        if self._later is None or self._over:
            return END
        with suppress(RuntimeError):  # a loop that is not asyncio's closes its generators itself
            self._loop = asyncio.get_running_loop()
        return await anext(self._later, END)

    def _close_later(self) -> None:
        """An asynchronous generator can be closed in its own loop only. One that never started needs nothing."""
        close = getattr(self._later, "aclose", None)
        if self._loop is None or close is None or self._loop.is_closed():
            return
        closing = _quietly(close())
        loop, self._loop = self._loop, None
        if _running() is loop:
            self._task = loop.create_task(closing)
            return
        with suppress(Exception):
            asyncio.run_coroutine_threadsafe(closing, loop).result(CLOSING)


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def _quietly(closing: Coroutine[object, object, object]) -> None:
    with suppress(Exception):
        await closing


def _nothing() -> None:
    """For an iterator that has nothing to close."""
