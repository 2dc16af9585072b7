"""Payment cards: 13 to 19 digits of any brand with any single separators, by checksum or by a cue."""

from __future__ import annotations

import re
from typing import Final

from stdnum import luhn

from .rule import Rule

_PREFIX: Final = re.compile(r"4|5[0-8]|6[0-9]|2[2-7]|3[0-9]|1[38]|9")


_ORDER: Final = re.compile("[0-9]{7}-[0-9]{7}")
"""The last two groups of an order number of Amazon; one in ten passes the checksum."""


def is_card(value: str) -> bool:
    """Whether the digits have a card's prefix (ISO/IEC 7812 major industry 2 to 6), length and Luhn checksum."""
    digits = re.sub(r"\D", "", value)
    if _ORDER.fullmatch(value) or ("\n" in value and not _PRINTED.fullmatch(value)):
        return False
    return 13 <= len(digits) <= 19 and digits[0] in "23456" and len(set(digits)) > 1 and luhn.is_valid(digits)


def is_card_like(value: str) -> bool:
    """Whether a value has 13 to 19 digits; for values that a cue calls a card."""
    return 13 <= len(re.sub(r"\D", "", value)) <= 19


_CUE: Final = (
    r"(?:credit|debit|bank|visa|master ?card|amex|american express|discover|diners|maestro|payment)?[ -]?(?:card|pan|cc)\b"
    r"|visa|mastercard|amex"
)

_PRINTED: Final = re.compile(
    r"[0-9]{13,19}|[0-9]{4}(?:[ ./_\n-]{1,2}[0-9]{4}){3}(?:[ ./_\n-]{1,2}[0-9]{3})?|[0-9]{4}[ ./_\n-]{1,2}[0-9]{6}[ ./_\n-]{1,2}[0-9]{4,5}"
)
"""How a number is embossed on a card: in fours, or as American Express and Diners Club do (ISO/IEC 7811-1)."""

CARDS: Final[tuple[Rule, ...]] = (
    Rule(
        "card",
        "CREDIT_CARD",
        r"(?<![0-9])(?<![0-9][.,])(?P<value>[2-6][0-9]{3}(?:[ ./_\n-]{0,2}[0-9]){8,15})(?![0-9])(?!\.[0-9])",
        1.0,
        (
            "card «4111 1111 1111 1111» exp 09/27",
            "card «4111.1111.1111.1111»",
            "card «4111\n1111\n1111\n1111»",
            "«5412217421809675» «5412217421809675»",
            '{"pan":"«4111111111111111»"}',
            "ref«4111111111111111»x",
            "«3782 822463 10005»",
            "«4111 1111 1111 1111» 12/27 123",
            "«4111 1111 1111 1111» 123",
            "on 2024. «4539 5787 6362 1486»",
            "PIN 4821 «4111-1111-1111-1111» 3782",
            "«3782 822463 10005» 1234",
        ),
        (
            "4111 1111 1111 1112",
            "order 112-3456789-1234567",
            "6033391\n6058722",
            "slot 4539 203.0.113.145 up",
            "0x52908400098527886E0F7030069857D2E4169EE7",
        ),
        gates=("digits12",),
        valid=is_card,
        unless=r"0x[0-9a-f]*\Z|[0-9a-f]{8,}\Z|[0-9a-f]{8}-(?:[0-9a-f]{4}-){0,3}\Z",
        part=_PRINTED,
    ),
    Rule(
        "card-with-cue",
        "CREDIT_CARD",
        r"(?<![0-9.])(?P<value>[0-9]{4}(?:[ .-]{0,2}[0-9]){9,15})(?![0-9])",
        0.85,
        ("My card is «4111 1111 1111 1112»", "credit card: «6011-0009-9013-9425»"),
        ("the ticket is 4111 1111 1111 1112",),
        gates=("digits12",),
        words=("card", "pan", "cc", "visa", "amex"),
        before=rf"(?<![A-Za-z])(?:{_CUE})",
        valid=is_card_like,
    ),
    Rule(
        "card-last-four",
        "CREDIT_CARD",
        r"(?<![0-9A-Za-z])(?P<value>(?:[x*•]{4}[ -]?){1,4}[0-9]{4})(?![0-9])",
        0.6,
        ("card «**** **** **** 1234»", "paid with «xxxx-xxxx-xxxx-4242»"),
        ("**** bold 1234",),
        gates=("digit",),
        words=("xxxx", "****", "••••"),
    ),
)
"""Payment cards."""
