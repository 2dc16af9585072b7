"""Calling a handler: with the prompt, and with what else it declares."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from inspect import Parameter
from time import monotonic
from typing import Final

from sealgate.models.errors import InvalidPolicy

from .question import Handler, Question

OFFERED: Final = ("input_type", "choices", "secret")
"""The keyword arguments that a handler gets if it declares them."""

DEADLINE: Final[ContextVar[float | None]] = ContextVar("sealgate_handler_deadline", default=None)
"""When the handler that runs now is abandoned, on the clock of ``time.monotonic``; ``None`` for never.

A handler that holds something of the machine, as the terminal does, ends by itself then and puts it back.
"""

_GRACE: Final = 0.2
"""Seconds after the question's own deadline, so that whoever waits for the handler is the first to notice."""


def bind_handler(question: Question) -> Callable[[str], object]:
    """The question's handler as a function of the prompt alone.

    What it returns is the answer, or an awaitable of it for an asynchronous handler; what the handler raises goes
    through. The handler is called once: a ``TypeError`` from inside it is its own and starts no second try. Raises
    ``InvalidPolicy`` for a question without a handler, or one that cannot be called with a prompt.
    """
    handler = question.handler
    if handler is None:
        raise InvalidPolicy(f"the question for argument {question.arg_name!r} is answered out of band")
    declared = declared_options(handler)
    offered: dict[str, object] = {
        "input_type": question.input_type,
        "choices": list(question.choices) or None,
        "secret": question.secret,
    }
    options = {name: offered[name] for name in declared}

    def ask(prompt: str) -> object:
        token = DEADLINE.set(None if question.timeout is None else monotonic() + question.timeout + _GRACE)
        try:
            return handler(prompt, **options)
        finally:
            DEADLINE.reset(token)

    return ask


def declared_options(handler: Handler) -> tuple[str, ...]:
    """Which of ``OFFERED`` the handler declares; ``**kwargs`` declares all.

    Raises ``InvalidPolicy`` unless it can be called with one positional argument, the prompt. A callable that has no
    signature to read, as some built-in ones, gets the prompt alone.
    """
    try:
        signature = inspect.signature(handler)
    except (TypeError, ValueError):
        return ()
    declared = _keywords(signature)
    try:
        signature.bind("", **dict.fromkeys(declared))
    except TypeError:
        pass
    else:
        return declared
    raise InvalidPolicy("an input_handler is called with the prompt alone, and input_type, choices or secret by name")


def _keywords(signature: inspect.Signature) -> tuple[str, ...]:
    parameters = list(signature.parameters.values())
    takes_prompt = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    if parameters and parameters[0].kind in takes_prompt:
        parameters = parameters[1:]
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters):
        taken = {name for name in OFFERED if name in signature.parameters} - {p.name for p in parameters}
        return tuple(name for name in OFFERED if name not in taken)
    named = {
        parameter.name
        for parameter in parameters
        if parameter.kind in (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    }
    return tuple(name for name in OFFERED if name in named)
