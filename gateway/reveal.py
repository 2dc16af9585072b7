"""Opening a typed result for the application: the one object with real values that the gateway hands out, audited."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sealgate.models.errors import InvalidInput, SealgateError
from sealgate.models.grants import Reveal
from sealgate.models.jsonvalue import JsonValue
from sealgate.redaction import Restorer

from .frames import without_locals
from .tools.schema import property_names

Result = TypeVar("Result")


@without_locals
def revealed(restorer: Restorer, result: Result) -> Result:
    """The real object behind ``response.result``: restored, and for a pydantic model validated again.

    Raises ``ValueGone`` when a value in it is burnt, expired or forgotten, ``InvalidInput`` when the model refuses the
    real values.
    """
    if not isinstance(result, BaseModel):
        return restorer.restore_json(result, Reveal())  # type: ignore[arg-type,return-value]
    sealed: dict[str, JsonValue] = dict(result.__dict__)
    try:
        return type(result).model_validate(restorer.restore_json(sealed, Reveal()), by_alias=True, by_name=True)
    except ValidationError as error:
        where = _places(type(result), (problem["loc"] for problem in error.errors(include_input=False)))
    except SealgateError:
        raise
    except Exception as error:  # a validator of the user's own may raise anything, with the value in it
        where = type(error).__name__
    raise InvalidInput(f"the real values do not fit {type(result).__name__}: {where}")


def _places(model: type[BaseModel], found: Iterable[tuple[int | str, ...]]) -> str:
    """Where the problems are. A key that no schema names may be a value, so its place is ``*``."""
    known: frozenset[Any] = property_names(model.model_json_schema())
    steps = ([str(step) if isinstance(step, int) or step in known else "*" for step in place] for place in found)
    return ", ".join(".".join(place) or "*" for place in steps)
