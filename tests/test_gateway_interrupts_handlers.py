from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

import pytest

from sealgate.gateway.interrupts.handlers import DEADLINE, bind_handler, declared_options
from sealgate.gateway.interrupts.question import Handler, Question
from sealgate.models.errors import InvalidPolicy


def asked(handler: Handler | None, **fields: Any) -> Question:
    return Question("a", handler, "?", "choice", ("x", "y"), sensitive=True, **fields)


def prompt_only(prompt: str) -> object:
    return (prompt,)


def routed(prompt: str, input_type: str = "text", choices: list[str] | None = None) -> object:
    return (prompt, input_type, choices)


def keyword_only(prompt: str, *, secret: bool) -> object:
    return (prompt, secret)


def everything(prompt: str, **options: object) -> object:
    return (prompt, options)


def mixed(prompt: str, choices: object = None, **options: object) -> object:
    return (prompt, choices, options)


def first_is_named_alike(choices: str) -> object:
    return (choices,)


def variadic(*arguments: object) -> object:
    return arguments


class Callable_:  # noqa: N801 - a class whose instances are handlers
    def __call__(self, prompt: str, input_type: str) -> object:
        return (prompt, input_type)

    def method(self, prompt: str, secret: bool = False) -> object:
        return (prompt, secret)


ALL = {"input_type": "choice", "choices": ["x", "y"], "secret": True}


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (prompt_only, ("p",)),
        (lambda prompt: prompt, "p"),
        (routed, ("p", "choice", ["x", "y"])),
        (keyword_only, ("p", True)),
        (everything, ("p", ALL)),
        (mixed, ("p", ["x", "y"], {"input_type": "choice", "secret": True})),
        (first_is_named_alike, ("p",)),
        (variadic, ("p",)),
        (Callable_(), ("p", "choice")),
        (Callable_().method, ("p", True)),
        (partial(routed, input_type="fixed"), ("p", "choice", ["x", "y"])),
        (partial(lambda session, prompt: (session, prompt), "s1"), ("s1", "p")),
        (str, "p"),
    ],
)
def test_a_handler_gets_what_it_declares(handler: Handler, expected: object) -> None:
    assert bind_handler(asked(handler))("p") == expected


async def test_an_asynchronous_handler_gives_an_awaitable() -> None:
    async def handler(prompt: str, secret: bool = False) -> object:
        return (prompt, secret)

    outcome = bind_handler(asked(handler))("p")
    assert inspect.isawaitable(outcome)
    assert await outcome == ("p", True)


def test_no_choices_are_none() -> None:
    assert bind_handler(Question("a", routed, "?", "text"))("p") == ("p", "text", None)


def test_a_type_error_from_inside_is_raised_after_one_call() -> None:
    calls = []

    def handler(prompt: str, input_type: str) -> object:
        calls.append(prompt)
        raise TypeError("handler() got an unexpected keyword argument 'input_type'")

    with pytest.raises(TypeError, match="unexpected keyword"):
        bind_handler(asked(handler))("p")
    assert calls == ["p"]


@pytest.mark.parametrize(
    "handler",
    [
        lambda: "no prompt",
        lambda prompt, context: "one too many",
        lambda *, prompt: "by name only",
        partial(prompt_only, "taken"),
    ],
)
def test_handlers_that_cannot_be_called_with_a_prompt(handler: Callable[..., object]) -> None:
    with pytest.raises(InvalidPolicy):
        declared_options(handler)


def test_a_question_without_a_handler() -> None:
    with pytest.raises(InvalidPolicy, match="out of band"):
        bind_handler(asked(None))


def test_the_handler_knows_its_deadline() -> None:
    bound = bind_handler(asked(lambda prompt: DEADLINE.get(), timeout=60.0))
    deadline = bound("p")
    assert isinstance(deadline, float)
    assert 0 < deadline - monotonic() < 61
    assert DEADLINE.get() is None
    assert bind_handler(asked(lambda prompt: DEADLINE.get()))("p") is None


def test_the_deadline_is_taken_back_when_the_handler_raises() -> None:
    def handler(prompt: str) -> object:
        raise LookupError

    with pytest.raises(LookupError):
        bind_handler(asked(handler, timeout=5.0))("p")
    assert DEADLINE.get() is None
