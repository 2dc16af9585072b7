"""Where a string stands in the arguments, and which grant covers it there."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, NamedTuple, NewType, NotRequired, Optional

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from sealgate.gateway import Accepts, InvalidPolicy
from sealgate.gateway.tools.granted import first_name, grant_at, tool_shape, with_grant
from sealgate.gateway.tools.places import NOTHING, Shape, granted_places, leaves, shape_of
from sealgate.gateway.tools.schema import arguments_model

CARD = Accepts("CREDIT_CARD")
IBAN = Accepts("IBAN_CODE")
Card = Annotated[str, CARD]
Iban = Annotated[str, IBAN]
Number = NewType("Number", Card)


class Payment(BaseModel):
    """A granted field, one without, one by several keys, and itself."""

    card: Card
    note: str = ""
    account: Annotated[str, IBAN, Field(validation_alias=AliasChoices("account", "accountNumber"))] = ""
    next: Optional[Payment] = None  # noqa: UP045 - the old spelling is read too


class Letter(BaseModel):
    """A field of the same name without a grant."""

    card: str
    text: Iban = ""


@dataclasses.dataclass
class Point:
    """A dataclass."""

    x: Card
    y: str = ""


class Named(NamedTuple):
    """A named tuple."""

    x: Card
    y: str


class Typed(TypedDict):
    """A typed dictionary."""

    x: NotRequired[Card]
    y: str


@pytest.mark.parametrize(
    ("annotation", "places"),
    [
        (str, {}),
        (Any, {}),
        (Card, {"a": CARD}),
        (Card | None, {"a": CARD}),
        (Optional[Card], {"a": CARD}),  # noqa: UP045
        (int | Card, {"a": CARD}),
        (Number, {"a": CARD}),
        (Annotated[list[str], CARD], {"a": CARD}),
        (list[Card], {"a[]": CARD}),
        (tuple[Card, ...], {"a[]": CARD}),
        (set[Card] | None, {"a[]": CARD}),
        (dict[str, Card], {"a{}": CARD}),
        (dict[Card, Iban], {"a{key}": CARD, "a{}": IBAN}),
        (list[dict[str, list[Card]]], {"a[]{}[]": CARD}),
        (Payment, {"a.card": CARD, "a.account": IBAN}),
        (list[Payment], {"a[].card": CARD, "a[].account": IBAN}),
        (Annotated[Payment, CARD], {"a": CARD}),
        (Payment | None, {"a.card": CARD, "a.account": IBAN}),
        (Payment | Letter, {"a.account": IBAN, "a.text": IBAN}),
        (Point, {"a.x": CARD}),
        (Named, {"a.x": CARD}),
        (Typed, {"a.x": CARD}),
    ],
)
def test_annotations_grant_places(annotation: object, places: dict[str, Accepts]) -> None:
    found = granted_places(Shape(fields={"a": ("a", shape_of(annotation))}))
    assert {place: grant for place, grant in found.items() if "next" not in place} == places


@pytest.mark.parametrize("annotation", [Annotated[str, CARD, IBAN], Card | Iban, list[Card] | list[Iban]])
def test_one_place_has_one_grant(annotation: object) -> None:
    with pytest.raises(InvalidPolicy):
        shape_of(annotation)


def test_a_union_of_models_grants_a_field_only_if_all_do() -> None:
    class Other(BaseModel):
        card: Card

    assert granted_places(shape_of(Payment | Other))["card"] == CARD
    assert "card" not in granted_places(shape_of(Payment | Letter))
    assert "card" not in granted_places(shape_of(Letter | Payment))


def test_every_string_has_its_place_and_no_key_of_the_model_is_in_one() -> None:
    value = {"card": "1", "accountNumber": "2", "evil": "3", "next": {"card": ["4"], "note": "5"}, "note": 7}
    found = [(leaf.place, leaf.grant, leaf.text) for leaf in leaves(value, shape_of(Payment), "p")]
    assert found == [
        ("p.card", CARD, "1"),
        ("p.account", IBAN, "2"),
        ("p{key}", None, "evil"),
        ("p{}", None, "3"),
        ("p.next.card[]", CARD, "4"),
        ("p.next.note", None, "5"),
    ]
    others = [leaf.text for leaf in leaves([1, None, "x"], NOTHING, "p", others=True)]
    assert others == ["", "", "x"]


def test_a_grant_covers_what_lies_below_it_and_nothing_beside() -> None:
    found = {leaf.place: leaf.grant for leaf in leaves({"k": ["1", {"j": "2"}]}, shape_of(Annotated[Any, CARD]), "p")}
    assert found == {"p{key}": CARD, "p{}[]": CARD, "p{}[]{key}": CARD, "p{}[]{}": CARD}


def tool(payment: Payment, card: Card, **rest: Iban) -> None:
    """A tool with all kinds of arguments."""


def shape_with(written: dict[str, Accepts] | None = None) -> Shape:
    return tool_shape(tool, arguments_model("tool", tool), written)


@pytest.mark.parametrize(
    ("place", "grant"),
    [
        ("card", CARD),
        ("payment", None),
        ("payment.card", CARD),
        ("payment.accountNumber", IBAN),
        ("payment.note", None),
        ("payment.next.next.card", CARD),
        ("anything", IBAN),
        ("**", IBAN),
        ("card[]", CARD),
        ("payment.unknown", None),
    ],
)
def test_the_grant_at_a_place(place: str, grant: Accepts | None) -> None:
    assert grant_at(shape_with(), place) == grant


def test_grants_can_be_written_beside_the_annotations() -> None:
    shape = shape_with({"payment.note": IBAN, "payment.next.note": CARD})
    assert grant_at(shape, "payment.note") == IBAN
    assert grant_at(shape, "payment.next.note") == CARD
    assert grant_at(shape, "payment.next.next.note") is None
    assert grant_at(shape_with(), "payment.note") is None
    whole = shape_with({"payment": IBAN})
    assert grant_at(whole, "payment.note") == IBAN
    assert grant_at(whole, "payment.card") == CARD
    assert grant_at(with_grant(NOTHING, "a[].b{key}", CARD), "a[].b{key}") == CARD
    with pytest.raises(InvalidPolicy):
        shape_with({"card": IBAN})
    with pytest.raises(InvalidPolicy):
        shape_with({"payment..card": IBAN})
    assert [first_name(place) for place in ("a.b", "a[]", "a", "**")] == ["a", "a", "a", ""]


def test_a_models_own_aliases_count_in_a_final_tool() -> None:
    class Order(BaseModel):
        model_config = ConfigDict(populate_by_name=True)
        card: Card = Field(alias="cardNumber")

    shape = tool_shape(Order, arguments_model("Order", Order), None)
    assert grant_at(shape, "card") == grant_at(shape, "cardNumber") == CARD
