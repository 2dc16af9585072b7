"""What an interrupt asked for, so that the answer is read as that and nothing else."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .entities import entity_info

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
    unknown ``entity_type``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    kind: ExpectationKind = "text"
    entity_type: str | None = None
    digits: Digits | None = None
    min_digits: Digits | None = None
    max_digits: Digits | None = None
    prompt: str = Field(default="", max_length=2000)

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
    def of_type(cls, entity_type: str, *, prompt: str = "") -> Expectation:
        """The expectation of an entity type: its kind where one reads it, else ``text``."""
        kind = next((kind for kind, name in KIND_TYPES.items() if name == entity_type), "text")
        return cls.model_validate({"kind": kind, "entity_type": entity_type, "prompt": prompt})
