"""What a caller gave, checked where it comes in: a typed error says which argument is wrong, and shows none of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from sealgate.models.carrier import an_article
from sealgate.models.entities import entity_info
from sealgate.models.errors import InvalidInput, InvalidPolicy
from sealgate.models.expectation import Expectation
from sealgate.models.messages import PrivateData
from sealgate.redaction import Detector, Operator

Given = TypeVar("Given")


def an(kind: type[Given], given: object, what: str, usage: str = "") -> Given:
    """What was given, if it is of that type. Raises ``InvalidInput`` that names the argument and the type it got."""
    if isinstance(given, kind):
        return given
    hint = f": {usage}" if usage else ""
    raise InvalidInput(f"{what} is {an_article(type(given).__name__)}, not {an_article(kind.__name__)}{hint}")


def known_values(given: object) -> Sequence[str | PrivateData]:
    """Values that are known to be in a text. A single text is none of them: its letters would be."""
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes, bytearray)):
        raise InvalidInput(f"known is {an_article(type(given).__name__)}, not a list of str and PrivateData")
    for position, value in enumerate(given):
        if not isinstance(value, (str, PrivateData)):
            raise InvalidInput(f"known[{position}] is {an_article(type(value).__name__)}, not a str or a PrivateData")
    return given


def expectation(given: object) -> Expectation | None:
    """What a text is expected to hold, or ``None``."""
    return None if given is None else an(Expectation, given, "expect", 'Expectation(kind="otp", digits=6)')


def path_of(given: object, what: str) -> str:
    """A path as text."""
    spelled = os.fspath(given) if isinstance(given, os.PathLike) else given
    if isinstance(spelled, str):
        return spelled
    raise InvalidInput(f"{what} is {an_article(type(given).__name__)}, not a str or a path of text")


def check_options(**given: tuple[type, object]) -> None:
    """Nothing, if each option is ``None`` or of its type. Raises ``InvalidInput`` that names it."""
    for name, (kind, value) in given.items():
        if value is not None:
            an(kind, value, name)


def check_clock(given: object) -> None:
    """Nothing, if it tells the time."""
    if not callable(getattr(given, "now", None)):
        raise InvalidInput(f"clock is {an_article(type(given).__name__)}, which has no method now()")


def check_operators(given: object, detector: Detector) -> None:
    """Nothing, if it says what is done with entity types that ``detector`` finds, or is ``None``. Raises
    ``UnknownEntityType``, and ``InvalidPolicy`` for a type that nothing finds: its operator would never be used."""
    operators = {} if given is None else an(dict, given, "operators", '{"PERSON": Operator("mask")}')
    for position, (entity_type, operator) in enumerate(operators.items()):
        an(str, entity_type, f"key {position} of operators")
        an(Operator, operator, f"operators[{position}]", 'Operator("mask")')
        name = entity_info(entity_type).name
        if operator.name != "keep" and not detector.may_find(name):
            raise InvalidPolicy(f"operators has {name}, which no recognizer here finds (see Gateway.coverage)")


def check_target(given: object) -> None:
    """Nothing, if it can be made a tool. Raises ``InvalidPolicy``."""
    if not callable(given):
        found = an_article(type(given).__name__)
        raise InvalidPolicy(f"toolify was given {found}: write @toolify() above a function or a model, options by name")
