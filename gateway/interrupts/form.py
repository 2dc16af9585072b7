"""A form: several questions in one interrupt, one for each field of a pydantic model."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, SecretBytes, SecretStr
from pydantic.fields import FieldInfo

from sealgate.models.entities import entity_info
from sealgate.models.errors import InvalidPolicy

from .annotations import unwrap
from .inputs import infer_input
from .question import Question

MAX_FIELDS: Final = 64
"""Fields of one form."""

_BY_NAME: Final = frozenset(
    ("OTP_CODE", "PIN", "CVV", "CREDIT_CARD", "IBAN_CODE", "ACCOUNT_NUMBER", "US_SSN", "EMAIL_ADDRESS", "PHONE_NUMBER")
)
"""The entity types that a field has by its name alone, as ``otp_code`` or ``pin``."""

_OPTIONS: Final = ("sensitive", "confirm", "input_type", "choices", "digits")

_COUNTED: Final = ("OTP_CODE", "PIN", "CVV", "ACCOUNT_NUMBER")
"""The entity types whose answers have a number of digits that somebody else chose."""

MAX_DIGITS: Final = 64
"""Digits of the longest answer whose number of digits can be given."""


def form_model(annotation: object) -> type[BaseModel] | None:
    """The pydantic model that an argument is annotated with, or ``None``."""
    base, _optional = unwrap(annotation)
    return base if isinstance(base, type) and issubclass(base, BaseModel) else None


def form_fields(model: type[BaseModel], attempts: int) -> tuple[Question, ...]:
    """The questions of a form, in the order of the model's fields.

    A field's prompt is its title or description, else its name. ``Field(json_schema_extra={"sensitive": …, "confirm":
    True, "input_type": …, "choices": […], "digits": …})`` says what ``depends_on_interrupt`` says of an argument; a
    ``SecretStr`` is a password, and a name such as ``otp_code`` or ``iban_code`` is that entity type. Raises
    ``InvalidPolicy`` for a form in a form, and for more than 64 fields or none.
    """
    if not 1 <= len(model.model_fields) <= MAX_FIELDS:
        raise InvalidPolicy(f"a form has 1 to {MAX_FIELDS} fields")
    schemas = _schemas(model)
    return tuple(_field(name, info, schemas.get(name), attempts) for name, info in model.model_fields.items())


def _field(name: str, info: FieldInfo, schema: dict[str, Any] | None, attempts: int) -> Question:
    if form_model(info.annotation) is not None:
        raise InvalidPolicy(f"field {name!r} is a form in a form")
    options = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    base, _optional = unwrap(info.annotation)
    password = base in (SecretStr, SecretBytes)
    kind, choices = infer_input(info.annotation)
    given: Any = options.get("input_type")
    listed: Any = options.get("choices")
    plain = kind in ("boolean", "choice") or bool(listed)
    sensitive = _sensitive(name, options.get("sensitive"))
    return Question(
        arg_name=name,
        handler=None,
        prompt=info.title or info.description or f"{name}: ",
        input_type="password" if password else "choice" if listed else given or kind,
        choices=tuple(map(str, listed)) if listed else choices,
        sensitive=sensitive,
        attempts=attempts,
        annotation=str if password else info.annotation,
        confirm=options.get("confirm") is True,
        digits=checked_digits(options.get("digits"), sensitive),
        required=info.is_required(),
        schema=None if plain else schema,
    )


def checked_digits(digits: object, sensitive: object) -> int | None:
    """How many digits an answer has. Raises ``InvalidPolicy`` for a type that has none to count, or no such number."""
    if digits is None:
        return None
    if sensitive not in _COUNTED:
        raise InvalidPolicy(f"digits goes with sensitive, one of {', '.join(_COUNTED)}")
    if not isinstance(digits, int) or isinstance(digits, bool) or not 1 <= digits <= MAX_DIGITS:
        raise InvalidPolicy(f"digits is a whole number from 1 to {MAX_DIGITS}")
    return digits


def _sensitive(name: str, given: object) -> str | bool | None:
    if isinstance(given, str):
        return entity_info(given).name
    if isinstance(given, bool):
        return given
    return name.upper() if name.upper() in _BY_NAME else None


def _schemas(model: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """What the answer of each field has to fit; nothing for one that refers to another definition."""
    try:
        properties = model.model_json_schema(by_alias=False).get("properties", {})
    except Exception:  # a type that JSON cannot describe is checked when the tool is called
        return {}
    kept = {name: {key: rule for key, rule in one.items() if key not in _OPTIONS} for name, one in properties.items()}
    return {name: one for name, one in kept.items() if "$ref" not in repr(one)}
