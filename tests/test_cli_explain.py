"""``sealgate redact --explain`` tells what would be found and why, and never a value."""

from __future__ import annotations

import json
from collections.abc import Callable
from subprocess import CompletedProcess

from sealgate.gateway import Detector, Gateway, Operator

TEXT = "Mail ada@tallowbrook.net, order 3348917502."


def test_findings_are_explained_without_a_value(sealgate_command: Callable[..., CompletedProcess[bytes]]) -> None:
    done = sealgate_command("redact", "--explain", input=TEXT.encode())
    assert done.returncode == 0
    assert b"EMAIL_ADDRESS" in done.stdout
    assert b"tallowbrook" not in done.stdout + done.stderr


def test_explanations_as_json_hold_places_and_reasons(sealgate_command: Callable[..., CompletedProcess[bytes]]) -> None:
    done = sealgate_command("redact", "--explain", "--json", input=TEXT.encode())
    (mail,) = [one for one in json.loads(done.stdout) if one["entity_type"] == "EMAIL_ADDRESS" and one["chosen"]]
    assert (mail["start"], mail["end"]) == (5, 24)
    assert mail["reason"]


def test_explaining_stores_nothing(detector: Detector) -> None:
    with Gateway.open(":memory:", detector=detector) as gateway:
        session = gateway.session("explain")
        rows = gateway.audit.verify()
        assert [one.finding.entity_type for one in session.explain(TEXT) if one.chosen] == ["EMAIL_ADDRESS"]
        assert gateway.audit.verify() == rows


def test_coverage_says_what_cannot_be_found(detector: Detector) -> None:
    with Gateway.open(":memory:", detector=detector) as gateway:
        coverage = gateway.coverage()
    assert "CREDIT_CARD" in coverage.found
    assert not set(coverage.found) & set(coverage.not_found)


def test_an_operator_takes_the_place_of_sealing(detector: Detector) -> None:
    operators = {"EMAIL_ADDRESS": Operator("hash"), "CREDIT_CARD": Operator("mask", chars_to_mask=12)}
    with Gateway.open(":memory:", detector=detector, operators=operators) as gateway:
        first, second = gateway.session("first"), gateway.session("second")
        assert first.redact("card 4111111111111111").text == "card ************1111"
        hashed = first.redact(TEXT).text
        assert "tallowbrook" not in hashed
        assert first.redact(TEXT).text == hashed
        assert second.redact(TEXT).text != hashed
