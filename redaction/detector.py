"""The detector: rules, then names, over one projection of a text and over what its escapes and base64 words hold."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

from sealgate.models.errors import DetectionFailed, SealgateError
from sealgate.models.findings import Finding
from sealgate.models.processlock import unforked

from .cache import SpanCache
from .coverage import Coverage, coverage_of
from .names.extend import grown
from .reading.edits import projected
from .reading.escapes import decoded
from .reading.projection import Projection, project
from .reading.spoken import said
from .rules import ALL_RULES
from .rules.ruleset import RuleSet
from .tokens import decoded_words

if TYPE_CHECKING:
    from presidio_analyzer import RecognizerRegistry


class Recognizer(Protocol):
    """**Protocol:** finds values in a projected text. What it raises stops the redaction."""

    def recognize(self, text: str) -> list[Finding]:
        """The findings in ``text``, in its code points; they may overlap."""
        ...


@lru_cache(maxsize=1)
def _rules() -> RuleSet:
    return RuleSet(ALL_RULES)


class Detector:
    """Finds values by rules and names. Stateless but for its cache, and thread-safe.

    ``registry`` holds further recognizers of Presidio's type; with ``names=False`` no model is loaded and people and
    places are found only by rules. Models are loaded once a process, when they are first needed.
    """

    def __init__(
        self,
        *,
        registry: RecognizerRegistry | None = None,
        names: bool = True,
        recognizers: tuple[Recognizer, ...] | None = None,
    ) -> None:
        self._registry = registry
        self._names = names
        self._given = recognizers
        self._shipped = recognizers is None
        self._cache = SpanCache()

    def coverage(self) -> Coverage:
        """Which entity types this configuration can find, by what, and which it cannot. Loads no model."""
        models = dict(MODEL_TYPES) if self._names and self._shipped else {}
        for recognizer in self._registry.recognizers if self._registry is not None else ():
            models[str(recognizer.name)] = frozenset(recognizer.supported_entities)  # type: ignore[has-type]
        return coverage_of(models)

    def may_find(self, entity_type: str) -> bool:
        """Whether anything here finds this type. Recognizers of a caller may find any."""
        return not self._shipped or entity_type in self.coverage().found

    def detect(self, text: str, *, partition: bytes = b"") -> list[Finding]:
        """The findings of rules and names in ``text``, in its code points; they may overlap.

        ``partition`` (at most 16 bytes) separates callers in the cache: a session passes random bytes of its own.
        Raises ``DetectionFailed`` when a recognizer fails or is missing: what was not looked at goes nowhere.
        """
        digest = self._cache.digest(text, partition)
        remembered = self._cache.get(digest)
        if remembered is not None:
            return remembered
        found = self._checked(text)
        self._cache.put(digest, found)
        return list(found)

    def _checked(self, text: str) -> list[Finding]:
        try:
            return self._detect(text)
        except SealgateError:
            raise
        except Exception as failure:
            cause = type(failure).__name__
        # A recognizer may raise anything, and quote the text in it. Raised out here, this error has no context.
        raise DetectionFailed("detector", cause)

    def _detect(self, text: str) -> list[Finding]:
        projection = project(text)
        found = _rules().find(projection)
        found += _through_escapes(projection)
        found += _as_said(projection)
        found += _in_base64(projection)
        legible = _QUOTED.sub(_blank, _LONE_SURROGATE.sub("\ufffd", projection.text))
        models = [finding for recognizer in self._recognizers() for finding in recognizer.recognize(legible)]
        return grown(text, found + _mapped(projection, models))

    def _recognizers(self) -> tuple[Recognizer, ...]:
        if self._given is not None:
            return self._given
        with unforked():
            from .recognizers import default_recognizers  # noqa: PLC0415  # models and Presidio load on first need

            self._given = default_recognizers(self._names, self._registry)
        return self._given


_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
"""What bytes that are no UTF-8 become under ``surrogateescape``; models refuse to read it."""

_QUOTED: Final = re.compile(r"^(?:>[> \t]{0,15}|\?{2,8}[ \t])", re.MULTILINE)
"""What stands before each line of a quoted mail. Models lose the thread over it, and an address its lines."""

MODEL_TYPES: Final = {
    "rampart": frozenset(
        {
            "PERSON", "EMAIL_ADDRESS", "PHONE_NUMBER", "TAX_ID", "ACCOUNT_NUMBER", "ABA_ROUTING_NUMBER", "ID_NUMBER",
            "PASSPORT", "DRIVER_LICENSE", "STREET_ADDRESS", "LOCATION",
        }
    ),
    "spacy": frozenset({"PERSON", "LOCATION"}),
}  # fmt: skip
"""The entity types of the default models."""

_DECODED: Final = "/decoded"


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _mapped(projection: Projection, findings: list[Finding]) -> list[Finding]:
    mapped = []
    for finding in findings:
        if finding.start < 0 or finding.end > len(projection.text):
            raise IndexError("a recognizer found something where there is no text")  # What is there, nobody looked at.
        if finding.start < finding.end:
            span = projection.span(finding.start, finding.end)
            mapped.append(replace(finding, start=span.start, end=span.end))
    return mapped


def _through_escapes(projection: Projection) -> list[Finding]:
    """What the rules find only once escapes are seen through."""
    through = decoded(projection)
    if through is None:
        return []
    return [replace(found, recognizer=found.recognizer + _DECODED) for found in _rules().find(through)]


def _as_said(projection: Projection) -> list[Finding]:
    """What the rules find only once digits that are spelled out ("the pin is four eight two one") are digits."""
    spoken = said(projection.text)
    if not spoken:
        return []
    places = [projection.span(edit.start, edit.end) for edit in spoken]
    found = _rules().find(projected(projection, spoken))
    return [
        replace(one, recognizer=one.recognizer + _DECODED)
        for one in found
        if any(place.start < one.end and one.start < place.end for place in places)
    ]


def _in_base64(projection: Projection) -> list[Finding]:
    """Base64 words whose decoded text holds a finding, each hidden whole."""
    found: list[Finding] = []
    for start, end, plain in decoded_words(projection.text):
        inner = max(_rules().find(project(plain)), key=lambda item: item.score, default=None)
        if inner is not None:
            span = projection.span(start, end)
            name = inner.recognizer + _DECODED
            found.append(replace(inner, start=span.start, end=span.end, recognizer=name))
    return found
