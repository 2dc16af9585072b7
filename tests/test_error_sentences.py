"""Errors say what to change: the nearest type, the id that is missing, what a model said of its failure."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sealgate.gateway import Accepts, Gateway, HumanMessage, InvalidInput, ModelFailed, UnknownEntityType
from sealgate.gateway.testing import ScriptedModel
from sealgate.models.granting import refusal
from sealgate.models.grants import Inject
from sealgate.models.placeholder import parse
from sealgate.models.sealing import EntryFacts

CARD = "4111 1111 1111 1111"


@pytest.fixture
def opened() -> Iterator[Gateway]:
    with Gateway.open(":memory:") as gateway:
        yield gateway


@pytest.mark.parametrize("misspelled", ["CREDITCARD", "credit_card"])
def test_a_misspelled_type_is_told_the_nearest(misspelled: str) -> None:
    with pytest.raises(UnknownEntityType, match=r"the nearest is CREDIT_CARD$"):
        Accepts(misspelled)


@pytest.mark.parametrize("far", ["ZZ", "X" * 10_000])
def test_what_is_near_to_nothing_is_not_told_anything(far: str) -> None:
    with pytest.raises(UnknownEntityType, match=r"of sealgate$"):
        Accepts(far)


def test_an_answer_without_an_id_is_not_dropped(opened: Gateway) -> None:
    with pytest.raises(InvalidInput, match="needs the id"):
        opened.session("s").resume(None, "482913", model=ScriptedModel(["done"]))


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (ModelFailed("the endpoint refused the key"), "the model failed: the endpoint refused the key"),
        (ModelFailed(f"refused {CARD}"), "the model failed: ModelFailed"),
        (ValueError("the endpoint refused the key"), "the model failed: ValueError"),
    ],
)
def test_a_model_that_fails_says_why_unless_that_may_hold_a_value(
    raised: Exception, said: str, opened: Gateway
) -> None:
    with pytest.raises(ModelFailed) as failed:
        opened.session("s").invoke([HumanMessage("Hello.")], model=ScriptedModel([raised]))
    assert str(failed.value) == said


def test_a_value_of_another_form_is_not_said_to_lack_the_annotation_it_has() -> None:
    facts = EntryFacts(parse("[EMAIL_ADDRESS_VNXYFTXW]"), ("EMAIL_ADDRESS",), ("person",), None, None)
    purpose = Inject("c1", "send", "to", Accepts("EMAIL_ADDRESS"))
    refused = refusal(purpose, facts, lambda entity_type: False)
    assert refused is not None
    assert refused.missing.startswith("the form of that type")
    assert refusal(purpose, facts, lambda entity_type: True) is None
