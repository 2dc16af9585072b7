"""The closed table of entity types: Presidio's spelling, ours where Presidio has none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Literal

from .errors import InvalidName, UnknownEntityType

Family = Literal["secret", "validated", "identifier", "contact", "name", "place", "date", "answer", "literal"]
"""The class of a type. The union of findings ranks by it, never by score alone."""

MAX_TYPE_LENGTH: Final = 40
"""Code points of the longest entity type."""

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}\Z")
"""Names of private data: labels and data keys, nothing else."""

_CUSTOM: Final = re.compile(r"CUSTOM_[A-Z][A-Z0-9_]{0,31}\Z")


@dataclass(frozen=True, slots=True)
class EntityInfo:
    """What the product knows of one entity type.

    ``small`` types have a guess space that can be tried out, so their stored code is random. ``uses`` and ``ttl``
    (seconds) are the defaults of a sealed value, ``None`` for no limit.
    """

    name: str
    family: Family
    small: bool = False
    uses: int | None = None
    ttl: float | None = None


_SECRETS = (
    EntityInfo("OTP_CODE", "secret", small=True, uses=1, ttl=600.0),
    EntityInfo("PIN", "secret", small=True),
    EntityInfo("CVV", "secret", small=True, uses=1),
    *(
        EntityInfo(name, "secret")
        for name in ("PASSWORD", "API_KEY", "PRIVATE_KEY", "JWT", "SECRET_URL", "CONNECTION_STRING")
    ),
)
_VALIDATED = (
    "CREDIT_CARD", "IBAN_CODE", "SWIFT_CODE", "ABA_ROUTING_NUMBER", "CRYPTO", "EMAIL_ADDRESS", "PHONE_NUMBER",
    "IP_ADDRESS", "MAC_ADDRESS", "VIN", "NATIONAL_ID", "US_SSN", "US_ITIN", "US_PASSPORT", "US_DRIVER_LICENSE",
    "US_BANK_NUMBER", "US_NPI", "US_MBI", "UK_NHS", "UK_NINO", "UK_PASSPORT", "UK_POSTCODE",
    "UK_VEHICLE_REGISTRATION", "ES_NIF", "ES_NIE", "IT_FISCAL_CODE", "IT_DRIVER_LICENSE", "IT_VAT_CODE",
    "IT_PASSPORT", "IT_IDENTITY_CARD", "PL_PESEL", "SG_NRIC_FIN", "SG_UEN", "AU_ABN", "AU_ACN", "AU_TFN",
    "AU_MEDICARE", "IN_PAN", "IN_AADHAAR", "IN_VEHICLE_REGISTRATION", "IN_VOTER", "IN_PASSPORT", "IN_GSTIN",
    "FI_PERSONAL_IDENTITY_CODE", "KR_RRN", "KR_BRN", "KR_FRN", "KR_PASSPORT", "KR_DRIVER_LICENSE", "TH_TNIN",
    "SE_PERSONNUMMER", "SE_ORGANISATIONSNUMMER", "DE_TAX_ID", "DE_PASSPORT", "DE_ID_CARD", "CA_SIN", "NG_NIN",
    "NG_VEHICLE_REGISTRATION", "MEDICAL_LICENSE",
)  # fmt: skip
_IDENTIFIERS = (
    "ACCOUNT_NUMBER", "SORT_CODE", "CUSTOMER_ID", "EMPLOYEE_ID", "CASE_NUMBER", "MEDICAL_RECORD_NUMBER", "PASSPORT",
    "DRIVER_LICENSE", "LICENSE_PLATE", "INSURANCE_NUMBER", "TAX_ID", "DEVICE_ID", "USERNAME", "ID_NUMBER",
)  # fmt: skip

ENTITY_TYPES: Final[dict[str, EntityInfo]] = {
    info.name: info
    for info in (
        *_SECRETS,
        *(EntityInfo(name, "validated") for name in _VALIDATED),
        *(EntityInfo(name, "identifier") for name in _IDENTIFIERS),
        EntityInfo("URL", "contact"),
        EntityInfo("PERSON", "name"),
        EntityInfo("ORGANIZATION", "name"),
        EntityInfo("NRP", "name"),
        EntityInfo("STREET_ADDRESS", "place"),
        EntityInfo("LOCATION", "place"),
        EntityInfo("DATE_OF_BIRTH", "date"),
        EntityInfo("DATE_TIME", "date"),
        EntityInfo("ANSWER", "answer"),
        EntityInfo("CUSTOM", "answer"),
        EntityInfo("LITERAL", "literal"),
    )
}
"""Every entity type but ``CUSTOM_<NAME>``, by its name."""


def entity_info(name: str) -> EntityInfo:
    """The table's row for an entity type; ``CUSTOM_<NAME>`` counts as an answer.

    Raises ``UnknownEntityType`` for anything else.
    """
    known = ENTITY_TYPES.get(name)
    if known is not None:
        return known
    if _CUSTOM.match(name) and len(name) <= MAX_TYPE_LENGTH:
        return EntityInfo(name, "answer")
    near = get_close_matches(name.upper(), ENTITY_TYPES, n=1) if len(name) <= MAX_TYPE_LENGTH else []
    raise UnknownEntityType("not an entity type of sealgate" + "".join(f"; the nearest is {one}" for one in near))


def entity_type_of(name: str | None, pii_type: str | None) -> str:
    """The type of a ``PrivateData``: its ``pii_type``, else what its name spells, else ``CUSTOM_<NAME>``, else
    ``CUSTOM``.

    Raises ``UnknownEntityType`` for an unknown ``pii_type`` and ``InvalidName`` for a name outside
    ``[a-z][a-z0-9_]{0,31}``.
    """
    if pii_type is not None:
        return entity_info(pii_type.upper()).name
    if name is None:
        return "CUSTOM"
    if not NAME.match(name):
        raise InvalidName("a name of private data matches [a-z][a-z0-9_]{0,31}")
    spelled = name.upper()
    return spelled if spelled in ENTITY_TYPES else f"CUSTOM_{spelled}"
