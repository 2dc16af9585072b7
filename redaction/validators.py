"""Whether a value is well-formed as an entity type, and the form in which a machine wants it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from sealgate.models.canonical import card_digits
from sealgate.models.processlock import unforked

from .reading.projection import project
from .reading.spoken import runs, spoken_digits

_SEPARATORS: Final = re.compile(r"[\s.\-_/\u00a0]+")
_EMAIL: Final = re.compile(r"[^\s@<>\"]{1,64}@[^\s@<>\"]{1,255}\Z")
_OBFUSCATED: Final = ((r"\s*(?:\[at\]|\(at\)|\bat\b)\s*", "@"), (r"\s*(?:\[dot\]|\(dot\)|\bdot\b)\s*", "."))


@lru_cache(maxsize=128)
def stdnum_valid(module: str) -> Callable[[str], bool]:
    """The ``is_valid`` of ``stdnum.<module>``, imported when it is first needed."""
    with unforked():
        loaded: Any = import_module(f"stdnum.{module}")
    return lambda value: bool(loaded.is_valid(value))


def compact(value: str) -> str:
    """A value without separators, digits of any script as ASCII, upper case."""
    return _SEPARATORS.sub("", project(value).text).upper()


def digits_of(value: str) -> str:
    """The decimal digits of a value, of any script, as ASCII."""
    return "".join(char for char in project(value).text if char.isdigit())


def is_iban(value: str) -> bool:
    """Whether the check digits of an IBAN, and its country's length, are right."""
    return stdnum_valid("iban")(compact(value))


def is_email(value: str) -> bool:
    """Whether a value has the shape of an e-mail address; the domain may be any."""
    return _EMAIL.match(email_form(value)) is not None


def is_phone(value: str) -> bool:
    """Whether a value has the digits of a telephone number: 7 to 15, and no letters but an extension."""
    bare = re.sub(r"(?i)\s*(?:ext\.?|extension|x)\s*[0-9]{1,6}\Z", "", project(value).text)
    return 7 <= len(digits_of(bare)) <= 15 and not re.search(r"[A-Za-z]", bare)


def email_form(value: str) -> str:
    """The plain address of a spelled-out one ("john [at] example [dot] com")."""
    plain = project(value).text.strip()
    if "@" not in plain:
        for pattern, mark in _OBFUSCATED:
            plain = re.sub(pattern, mark, plain, flags=re.IGNORECASE)
    return plain


def phone_form(value: str) -> str:
    """E.164 where the value names its country, else its digits. The extension is dropped: E.164 has none."""
    plain = re.sub(r"(?i)\s*(?:ext\.?|extension|x)\s*[0-9]{1,6}\Z", "", project(value).text)
    digits = digits_of(plain)
    if plain.strip().startswith("+"):
        return "+" + digits_of(plain.replace("(0)", ""))
    return "+" + digits[2:] if digits.startswith("00") else digits


def _digits_between(low: int, high: int) -> Callable[[str], bool]:
    return lambda value: low <= len(_code_digits(value)) <= high


def _code_digits(value: str) -> str:
    """The digits of a typed or spoken code; empty for one with letters of its own, but for a prefix as in G-123456."""
    plain = project(value).text
    if not re.search(r"[A-Za-z]", plain):
        return digits_of(plain)
    prefixed = re.fullmatch(r"[A-Z]{1,3}-([0-9]{4,8})", plain)
    if prefixed is not None:
        return prefixed[1]
    return spoken_digits(plain) if any(run.spoken for run in runs(plain)) else ""


_VALIDATORS: Final[dict[str, Callable[[str], bool]]] = {
    "CREDIT_CARD": lambda value: card_digits(value) is not None,
    "IBAN_CODE": is_iban,
    "EMAIL_ADDRESS": is_email,
    "PHONE_NUMBER": is_phone,
    "OTP_CODE": lambda value: 3 <= len(_code_digits(value) or compact(value)) <= 12,
    "PIN": _digits_between(3, 12),
    "CVV": _digits_between(3, 4),
    "US_SSN": lambda value: len(digits_of(value)) == 9,
    "ACCOUNT_NUMBER": lambda value: 3 <= len(compact(value)) <= 34 and any(char.isdigit() for char in value),
    "SWIFT_CODE": lambda value: re.fullmatch(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?", compact(value)) is not None,
    "ABA_ROUTING_NUMBER": lambda value: stdnum_valid("us.rtn")(compact(value)),
}

_MACHINE_FORMS: Final[dict[str, Callable[[str], str]]] = {
    "CREDIT_CARD": lambda value: card_digits(value) or digits_of(value),
    "IBAN_CODE": compact,
    "PHONE_NUMBER": phone_form,
    "EMAIL_ADDRESS": email_form,
    "OTP_CODE": lambda value: _code_digits(value) or compact(value),
    "PIN": lambda value: _code_digits(value) or value,
    "CVV": lambda value: _code_digits(value) or value,
}


def is_valid(entity_type: str, value: str) -> bool:
    """Whether ``value`` is well-formed as ``entity_type``; ``True`` for a type without a validator."""
    validator = _VALIDATORS.get(entity_type)
    return validator is None or validator(value)


def machine_form(entity_type: str, value: str) -> str:
    """The form of ``value`` that a tool gets: a card's digits, an IBAN without spaces, E.164, a plain e-mail address,
    the digits of a spoken code; for other types the exact value."""
    form = _MACHINE_FORMS.get(entity_type)
    return form(value) if form is not None else value
