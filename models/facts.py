"""What may be said of a sealed value without saying it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class SealedFacts(BaseModel):
    """The facts of one sealed value: fixed per type, none for secrets. ``None`` is what is unknown or not allowed.

    ``format_valid`` tells its check digits or its shape; ``card_brand`` and ``last_four`` a card's (the latter an
    account's too, and only where the policy allows it); ``issuer_country`` the ISO code in an IBAN or in an
    international telephone number; ``over_18`` is of a date of birth. ``same_entity`` are the placeholders of other
    spellings of the same value, told only of what a person gave.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    placeholder: str
    entity_type: str
    format_valid: bool | None = None
    card_brand: str | None = None
    issuer_country: str | None = None
    last_four: str | None = None
    over_18: bool | None = None
    same_entity: tuple[str, ...] = ()
