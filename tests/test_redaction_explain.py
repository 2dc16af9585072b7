"""Explanations and coverage."""

from __future__ import annotations

from typing import Any

import pytest

from sealgate.redaction import Detector, Redactor
from sealgate.redaction.coverage import NEVER_DETECTED
from sealgate.redaction.detector import MODEL_TYPES


def test_everything_found_is_explained_and_nothing_is_stored(memory_sealer: Any) -> None:
    redactor = Redactor(Detector(names=False), memory_sealer)
    text = "card 4539 7877 8932 8790, code 482913, [PIN_12345678], Blue Heron"
    found = redactor.explain(text, known=["Blue Heron"])
    chosen = {text[item.finding.start : item.finding.end]: item.reason for item in found if item.chosen}
    assert chosen == {
        "4539 7877 8932 8790": "the rule card: the shape and a checksum or validator",
        "482913": "the rule code-after-cue: the shape and a cue beside it",
        "[PIN_12345678]": "it reads as a placeholder",
        "Blue Heron": "a value that this session holds",
    }
    assert any(not item.chosen for item in found)
    assert memory_sealer.entries == {}


def test_an_explanation_holds_no_text(memory_sealer: Any) -> None:
    redactor = Redactor(Detector(names=False), memory_sealer)
    assert "4539" not in repr(redactor.explain("card 4539 7877 8932 8790"))


def test_values_seen_through_an_encoding_say_so(memory_sealer: Any) -> None:
    (found,) = Redactor(Detector(names=False), memory_sealer).explain("to=john%40example.com")
    assert found.reason.endswith("seen through an encoding")


def test_coverage_of_rules_and_models() -> None:
    rules, whole = Detector(names=False).coverage(), Detector().coverage()
    assert rules.languages == ()
    assert whole.languages == ("en",)
    assert "LOCATION" in rules.not_found
    assert "LOCATION" not in whole.not_found
    assert "card" in whole.found["CREDIT_CARD"]
    assert whole.found["LOCATION"] == ("rampart", "spacy")
    assert NEVER_DETECTED.isdisjoint(whole.not_found)


def test_a_users_recognizer_is_covered() -> None:
    presidio = pytest.importorskip("presidio_analyzer")
    badge = presidio.PatternRecognizer("URL", name="urls", patterns=[presidio.Pattern("url", r"x://\S+", 0.9)])
    registry = presidio.RecognizerRegistry(recognizers=[badge])
    assert Detector(names=False, registry=registry).coverage().found["URL"] == ("urls",)


def test_the_table_of_model_types_is_that_of_the_models() -> None:
    from sealgate.redaction.names.rampart import _TYPES  # noqa: PLC0415  # the model's own module is loaded on first need

    assert frozenset(_TYPES.values()) == MODEL_TYPES["rampart"]
