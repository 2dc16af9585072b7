"""Tools as a model sees them: text for readers and sample values redacted, the program's own words untouched."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from sealgate.gateway import Gateway, HumanMessage, LeakPrevented, PrivateData, Session, ToolCall
from sealgate.gateway.testing import ScriptedModel
from sealgate.gateway.turn.specs import fixed_names, own_words_of, prose_of, samples_of
from sealgate.models.tools import ToolSpec

SCHEMA = {
    "type": "object",
    "title": "Order",
    "properties": {
        "city": {"type": "string", "description": "where", "enum": ["Oslo", "Rome"], "default": "Oslo"},
        "people": {"type": "array", "items": {"$ref": "#/$defs/Person"}, "examples": [[{"mail": "a@b.example"}]]},
    },
    "$defs": {"Person": {"type": "object", "description": "who", "properties": {"mail": {"type": "string"}}}},
}


def test_names_keys_and_enum_members_belong_to_the_program() -> None:
    names = fixed_names((ToolSpec(name="order", parameters=SCHEMA),))
    assert names == {"order", "city", "people", "Person", "mail", "Oslo", "Rome"}


def test_text_for_readers_and_samples_are_what_is_redacted() -> None:
    assert sorted(prose_of(SCHEMA)) == ["Order", "Oslo", "a@b.example", "where", "who"]


def test_a_default_that_is_private_is_not_shown_and_stays_the_functions_own(gateway: Gateway, session: Session) -> None:
    received: list[str] = []

    @gateway.toolify(description="Ask ada@tallowbrook.net first.")
    def write(body: str, to: str = "ada@tallowbrook.net", kind: Literal["letter", "note"] = "note") -> str:
        received.append(to)
        return kind

    model = ScriptedModel(["hello"])
    session.invoke([HumanMessage("hi")], model=model)
    (_messages, tools) = model.seen[0]
    assert "tallowbrook" not in tools[0].model_dump_json()
    assert tools[0].parameters["properties"]["kind"]["enum"] == ["letter", "note"]


CARD = 4539578763621486


def test_a_sealed_value_in_a_schema_is_a_placeholder_wherever_it_may_be(gateway: Gateway, session: Session) -> None:
    """Numbers, keys and keywords of nobody's too; bounds, names and enum members stay as the program wrote them."""
    placeholder = str(session.redact(f"my card is {CARD}").findings[0].placeholder)
    pin = session.private_data.put(PrivateData("4821", name="pin"))

    class Payment(BaseModel):
        card: int = Field(default=CARD, examples=[CARD, 5], json_schema_extra={"x-note": f"as {CARD}", "x-limit": 7})
        by: dict[str, int] = Field(default={str(CARD): 1, "other": 2})
        tries: int = Field(default=3, le=2024)
        code: int = 4821

    received: list[Payment] = []

    @gateway.toolify()
    def pay(payment: Payment, kind: Literal["gift", "loan"] = "gift", card: int = CARD) -> str:
        received.append(payment)
        return f"paid {card % 10}"

    model = ScriptedModel([ToolCall(id="c1", name="pay", arguments={"payment": {}}), "Done."])
    response = session.invoke([HumanMessage("hi")], model=model)
    (_messages, tools) = model.seen[0]
    assert str(CARD) not in tools[0].model_dump_json()
    shown = tools[0].parameters["$defs"]["Payment"]["properties"]
    assert tools[0].parameters["properties"]["card"]["default"].startswith(placeholder[:-1])
    assert (shown["card"]["examples"][1], shown["card"]["x-limit"]) == (5, 7)
    assert placeholder in shown["card"]["x-note"]
    assert sorted(shown["by"]["default"].values()) == [1, 2]
    assert (shown["tries"]["default"], shown["tries"]["maximum"], shown["code"]["default"]) == (3, 2024, pin)
    assert tools[0].parameters["properties"]["kind"]["enum"] == ["gift", "loan"]
    assert (received[0].card, received[0].code, response.status) == (CARD, 4821, "completed")


def test_a_schema_without_values_is_what_it_was(gateway: Gateway, session: Session) -> None:
    gateway.toolify(name="order", schema=SCHEMA)(lambda **_given: "ok")
    session.redact(f"my card is {CARD}")
    model = ScriptedModel(["hello"])
    session.invoke([HumanMessage("hi")], model=model)
    shown = model.seen[0][1][0].parameters
    assert shown["properties"]["city"] == SCHEMA["properties"]["city"]  # type: ignore[index]


def test_own_words_and_samples_are_everything_in_a_schema_but_prose() -> None:
    assert sorted(samples_of(SCHEMA)) == ["Oslo", "a@b.example", "mail"]
    assert set(own_words_of(SCHEMA)) >= {"city", "people", "Person", "mail", "Oslo", "Rome", "#/$defs/Person", "string"}
    assert samples_of({"description": {"odd": "shape"}, "definitions": {"A": {"default": 1}}}) == ["odd", "shape", "1"]


@pytest.mark.parametrize("schema", [{"enum": [CARD]}, {"const": CARD}, {"properties": {str(CARD): {}}}])
def test_what_cannot_be_replaced_ends_the_turn_before_it_is_sent(
    gateway: Gateway, session: Session, schema: dict[str, Any]
) -> None:
    gateway.toolify(name="pay", schema={"type": "object", "properties": {"x": schema}})(lambda **_given: "ok")
    session.redact(f"my card is {CARD}")
    model = ScriptedModel(["never"])
    with pytest.raises(LeakPrevented, match="enum member or bound of tool 0") as prevented:
        session.invoke([HumanMessage("hi")], model=model)
    assert str(CARD) not in str(prevented.value)
    assert model.seen == []
