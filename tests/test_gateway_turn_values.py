"""Values that live as long as their turn: what happens beside it or in it ends none of them early."""

from __future__ import annotations

import pytest

from sealgate.gateway import Gateway, HumanMessage, Session, SessionResponse, ToolCall, depends_on_interrupt, interrupt
from sealgate.gateway.testing import ScriptedModel

CODE = "482913"
PIN = "4821"


@pytest.fixture
def session(gateway: Gateway) -> Session:
    """A session with tools that ask for a code or a PIN, one that asks for any answer, and a page that shows the
    code."""

    @gateway.toolify()
    @depends_on_interrupt("code", lambda _prompt: CODE, "Code: ", sensitive="OTP_CODE")
    def pay(code: str) -> str:
        return f"paid with {code}"

    @gateway.toolify()
    @depends_on_interrupt("number", lambda _prompt: CODE, "Number: ")
    def file(number: str) -> str:
        return f"filed {number}"

    @gateway.toolify()
    @depends_on_interrupt("pin", lambda _prompt: PIN, "PIN: ", sensitive="PIN")
    def unlock(pin: str) -> bool:
        return bool(interrupt("Unlock it?")) and pin == PIN

    @gateway.toolify()
    def page() -> str:
        return f"It was {CODE}."

    return gateway.session("s1")


def run(session: Session, *names: str) -> SessionResponse:
    calls = [ToolCall(id="c", name=name) for name in names]
    return session.invoke([HumanMessage("Go.")], model=ScriptedModel([*calls, "Done."]))


def test_a_burnt_code_that_is_given_for_something_else_stays_hidden(session: Session) -> None:
    response = run(session, "pay", "file", "page")
    read = [message.text() for message in response.messages if message.role == "tool"]
    assert len(read) == 3
    assert not any(CODE in text for text in read)


def test_a_call_beside_a_turn_that_waits_ends_no_value_of_the_turn(session: Session) -> None:
    waiting = run(session, "pay", "unlock", "page")
    assert session.run_tool(ToolCall(id="x", name="page")).status == "success"
    response = session.resume(waiting.interrupts[0].id, True)
    read = [message.text() for message in response.messages if message.role == "tool"]
    assert read[1] == "true"
    assert not any(CODE in text for text in read)


def test_a_call_by_itself_is_the_turn_of_its_values(session: Session) -> None:
    assert CODE not in str(session.run_tool(ToolCall(id="x", name="pay")).content)
    assert CODE in str(session.run_tool(ToolCall(id="y", name="page")).content)


def test_a_key_of_an_answer_opens_nothing_and_stands_nowhere(gateway: Gateway, session: Session) -> None:
    got: list[object] = []

    @gateway.toolify()
    def ask() -> None:
        got.append(interrupt("Which one?"))

    card = str(session.redact("My card is 4111 1111 1111 1111").findings[0].placeholder)
    answer = {"choice": card, card: "x", "ada@example.org": {"482913": True}}
    waiting = run(session, "ask")
    session.resume(waiting.interrupts[0].id, answer)
    assert got == [answer]
    stored = repr(session._services.interrupts.get(waiting.interrupts[0].id)) + repr(session._services.log.last())
    assert "ada@example.org" not in stored
    assert "482913" not in stored
