"""Presidio's recognizers as plug-ins: a user's registry is run beside our own rules.

Presidio's slow path is not used: no whole spaCy pipeline, no context enhancer, no ``AnalyzerEngine``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sealgate.models.entities import entity_info
from sealgate.models.findings import Finding

if TYPE_CHECKING:
    from presidio_analyzer import EntityRecognizer, RecognizerRegistry

_LOWEST_SCORE: Final = 0.4
"""Under this Presidio's patterns take any eight digits for a bank account."""


class PresidioRecognizers:
    """The recognizers of a registry, as they are when this is made.

    Raises ``UnknownEntityType`` for a recognizer of a type that is not in the table of ``models.entities``. A
    recognizer must not need Presidio's NLP artifacts: it gets ``None``.
    """

    def __init__(self, registry: RecognizerRegistry) -> None:
        self._recognizers: tuple[EntityRecognizer, ...] = tuple(registry.recognizers)
        for recognizer in self._recognizers:
            for name in recognizer.supported_entities:
                entity_info(name)

    def recognize(self, text: str) -> list[Finding]:
        """The findings of all recognizers."""
        return [finding for recognizer in self._recognizers for finding in _run(recognizer, text)]


def _run(recognizer: EntityRecognizer, text: str) -> list[Finding]:
    no_artifacts: Any = None
    results = recognizer.analyze(text, recognizer.supported_entities, no_artifacts) or []
    name = str(recognizer.name)  # type: ignore[has-type]
    return [
        Finding(result.entity_type, result.start, result.end, float(result.score), name)
        for result in results
        if result.score >= _LOWEST_SCORE
    ]
