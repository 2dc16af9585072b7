"""This engine inside of Presidio."""

from __future__ import annotations

from typing import Any

import pytest

from sealgate.models.errors import InvalidInput, InvalidPolicy
from sealgate.redaction import Detector, Restorer

anonymizer = pytest.importorskip("presidio_anonymizer")
analyzer = pytest.importorskip("presidio_analyzer")

TEXT = "card 4539 7877 8932 8790 for ada@tallowbrook.net"


@pytest.fixture
def bridge() -> Any:
    """The module, which imports Presidio."""
    from sealgate.redaction import presidio_bridge  # noqa: PLC0415

    return presidio_bridge


def test_findings_are_presidios_results(bridge: Any) -> None:
    recognizer = bridge.SealgateRecognizer(Detector(names=False))
    assert "CREDIT_CARD" in recognizer.supported_entities
    results = recognizer.analyze(TEXT, ["CREDIT_CARD"])
    assert {(item.entity_type, TEXT[item.start : item.end]) for item in results} == {
        ("CREDIT_CARD", "4539 7877 8932 8790")
    }


def test_two_lines_give_presidio_a_vault_and_a_way_back(bridge: Any, memory_sealer: Any) -> None:
    results = bridge.SealgateRecognizer(Detector(names=False)).analyze(TEXT, [])
    engine = anonymizer.AnonymizerEngine()
    engine.add_anonymizer(bridge.SealOperator)
    config = anonymizer.OperatorConfig("seal", {"sealer": memory_sealer})
    done = engine.anonymize(TEXT, results, {"DEFAULT": config}).text
    assert "4539" not in done
    assert "tallowbrook" not in done
    assert Restorer(memory_sealer).restore(done) == TEXT


def test_parameters_are_checked(bridge: Any, memory_sealer: Any) -> None:
    operator = bridge.SealOperator()
    operator.validate({"sealer": memory_sealer})
    with pytest.raises(InvalidPolicy):
        operator.validate({})
    with pytest.raises(InvalidInput):
        operator.validate({"sealer": memory_sealer, "origin": "nobody"})
    with pytest.raises(InvalidInput):
        operator.validate({"sealer": memory_sealer, "entity_type": "NO_SUCH"})
