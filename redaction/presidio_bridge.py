"""For users of Presidio: this engine as one of its recognizers, and sealing as one of its operators. Two lines give
an existing ``AnalyzerEngine`` and ``AnonymizerEngine`` our detection, the vault and an exact way back.

::

    analyzer.registry.add_recognizer(SealgateRecognizer())
    anonymizer.add_anonymizer(SealOperator)      # OperatorConfig("seal", {"sealer": session})

This module imports Presidio; nothing else of sealgate imports this module.
"""

from __future__ import annotations

from typing import Any, Final

from presidio_analyzer import EntityRecognizer, RecognizerResult
from presidio_anonymizer.operators import Operator, OperatorType

from sealgate.models.entities import entity_info
from sealgate.models.errors import InvalidPolicy
from sealgate.models.origins import APPLICATION, check_origin
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import SecretValue

from .detector import Detector

_NAME: Final = "sealgate"


class SealgateRecognizer(EntityRecognizer):
    """Everything that a ``Detector`` finds, as results of Presidio. Overlaps are left to Presidio."""

    def __init__(self, detector: Detector | None = None, *, language: str = "en") -> None:
        self._detector = detector if detector is not None else Detector()
        entities = sorted(self._detector.coverage().found)
        super().__init__(supported_entities=entities, name=_NAME, supported_language=language)

    def load(self) -> None:
        """Nothing: models load when they are first needed."""

    def analyze(self, text: str, entities: list[str], nlp_artifacts: Any = None) -> list[RecognizerResult]:
        """The findings of the wanted entity types. Raises ``DetectionFailed`` rather than to leave something out."""
        wanted = set(entities or self.supported_entities)
        return [
            RecognizerResult(found.entity_type, found.start, found.end, found.score)
            for found in self._detector.detect(text)
            if found.entity_type in wanted
        ]


class SealOperator(Operator):
    """``OperatorConfig("seal", {"sealer": session})``: the value goes into the vault and its placeholder stands there.

    Presidio adds the ``entity_type`` to the parameters. ``origin`` is ``application`` unless told otherwise.
    """

    def operate(self, text: str = "", params: dict[str, Any] | None = None) -> str:
        """The placeholder of ``text``."""
        given = params or {}
        request = SealRequest(SecretValue(text), given["entity_type"], given.get("origin", APPLICATION))
        return str(given["sealer"].seal([request])[0])

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """Nothing, or ``InvalidPolicy`` without a sealer, ``UnknownEntityType``, ``InvalidInput`` for an origin."""
        given = params or {}
        if not hasattr(given.get("sealer"), "seal"):
            raise InvalidPolicy("the seal operator needs a sealer, such as a session of a vault")
        check_origin(given.get("origin", APPLICATION))
        if "entity_type" in given:
            entity_info(given["entity_type"])

    def operator_name(self) -> str:
        """``seal``."""
        return "seal"

    def operator_type(self) -> OperatorType:
        """An anonymizer."""
        return OperatorType.Anonymize
