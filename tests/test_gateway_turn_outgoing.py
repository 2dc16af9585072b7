"""The last check: no payload with a sealed value leaves, wherever in it the value stands."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from sealgate.gateway import Gateway, HumanMessage, LeakPrevented, Session, ToolCall
from sealgate.gateway.testing import ScriptedModel
from sealgate.gateway.turn.outgoing import check_outgoing, strings_of
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
    named = TOOL.model_copy(update={"name": IBAN})
    check_outgoing(known, [message(f"to {shown}, order 4829130"), calling(name=IBAN, arguments={"to": shown})], [named])


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
