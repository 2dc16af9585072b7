"""Expectation: a reply read as the answer to what was asked, so that "order 482913, code 4 8 2 9 1 4" gives the code
and leaves the order."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sealgate.models.canonical import card_digits
from sealgate.models.expectation import Expectation
from sealgate.models.secretvalue import SecretValue

from .reading.projection import Projection, project
from .reading.spoken import Run, runs
from .rules.shapes import DATE_SHAPES, EMAIL_SHAPE, IBAN_SHAPE

_DIGIT_KINDS: Final[dict[str, tuple[int, int]]] = {
    "otp": (4, 10), "pin": (3, 12), "cvv": (3, 4), "card": (12, 19), "account": (4, 20), "ssn": (9, 9),
    "phone": (7, 15),
}  # fmt: skip
"""The number of digits that each kind may have, unless the expectation or its prompt says otherwise."""

_PROMPT_DIGITS: Final = re.compile(
    r"\b([3-9]|1[0-9]|three|four|five|six|seven|eight|nine|ten)[- ]?digits?\b", re.IGNORECASE
)
_WORD_NUMBERS: Final = {"three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}

_OTHER_BEFORE: Final = re.compile(
    r"(?:\b(?:order|orders|ticket|case|invoice|tracking|parcel|room|flight|reservation|booking|confirmation|ref|reference"
    r"|year|since|until|in|page|line|version|extension|ext|zip|postcode|apt|apartment|suite|item|sku|ends?(?:ing)? in"
    r"|ends? with|ending|last four|call|phone|from|about|around|only|than)|[$€£]|(?<!<)#)\W{0,3}"
    r"(?:(?:number|no|nr|id|is|was|of|the|num|code)\b\W{0,3}){0,3}\Z",
    re.IGNORECASE,
)
_OTHER_AFTER: Final = re.compile(
    r"\W{0,3}(?:minutes?|mins?|seconds?|secs?|hours?|hrs?|days?|weeks?|months?|years?|times|digits?|characters|people"
    r"|percent|dollars?|euros?|pounds?|bucks|usd|eur|gbp|am|pm|attempts?|tries|items?|of you|%|o'clock)(?![A-Za-z])",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?")
_DATE: Final = re.compile(
    r"(?:(?:0?[1-9]|[12][0-9]|3[01])[./-](?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12][0-9]|3[01]))"
    r"[./-](?:[0-9]{4}|[0-9]{2})|(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
)
_AMOUNT: Final = re.compile(r"[0-9]{1,3}(?:[.,'][0-9]{3})*[.,][0-9]{2}")
_GROUP: Final = re.compile(r"(?<![A-Za-z0-9])[0-9]{3,20}(?![A-Za-z0-9])")
_CODE_WORD: Final = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z]{0,9}[0-9])(?=[0-9]{0,9}[A-Za-z])[A-Za-z0-9]{4,10}(?![A-Za-z0-9])"
)
_LEAD_IN: Final = re.compile(
    r"\s*(?:(?:sure|ok|okay|yes|yeah|hi|hello|well|so|please|thanks|um|uh)\b[\s,.!:-]*){0,3}"
    r"(?:(?:my|the|our|it)(?:'s|\s+(?:\w+\s+){0,4}?is)|(?:i am|i'm|this is|it is|it's|that's|name'?s"
    r"|i live at|i was born(?: on)?|born(?: on)?|use|try|make it|here it is|here you go|call me"
    r"|they call me))?[\s:,-]*",
    re.IGNORECASE,
)
_REFUSAL: Final = re.compile(
    r"\b(?:no(?:ne| idea| clue)?|don'?t|didn'?t|do not|did not|haven'?t|can'?t|cannot|won'?t|never|nothing|not|forgot"
    r"|resend|again|help|why|what|who|skip|cancel|stop|later)\b|\?",
    re.IGNORECASE,
)


class AnswerHit(NamedTuple):
    """One value in a reply: what to seal, as what, and where it stands (code points)."""

    value: SecretValue
    entity_type: str
    start: int
    end: int

    def text(self) -> str:
        """The value as it stands in the reply."""
        return self.value.text()


def read_answer(text: str, expect: Expectation) -> list[AnswerHit]:
    """The values in the answer to an interrupt, each distinct value once. A password or free text is the whole answer,
    without surrounding space; an empty answer holds none."""
    if expect.kind in ("password", "text"):
        return _whole(text, expect)
    distinct: dict[str, AnswerHit] = {}
    for hit in read_expected(text, expect):
        distinct.setdefault(_identity(hit.value.text()), hit)
    return list(distinct.values())


def read_expected(text: str, expect: Expectation) -> list[AnswerHit]:
    """Every span of ``text`` that reads as what was asked for, left to right."""
    projection = project(text)
    if expect.kind in ("password", "text"):
        return _whole(text, expect)
    if expect.kind in _DIGIT_KINDS:
        spans = _digit_spans(projection, expect)
    elif expect.kind in ("name", "address"):
        spans = _phrase(projection.text)
    else:
        shapes = {"email": (EMAIL_SHAPE,), "iban": (IBAN_SHAPE,), "date_of_birth": DATE_SHAPES}[expect.kind]
        spans = [found.span() for shape in shapes for found in shape.finditer(projection.text)]
    return [_hit(text, projection, start, end, expect) for start, end in spans]


def _hit(text: str, projection: Projection, start: int, end: int, expect: Expectation) -> AnswerHit:
    span = projection.span(start, end)
    return AnswerHit(SecretValue(text[span.start : span.end]), expect.seals_as, span.start, span.end)


def _whole(text: str, expect: Expectation) -> list[AnswerHit]:
    inner = text.strip()
    if not inner:
        return []
    start = text.index(inner)
    return [AnswerHit(SecretValue(inner), expect.seals_as, start, start + len(inner))]


def _identity(value: str) -> str:
    return "".join(run.digits for run in runs(project(value).text)) or value


def _digit_spans(projection: Projection, expect: Expectation) -> list[tuple[int, int]]:
    low, high = _bounds(expect)
    text = projection.text
    fitting = [run for run in runs(text) if low <= len(run.digits) <= high and not _is_other(text, run)]
    spans = [(run.start, run.end) for run in fitting]
    if expect.kind == "card":
        spans = [(start, end) for start, end in spans if card_digits(text[start:end])] or spans
    else:
        # A text message is often pasted whole: beside a code, a time, a date and an amount are none.
        spans = [(start, end) for start, end in spans if not _is_date_or_amount(text[start:end])] or spans
    if not spans:
        spans = _single_groups(text, low, high)
    if not spans and expect.kind in ("otp", "account"):
        spans = [found.span() for found in _CODE_WORD.finditer(text) if low <= len(found.group()) <= max(high, low)]
    return spans


def _single_groups(text: str, low: int, high: int) -> list[tuple[int, int]]:
    """Digit groups that fit by themselves, where all groups read together do not ("in 2024: 482913")."""
    groups = [Run(found.start(), found.end(), found.group(), False) for found in _GROUP.finditer(text)]
    return [(run.start, run.end) for run in groups if low <= len(run.digits) <= high and not _is_other(text, run)]


def _bounds(expect: Expectation) -> tuple[int, int]:
    low, high = _DIGIT_KINDS[expect.kind]
    if expect.digits is not None:
        return expect.digits, expect.digits
    if expect.min_digits is None and expect.max_digits is None:
        named = _PROMPT_DIGITS.search(expect.prompt)
        if named is not None:
            count = _WORD_NUMBERS.get(named[1].lower()) or int(named[1])
            return count, count
    return expect.min_digits or low, expect.max_digits or high


def _is_other(text: str, run: Run) -> bool:
    """Whether the words around a run say that it is something else: an order, a time, an amount."""
    if _OTHER_BEFORE.search(text[max(0, run.start - 48) : run.start]):
        return True
    return _OTHER_AFTER.match(text, run.end) is not None


def _is_date_or_amount(found: str) -> bool:
    return any(shape.fullmatch(found) for shape in (_CLOCK, _DATE, _AMOUNT))


def _phrase(text: str) -> list[tuple[int, int]]:
    """A name or address is the reply itself, without a lead-in ("my name is") and without the full stop."""
    if _REFUSAL.search(text):
        return []
    lead = _LEAD_IN.match(text)
    start = lead.end() if lead is not None else 0
    end = len(text.rstrip(" \t\r\n.!"))
    return [(start, end)] if start < end else []
