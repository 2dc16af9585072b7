"""Tools as a model sees them: text for readers and sample values redacted, the program's own words untouched."""

from __future__ import annotations

from typing import Literal

from sealgate.gateway import Gateway, HumanMessage, Session
from sealgate.gateway.testing import ScriptedModel
from sealgate.gateway.turn.specs import fixed_names, prose_of
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
