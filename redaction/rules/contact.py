"""E-mail addresses and telephone numbers."""

from __future__ import annotations

import re
from typing import Final

from .rule import Rule
from .shapes import EMAIL_PATTERN

_PHONE_CUE: Final = (
    r"(?<![A-Za-z])(?:phones?|call(?:ed|ing)?|tel(?:ephone|efon)?s?|mobiles?|mob|cell(?:phone)?s?|fax(?:es)?|sms|text|whatsapp|dial|ring|reach(?:able)?"
    r"|contact|\([hwcm]\)|number is|my number|handy|appelez|t[eé]l[eé]phone|telefono|tel[eé]fono|numero|hotline|line at|landline|ph)(?![a-z])"
)
_OTHER_NUMBER: Final = (
    r"(?<![a-z])(?:account|acct|a/c|card|iban|order|invoice|reference|customer|policy|case|ticket|member|routing)"
    r"[ ]{0,2}(?:number|num|no)?\.?[ ]{0,2}(?:is|:|=)?[ ]{0,2}\Z"
)
"""What "number is" says when it is not about a telephone."""
_SPELLED: Final = r"(?<![\w.])[\w.-]{1,40}(?: dot [\w-]{1,30}){0,3} ?(?:\[at\]|\(at\)|\{at\}| at ) ?[\w-]{1,40}(?: ?(?:\[dot\]|\(dot\)|\{dot\}| dot ) ?[\w-]{2,30}){1,3}(?![\w-])"


def _is_phone(value: str) -> bool:
    digits = re.sub(r"\D", "", value)
    return 7 <= len(digits) <= 15 and len(set(digits)) > 1 and not _DATE_LIKE.match(value)


_DATE_LIKE: Final = re.compile(
    r"(?:19|20)[0-9]{2}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?![0-9])|[0-9]{1,2}([-/.])[0-9]{1,2}\1(?:19|20)[0-9]{2}(?![0-9])"
)
_PACKAGE: Final = re.compile(
    r"[^@]+@(?:v?[0-9]+(?:\.[\w-]+){0,4}|latest|next|beta|alpha|canary|nightly|stable|lts|main|master|head)",
    re.IGNORECASE,
)
"""A package or an action at a version: ``lodash@4.17.21``, ``checkout@v4``, ``react@latest``."""

_USER_INFO: Final = r"://[^\s/@\"'<>]{0,40}:[^\s\"'<>]{0,40}\Z"
"""What stands before a password and its host in a URL, which together read as an address."""

_EXTENSION: Final = r"(?:[ ,]{0,2}(?:ext\.?|extension|x)[ .:]{0,2}[0-9]{1,6})?"

CONTACT: Final[tuple[Rule, ...]] = (
    Rule(
        "email",
        "EMAIL_ADDRESS",
        EMAIL_PATTERN,
        1.0,
        (
            "«john.smith+tag@example.co.uk»",
            "«admin@corp.internal» or «bob@localhost»",
            "mailto:«jane@x.io»?subject=hi",
            "<«jane@x.io»>,«bob@y.com»;",
            "«jörg@müller.de»",
        ),
        (
            "@decorator",
            "a @ b",
            "git@",
            "npm i lodash@4.17.21",
            "uses: actions/checkout@v4",
            "redis://:pw@cache.internal:6379/0",
        ),
        gates=("at",),
        unless=_USER_INFO,
        valid=lambda value: _PACKAGE.fullmatch(value) is None,
    ),
    Rule(
        "email-quoted",
        "EMAIL_ADDRESS",
        r"(?P<value>\"[^\"\s]{1,64}\"@(?:[\w-]{1,63}\.){1,8}[\w-]{2,63})(?![\w-]*@)",
        1.0,
        ('write to «"very.unusual@quoted"@tallowbrook.net»',),
        ('"a"@b',),
        words=('"@',),
    ),
    Rule(
        "email-spelled",
        "EMAIL_ADDRESS",
        _SPELLED,
        0.85,
        ("«john dot smith at gmail dot com»", "write to «john [at] example [dot] com»"),
        ("look at the dot", "meet at noon"),
        words=(" dot ", "[dot]", "(dot)", "{dot}"),
    ),
    Rule(
        "phone-international",
        "PHONE_NUMBER",
        r"(?<![\w+.])(?P<value>(?:\+|00(?=[1-9][0-9 ]))[ ]?[1-9](?:[ .()/-]{0,3}[0-9]){6,14}"
        + _EXTENSION
        + r")(?![\w%])(?!\.[0-9])",
        0.95,
        ("«+33 6 12 34 56 78»", "«+1 (415) 555-0132 ext. 88»", "call «+919000123456»", "«+49 (0)30 901820»"),
        ("+1 point", "1+100000", "temp +12", "NDC 0093-7146-56"),
        gates=("digits7",),
        unless=r"(?<![a-z])(?:ndc|lot|sku|item|part|model|isbn|serial)(?: no| number)?[ .:#]{0,3}\Z",
        valid=_is_phone,
    ),
    Rule(
        "phone-american",
        "PHONE_NUMBER",
        r"(?<![\w+.$-])(?P<value>(?:1[ .-]?)?(?:\([2-9][0-9]{2}\)[ .-]{0,2}|[2-9][0-9]{2}[ ./-])[0-9]{3}[ .-][0-9]{4}"
        + _EXTENSION
        + r")(?![\w%-])(?!\.[0-9])",
        0.9,
        ("call «415-555-0132»", "«(212) 867 5309» now", "«415.555.0132»", "real «415-682-2671»"),
        ("ddd-555-\\dddd", "1612345678.00", "NHS 9434765919"),
        gates=("digits7",),
    ),
    Rule(
        "phone-national",
        "PHONE_NUMBER",
        r"(?<![\w+.,/-])(?P<value>\(?0[1-9][0-9]{0,3}\)?(?:[ ./-]{1,2}[0-9]{2,4}){2,4}"
        + _EXTENSION
        + r")(?![\w%-])(?![.,][0-9])",
        0.7,
        ("ring «020 7946 0958»", "appelez le «06 12 34 56 78»"),
        ("01/02/2024", "at 08:30 10 11", "01-02-2024 10:00"),
        gates=("digits7",),
        valid=lambda value: (
            9 <= len(re.sub(r"\D", "", value)) <= 12 and _is_phone(value) and not _DATE_LIKE.search(value)
        ),
    ),
    Rule(
        "phone-russian",
        "PHONE_NUMBER",
        r"(?<![\w+.,-])(?P<value>8[ -]?(?:\([3489][0-9]{2}\)|[3489][0-9]{2})[ -][0-9]{3}[ -][0-9]{2}[ -]?[0-9]{2})(?![\w%-])(?!\.[0-9])",
        0.85,
        ("тел. «8 (495) 123-45-67»", "«8-916-123-45-67»"),
        ("8 495 people", "8.495.123.45.67"),
        gates=("digits7",),
    ),
    Rule(
        "phone-labelled",
        "PHONE_NUMBER",
        r"(?<![\w+.$€£#/-])(?P<value>[+(]{0,2}[0-9](?:[ .()/-]{0,3}[0-9]){5,13}"
        + _EXTENSION
        + r")(?=[ \t]?[-–(,]?[ ]?(?:office|fax|mobile|mob|cell|desk|home|work|direct|tel|phone|landline|whatsapp)\b)",
        0.75,
        ("«781 5991» office", "«26 590425»-Fax", "«03.91.12.17.13» (mobile)"),
        ("781599 houses", "1200 office chairs", "2024-05-06 office"),
        gates=("digits7",),
        words=(
            "office",
            "fax",
            "mob",
            "cell",
            "desk",
            "home",
            "work",
            "direct",
            "tel",
            "phone",
            "landline",
            "whatsapp",
        ),
        valid=_is_phone,
    ),
    Rule(
        "phone-with-cue",
        "PHONE_NUMBER",
        r"(?<![\w+.$€£#-])(?P<value>[+(]{0,2}[0-9](?:[ .()/-]{0,3}[0-9]){5,13}"
        + _EXTENSION
        + r")(?![\w%])(?![.,:][0-9])",
        0.75,
        ("my number is «4155550132»", "Tel. «030 901820»", "reach me on «555-0132»"),
        ("msg 1755302411 from 127.0.0.1", "call me on 2024-05-06", "text 12 people"),
        gates=("digits7",),
        words=(
            "phone",
            "call",
            "tel",
            "mob",
            "cell",
            "fax",
            "sms",
            "text",
            "whatsapp",
            "dial",
            "ring",
            "reach",
            "contact",
            "number",
            "handy",
            "appelez",
            "tél",
            "numero",
            "line",
            "ph",
        ),
        before=_PHONE_CUE,
        unless=_OTHER_NUMBER,
        valid=_is_phone,
    ),
)
"""E-mail addresses and telephone numbers."""
