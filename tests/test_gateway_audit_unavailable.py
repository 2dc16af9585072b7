"""What cannot be written down is not done: with a read-only or a full audit table nothing opens and no tool runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NoReturn

import pytest
from pydantic import BaseModel

from sealgate.gateway import (
    Accepts,
    AuditUnavailable,
    Gateway,
    HumanMessage,
    Session,
    SessionResponse,
    ToolCall,
    depends_on_interrupt,
)
from sealgate.gateway.testing import ScriptedModel
from sealgate.redaction import Detector
from sealgate.vault.rows import AuditRow
from sealgate.vault.sqlite.tables import SqliteAudit

CARD = "4111 1111 1111 1111"


@dataclass
class Till:
    """A session with a sealed card, a revealed result and a paused turn."""

    gateway: Gateway
    session: Session
    paused: Session
    card: str
    result: SessionResponse
    waiting: SessionResponse
    ran: list[str] = field(default_factory=list)


class Order(BaseModel):
    """A final result with a card in it."""

    card: Annotated[str, Accepts("CREDIT_CARD")]


@pytest.fixture
def till(tmp_path: Path, detector: Detector) -> Iterator[Till]:
    ran: list[str] = []
    with Gateway.open(tmp_path / "vault.db", key=b"k" * 32, detector=detector) as gateway:

        @gateway.toolify()
        def charge(card: Annotated[str, Accepts("CREDIT_CARD")]) -> str:
            ran.append("charge")
            return "charged"

        @gateway.toolify()
        @depends_on_interrupt("code", None, "The code: ", sensitive="OTP_CODE")
        def pay(card: Annotated[str, Accepts("CREDIT_CARD")], code: str) -> str:
            ran.append("pay")
            return "paid"

        gateway.toolify(final_tool=True)(Order)
        session, paused = gateway.session("open"), gateway.session("paused")
        card = session.redact(f"My card is {CARD}").text.removeprefix("My card is ")
        other = paused.redact(f"My card is {CARD}").text.removeprefix("My card is ")
        ordering = ScriptedModel([ToolCall(id="o", name="Order", arguments={"card": card})])
        paying = ScriptedModel([ToolCall(id="p", name="pay", arguments={"card": other}), "done"])
        result = session.invoke([HumanMessage("Order it.")], model=ordering)
        waiting = paused.invoke([HumanMessage("Pay it.")], model=paying)
        ran.clear()
        yield Till(gateway, session, paused, card, result, waiting, ran)


def reveal(till: Till) -> object:
    with till.session.reveal(till.result.result) as order:
        return order


OPENINGS: dict[str, Callable[[Till], object]] = {
    "run_tool": lambda till: till.session.run_tool(ToolCall(id="c", name="charge", arguments={"card": till.card})),
    "reveal": reveal,
    "restore": lambda till: till.session.restore(till.card),
    "restore_json": lambda till: till.session.restore_json({"card": till.card}),
    "restore_reply": lambda till: till.session.restore_reply(f"Your card: {till.card}"),
    "facts": lambda till: till.session.sealed_facts(till.card),
    "resume": lambda till: till.paused.resume(till.waiting.interrupts[0].id, "482913"),
    "redact": lambda till: till.session.redact("GB82WEST12345698765432"),
    "shred": lambda till: till.session.shred(),
}


def read_only(till: Till, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with sqlite3.connect(tmp_path / "vault.db") as other:
        other.execute("CREATE TRIGGER sealed BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'read only'); END")
    other.close()


def full(till: Till, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = SqliteAudit.append

    def no_room(*_statement: object) -> NoReturn:
        raise sqlite3.OperationalError("database or disk is full")

    def append_without_room(self: SqliteAudit, row: AuditRow) -> None:
        run, self._run = self._run, no_room
        try:
            append(self, row)
        finally:
            self._run = run

    monkeypatch.setattr(SqliteAudit, "append", append_without_room)


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("broken", [read_only, full])
def test_nothing_opens_and_no_tool_runs(
    till: Till, opening: str, broken: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        broken(till, tmp_path, patched)
        with pytest.raises(AuditUnavailable) as caught:
            OPENINGS[opening](till)
        assert CARD.replace(" ", "") not in str(caught.value).replace(" ", "")
    assert till.ran == []


def test_the_till_works_otherwise(till: Till) -> None:
    """The control: without the fault each of them opens."""
    for name, opening in OPENINGS.items():
        if name != "shred":
            opening(till)
    assert till.ran == ["charge", "pay"]
