"""Going on with a turn: from another process, once, with the same placeholders; and the log that it can be replayed
from."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from sealgate.gateway import (
    Gateway,
    HumanMessage,
    InterruptConfig,
    InterruptNotPending,
    InvalidInput,
    ReplayDiverged,
    SealgateError,
    Session,
    SessionBusy,
    SessionShredded,
    TamperDetected,
    ToolCall,
    TooManyInterrupts,
    UnknownTool,
    depends_on_interrupt,
)
from sealgate.gateway.lease import FOREIGN, TurnLease
from sealgate.gateway.owner import Owner
from sealgate.gateway.testing import FakeClock, ScriptedModel
from sealgate.models.limits import Limits
from sealgate.redaction import Detector

ACCOUNT = "1234-5678-9012"
CODE = "482913"


def opened(
    path: Path, ran: list[str] | None = None, pause: Callable[[], object] = lambda: None, **options: Any
) -> Gateway:
    gateway = Gateway.open(path, key=b"k" * 32, detector=Detector(names=False), **options)

    @gateway.toolify()
    @depends_on_interrupt("account", sensitive="ACCOUNT_NUMBER", prompt="Account?")
    @depends_on_interrupt("code", sensitive="OTP_CODE", prompt="Code?")
    def pay(account: str, code: str) -> str:
        pause()
        if ran is not None:
            ran.append(f"{account} {code}")
        return f"paid from {account}"

    return gateway


def begin(session: Session) -> str:
    response = session.invoke([HumanMessage("Pay.")], model=ScriptedModel([ToolCall(id="c1", name="pay")]))
    assert response.status == "interrupted"
    return response.interrupts[0].id


def test_answers_of_several_processes_and_the_same_placeholders(tmp_path: Path) -> None:
    ran: list[str] = []
    with opened(tmp_path / "v.db") as gateway:
        session = gateway.session("s1")
        known = session.redact(f"My account is {ACCOUNT}.").text
        asked = begin(session)
    with opened(tmp_path / "v.db") as gateway:
        session = gateway.session("s1")
        (pending,) = session.interrupts.pending()
        assert (pending.id, pending.prompt, pending.number, pending.total) == (asked, "Account?", 1, 2)
        response = session.resume(asked, f"it is {ACCOUNT}", model=ScriptedModel([]))
        asked = response.interrupts[0].id
    with opened(tmp_path / "v.db", ran) as gateway:
        session = gateway.session("s1")
        response = session.resume(asked, CODE, model=ScriptedModel(["Done."]))
        assert (response.status, ran) == ("completed", [f"{ACCOUNT} {CODE}"])
        assert known.split()[-1].rstrip("].").split(".")[0] in response.messages[2].text()
        assert session.replay() == response


def test_a_turn_goes_on_without_a_model_only_where_it_was_run(tmp_path: Path) -> None:
    with opened(tmp_path / "v.db") as gateway:
        asked = begin(gateway.session("s1"))
    with opened(tmp_path / "v.db") as gateway:
        session = gateway.session("s1")
        with pytest.raises(ValueError, match="resume needs its model"):
            session.resume(asked, ACCOUNT)
        assert [one.id for one in session.interrupts.pending()] == [asked]


@pytest.mark.parametrize("filed", [True, False])
def test_a_tool_that_asks_for_something_else_here_takes_no_answer(
    tmp_path: Path, detector: Detector, *, filed: bool
) -> None:
    """As after an update of the program in the middle of a pause."""
    got: list[str] = []

    @depends_on_interrupt("code", prompt="Code?")
    def before(code: str) -> str:
        got.append(code)
        return "ok"

    @depends_on_interrupt("otp", prompt="Code?")
    def updated(otp: str) -> str:
        return otp

    @contextmanager
    def opened(tool: Callable[..., str]) -> Iterator[Session]:
        with Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector) as gateway:
            gateway.toolify(name="tool")(tool)
            yield gateway.session("s1")

    model = ScriptedModel([ToolCall(id="c1", name="tool"), "Done.", "Done."])
    with opened(before) as session:
        (asked,) = session.invoke([HumanMessage("Go.")], model=model).interrupts
        if filed:
            session.interrupts.answer(asked.id, CODE)
    arguments = () if filed else (asked.id, CODE)
    with opened(updated) as session, pytest.raises(UnknownTool):
        session.resume(*arguments, model=model)
    with opened(before) as session:
        assert bool(session.interrupts.pending()) is not filed
        assert session.resume(*arguments, model=model).status == "completed"
    assert got == [CODE]


@pytest.mark.parametrize("end", ["answered", "cancelled", "expired", "foreign", "unknown"])
def test_an_answer_that_comes_too_late_is_not_stored(tmp_path: Path, end: str) -> None:
    clock = FakeClock()
    with opened(tmp_path / "v.db", clock=clock) as gateway:
        session = gateway.session("s1")
        asked = begin(session)
        where = session
        if end == "answered":
            assert session.interrupts.answer(asked, ACCOUNT).handled
        elif end == "cancelled":
            session.interrupts.cancel(asked)
        elif end == "expired":
            clock.advance(601)
        elif end == "foreign":
            where = gateway.session("s2")
        else:
            asked = "0" * 32
        before = [row.sequence for row in gateway.audit.rows() if row.action == "sealed"]
        receipt = where.interrupts.answer(asked, "9876-5432-1098")
        assert (receipt.handled, receipt.interrupt_id, receipt.resolved_decision) == (False, asked, None)
        with pytest.raises(InterruptNotPending):
            where.resume(asked, "9876-5432-1098", model=ScriptedModel([]))
        assert [row.sequence for row in gateway.audit.rows() if row.action == "sealed"] == before


def test_an_expired_ask_ends_its_turn_at_the_next_touch(tmp_path: Path) -> None:
    clock = FakeClock()
    with opened(tmp_path / "v.db", clock=clock) as gateway:
        session = gateway.session("s1")
        begin(session)
        with pytest.raises(SessionBusy):
            session.invoke([HumanMessage("More.")], model=ScriptedModel(["x"]))
        clock.advance(600)
        assert session.invoke([HumanMessage("More.")], model=ScriptedModel(["Well."])).response == "Well."
        assert session.interrupts.pending() == []


def test_after_a_shred_nothing_goes_on(tmp_path: Path) -> None:
    with opened(tmp_path / "v.db") as gateway:
        session = gateway.session("s1")
        asked = begin(session)
        session.shred()
        for use in (
            lambda: session.resume(asked, ACCOUNT),
            lambda: session.interrupts.answer(asked, ACCOUNT),
            session.interrupts.pending,
            session.replay,
        ):
            with pytest.raises(SessionShredded):
                use()


def test_of_fifty_answers_at_once_one_counts(tmp_path: Path) -> None:
    with opened(tmp_path / "v.db") as gateway:
        session = gateway.session("s1")
        asked = begin(session)
        handled: list[bool] = []

        def answer(number: int) -> None:
            handled.append(session.interrupts.answer(asked, f"1111-2222-{number:04d}").handled)

        threads = [threading.Thread(target=answer, args=(number,)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(handled) == [False] * 49 + [True]
        assert len([row for row in gateway.audit.rows() if row.action == "sealed"]) == 1


def go_on(path: Path, asked: str) -> None:
    """What a process does that tries to go on, once it is told to start."""
    ran: list[str] = []
    with opened(path, ran) as gateway:
        session = gateway.session("s1")
        print("ready", flush=True)
        sys.stdin.readline()
        try:
            status: str = session.resume(asked, CODE, model=ScriptedModel(["Done."])).status
        except (InterruptNotPending, SessionBusy) as error:
            status = type(error).__name__
        print(json.dumps([status, len(ran)]), flush=True)


def test_of_two_processes_that_resume_at_once_one_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "v.db"
    with opened(path) as gateway:
        session = gateway.session("s1")
        session.resume(begin(session), ACCOUNT)
        asked = session.interrupts.pending()[0].id
    command = [sys.executable, __file__, str(path), asked]
    with ExitStack() as stack:
        both = [
            stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            for _ in range(2)
        ]
        assert [one.stdout.readline() for one in both if one.stdout is not None] == ["ready\n", "ready\n"]
        for one in both:
            assert one.stdin is not None
            one.stdin.write("go\n")
            one.stdin.flush()
        found = [json.loads(one.stdout.readline()) for one in both if one.stdout is not None]
    assert sorted(ran for _status, ran in found) == [0, 1]
    assert [status for status, _ran in found].count("completed") == 1
    assert {status for status, _ran in found} <= {"completed", "InterruptNotPending", "SessionBusy"}


HOLD = """
import os, sys
from pathlib import Path
from sealgate.gateway import Gateway
from sealgate.redaction import Detector
gateway = Gateway.open(Path(sys.argv[1]), key=b"k" * 32, detector=Detector(names=False))
session = gateway.session("s1")
lease = session.turns._lease.held()
lease.__enter__()
print("held", flush=True)
sys.stdin.readline()
os._exit(0)
"""


def test_a_living_process_keeps_its_lease_and_a_dead_one_does_not(tmp_path: Path) -> None:
    path = tmp_path / "v.db"
    with opened(path) as gateway:
        session = gateway.session("s1")
        with subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(SessionBusy):
                session.invoke([HumanMessage("x")], model=ScriptedModel(["x"]))
            holder.kill()
            holder.wait(30)
        assert session.invoke([HumanMessage("x")], model=ScriptedModel(["Fine."])).response == "Fine."


def test_two_gateways_of_one_process_keep_apart(tmp_path: Path) -> None:
    path = tmp_path / "v.db"
    busy: list[type[SealgateError]] = []
    with opened(path) as other:

        def meanwhile() -> None:
            try:
                other.session("s1").invoke([HumanMessage("x")], model=ScriptedModel(["x"]))
            except SessionBusy as error:
                busy.append(type(error))

        with opened(path, pause=meanwhile) as gateway:
            session = gateway.session("s1")
            session.resume(begin(session), ACCOUNT)
            session.resume(session.interrupts.pending()[0].id, CODE, model=ScriptedModel(["Done."]))
    assert busy == [SessionBusy]


def test_the_lease_of_another_machine_lapses_unless_it_is_renewed(session: Session) -> None:
    clock = FakeClock()
    vault = session._services.vault
    foreign = Owner("elsewhere", 1, "", "t")
    stored = json.dumps({"owner": foreign.encode(), "until": clock.now() + FOREIGN}).encode()
    vault.records.replace("lease", "turn", stored)
    lease = TurnLease(vault, clock.now)
    with pytest.raises(SessionBusy), lease.held():
        pass
    clock.advance(FOREIGN)
    with lease.held():
        clock.advance(FOREIGN * 0.75)
        lease.renew()
        now = json.loads(vault.records.get("lease", "turn") or b"{}")
        assert now["until"] == clock.now() + FOREIGN
        assert Owner.decode(now["owner"]).is_here
    assert vault.records.get("lease", "turn") == b"{}"


def test_a_process_id_that_was_given_again_is_another_process() -> None:
    here = Owner.here()
    assert not here.is_dead()
    assert Owner(here.host, here.pid, "1", "t").is_dead() is (here.started != "")
    assert Owner("elsewhere", here.pid, "1", "t").is_dead() is False
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait(30)
    assert Owner(here.host, child.pid, "1", "t").is_dead()
    assert os.getpid() == here.pid


# The log.


@pytest.fixture
def played(tmp_path: Path) -> Iterator[tuple[Gateway, Session, Path]]:
    """A turn with an approval and an answer, played to its end."""
    path = tmp_path / "v.db"
    with opened(path, interrupt=InterruptConfig(interrupt_before=["pay"])) as gateway:
        session = gateway.session("s1")
        session.resume(begin(session), ACCOUNT)
        session.resume(session.interrupts.pending()[0].id, CODE)
        approval = session.interrupts.pending()[0].id
        session.resume(approval, {"approved": False, "note": "not today"}, model=ScriptedModel(["Done."]))
        yield gateway, session, path


def test_the_terminal_row_holds_the_decision(played: tuple[Gateway, Session, Path]) -> None:
    _gateway, session, _path = played
    rows = [json.loads(record.payload) for record in session._services.vault.records.read("log")]
    decided = [row["change"]["approval"] for row in rows if row["change"]["kind"] == "decided"]
    assert [(one["decided"], one["note"]) for one in decided] == [("pending", ""), ("denied", "not today")]
    assert ACCOUNT not in repr(rows)
    assert CODE not in repr(rows)


def test_a_replay_asks_nobody_and_runs_nothing(played: tuple[Gateway, Session, Path]) -> None:
    _gateway, session, _path = played
    asked: list[object] = []
    session.on_interrupt(asked.append)
    response = session.replay()
    assert response is not None
    assert (response.status, response.response) == ("completed", "Done.")
    assert asked == []


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM record WHERE kind = 'log' AND seq = 3",
        "DELETE FROM record WHERE kind = 'log' AND seq = (SELECT MAX(seq) FROM record WHERE kind = 'log')",
        "UPDATE record SET ct = (SELECT ct FROM record WHERE kind = 'log' AND seq = 4) WHERE kind = 'log' AND seq = 3",
        "UPDATE record SET seq = 1000 - seq WHERE kind = 'log' AND seq IN (3, 4)",
    ],
)
def test_a_log_that_somebody_changed_is_refused(played: tuple[Gateway, Session, Path], statement: str) -> None:
    _gateway, session, path = played
    with sqlite3.connect(path, timeout=30) as store:
        changed = store.execute(statement).rowcount
    assert changed > 0
    with pytest.raises(TamperDetected):
        session.replay()


def test_a_log_that_does_not_add_up_names_its_row(played: tuple[Gateway, Session, Path]) -> None:
    """Rows that the session itself wrote, but that lead elsewhere than was recorded."""
    _gateway, session, _path = played
    records = session._services.vault.records
    row = json.loads(records.read("log")[-1].payload)
    records.append("log", json.dumps({**row, "after": "0" * 64}).encode())
    with pytest.raises(ReplayDiverged) as diverged:
        session.replay()
    assert diverged.value.sequence == len(records.read("log"))


# Bounds.


def test_asks_for_secrets_are_bounded(tmp_path: Path) -> None:
    with opened(tmp_path / "v.db", limits=Limits(secret_asks_open=1), clock=FakeClock()) as gateway:
        session = gateway.session("s1")
        calls = [ToolCall(id=f"c{number}", name="pay") for number in range(2)]
        response = session.invoke([HumanMessage("Pay.")], model=ScriptedModel([calls, "Done."]))
        assert len(response.interrupts) == 1
        session.interrupts.cancel(response.interrupts[0].id)
        session.resume()
        failed = [message.text() for message in session.history() if message.role == "tool"]
        assert failed[1].startswith(TooManyInterrupts.__name__)


if __name__ == "__main__":
    go_on(Path(sys.argv[1]), sys.argv[2])


@pytest.mark.parametrize("wrong", [None, 5, b"x", ["x"], {"x": 1}])
def test_an_id_that_is_no_text_is_refused(tmp_path: Path, wrong: Any) -> None:
    with opened(tmp_path / "v.db") as gateway:
        pauses = gateway.session("s1").interrupts
        calls: list[Callable[[], object]] = [
            lambda: pauses.get(wrong),
            lambda: pauses.answer(wrong, "x"),
            lambda: pauses.resolve(wrong, {"approved": True}),
            lambda: pauses.cancel(wrong),
            lambda: pauses.extend(wrong, 5),
        ]
        for call in calls:
            with pytest.raises(InvalidInput, match="interrupt_id"):
                call()
        with pytest.raises(InvalidInput, match="seconds"):
            pauses.extend("x", wrong if wrong != 5 else True)
