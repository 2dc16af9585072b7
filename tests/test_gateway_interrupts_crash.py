"""A process that is killed before any of its writes, and another that goes on: nothing runs twice, no answer is lost.

Run as a script, this file plays the turn: ``python FILE DIRECTORY`` plays it once for each write, killed just before
that write, and prints what a second process made of what was left, one JSON object a line.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from sealgate.gateway import (
    AIMessage,
    Gateway,
    HumanMessage,
    InterruptConfig,
    InterruptNotPending,
    SealedMessage,
    Session,
    SessionBusy,
    SessionResponse,
    ToolCall,
    ToolSpec,
    depends_on_interrupt,
    interrupt,
)
from sealgate.gateway.turn.closing import NOT_RUN, UNKNOWN
from sealgate.redaction import Detector
from sealgate.vault.sqlite.store import SqliteStore

CODE: Final = "482913"
NAME: Final = "Quillfeather"
MOST: Final = 250
"""More writes than the turn has."""


class Teller:
    """A model that asks for three calls and then ends, wherever it is resumed."""

    def complete(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> AIMessage:
        if messages[-1].role == "tool":
            return AIMessage("Done.")
        names = (("c1", "pay"), ("c2", "book"), ("c3", "look"))
        return AIMessage("", tool_calls=[ToolCall(id=call, name=name, arguments={}) for call, name in names])


def note(path: Path, line: str) -> None:
    """A line on the disk, whatever happens next."""
    with path.open("a") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def lines(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []


@contextmanager
def opened(folder: Path) -> Iterator[Session]:
    """The session, with tools that leave a line for each effect."""
    effects = folder / "effects"
    config = InterruptConfig(interrupt_before=["pay"])
    with Gateway.open(folder / "v.db", key=b"k" * 32, detector=Detector(names=False), interrupt=config) as gateway:

        @gateway.toolify()
        @depends_on_interrupt("code", prompt="Code?", sensitive="OTP_CODE")
        def pay(code: str) -> str:
            note(effects, f"paid-{code}")
            return "paid"

        @gateway.toolify()
        def book() -> str:
            name = interrupt({"question": "In whose name?"})
            note(effects, f"booked-{name}")
            return "booked"

        @gateway.toolify()
        def look() -> str:
            note(effects, "looked")
            return "looked"

        yield gateway.session("s1")


def play(folder: Path) -> SessionResponse:
    """Begin the turn or go on with it, answering whatever is asked, to its end."""
    with opened(folder) as session:
        try:
            response = session.resume(model=Teller())
        except InterruptNotPending:
            ended = session.replay()
            response = ended or session.invoke([HumanMessage("Go.")], model=Teller())
        while response.status == "interrupted":
            for asked in session.interrupts.pending():
                if asked.kind == "approve":
                    handled = session.interrupts.resolve(asked.id, {"approved": True}).handled
                else:
                    answer = CODE if asked.arg_name == "code" else NAME
                    handled = session.interrupts.answer(asked.id, answer).handled
                assert handled
                note(folder / "answered", asked.id)
            response = session.resume(model=Teller())
        return response


def killed_before(folder: Path, step: int) -> bool:
    """Whether a process that plays the turn came to write number ``step``; it was killed there."""
    child = os.fork()
    if child == 0:
        write, count = SqliteStore.write, 0

        def counted(self: SqliteStore, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return write(self, **options)

        SqliteStore.write = counted  # type: ignore[method-assign]  # the failpoint of this child
        play(folder)
        os._exit(0)
    _pid, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def gone_on(folder: Path, step: int) -> dict[str, Any]:
    """What a second process makes of what the first one left."""
    before = set(lines(folder / "answered"))
    response = play(folder)
    with opened(folder) as session:
        replayed = session.replay()
        left = [asked.id for asked in session.interrupts.pending()]
    said = {m.name: m.content for m in response.messages if m.role == "tool"}
    answered = lines(folder / "answered")
    return {
        "step": step,
        "status": response.status,
        "said": said,
        "effects": lines(folder / "effects"),
        "left": left,
        "twice": [one for one in answered if answered.count(one) > 1],
        "answered_before": len(before),
        "replayed": replayed == response,
    }


class Listener(Teller):
    """A model that asks for nothing more, and remembers what it read."""

    def __init__(self) -> None:
        self.read: list[SealedMessage] = []

    def complete(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> AIMessage:
        self.read = list(messages)
        return AIMessage("I see.")


def given_up(folder: Path, step: int) -> dict[str, Any]:
    """What a model reads in a second process that does not go on with the turn, but begins another one, twice."""
    first, second = Listener(), Listener()
    with opened(folder) as session:
        session.interrupts.destroy()
        try:
            session.invoke([HumanMessage("And?")], model=first)
        except SessionBusy:  # An answer was filed already, and only the turn itself can use it.
            return {"step": step, "busy": True}
        session.invoke([HumanMessage("Well?")], model=second)
        shown = json.dumps([message.model_dump(mode="json") for message in session.history()])
    called = [call.id for message in first.read for call in message.tool_calls]
    return {
        "step": step,
        "busy": False,
        "called": called,
        "answered": [message.tool_call_id for message in first.read if message.role == "tool"],
        "said": {message.name: message.content for message in first.read if message.role == "tool"},
        "kept": [message.content for message in second.read][: len(first.read)]
        == [message.content for message in first.read],
        "effects": lines(folder / "effects"),
        "shown": [value for value in (CODE, NAME) if value in shown],
    }


def play_all(folder: Path) -> None:
    """Every failpoint, each in a folder of its own."""
    for step in range(1, MOST):
        place = folder / str(step)
        place.mkdir()
        died = killed_before(place, step)
        shutil.copytree(place, folder / f"{step} given up")
        child = os.fork()
        if child == 0:
            left = given_up(folder / f"{step} given up", step)
            print(json.dumps({**gone_on(place, step), "died": died, "given_up": left}), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        if not died:
            return


def every_write_was_a_failpoint(played: list[dict[str, Any]]) -> None:
    assert [one["died"] for one in played] == [True] * (len(played) - 1) + [False]
    assert len(played) > 40
    assert {one["answered_before"] for one in played} == {0, 1, 2, 3}


def every_turn_ends_and_no_pause_is_left(played: list[dict[str, Any]]) -> None:
    for one in played:
        assert (one["step"], one["status"], one["left"], one["replayed"]) == (one["step"], "completed", [], True)


def no_tool_runs_twice_and_one_that_never_reported_back_is_said_to_be_unknown(
    played: list[dict[str, Any]],
) -> None:
    effect = {"pay": f"paid-{CODE}", "book": f"booked-{NAME}", "look": "looked"}
    success = {"pay": "paid", "book": "booked", "look": "looked"}
    unknown = 0
    for one in played:
        assert set(one["said"]) == set(effect)
        for tool, text in one["said"].items():
            times = one["effects"].count(effect[tool])
            if text == success[tool]:
                assert (one["step"], tool, times) == (one["step"], tool, 1)
            else:
                unknown += 1
                assert text == "ToolOutcomeUnknown: the call was started and never reported back"
                assert times <= 1
        assert len(one["effects"]) <= 3
    assert unknown > 0


def no_answer_is_asked_for_again(played: list[dict[str, Any]]) -> None:
    for one in played:
        assert (one["step"], one["twice"]) == (one["step"], [])


def what_a_turn_that_was_given_up_did_is_told_to_the_next_ones_model(played: list[dict[str, Any]]) -> None:
    """Nothing that happened is missing, nothing that is said not to have happened has, and every call is answered."""
    effect = {"pay": f"paid-{CODE}", "book": f"booked-{NAME}", "look": "looked"}
    seen: set[str] = set()
    for one in (play["given_up"] for play in played if not play["given_up"]["busy"]):
        assert (one["step"], one["called"], one["kept"]) == (one["step"], one["answered"], True)
        assert (one["step"], one["shown"]) == (one["step"], [])
        assert set(one["effects"]) <= {effect[tool] for tool in one["said"]}
        for tool, text in one["said"].items():
            seen.add(text)
            happened = one["effects"].count(effect[tool])
            assert happened <= 1
            if text in ("paid", "booked", "looked"):
                assert (one["step"], tool, happened) == (one["step"], tool, 1)
            elif not text.startswith("ToolOutcomeUnknown: "):
                assert (one["step"], tool, happened) == (one["step"], tool, 0)
    assert seen >= {"paid", "booked", "looked", UNKNOWN, NOT_RUN}


@pytest.mark.timeout(600)
def test_a_turn_that_is_killed_before_any_write_goes_on_elsewhere(tmp_path: Path) -> None:
    """All claims about one playing of every failpoint, which takes a while."""
    run = subprocess.run(
        [sys.executable, __file__, str(tmp_path)], capture_output=True, text=True, timeout=500, check=False
    )
    assert run.returncode == 0, run.stderr[-2000:]
    played = [json.loads(line) for line in run.stdout.splitlines()]
    every_write_was_a_failpoint(played)
    every_turn_ends_and_no_pause_is_left(played)
    no_tool_runs_twice_and_one_that_never_reported_back_is_said_to_be_unknown(played)
    no_answer_is_asked_for_again(played)
    what_a_turn_that_was_given_up_did_is_told_to_the_next_ones_model(played)


if __name__ == "__main__":
    play_all(Path(sys.argv[1]))
