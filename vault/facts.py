"""What an entry stores beside its value, in a few bytes: short values are padded together with it.

======  ===========================================================================================================
byte 0  bits: 1 a head with facts, 2 searchable, 4 until the turn ends, 8 uses, 16 a moment; 32 and 64 the JSON type
uses    2 bytes, if bit 8 is set
moment  5 bytes, Unix seconds, if bit 16 is set
types   one item each, then origins likewise; the last item of each list has bit 128 clear
item    the number of the name in a table below, or 0, a length byte and the name
======  ===========================================================================================================

Only byte 0 is there without bit 1. Numbers are big-endian.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from sealgate.models.errors import TamperDetected
from sealgate.models.origins import APPLICATION, INTERRUPT, MODEL, PERSON
from sealgate.models.secretvalue import JsonType

from .encoding import AUTHENTICATION

_HEAD, _SEARCHABLE, _TURN, _USES, _MOMENT = 1, 2, 4, 8, 16
_JSON_SHIFT: Final = 5
_JSON_TYPES: Final[tuple[JsonType, ...]] = ("string", "integer", "number")
_USES_BYTES: Final = 2
_MOMENT_BYTES: Final = 5
_LISTS_AT: Final = (1, 1 + _USES_BYTES, 1 + _MOMENT_BYTES, 1 + _USES_BYTES + _MOMENT_BYTES)
"""Where the types begin, by the bits of uses and moment."""

_MORE: Final = 0x80

_TYPE_NAMES: Final = (
    "", "OTP_CODE", "PIN", "CVV", "PASSWORD", "API_KEY", "PRIVATE_KEY", "JWT", "SECRET_URL", "CONNECTION_STRING",
    "CREDIT_CARD", "IBAN_CODE", "SWIFT_CODE", "ABA_ROUTING_NUMBER", "CRYPTO", "EMAIL_ADDRESS", "PHONE_NUMBER",
    "IP_ADDRESS", "MAC_ADDRESS", "VIN", "NATIONAL_ID", "US_SSN", "US_ITIN", "US_PASSPORT", "US_DRIVER_LICENSE",
    "US_BANK_NUMBER", "US_NPI", "US_MBI", "UK_NHS", "UK_NINO", "UK_PASSPORT", "ACCOUNT_NUMBER", "SORT_CODE",
    "CUSTOMER_ID", "EMPLOYEE_ID", "CASE_NUMBER", "MEDICAL_RECORD_NUMBER", "PASSPORT", "DRIVER_LICENSE",
    "LICENSE_PLATE", "INSURANCE_NUMBER", "TAX_ID", "DEVICE_ID", "USERNAME", "ID_NUMBER", "URL", "PERSON",
    "ORGANIZATION", "NRP", "STREET_ADDRESS", "LOCATION", "DATE_OF_BIRTH", "DATE_TIME", "ANSWER", "CUSTOM",
    "LITERAL", "UK_POSTCODE", "UK_VEHICLE_REGISTRATION", "ES_NIF", "ES_NIE", "IT_FISCAL_CODE", "IT_DRIVER_LICENSE",
    "IT_VAT_CODE", "IT_PASSPORT", "IT_IDENTITY_CARD", "PL_PESEL", "SG_NRIC_FIN", "SG_UEN", "AU_ABN", "AU_ACN",
    "AU_TFN", "AU_MEDICARE", "IN_PAN", "IN_AADHAAR", "IN_VEHICLE_REGISTRATION", "IN_VOTER", "IN_PASSPORT",
    "IN_GSTIN", "FI_PERSONAL_IDENTITY_CODE", "KR_RRN", "KR_BRN", "KR_FRN", "KR_PASSPORT", "KR_DRIVER_LICENSE",
    "TH_TNIN", "SE_PERSONNUMMER", "SE_ORGANISATIONSNUMMER", "DE_TAX_ID", "DE_PASSPORT", "DE_ID_CARD", "CA_SIN",
    "NG_NIN", "NG_VEHICLE_REGISTRATION", "MEDICAL_LICENSE",
)  # fmt: skip
"""Part of the stored format: a name may be added at the end, and stands in full until it is."""

_ORIGIN_NAMES: Final = ("", PERSON, APPLICATION, INTERRUPT, MODEL)
"""Likewise."""

_TYPE_ITEMS: Final = {name: bytes((number,)) for number, name in enumerate(_TYPE_NAMES) if number}
_ORIGIN_ITEMS: Final = {name: bytes((number,)) for number, name in enumerate(_ORIGIN_NAMES) if number}


@dataclass(frozen=True, slots=True)
class Facts:
    """Types and origins in the order in which they came to light; ``uses`` is ``None`` for no limit.

    A ``searchable`` value is looked for in other texts; one ``until_turn_ends`` is destroyed then. ``sealed_at`` is
    when the value was first sealed (Unix seconds).
    """

    entity_types: tuple[str, ...]
    origins: tuple[str, ...]
    uses: int | None = None
    searchable: bool = True
    until_turn_ends: bool = False
    sealed_at: int | None = None

    def widened(self, entity_type: str, origin: str, searchable: bool) -> Facts:
        """The facts with a further type and origin; itself when it has them."""
        wider = replace(
            self,
            entity_types=self.entity_types if entity_type in self.entity_types else (*self.entity_types, entity_type),
            origins=self.origins if origin in self.origins else (*self.origins, origin),
            searchable=self.searchable or searchable,
        )
        return self if wider == self else wider


def encode_facts(facts: Facts | None, json_type: JsonType) -> bytes:
    """The bytes before a value: its JSON type, and the facts of its entry if its row holds them."""
    kind = _JSON_TYPES.index(json_type) << _JSON_SHIFT
    return bytes((kind,)) if facts is None else _encoded(facts, kind)


@lru_cache(maxsize=1024)
def _encoded(facts: Facts, kind: int) -> bytes:
    """Values that are sealed together share their facts."""
    flags = _HEAD | kind | _SEARCHABLE * facts.searchable | _TURN * facts.until_turn_ends
    flags |= _USES * (facts.uses is not None) | _MOMENT * (facts.sealed_at is not None)
    uses = b"" if facts.uses is None else facts.uses.to_bytes(_USES_BYTES, "big")
    moment = b"" if facts.sealed_at is None else facts.sealed_at.to_bytes(_MOMENT_BYTES, "big")
    lists = _items(facts.entity_types, _TYPE_ITEMS) + _items(facts.origins, _ORIGIN_ITEMS)
    return bytes((flags,)) + uses + moment + lists


def _items(names: Iterable[str], table: dict[str, bytes]) -> bytes:
    items = [bytearray(table.get(name) or bytes((0, len(name))) + name.encode("ascii")) for name in names]
    for item in items[:-1]:
        item[0] |= _MORE
    return b"".join(items)


def facts_end(plain: bytes | bytearray) -> int:
    """Where the value begins in authenticated bytes that start with ``encode_facts``; ``TamperDetected`` for others."""
    try:
        flags = plain[0]
        if not flags & _HEAD:
            return 1
        at = _LISTS_AT[flags >> 3 & 3]
        if 0 < plain[at] < _MORE and 0 < plain[at + 1] < _MORE:  # One numbered type and origin, as nearly always.
            return at + 2
        for _ in range(2):
            more = _MORE
            while more:
                item = plain[at]
                at += 1 if item & ~_MORE else 2 + plain[at + 1]
                more = item & _MORE
    except IndexError:
        raise TamperDetected(AUTHENTICATION) from None
    if at > len(plain):
        raise TamperDetected(AUTHENTICATION)
    return at


@lru_cache(maxsize=1024)
def decode_facts(encoded: bytes) -> tuple[Facts | None, JsonType]:
    """The inverse of ``encode_facts``, or ``TamperDetected``. Many entries share their facts, which hold no value."""
    try:
        return _decoded(encoded)
    except (IndexError, UnicodeDecodeError):
        raise TamperDetected(AUTHENTICATION) from None


def _decoded(encoded: bytes) -> tuple[Facts | None, JsonType]:
    flags, at = encoded[0], 1
    json_type = _JSON_TYPES[flags >> _JSON_SHIFT]
    if not flags & _HEAD:
        return None, json_type
    uses = moment = None
    if flags & _USES:
        uses, at = int.from_bytes(encoded[at : at + _USES_BYTES], "big"), at + _USES_BYTES
    if flags & _MOMENT:
        moment, at = int.from_bytes(encoded[at : at + _MOMENT_BYTES], "big"), at + _MOMENT_BYTES
    types, at = _names(encoded, at, _TYPE_NAMES)
    origins, _ = _names(encoded, at, _ORIGIN_NAMES)
    return Facts(types, origins, uses, bool(flags & _SEARCHABLE), bool(flags & _TURN), moment), json_type


def _names(encoded: bytes, at: int, table: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    names, more = [], _MORE
    while more:
        number, more = encoded[at] & ~_MORE, encoded[at] & _MORE
        if number:
            names.append(table[number])
            at += 1
        else:
            end = at + 2 + encoded[at + 1]
            names.append(encoded[at + 2 : end].decode("ascii"))
            at = end
    return tuple(names), at
