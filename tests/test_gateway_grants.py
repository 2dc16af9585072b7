"""Injection is granted, never assumed: by type and origin, for one argument, and for what was given to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest

from sealgate.gateway import (
    Accepts,
    Gateway,
    HumanMessage,
    PrivateData,
    RedactedMessage,
    Session,
    ToolCall,
    depends_on_interrupt,
)
from sealgate.gateway.testing import ScriptedHuman, ScriptedModel
from sealgate.models.findings import Redaction
from sealgate.models.placeholder import find_all
from sealgate.vault import AuditEvent

EMAIL, IBAN, CARD = "jane.roe@example.com", "GB82WEST12345698765432", "4111 1111 1111 1111"


def shown(redaction: Redaction) -> str:
    return str(find_all(redaction.text)[0][2])


class Desk:
    """One tool with one argument, and what arrived at it."""

    def __init__(self, gateway: Gateway, session: Session, accepts: Accepts | None, **options: Any) -> None:
        self.arrived: list[object] = []
        self._session = session
        self._gateway = gateway

        def send(to: Any) -> str:
            self.arrived.append(to)
            return "sent"

        gateway.toolify(accepts={"to": accepts} if accepts else None, **options)(send)

    def call(self, to: Any, call_id: str = "c1") -> str:
        message = self._session.run_tool(ToolCall(id=call_id, name="send", arguments={"to": to}))
        assert isinstance(message.content, str)
        return message.content

    def audited(self) -> list[AuditEvent]:
        return [row for row in self._gateway.audit.rows() if row.action == "refused"]


@pytest.mark.parametrize(
    ("accepted", "value", "opens"),
    [
        (("EMAIL_ADDRESS",), EMAIL, True),
        (("IBAN_CODE", "EMAIL_ADDRESS"), EMAIL, True),
        (("IBAN_CODE",), EMAIL, False),
        (("CREDIT_CARD",), CARD, True),
        (("ACCOUNT_NUMBER",), CARD, False),
        (("PERSON", "CUSTOM", "ANSWER"), IBAN, False),
    ],
)
def test_a_grant_is_by_type(
    gateway: Gateway, session: Session, accepted: tuple[str, ...], value: str, *, opens: bool
) -> None:
    desk = Desk(gateway, session, Accepts(*accepted))
    told = desk.call(shown(session.redact(value)))
    assert (told == "sent", len(desk.arrived)) == (opens, int(opens))
    assert opens or told.startswith("GrantRefused")


@pytest.mark.parametrize(
    ("origins", "origin", "opens"),
    [
        ((), "person", True),
        ((), "application", True),
        ((), "interrupt", True),
        ((), "tool:page", False),
        ((), "model", False),
        (("tool:page",), "tool:page", True),
        (("tool:page",), "tool:other", False),
        (("tool:page",), "person", False),
        (("person", "model"), "model", True),
    ],
)
def test_a_grant_is_by_origin(
    gateway: Gateway, session: Session, origins: tuple[str, ...], origin: str, *, opens: bool
) -> None:
    desk = Desk(gateway, session, Accepts("IBAN_CODE", origins=origins) if origins else Accepts("IBAN_CODE"))
    told = desk.call(shown(session.redact(IBAN, origin=origin)))
    assert (told == "sent") is opens
    assert desk.arrived == ([IBAN] if opens else [])
    assert opens or repr(origin) in told


def test_any_accepted_origin_is_enough(gateway: Gateway, session: Session) -> None:
    desk = Desk(gateway, session, Accepts("IBAN_CODE"))
    laundered = shown(session.redact(IBAN, origin="tool:page"))
    assert desk.call(laundered).startswith("GrantRefused")
    assert shown(session.redact(IBAN)) == laundered
    assert desk.call(laundered, "c2") == "sent"


@pytest.mark.parametrize("spell", ["{}", "to {} please", "{0}{0}"])
@pytest.mark.parametrize(
    "wrap", [lambda text: text, lambda text: [text], lambda text: {"a": text}, lambda text: {text: 1}]
)
def test_a_refusal_names_the_grant_is_audited_and_nothing_arrives(
    gateway: Gateway, session: Session, spell: str, wrap: Callable[[str], Any]
) -> None:
    desk = Desk(gateway, session, None)
    placeholder = shown(session.redact(CARD))
    told = desk.call(wrap(spell.format(placeholder)))
    assert told.startswith("GrantRefused")
    assert "missing Accepts('CREDIT_CARD')" in told
    assert desk.arrived == []
    (row,) = desk.audited()
    assert row.fields["placeholders"] == [placeholder]
    assert (row.fields["tool"], row.fields["missing"]) == ("send", "Accepts('CREDIT_CARD')")
    assert not [row for row in gateway.audit.rows() if row.action == "opened"]


@pytest.mark.parametrize("forged", ["[CREDIT_CARD_00000000]", "[PIN_K7Q2MXB4]", "[CUSTOM_X_K7Q2MXB4.9FD]"])
def test_a_placeholder_that_nobody_issued_is_refused(gateway: Gateway, session: Session, forged: str) -> None:
    desk = Desk(gateway, session, Accepts("CREDIT_CARD", "PIN", "CUSTOM_X"))
    assert desk.call(forged).startswith("UnknownPlaceholder")
    assert desk.arrived == []
    assert len(desk.audited()) == 1


@pytest.mark.parametrize("mangle", [str.lower, lambda text: text[1:-1], lambda text: text.replace("_", "\\_")])
def test_a_mangled_placeholder_is_refused(gateway: Gateway, session: Session, mangle: Callable[[str], str]) -> None:
    desk = Desk(gateway, session, Accepts("CREDIT_CARD"))
    assert desk.call(mangle(shown(session.redact(CARD)))).startswith("MalformedPlaceholder")
    assert desk.arrived == []


def test_another_sessions_placeholder_is_refused(gateway: Gateway, session: Session) -> None:
    desk = Desk(gateway, session, Accepts("CREDIT_CARD"))
    other = shown(gateway.session("another").redact(CARD))
    assert desk.call(other).startswith("UnknownPlaceholder")


def test_what_the_model_writes_opens_in_that_very_call_only(gateway: Gateway, session: Session) -> None:
    desk = Desk(gateway, session, None)
    model = ScriptedModel([
        ToolCall(id="c1", name="send", arguments={"to": "shop@example.com"}),
        lambda messages, _tools: ToolCall(id="c2", name="send", arguments=messages[1].tool_calls[0].arguments),
        "Done.",
    ])  # fmt: skip
    response = session.invoke([HumanMessage("Go.")], model=model)
    assert desk.arrived == ["shop@example.com"]
    assert [message.status for message in response.messages if message.role == "tool"] == ["success", "error"]
    assert "shop@example.com" not in repr(response)


def test_a_guess_of_a_persons_value_opens_nothing(gateway: Gateway, session: Session) -> None:
    session.redact(EMAIL)
    desk = Desk(gateway, session, None)
    assert desk.call(EMAIL).startswith("GrantRefused")
    assert desk.arrived == []


def test_keep_passes_a_placeholder_closed_and_takes_it_back(gateway: Gateway, session: Session) -> None:
    placeholder = shown(session.redact(CARD))

    @gateway.toolify(placeholders="keep")
    def note(text: str) -> str:
        return f"noted: {text}"

    message = session.run_tool(ToolCall(id="c1", name="note", arguments={"text": f"card {placeholder}"}))
    assert message.content == f"noted: card {placeholder}"


def test_a_tool_cannot_bring_a_placeholder_into_being(gateway: Gateway, session: Session) -> None:
    placeholder = shown(session.redact(CARD))
    gateway.toolify(name="forge")(lambda: f"use {placeholder}")
    message = session.run_tool(ToolCall(id="c1", name="forge"))
    assert placeholder not in str(message.content)
    assert str(message.content).startswith("use [LITERAL_")


def otp_desk(gateway: Gateway, received: list[tuple[str, ...]], **accepts: Accepts) -> ScriptedHuman:
    human = ScriptedHuman({"code": "it says 482 913"})

    @gateway.toolify()
    @depends_on_interrupt("code", human.handler("code"), "Code? ", sensitive="OTP_CODE")
    def enter(code: str, again: str = "") -> str:
        received.append((code, again))
        return f"entered {code}"

    @gateway.toolify(accepts=accepts)
    def leak(text: str) -> str:
        received.append((text,))
        return text

    return human


@pytest.mark.parametrize("granted", [True, False])
def test_a_one_time_value_opens_where_it_was_given_and_nowhere_else(
    gateway: Gateway, session: Session, *, granted: bool
) -> None:
    received: list[tuple[str, ...]] = []
    otp_desk(gateway, received, **({"text": Accepts("OTP_CODE")} if granted else {}))
    model = ScriptedModel([
        ToolCall(id="c1", name="enter"),
        lambda messages, _tools: ToolCall(id="c2", name="leak", arguments={"text": messages[-1].content}),
        "Done.",
    ])  # fmt: skip
    response = session.invoke([HumanMessage("Enter.")], model=model)
    assert received == [("482913", "")]
    assert response.messages[-2].status == "error"
    assert "482913" not in repr((response, session.events().history()))


def test_a_one_time_value_is_asked_for_anew_in_each_call(gateway: Gateway, session: Session) -> None:
    received: list[tuple[str, ...]] = []
    human = otp_desk(gateway, received)
    model = ScriptedModel([ToolCall(id="c1", name="enter"), ToolCall(id="c2", name="enter"), "Done."])
    session.invoke([HumanMessage("Enter.")], model=model)
    assert len(human.asked) == 2
    assert received == [("482913", ""), ("482913", "")]


def test_one_use_is_one_call_however_often_it_stands_there(gateway: Gateway, session: Session) -> None:
    received: list[str] = []

    @gateway.toolify()
    def twice(first: Annotated[str, Accepts("OTP_CODE")], second: Annotated[str, Accepts("OTP_CODE")]) -> str:
        received.append(first + second)
        return "ok"

    placeholder = shown(session.redact("Your code is 482913"))
    call = ToolCall(id="c1", name="twice", arguments={"first": placeholder, "second": placeholder})
    assert session.run_tool(call).status == "success"
    assert received == ["482913482913"]
    late = session.run_tool(call)
    assert (late.status, received) == ("error", ["482913482913"])
    assert str(late.content).startswith(("ValueGone", "UnknownPlaceholder"))


def test_private_data_is_no_grant_for_another_argument(gateway: Gateway, session: Session) -> None:
    desk = Desk(gateway, session, None)
    placeholder = session.private_data.put(PrivateData(CARD, name="card", pii_type="CREDIT_CARD"))
    assert desk.call(placeholder).startswith("GrantRefused")
    assert desk.arrived == []


def test_a_whitelist_releases_nothing_that_is_sealed(gateway: Gateway, session: Session) -> None:

    session.redact(EMAIL)
    (sealed,) = session.redact_messages([RedactedMessage(f"to {EMAIL}", pii_whitelist=["EMAIL_ADDRESS", EMAIL])])
    assert EMAIL not in sealed.text()
    (clear,) = session.redact_messages([RedactedMessage("to shop@example.com", pii_whitelist=["EMAIL_ADDRESS"])])
    assert clear.text() == "to shop@example.com"
