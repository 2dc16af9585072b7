"""Opening a typed result for the application: the one object with real values that the gateway hands out, audited."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from sealgate.models.errors import InvalidInput
from sealgate.models.grants import Reveal
from sealgate.models.jsonvalue import JsonValue
from sealgate.redaction import Restorer

Result = TypeVar("Result")


def revealed(restorer: Restorer, result: Result) -> Result:
    """The real object behind ``response.result``: restored, and for a pydantic model validated again.

    Raises ``ValueGone`` when a value in it is burnt, expired or forgotten, ``InvalidInput`` when the model refuses the
    real values.
    """
    if not isinstance(result, BaseModel):
        return restorer.restore_json(result, Reveal())  # type: ignore[arg-type,return-value]
    sealed: dict[str, JsonValue] = dict(result.__dict__)
    real = restorer.restore_json(sealed, Reveal())
    try:
        return type(result).model_validate(real)
    except ValidationError as error:
        where = ", ".join(".".join(map(str, problem["loc"])) for problem in error.errors(include_input=False))
    raise InvalidInput(f"the real values do not fit {type(result).__name__}: {where}")
