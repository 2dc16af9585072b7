"""Addresses grown over their parts: the flat and the house number before a street; unit, town, region, postcode and
country after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sealgate.models.findings import Finding

from ..rules.streets import POSTCODE, REGIONS, SUFFIXES

_UNIT_WORD: Final = (
    r"(?:apt|apartment|appartamento|appartement|unit|suite|ste|building|bldg|floor|fl|room|rm|lot|space|piso|puerta|no)"
)
_REGION: Final = rf"(?-i:{REGIONS})(?![\w'’&-])"
_POSTCODE: Final = rf"(?-i:{POSTCODE})"

_REST: Final = re.compile(
    rf"(?:[,\s]{{0,3}}(?:{_UNIT_WORD}\b\.?[ ]?#?[ ]?(?-i:[A-Z0-9][\w-]{{0,5}}|[a-z]?[0-9][\w-]{{0,5}}|[a-z](?![\w]))"
    r"|#[ ]?[\w-]{1,6}"
    r"|(?:north|south)(?:[ ]?(?:east|west))?\b|(?:east|west)\b|[NSEW][EW]?\b\.?|USA\b|U\.S\.A?\.?|United States|UK\b"
    rf"|{_REGION},?[\s]{{1,2}}{_POSTCODE}"
    r"|[0-9]{5}(?:-[0-9]{4})?(?![0-9]))"
    rf"|[ ](?-i:{SUFFIXES})(?![\w'’-])"
    rf"|(?:[,\s]{{1,3}}(?-i:[A-ZÀ-Þ][\w'’.-]{{1,24}})){{1,3}}(?=[,\s]{{1,4}}{_REGION}[,\s]{{1,3}}{_POSTCODE})"
    rf"|,(?:[ ](?-i:[A-ZÀ-Þ][\w'’.-]{{1,24}})){{1,3}}(?=,[ ]{_REGION})"
    rf"|[,\n][,\s]{{0,3}}(?:{_REGION}|(?-i:[A-Z]{{2}})(?=[ ]?\n))(?:,?[\s]{{1,2}}{_POSTCODE})?"
    r"){1,4}",
    re.IGNORECASE,
)
"""What follows a street and belongs to its address."""

_REST_OF_TOWN: Final = re.compile(
    rf"(?:[ ]\((?-i:[A-Z]{{2}})\)|[,\s]{{1,4}}{_REGION},?[\s]{{1,2}}{_POSTCODE}"
    rf"|[,\n][,\s]{{0,3}}(?:{_REGION}|(?-i:[A-Z]{{2}})(?=[ ]?\n))"
    rf"|\s{{1,2}}{_POSTCODE}){{1,2}}",
    re.IGNORECASE,
)
"""What follows a town or a country and belongs to the address that it ends."""

_REGION_OF_TOWN: Final = re.compile(rf",[ ]{_REGION}(?:[ ]{_POSTCODE})?|[ ]\((?-i:[A-Z]{{2}})\)(?![\w])", re.IGNORECASE)
"""What follows a town that stands alone."""

_BEFORE_STREET: Final = re.compile(
    r"(?<![\w$€£.,#/-])(?:#|no\.?[ ]?)?[0-9]{1,6}[A-Za-z]?(?:/[0-9A-Z]{1,4})?,?[ ]"
    r"(?:(?:the|(?-i:[NSEW]{1,2})\.?|north|south|east|west)[ ])?\Z",
    re.IGNORECASE,
)
"""A house number, where what is found begins with the name of the street."""

_BEFORE_NUMBER: Final = re.compile(
    r"(?<![\w$€£.,#/-])(?:(?:flat|apt|apartment|unit|suite|shop|plot|house|villa|door)\.?[ ]"
    r"(?:no\.?[ ]?)?#?(?:[0-9]{1,5}[A-Z]?[,/ ]{1,2})?"
    r"|no\.?[ ]|#|[0-9]{1,5}[A-Z]?/)\Z",
    re.IGNORECASE,
)
"""A flat, where what is found begins with its number or the number of the house."""

_BETWEEN: Final = re.compile(r"[\s,.;>|?()-]{0,8}")
_BACK: Final = 24
"""Code points before an address in which its number and its flat stand."""


def grown_addresses(text: str, places: Sequence[Finding]) -> list[Finding]:
    """Streets and places, each grown over what belongs to it; a place after a street is part of an address. They may
    overlap, as what is found may."""
    grown: list[Finding] = []
    reached = -1
    for place in sorted(places, key=lambda found: (found.start, found.end)):
        street = place.entity_type == "STREET_ADDRESS"
        part = reached >= 0 and _joined(text, reached, place.start)
        rest = _REST if street else _REST_OF_TOWN if part and place.end >= reached else _REGION_OF_TOWN
        start = _start(text, place) if street else place.start
        grown.append(replace(place, start=start, end=_end(text, place.end, rest)))
        if street or part:
            reached = max(reached, grown[-1].end)
    return grown


def _joined(text: str, left: int, right: int) -> bool:
    return right <= left or (right - left <= 8 and _BETWEEN.fullmatch(text, left, right) is not None)


def _end(text: str, at: int, rest: re.Pattern[str]) -> int:
    found = rest.match(text, at)
    return found.end() if found is not None else at


def _start(text: str, place: Finding) -> int:
    start = place.start
    if text[start].isupper():
        start = _first(text, start, _BEFORE_STREET)
    if text[start] in "#Nn" or text[start].isdigit():
        start = _first(text, start, _BEFORE_NUMBER)
    return start


def _first(text: str, at: int, before: re.Pattern[str]) -> int:
    found = before.search(text, max(0, at - _BACK), at)
    return found.start() if found is not None else at
