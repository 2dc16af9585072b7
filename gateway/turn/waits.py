"""What a turn waits for: somebody else's code.

A turn yields these; a driver performs them and sends the outcome back.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

from sealgate.models.events import AppEvent

Returned = TypeVar("Returned")


@dataclass(frozen=True, slots=True)
class Wait:
    """One call of a model, a handler, a hook or a tool.

    ``call`` takes nothing and may return an awaitable; the values it needs are in its closure and in no ``repr``.
    ``timeout`` is in seconds, ``None`` for no deadline. ``inline`` calls start in the event loop (coroutine
    functions), the others in a worker thread.
    """

    what: Literal["model", "handler", "hook", "tool"]
    call: Callable[[], object] = field(repr=False)
    timeout: float | None = None
    inline: bool = False


class WaitTimedOut(Exception):
    """The deadline of a ``Wait`` passed. It holds nothing."""


class Escaped(Exception):
    """A call raised something that is no ``Exception``. ``name`` is the name of its type; its text is left out."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class Abandoned(BaseException):
    """Thrown into a turn whose driver goes away. No handler of a call's own failure takes it for one."""


Effects: TypeAlias = Generator[Wait | AppEvent, object, Returned]
"""A part of a turn: yields waits and events, returns its outcome."""


def is_coroutine(function: object) -> bool:
    """Whether calling it gives a coroutine: a coroutine function, or an object whose ``__call__`` is one."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)
