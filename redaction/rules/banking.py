"""Bank accounts: IBAN, BIC, routing and sort codes, account numbers, wallets."""

from __future__ import annotations

import re
from typing import Final

from ..validators import stdnum_valid
from .cues import ID_VALUE, LINK, cued, has_digits
from .rule import Rule
from .shapes import IBAN_PATTERN

_NUMBERS: Final = {char: str(number) for number, char in enumerate("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")}
_BANK_CUE: Final = r"(?<![A-Za-z])(?:iban|bank|account|acct|konto|transfer|wire|compte|cuenta|conto)(?![a-z])"


def is_iban(value: str) -> bool:
    """Whether the checksum of an IBAN is right (ISO 7064 mod 97-10), whatever the length in its country."""
    compact = value.replace(" ", "").replace("-", "").upper()
    if not 15 <= len(compact) <= 34:
        return False
    return int("".join(map(_NUMBERS.__getitem__, compact[4:] + compact[:4]))) % 97 == 1


def _is_routing(value: str) -> bool:
    return stdnum_valid("us.rtn")(re.sub(r"\D", "", value))


def _is_bic(value: str) -> bool:
    return value[4:6].isalpha() and (value.isupper() or any(char.isdigit() for char in value))


_ACCOUNT: Final = r"(?:bank |checking |savings? |current |customer )?(?:account|acct|acc(?=[ .:#])|a/c|konto(?:nummer)?|cuenta|compte|iban)"

BANKING: Final[tuple[Rule, ...]] = (
    Rule(
        "iban",
        "IBAN_CODE",
        IBAN_PATTERN,
        1.0,
        (
            "IBAN: «AT611904300234573201»",
            "to «SE45-5000-0000-0583-9825-7466» today",
            "iban «de89370400440532013000»",
            "«GB29 NWBK 6016 1331 9268 19» please send",
            "«SE45-5000-0000-0583-9825-7466» 123",
            "«GB29 NWBK 6016 1331 9268 19» 12/27",
        ),
        ("DE89 3704 0044 0532 0130 01", "AB12 words follow here and there"),
        gates=("digits7",),
        valid=is_iban,
        part=re.compile("[A-Za-z]{2}.*", re.DOTALL),
    ),
    Rule(
        "iban-with-cue",
        "IBAN_CODE",
        IBAN_PATTERN,
        0.8,
        ("IBAN «DE89 3704 0044 0532 0130 01»",),
        ("model DE89 3704 0044 0532 0130 01",),
        gates=("digits7",),
        words=("iban", "bank", "account", "acct", "konto", "transfer", "wire", "compte", "cuenta", "conto"),
        before=_BANK_CUE,
    ),
    Rule(
        "iban-lettered",
        "IBAN_CODE",
        r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?:[ -][A-Z0-9]{4}){2,7}(?:[ -][A-Z0-9]{1,3})?(?![A-Za-z0-9])",
        1.0,
        ("«MT84 MALT 0110 0001 2345 MTLC AST0 01S»",),
        ("AB12 WORD WORD",),
        gates=("digits7",),
        valid=is_iban,
        flags=0,
    ),
    Rule(
        "bic",
        "SWIFT_CODE",
        r"(?<![A-Za-z0-9])(?P<value>[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)(?![A-Za-z0-9])",
        0.8,
        ("BIC «DEUTDEFF500»", "SWIFT code: «CHASUS33»"),
        ("BIC", "SWIFT transfers", "swift delivery tomorrow"),
        words=("bic", "swift"),
        before=r"(?<![A-Za-z])(?:bic|swift)(?:[ /-]{0,3}(?:bic|swift))?(?: ?codes?)?(?![A-Za-z])[^A-Za-z0-9]{0,4}(?:(?:is|was|=|code)[^A-Za-z0-9]{1,3})?\Z",
        valid=_is_bic,
    ),
    Rule(
        "routing",
        "ABA_ROUTING_NUMBER",
        cued(r"routing|aba|rtn|transit") + r"(?P<value>[0-9]{4}-?[0-9]{4}-?[0-9])(?![0-9])",
        0.9,
        ("routing «021000021»", "ABA number: «3222-7162-7»"),
        ("routing table 12",),
        gates=("digits7",),
        words=("routing", "aba", "rtn", "transit"),
    ),
    Rule(
        "routing-shape",
        "ABA_ROUTING_NUMBER",
        r"(?<![0-9A-Za-z-])(?P<value>[0123678][0-9]{3}-[0-9]{4}-[0-9])(?![0-9A-Za-z-])",
        0.7,
        ("«3222-7162-7»",),
        ("3222-7162-8",),
        gates=("digits7",),
        valid=_is_routing,
    ),
    Rule(
        "sort-code",
        "SORT_CODE",
        cued(r"sort") + r"(?P<value>[0-9]{2}[- ]?[0-9]{2}[- ]?[0-9]{2})(?![0-9])",
        0.9,
        ("Sort code «20-00-00», account 55779911", "sort code is «601613»"),
        ("sort 20 items",),
        gates=("digit",),
        words=("sort",),
    ),
    Rule(
        "account-after-cue",
        "ACCOUNT_NUMBER",
        rf"(?<![A-Za-z])(?:{_ACCOUNT})(?:[ _-]{{0,2}}(?:numbers?|num|no|nr|#|id))?\.?(?![A-Za-z]){LINK}{ID_VALUE}",
        0.85,
        (
            "My account number is «00123456789»",
            "acct # «4417-2280-11»",
            "wire to account «9876543210», routing 021000021",
            "account account «55120987»",
            "My account number is «1234-5678-9012»",
        ),
        ("my account is 3 years old", "account balance 120.50", "account for 12 people"),
        gates=("digit",),
        words=("account", "acct", "acc", "a/c", "konto", "cuenta", "compte", "iban"),
        valid=has_digits(4),
    ),
    Rule(
        "wallet",
        "CRYPTO",
        r"(?<![A-Za-z0-9])(?P<value>0x[0-9a-fA-F]{40}|bc1[a-z0-9]{25,60}|[13][a-km-zA-HJ-NP-Z1-9]{25,34})(?![A-Za-z0-9])",
        0.95,
        ("send to «1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa»", "«0x52908400098527886E0F7030069857D2E4169EE7»"),
        ("0x5290840009", "commit 3f786850e387550fdab836ed7e6dc881de23001b"),
        gates=("long",),
        flags=0,
        valid=lambda value: any(char.isdigit() for char in value) and not value.isdigit(),
    ),
)
"""Bank accounts and wallets."""
