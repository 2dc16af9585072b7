"""Facts of sealed values: what a model may reason on instead of the value. Each reading is audited."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Final

from sealgate.models.canonical import card_digits
from sealgate.models.errors import UnknownPlaceholder
from sealgate.models.facts import SealedFacts
from sealgate.models.grants import ReadFacts
from sealgate.models.origins import PERSON
from sealgate.models.placeholder import Placeholder, parse
from sealgate.models.processlock import unforked
from sealgate.models.sealing import EntryFacts, LiveValue
from sealgate.redaction import is_valid, machine_form
from sealgate.vault import VaultSession

from .policy.guard import PolicyGuard

_BRANDS: Final = (
    ("amex", re.compile(r"3[47][0-9]{13}\Z")),
    ("diners", re.compile(r"3(?:0[0-5]|[68][0-9])[0-9]{11,16}\Z")),
    ("jcb", re.compile(r"35(?:2[89]|[3-8][0-9])[0-9]{12,15}\Z")),
    ("visa", re.compile(r"4[0-9]{12}(?:[0-9]{3}){0,2}\Z")),
    ("mastercard", re.compile(r"(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)[0-9]+\Z")),
    ("discover", re.compile(r"(?:6011|64[4-9]|65)[0-9]+\Z")),
    ("unionpay", re.compile(r"62[0-9]{14,17}\Z")),
    ("maestro", re.compile(r"(?:50|5[6-9]|6[0-9])[0-9]+\Z")),
)
"""Issuer identification ranges of ISO/IEC 7812 as the networks publish them; the first that fits counts."""

_ADULT: Final = 18
_DATES: Final = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d %B %Y", "%B %d, %Y")
_CHECKED: Final = frozenset(
    ("CREDIT_CARD", "IBAN_CODE", "EMAIL_ADDRESS", "PHONE_NUMBER", "US_SSN", "SWIFT_CODE", "ABA_ROUTING_NUMBER")
)
_LAST_FOUR: Final = frozenset(("CREDIT_CARD", "IBAN_CODE", "ACCOUNT_NUMBER"))


class FactReader:
    """Reads facts in one session. ``now`` is Unix time in seconds."""

    def __init__(self, vault: VaultSession, policy: PolicyGuard | None, now: Callable[[], float]) -> None:
        self._vault = vault
        self._policy = policy
        self._now = now

    def read(self, placeholder: str | Placeholder) -> SealedFacts:
        """The facts of a placeholder of this session.

        Raises ``MalformedPlaceholder``, ``UnknownPlaceholder``, ``ValueGone``, ``GrantRefused`` for a secret and for
        what the policy does not allow, and ``AuditUnavailable``.
        """
        wanted = parse(placeholder) if isinstance(placeholder, str) else placeholder
        text = self._vault.open([wanted], ReadFacts())[wanted].text()
        entry = self._vault.facts([wanted]).get(wanted)
        if entry is None:
            raise UnknownPlaceholder("this session issued no such placeholder")
        types = [name for name in entry.entity_types if is_valid(name, text)]
        checked = [name for name in entry.entity_types if name in _CHECKED]
        return SealedFacts(
            placeholder=str(wanted),
            entity_type=wanted.entity_type,
            format_valid=any(name in types for name in checked) if checked else None,
            card_brand=card_brand(text) if "CREDIT_CARD" in types else None,
            issuer_country=issuer_country(types, text),
            last_four=last_four(text) if self._may_tell_digits(entry, types) else None,
            over_18=over_18(text, self._now()) if "DATE_OF_BIRTH" in types else None,
            same_entity=self._other_forms(wanted) if PERSON in entry.origins else (),
        )

    def _may_tell_digits(self, entry: EntryFacts, types: Sequence[str]) -> bool:
        """Whether a rule of purpose ``facts`` allows the last four digits. Without a policy file none are told."""
        rules = self._policy.rules if self._policy is not None else None
        told = tuple(name for name in types if name in _LAST_FOUR)
        age = None if entry.sealed_at is None else self._now() - entry.sealed_at
        return rules is not None and bool(told) and rules.releases("facts", told, entry.origins, age)

    def _other_forms(self, wanted: Placeholder) -> tuple[str, ...]:
        known = self._vault.match(_by_code).get(wanted.code, ())
        return tuple(str(one) for one in known if one != wanted)


def card_brand(text: str) -> str | None:
    """The network of a card number; ``None`` for an unknown range."""
    digits = card_digits(text) or ""
    return next((brand for brand, pattern in _BRANDS if pattern.match(digits)), None)


def issuer_country(types: Sequence[str], text: str) -> str | None:
    """The ISO 3166 code of an IBAN, or of a telephone number that names its country."""
    if "IBAN_CODE" in types:
        return machine_form("IBAN_CODE", text)[:2]
    form = machine_form("PHONE_NUMBER", text) if "PHONE_NUMBER" in types else ""
    if not form.startswith("+"):
        return None
    with unforked():
        import phonenumbers  # noqa: PLC0415  # its tables of the world's numbers load when one is asked about

    try:
        return phonenumbers.region_code_for_number(phonenumbers.parse(form))
    except phonenumbers.NumberParseException:
        return None


def last_four(text: str) -> str | None:
    """The last four letters or digits; ``None`` where they would be half of the value or more."""
    symbols = [char for char in text if char.isalnum()]
    return "".join(symbols[-4:]) if len(symbols) > 8 else None


def over_18(text: str, now: float) -> bool | None:
    """Whether a date of birth lies eighteen years back; ``None`` where it can be read in two ways that differ."""
    today = datetime.fromtimestamp(now, UTC).date()
    ages = {_is_adult(born, today) for form in _DATES if (born := _read_date(text, form)) is not None}
    return ages.pop() if len(ages) == 1 else None


def _is_adult(born: date, today: date) -> bool:
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day)) >= _ADULT


def _read_date(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text.strip(), form).replace(tzinfo=UTC).date()
    except ValueError:
        return None


def _by_code(values: Sequence[LiveValue]) -> dict[str, tuple[Placeholder, ...]]:
    found: dict[str, list[Placeholder]] = {}
    for live in values:
        found.setdefault(live.placeholder.code, []).append(live.placeholder)
    return {code: tuple(forms) for code, forms in found.items()}
