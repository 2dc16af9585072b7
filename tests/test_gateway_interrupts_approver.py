"""Approving at the terminal: what is shown, and what each answer does."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import pytest

from sealgate.gateway import (
    Accepts,
    Gateway,
    HumanMessage,
    InterruptConfig,
    InterruptRequest,
    InterruptToolCall,
    ToolCall,
    terminal_approvals,
)
from sealgate.gateway.interrupts.approver import approval_text
from sealgate.gateway.testing import ScriptedModel
from sealgate.models.interrupts import InterruptDescriptor
from sealgate.redaction import Detector

OWN = "GB82 WEST 1234 5698 7654 32"


def asked(
    detector: Detector, monkeypatch: pytest.MonkeyPatch, typed: str, *, after: bool = False
) -> tuple[str, list[str], str, str]:
    """A payment that somebody approves at the terminal: its status, what was paid, what was shown and read."""
    paid: list[str] = []
    config = InterruptConfig(interrupt_after=["pay"]) if after else InterruptConfig(interrupt_before=["pay"])
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    monkeypatch.setattr(sys, "stdout", shown := io.StringIO())
    with Gateway.open(":memory:", detector=detector, interrupt=config) as gateway:

        @gateway.toolify(risk="high")
        def pay(amount: int, to: Annotated[str, Accepts("IBAN_CODE")], note: str = "") -> str:
            paid.append(to)
            return f"paid to {to}"

        session = gateway.session("s1")
        session.on_interrupt(terminal_approvals(session))
        to = str(session.redact(OWN).findings[0].placeholder)
        call = ToolCall(id="c1", name="pay", arguments={"amount": 5, "to": to, "note": "x\x1b[2J"})
        response = session.invoke([HumanMessage("Go.")], model=ScriptedModel([call, "Done."]))
        read = [message.text() for message in session.history() if message.role == "tool"]
        return response.status, paid, shown.getvalue().replace(to, "[P]"), "".join(read).replace(to, "[P]")


def test_what_is_shown_of_a_call(detector: Detector, monkeypatch: pytest.MonkeyPatch) -> None:
    status, paid, shown, _read = asked(detector, monkeypatch, "y\n")
    assert (status, paid) == ("completed", [OWN.replace(" ", "")])
    assert shown == (
        'pay (high risk)\n  amount: 5\n  to: "[P]"\n  note: "x\\u001b[2J"\n'
        "  [P] = •••• 5432 IBAN_CODE, from person\nApprove pay? [y/N] "
    )


def test_what_is_shown_of_a_result(detector: Detector, monkeypatch: pytest.MonkeyPatch) -> None:
    status, _paid, shown, read = asked(detector, monkeypatch, "no\n", after=True)
    assert (status, read) == ("completed", "result withheld")
    assert 'result: "paid to [' in shown
    assert "Show the result of pay? [y/N] " in shown
    assert "tool:pay" in shown


@pytest.mark.parametrize(
    ("typed", "status", "paid"),
    [
        ("y\n", "completed", 1), (" YES \n", "completed", 1), ("n\n", "completed", 0), ("\n", "completed", 0),
        ("yes please\n", "completed", 0), ("", "interrupted", 0), ("x" * 30_000 + "\n", "interrupted", 0),
    ],
)  # fmt: skip
def test_what_an_answer_does(
    detector: Detector, monkeypatch: pytest.MonkeyPatch, typed: str, status: str, paid: int
) -> None:
    done = asked(detector, monkeypatch, typed)
    assert (done[0], len(done[1])) == (status, paid)


def test_an_ask_is_left_to_its_handler(gateway: Gateway) -> None:
    session = gateway.session("s1")
    gateway.toolify(name="ask")(lambda: "x")
    ask = terminal_approvals(session)
    call = InterruptToolCall(id="c1", name="ask")
    ask(InterruptRequest(interrupt_id="unknown", tool_call=call, risk_level="low"))


def test_an_envelope_of_another_shape_is_no_error() -> None:
    assert approval_text(InterruptDescriptor(id="x", tool_name="pay"), "low") == "pay (low risk)"
