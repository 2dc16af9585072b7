"""Carriers: models that hold what nobody else may see, and the errors of those that are none."""

from __future__ import annotations

import sys
from typing import Any, Final, NoReturn

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from .errors import InvalidInput

_MOST_PROBLEMS: Final = 20
"""Places that one error names."""


class Carrier(BaseModel):
    """A frozen model whose hidden fields appear in no ``repr``, ``str``, dump, pickle or validation error.

    Raises ``InvalidInput`` with places and rules for fields of another shape.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)

    def __init__(self, **fields: Any) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            problems, parts = _problems(error, type(self)), _parts(error, type(self))
        else:
            return
        del fields
        if _is_part_of_another():
            raise ValidationError.from_exception_data(type(self).__name__, parts, hide_input=True)
        raise InvalidInput(f"not {an_article(type(self).__name__)}: {problems}")

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled")

    def __copy__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied")

    def __deepcopy__(self, memo: object = None) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied")


def _problems(error: ValidationError, carrier: type[BaseModel]) -> str:
    """Where a carrier is not one, and what is wrong there. A place that is none of its fields may be a value."""
    found: dict[str, list[str]] = {}
    for item in error.errors(include_input=False, include_url=False, include_context=False):
        place = item["loc"][0] if item["loc"] and item["loc"][0] in carrier.model_fields else "*"
        rules = found.setdefault(".".join(map(str, (place, *(at for at in item["loc"] if isinstance(at, int))))), [])
        rules += [] if item["type"] in rules else [item["type"]]
    return "; ".join(f"{place}: {' or '.join(rules)}" for place, rules in list(found.items())[:_MOST_PROBLEMS])


def _parts(error: ValidationError, carrier: type[BaseModel]) -> list[InitErrorDetails]:
    """The same for pydantic, which puts it into its own error: places and rules, and no input."""
    places = (
        (item, item["loc"][:1] if item["loc"][:1] and item["loc"][0] in carrier.model_fields else ("*",))
        for item in error.errors(include_input=False, include_url=False, include_context=False)
    )
    return [
        {"type": PydanticCustomError(item["type"], "of another shape"), "loc": place, "input": None}
        for item, place in places
    ]


def _is_part_of_another() -> bool:
    """Whether pydantic makes the carrier as a part of something else. It would quote all of the part's input beside any
    other error than its own."""
    frame = sys._getframe(2)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("sealgate.models."):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__")).startswith("pydantic.")


def an_article(name: str) -> str:
    """The name of a type with its article."""
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"
