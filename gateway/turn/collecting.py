"""Having a handler ask: once, twice where the answer is to be typed twice, field by field where it is a form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sealgate.models.errors import InvalidAnswer

from ..interrupts.answer import is_left_out, read_answer
from ..interrupts.handlers import bind_handler
from ..interrupts.question import Question
from .context import TurnContext
from .waits import Effects, Wait, is_coroutine

AGAIN: Final = "Once more: "
"""Put before a prompt whose answer is to be typed twice."""

Answer = tuple[object, object]
"""What was said, and what was said when it was asked for again."""


def collect(context: TurnContext, question: Question, words: str) -> Effects[Answer]:
    """What the question's handler gives, unread; for a form one object of all its fields.

    Raises what the handler raises, ``WaitTimedOut`` past the question's deadline, which counts for each asking, and
    ``InvalidAnswer`` when a field's attempts are used up.
    """
    if not question.fields:
        return (yield from _asked(question, question, words))
    raw: dict[str, object] = {}
    again: dict[str, object] = {}
    intro = f"{words}\n" if words else ""
    for one in question.fields:
        first, second = yield from _field(context, question, one, intro)
        raw[one.arg_name], again[one.arg_name] = first, second
        intro = ""
    return raw, again


def _field(context: TurnContext, form: Question, one: Question, intro: str) -> Effects[Answer]:
    """A field's answer once it fits; what was wrong stands above the prompt that asks again."""
    prompt = one.prompt if one.required else f"{one.prompt}(optional) "
    services = context.services
    wrong = ""
    for _attempt in range(form.attempts):
        answer = yield from _asked(form, one, f"{intro}{wrong}{prompt}")
        if is_left_out(one, answer[0]):
            return answer
        try:
            read_answer(services.redactor, services.vault, one, *answer)
        except InvalidAnswer as refused:
            wrong = f"{refused}\n"
        else:
            return answer
    raise InvalidAnswer(f"{one.arg_name}: {wrong.strip()}")


def _asked(form: Question, one: Question, prompt: str) -> Effects[Answer]:
    ask = bind_handler(replace(one, handler=form.handler, timeout=form.timeout))
    first = yield _wait(form, lambda: ask(prompt))
    second = (yield _wait(form, lambda: ask(AGAIN + prompt))) if one.confirm else None
    return first, second


def _wait(form: Question, call: Callable[[], object]) -> Wait:
    return Wait("handler", call, timeout=form.timeout, inline=is_coroutine(form.handler))
