"""National identifiers: their shape, and a checksum from python-stdnum or a cue that names them."""

from __future__ import annotations

from typing import Final

from ..rule import Rule

NATIONAL: Final[tuple[Rule, ...]] = (
    Rule(
        "us-ssn",
        "US_SSN",
        r"(?<![0-9A-Za-z-])(?P<value>(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4})(?![0-9A-Za-z-])",
        0.9,
        ("«219-09-9999»",),
        ("reference 900-12-3456 on the box", "000-12-3456"),
        gates=("digit", "hyphen"),
    ),
    Rule(
        "us-ssn-with-cue",
        "US_SSN",
        r"(?<![A-Za-z])(?:ssn|social(?: security)?|soc sec|itin)s?(?: (?:number|no|num|card))?\.?#?(?![A-Za-z])[\s:=#\"'-]{0,4}(?:(?:is|was|of|number|no|ends? in)[\s:=#\"'-]{1,4}){0,3}"
        r"(?P<value>[0-9]{3}[ .-]{0,2}[0-9]{2}[ .-]{0,2}[0-9]{4})(?![0-9])",
        0.95,
        (
            "SSN «078051120»",
            "SSN «078 05 1121»",
            "my ssn is «536-228145»",
            "My ssn# is «536228145»",
            "social security number: «536-22-8145»",
        ),
        ("social 12",),
        gates=("digit",),
        words=("ssn", "social", "soc sec", "itin"),
    ),
    Rule(
        "ssn-spoken",
        "US_SSN",
        r"(?<![A-Za-z])(?P<value>(?:(?:oh|zero|one|two|three|four|five|six|seven|eight|nine|double|triple)[ ,.-]{1,3}){5,40}(?:oh|zero|one|two|three|four|five|six|seven|eight|nine))(?![A-Za-z])",
        0.8,
        ("my ssn is «two one nine, oh nine, nine nine nine nine»",),
        ("one two three",),
        words=("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "zero", "oh"),
    ),
)
"""National identifiers."""
