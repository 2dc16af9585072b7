"""The input type that an annotation asks for, and the reading of what came back.

No error here quotes the answer, is chained to one that does, or keeps it in a local variable of its traceback.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, get_args, get_origin

from sealgate.models.errors import InvalidAnswer, SealgateError
from sealgate.models.interrupts import InputType
from sealgate.models.jsonvalue import JsonValue, check_json

from .annotations import choice_table, choice_text, unwrap
from .question import Question

MAX_ANSWER: Final = 20_000
"""Code points of the longest answer."""

_MAX_NUMBER: Final = 400
"""Code points of the longest number; the largest float has 309 digits."""

_YES: Final = frozenset({"yes", "y", "true", "1"})
_NO: Final = frozenset({"no", "n", "false", "0"})
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")


@dataclass(frozen=True, slots=True)
class _Refused:
    """Why an answer does not fit, in words that hold no part of it."""

    reason: str


def infer_input(annotation: object) -> tuple[InputType, tuple[str, ...]]:
    """The input type of an annotation, and the choices where it is ``choice``.

    ``bool`` is boolean, ``int`` and ``float`` are number, ``Literal`` and ``Enum`` are choice; ``Optional``,
    ``X | None``, ``Annotated``, ``NewType`` and aliases are unwrapped, strings are resolved. Everything else, a
    ``list[bool]`` or an unknown name included, is text. Raises ``InvalidPolicy`` for choices that cannot be told apart
    or that JSON cannot carry.
    """
    base, _ = unwrap(annotation)
    if base is bool or _is_both_bools(base):
        return "boolean", ()
    if base is int or base is float:
        return "number", ()
    table = choice_table(base)
    return ("choice", tuple(table)) if table else ("text", ())


def coerce(answer: object, question: Question) -> JsonValue:
    """The answer as JSON for the question's argument. Members of an ``Enum`` are given by their value.

    Booleans take ``yes``, ``y``, ``true``, ``1`` and their opposites; numbers are finite, and whole where the
    annotation is ``int``; a choice is taken by its exact text or its value. Where the annotation is ``str``, a number
    stays the text it is (leading zeros count) and a boolean becomes ``yes`` or ``no``. ``None`` is an answer where the
    annotation allows it; an empty answer is none for a secret. Raises ``InvalidAnswer`` with a sentence that a person
    can act on.
    """
    outcome = _read(answer, question)
    if not isinstance(outcome, _Refused):
        return outcome
    del answer
    raise InvalidAnswer(outcome.reason)


def _read(answer: object, question: Question) -> JsonValue | _Refused:
    base, optional = unwrap(question.annotation)
    if answer is None:
        return None if optional else _Refused("an answer is needed")
    if isinstance(answer, str) and len(answer) > MAX_ANSWER:
        return _Refused(f"the answer is longer than {MAX_ANSWER} characters")
    return _READERS[question.input_type](answer, base, question)


def _boolean(answer: object, base: object, question: Question) -> JsonValue | _Refused:
    if isinstance(answer, str):
        word = _folded(answer).casefold()
        answer = True if word in _YES else False if word in _NO else None
    if not isinstance(answer, bool):
        return _Refused("the answer must be yes or no")
    if base is str:
        return "yes" if answer else "no"
    return answer


def _number(answer: object, base: object, question: Question) -> JsonValue | _Refused:
    text = _folded(answer) if isinstance(answer, str) else None
    value = _parsed(text) if text is not None else answer
    if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        return _Refused("the answer must be a finite number")
    if base is int and isinstance(value, float):
        if not value.is_integer() or text is not None:
            return _Refused("the answer must be a whole number")
        return int(value)
    if isinstance(base, type) and base not in (int, float, object):
        return text if text is not None else repr(value)
    return value


def _choice(answer: object, base: object, question: Question) -> JsonValue | _Refused:
    known = choice_table(base) or dict(zip(question.choices, question.values, strict=False))
    table = {text: known.get(text, text) for text in question.choices}
    if isinstance(answer, Enum):
        answer = choice_text(answer) if isinstance(base, type) and isinstance(answer, base) else None
    if isinstance(answer, str):
        if answer in table:
            return table[answer]
    else:
        for value in table.values():
            if type(value) is type(answer) and value == answer:
                return value
    return _Refused(f"the answer is not one of the {len(table)} choices")


def _text(answer: object, base: object, question: Question) -> JsonValue | _Refused:
    if isinstance(answer, str):
        return _Refused("the answer is empty") if question.secret and not answer.strip() else str(answer)
    if base is str or question.secret or not _is_json(answer):
        return _Refused("the answer must be text")
    return answer  # type: ignore[return-value]  # _is_json has just said so


_READERS: Final[dict[InputType, Callable[[object, object, Question], JsonValue | _Refused]]] = {
    "text": _text,
    "password": _text,
    "number": _number,
    "boolean": _boolean,
    "choice": _choice,
}


def _folded(text: str) -> str:
    """Full-width digits and letters as ASCII, without the space around. Longer texts than a number are cut."""
    return unicodedata.normalize("NFKC", text[: _MAX_NUMBER + 1]).strip()


def _parsed(text: str) -> int | float | None:
    if len(text) > _MAX_NUMBER or not _NUMBER.fullmatch(text):
        return None
    return int(text) if _INTEGER.fullmatch(text) else float(text)


def _finite(value: int | float) -> bool:
    return isinstance(value, int) or math.isfinite(value)


def _is_json(value: object) -> bool:
    try:
        check_json(value)
    except SealgateError:
        return False
    return True


def _is_both_bools(base: object) -> bool:
    return get_origin(base) is Literal and set(map(repr, get_args(base))) - {"None"} == {"True", "False"}
