"""Frames: what a traceback still shows of the calls that it comes from. Monitoring services send the local variables of
each, and where a vault fails in the middle of a turn, those hold what a person said or a tool returned."""

from __future__ import annotations

import functools
import inspect
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from typing import Any, TypeVar, cast

Target = TypeVar("Target", bound=Callable[..., Any])


def without_locals(target: Target) -> Target:
    """A function, or a class whose public methods, let errors out with all their lines and without any local variable:
    those of the frames from there on inwards are cleared. What the caller's own frames hold is the caller's."""
    if not isinstance(target, type):
        return cast("Target", _wrapped(target))
    for name, member in list(vars(target).items()):
        if inspect.isfunction(member) and not name.startswith("_"):
            setattr(target, name, _wrapped(member))
    return target


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    wrapper = next((wrap for fits, wrap in _KINDS if fits(function)), _plain)
    return functools.wraps(function)(wrapper(function))


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        outer = sys.exc_info()[1]
        try:
            return function(*args, **named)
        except BaseException as error:
            del args, named
            _clear(error, outer)
            raise

    return call


def _generator(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Iterator[Any]:
        outer = sys.exc_info()[1]
        try:
            yield from function(*args, **named)
        except BaseException as error:
            del args, named
            _clear(error, outer)
            raise

    return call


def _coroutine(function: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*args: Any, **named: Any) -> Any:
        outer = sys.exc_info()[1]
        try:
            return await function(*args, **named)
        except BaseException as error:
            del args, named
            _clear(error, outer)
            raise

    return call


def _async_generator(function: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*args: Any, **named: Any) -> AsyncIterator[Any]:
        outer = sys.exc_info()[1]
        try:
            async with aclosing(function(*args, **named)) as items:
                async for item in items:
                    yield item
        except BaseException as error:
            del args, named
            _clear(error, outer)
            raise

    return call


_KINDS = (
    (inspect.isasyncgenfunction, _async_generator),
    (inspect.iscoroutinefunction, _coroutine),
    (inspect.isgeneratorfunction, _generator),
)


def _clear(error: BaseException, outer: BaseException | None) -> None:
    """Empty the frames of an error and of what it comes from, but for what was being handled before the call."""
    left: list[BaseException | None] = [error]
    seen = {id(None), id(outer)}
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        traceback.clear_frames(one.__traceback__)  # the frames that still run, ours and the caller's, are left alone
        left += [one.__cause__, one.__context__, *(one.exceptions if isinstance(one, BaseExceptionGroup) else ())]
