"""What an interrupt asked for, so that the answer is read as that and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from .entities import entity_info
from .refusals import InvalidInput

ExpectationKind = Literal[
    "otp",
    "pin",
    "cvv",
    "card",
    "iban",
    "account",
    "phone",
    "email",
    "ssn",
    "name",
    "address",
    "date_of_birth",
    "password",
    "text",
]

KIND_TYPES: Final[dict[str, str]] = {
    "otp": "OTP_CODE",
    "pin": "PIN",
    "cvv": "CVV",
    "card": "CREDIT_CARD",
    "iban": "IBAN_CODE",
    "account": "ACCOUNT_NUMBER",
    "phone": "PHONE_NUMBER",
    "email": "EMAIL_ADDRESS",
    "ssn": "US_SSN",
    "name": "PERSON",
    "address": "STREET_ADDRESS",
    "date_of_birth": "DATE_OF_BIRTH",
    "password": "PASSWORD",
    "text": "ANSWER",
}
"""The entity type that each kind reads, unless ``entity_type`` says another."""

Digits = Annotated[int, Field(ge=1, le=64)]


class Expectation(BaseModel):
    """What the next answer should hold. ``Expectation(kind="otp", digits=6)``.

    ``digits`` fixes the number of digits; ``min_digits`` and ``max_digits`` bound it. ``prompt`` is what the person
    was asked (redacted, at most 2,000 code points), which may name the length. Raises ``UnknownEntityType`` for an
    unknown ``entity_type``, and ``InvalidInput`` that names the field for anything else that does not fit.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)

    kind: ExpectationKind = "text"
    entity_type: str | None = None
    digits: Digits | None = None
    min_digits: Digits | None = None
    max_digits: Digits | None = None
    prompt: str = Field(default="", max_length=2000)

    if not TYPE_CHECKING:  # A type checker knows the fields, as those of any model.

        def __init__(self, **fields: Any) -> None:
            # Before pydantic looks, which would wrap an error of the product in one of its own.
            if isinstance(fields.get("entity_type"), str):
                entity_info(fields["entity_type"])
            try:
                super().__init__(**fields)
                return
            except ValidationError as error:
                first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            known = first["loc"][:1] and first["loc"][0] in type(self).model_fields
            field, rule = (first["loc"][0], first["msg"]) if known else ("", "there is no such field")
            del fields
            raise InvalidInput(f"an Expectation does not fit: {field}{': ' if field else ''}{rule}")

    @model_validator(mode="after")
    def _known_type(self) -> Expectation:
        if self.entity_type is not None:
            entity_info(self.entity_type)
        return self

    @property
    def seals_as(self) -> str:
        """The entity type that a hit is sealed as."""
        return self.entity_type or KIND_TYPES[self.kind]

    @classmethod
    def of_type(cls, entity_type: str, *, prompt: str = "", digits: int | None = None) -> Expectation:
        """The expectation of an entity type: its kind where one reads it, else ``text``."""
        kind = next((kind for kind, name in KIND_TYPES.items() if name == entity_type), "text")
        given: dict[str, Any] = {"kind": kind, "entity_type": entity_type, "prompt": prompt, "digits": digits}
        return cls(**given)
