"""The last check: no payload with a sealed value leaves, wherever in it the value stands."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from sealgate.gateway import Gateway, HumanMessage, LeakPrevented, PrivateData, Session, ToolCall
from sealgate.gateway.testing import ScriptedModel
from sealgate.gateway.turn.outgoing import check_outgoing
from sealgate.gateway.turn.specs import strings_of
from sealgate.models.messages import SealedCall, SealedMessage, sealing
from sealgate.models.tools import ToolSpec
from sealgate.redaction import KnownValues, build_known_values

IBAN = "GB82WEST12345698765432"


@pytest.fixture
def known(session: Session) -> KnownValues:
    session.redact(f"{IBAN} and the code 482913")
    return session._services.vault.match(build_known_values)


def message(content: Any = "", **fields: Any) -> SealedMessage:
    with sealing():
        return SealedMessage(role=fields.pop("role", "assistant"), content=content, **fields)


def calling(**fields: Any) -> SealedMessage:
    return message(tool_calls=(SealedCall(**{"id": "c1", "name": "pay", **fields}),))


TOOL = ToolSpec(name="pay", description="Pays.", parameters={"properties": {"to": {"type": "string"}}})

HOLDING = [
    ([message(f"to {IBAN}")], [], "message 0 (assistant)"),
    ([message("fine"), message(IBAN, role="user")], [], "message 1 (user)"),
    ([message([{"type": "text", "text": IBAN}])], [], "message 0 (assistant)"),
    ([message([{"type": "text", "text": "x", IBAN: "y"}])], [], "message 0 (assistant)"),
    ([calling(arguments={"to": [{"deep": IBAN}]})], [TOOL], "message 0 (assistant), arguments of a call"),
    ([calling(arguments={IBAN: 1})], [TOOL], "message 0 (assistant), arguments of a call"),
    ([calling(arguments={"code": 482913})], [TOOL], "message 0 (assistant), arguments of a call"),
    ([calling(name=f"pay_{IBAN}")], [TOOL], "message 0 (assistant), its labels"),
    ([calling(id=IBAN)], [TOOL], "message 0 (assistant), its labels"),
    ([message("x", role="tool", tool_call_id=IBAN)], [TOOL], "message 0 (tool), its labels"),
    ([message("x", role="tool", tool_call_id="c", name=IBAN)], [TOOL], "message 0 (tool), its labels"),
    ([], [TOOL, TOOL.model_copy(update={"description": IBAN})], "description of tool 1"),
    (
        [],
        [TOOL.model_copy(update={"parameters": {"properties": {"to": {"description": f"as {IBAN}"}}}})],
        "description of tool 0",
    ),
    ([message(base64.b64encode(IBAN.encode()).decode())], [], "message 0 (assistant)"),
    ([message("gb82-west-1234-5698-7654-32")], [], "message 0 (assistant)"),
    ([message(f"[CUSTOM_{IBAN}]")], [], "message 0 (assistant)"),
]


@pytest.mark.parametrize(("messages", "tools", "where"), HOLDING, ids=range(len(HOLDING)))
def test_a_value_is_found_in_every_place(
    known: KnownValues, messages: list[SealedMessage], tools: list[ToolSpec], where: str
) -> None:
    with pytest.raises(LeakPrevented) as prevented:
        check_outgoing(known, messages, tools)
    assert prevented.value.where == where
    assert IBAN not in str(prevented.value)


def test_placeholders_names_and_other_numbers_pass(session: Session, known: KnownValues) -> None:
    shown = session.redact(IBAN).text
    check_outgoing(known, [message(f"to {shown}, order 4829130"), calling(name="pay", arguments={"to": shown})], [TOOL])


def tool(**schema: Any) -> ToolSpec:
    return TOOL.model_copy(update={"parameters": {"type": "object", "properties": {"to": schema}}})


OWN_WORDS = [
    TOOL.model_copy(update={"name": f"pay_{IBAN}"}),
    TOOL.model_copy(update={"parameters": {"properties": {IBAN: {"type": "string"}}}}),
    TOOL.model_copy(update={"parameters": {"properties": {}, "$defs": {IBAN: {}}}}),
    TOOL.model_copy(update={"parameters": {"properties": {}, "required": [IBAN]}}),
    tool(enum=["x", IBAN]),
    tool(const=IBAN),
    tool(enum=[482913]),
    tool(maximum=482913),
    tool(pattern=f"^{IBAN}$"),
    tool(type="array", items={"anyOf": [{"enum": [IBAN]}]}),
    tool(type="object", additionalProperties={"properties": {IBAN: {}}}),
    tool(**{IBAN: True}),
]


@pytest.mark.parametrize("number", range(len(OWN_WORDS)))
def test_a_value_among_a_programs_own_words_stops_the_turn(known: KnownValues, number: int) -> None:
    with pytest.raises(LeakPrevented) as prevented:
        check_outgoing(known, [], [TOOL, OWN_WORDS[number]])
    assert prevented.value.where == "a name, key, enum member or bound of tool 1"
    assert IBAN not in str(prevented.value)


@pytest.mark.parametrize("keyword", ["default", "examples", "x-note"])
@pytest.mark.parametrize("value", [IBAN, [IBAN], {IBAN: 1}, {"a": [{"b": f"to {IBAN}"}]}, 482913, [1, 482913]])
def test_a_value_among_samples_stops_it_too(known: KnownValues, keyword: str, value: Any) -> None:
    """They are replaced before; this is the check behind that."""
    with pytest.raises(LeakPrevented, match="tool 0"):
        check_outgoing(known, [], [tool(**{keyword: value})])


def test_a_word_that_somebodys_name_is_stops_nothing(session: Session) -> None:
    """A person may be called as a country is, and have the year of an enum as a PIN; the program knows neither."""
    session.redact("x", known=["Jordan", "Christian", "premium"])
    session.private_data.put(PrivateData("2024", name="pin"))
    known = session._services.vault.match(build_known_values)
    check_outgoing(known, [], [tool(enum=["Jordan", "Christian", "premium", 2024, "2024"], maximum=2024)])


def test_every_text_of_a_value_is_read() -> None:
    assert list(strings_of({"a": ["b", 1, 2.5, True, None, {"c": "d"}]})) == ["a", "b", "1", "2.5", "c", "d"]


def test_what_was_found_ends_the_turn_and_nothing_was_sent(gateway: Gateway, session: Session) -> None:
    calls = [ToolCall(id=IBAN, name="nothing")]
    session.redact(IBAN)
    with pytest.raises(LeakPrevented):
        session.invoke([HumanMessage("Go.")], model=ScriptedModel([calls, "never"]))
    assert len(session.sent_to_model()) == 1
    last = session.events().history()[-1]
    assert last.error is not None
    assert last.error.code == "leak_prevented"
