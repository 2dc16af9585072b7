"""The canonical form: one identity for all spellings of a value. A closed table; it depends on the value alone.

Stored identities are HMACs of this form, so a change here is a change of the stored format.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from stdnum import luhn

_DIGIT_RUN: Final = re.compile(r"[0-9](?:[ \u00a0-]*[0-9])+\Z")
_IBAN: Final = re.compile(r"[A-Za-z]{2}[0-9]{2}(?:[ \u00a0-]?[A-Za-z0-9]){11,30}\Z")
_EMAIL: Final = re.compile(r"[^\s@<>]{1,64}@[^\s@<>]{1,255}\Z")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?: [0-9]{2})?\Z|[0-9]{2}-[0-9]{2}-[0-9]{4}\Z")
_MAX_CARD_TEXT: Final = 60
"""Code points of the longest text that is tried as a card: 19 digits with two separators between each."""


def canonical(value: str) -> str:
    """The canonical form of a value: one for all spellings of a card, a digit run, an IBAN or an e-mail; else NFC."""
    return card_digits(value) or _digits(value) or _iban(value) or _email(value) or unicodedata.normalize("NFC", value)


def card_digits(value: str) -> str | None:
    """The 13–19 digits of a Luhn-valid card number in any script, with any separators but letters; else ``None``."""
    if not 13 <= len(value) <= _MAX_CARD_TEXT:
        return None
    digits = []
    for char in value:
        number = unicodedata.decimal(char, None)
        if number is not None:
            digits.append(str(number))
        elif char.isalnum():
            return None
    joined = "".join(digits)
    return joined if 13 <= len(joined) <= 19 and luhn.is_valid(joined) else None


def _digits(value: str) -> str | None:
    """Eight or more ASCII digits with only spaces, NBSP or hyphens between, and not a date."""
    if not _DIGIT_RUN.match(value) or _DATE.match(value):
        return None
    digits = "".join(char for char in value if char.isdigit())
    return digits if len(digits) >= 8 else None


def _iban(value: str) -> str | None:
    return re.sub(r"[ \u00a0-]", "", value).upper() if _IBAN.match(value) else None


def _email(value: str) -> str | None:
    return unicodedata.normalize("NFC", value).casefold() if _EMAIL.match(value) else None
