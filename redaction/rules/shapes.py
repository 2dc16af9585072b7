"""Shapes without cues, shared by the rules and by the reader of expected answers."""

from __future__ import annotations

import re
from typing import Final

_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
DATE_PATTERN: Final = (
    rf"(?:[0-9]{{1,2}}(?:st|nd|rd|th)?(?: of)?[ ./-]{{1,2}}(?:[0-9]{{1,2}}|{_MONTH})[ ,./-]{{1,2}}(?:[0-9]{{4}}|'?[0-9]{{2}})"
    rf"|[0-9]{{4}}[ ./-][0-9]{{1,2}}[ ./-][0-9]{{1,2}}|{_MONTH} [0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{4}})(?![0-9])"
)
"""A calendar date with day, month and year in the usual spellings."""

DATE_SHAPES: Final = (
    re.compile(rf"(?<![0-9]){DATE_PATTERN}", re.IGNORECASE),
    re.compile(r"(?<![0-9])[0-9]{8}(?![0-9])"),
)

EMAIL_PATTERN: Final = r"(?<![\w.+%-])(?:[?\ufffd]{3,})?\w[\w.+%'-]{0,127}@(?:[\w-]{1,63}\.){0,8}[\w-]{1,63}(?![\w-]*@)"
"""An address at any domain, listed or not, internationalised or not."""

EMAIL_SHAPE: Final = re.compile(EMAIL_PATTERN)

_IBAN_GROUP: Final = r"[ -]?(?=[A-Z]{0,3}[0-9])[A-Z0-9]{4}"
IBAN_PATTERN: Final = (
    r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}"
    rf"(?:[A-Z0-9]{{11,30}}|[ -]?[A-Z0-9]{{4}}(?:{_IBAN_GROUP}){{1,6}}(?:[ -]?(?=[A-Z]{{0,2}}[0-9])[A-Z0-9]{{1,3}})?)"
    r"(?![A-Za-z0-9])"
)
"""Two letters, two check digits and 11 to 30 symbols in one word or in groups of four (ISO 13616). A group after the
bank code holds a digit, so that the words after an IBAN are not swallowed."""

IBAN_SHAPE: Final = re.compile(IBAN_PATTERN, re.IGNORECASE)
