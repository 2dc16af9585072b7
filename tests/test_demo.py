"""The demo as a user runs it; and a leak check that notices when a promise is broken."""

from __future__ import annotations

import fcntl
import io
import json
import os
import shlex
import subprocess
import sys
import termios
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import pytest

from sealgate.gateway.cli import demo as command
from sealgate.gateway.cli.answers import MADE_UP, Answers, scripted_answers
from sealgate.gateway.cli.demo import as_text, run_demo
from sealgate.gateway.events import bridge, reader
from sealgate.gateway.tools import injection
from sealgate.gateway.turn import arguments, model_step, tool_step
from sealgate.models.messages import SealedCall, SealedMessage, sealing
from sealgate.redaction import Redactor
from sealgate.vault import envelope, opening

Command: TypeAlias = Callable[..., subprocess.CompletedProcess[bytes]]
Patch: TypeAlias = pytest.MonkeyPatch

DEMO = (sys.executable, "-m", "sealgate.gateway", "demo")
GIVEN = {"account_number": "9876-5432-1098", "otp_code": "001122"}


def run(answers: dict[str, str] = MADE_UP) -> command.Demo:
    return run_demo(Answers(scripted_answers(answers)))


def test_the_tool_gets_everything_and_nobody_else_anything() -> None:
    done = run(GIVEN)
    assert done.passed
    assert done.report.leaks == ()
    assert done.witnesses.tools[0] == ("pay", {"amount": 84.2, **GIVEN})
    assert len(done.report.places) >= 16
    assert {"model", "browser", "log at DEBUG", "file demo.db", "file demo.db-wal", "records: step"} <= set(
        done.report.places
    )
    assert GIVEN["account_number"] in done.reply


def test_the_picture_fits_and_has_four_columns() -> None:
    lines = as_text(run()).splitlines()
    assert max(map(len, lines)) <= 100
    assert [title.strip() for title in lines[1].split("|")] == [
        "PERSON TYPED",
        "MODEL SAW",
        "TOOL RECEIVED",
        "BROWSER WOULD GET",
    ]
    assert "GrantRefused" in "\n".join(lines)
    assert lines[-1].startswith("Leak check: 0 leaks in ")


@pytest.mark.parametrize(
    "answers",
    [
        {"account_number": "I do not know it", "otp_code": "482913"},
        {"account_number": "1234-5678-9012", "otp_code": "48"},
        {"account_number": "1234-5678-9012", "otp_code": "482913 or 771204"},
    ],
)
def test_an_answer_that_is_none_fails_and_does_not_leak(answers: dict[str, str]) -> None:
    done = run(answers)
    assert not done.delivered
    assert done.witnesses.tools == []
    assert done.report.leaks == ()
    assert "The tool did not receive what the person typed." in as_text(done)


# Each of these breaks one promise in our own code, with what stands behind it, and the leak check must notice.


def break_p1(patch: Patch) -> None:
    """Nothing is redacted on its way to the model."""
    patch.setattr(Redactor, "redact_message", lambda self, message, **options: unredacted(message))
    patch.setattr(Redactor, "rescrub", lambda self, message: message)
    patch.setattr(model_step, "check_outgoing", lambda *arguments: None)


def break_p2(patch: Patch) -> None:
    """The injected call is the one in the state, not a copy."""
    complete, fill = arguments.complete_arguments, injection.inject

    def shared(context: Any, tool: Any, call: Any, state: Any) -> injection.Injection:
        call.arguments.update(complete(context, tool, call, state).arguments)
        return replace(complete(context, tool, call, state), arguments=call.arguments)

    def in_place(opener: Any, asked: injection.Injection, *policy: Any) -> dict[str, object]:
        cast("dict[str, object]", asked.arguments).update(fill(opener, asked, *policy))
        return dict(asked.arguments)

    patch.setattr(tool_step, "complete_arguments", shared)
    patch.setattr(tool_step, "inject", in_place)


def break_p3(patch: Patch) -> None:
    """Every placeholder opens for every argument."""
    patch.setattr(opening, "refusal", lambda purpose, facts, valid: None)


def break_p4(patch: Patch) -> None:
    """What a tool returns is passed on."""
    patch.setattr(tool_step, "redact_result", lambda redactor, tool, result, *options: result)
    patch.setattr(tool_step, "hide_split", lambda sealed, *known: sealed)
    patch.setattr(tool_step, "scrub_text", lambda text, pieces: text)
    patch.setattr(Redactor, "rescrub", lambda self, message: message)
    patch.setattr(model_step, "check_outgoing", lambda *arguments: None)


def break_p5(patch: Patch) -> None:
    """Events go to the browser as they come."""
    for module in (bridge, reader):
        patch.setattr(module, "filtered", lambda payload, known, audience="frontend_safe", **options: payload)
        patch.setattr(module, "filter_event", lambda event, known, audience="frontend_safe", **options: event)


def break_p6(patch: Patch) -> None:
    """The vault stores what it is given."""
    patch.setattr(envelope.Cipher, "encrypt", lambda self, plaintext, associated: plaintext)
    patch.setattr(envelope.Cipher, "decrypt", lambda self, ciphertext, associated: ciphertext)


def unredacted(message: Any) -> SealedMessage:
    calls = getattr(message, "tool_calls", ())
    with sealing():
        return SealedMessage(
            role=message.role,
            content=message.content,
            tool_calls=tuple(SealedCall(id=call.id, name=call.name, arguments=call.arguments) for call in calls),
        )


@pytest.mark.parametrize(
    ("broken", "place", "name"),
    [
        (break_p1, "model", "email"),
        (break_p2, "hooks", "otp_code #2"),
        (break_p3, "send_mail body", "account_number #1"),
        (break_p4, "model", "account_number #1"),
        (break_p5, "browser", "account_number #1"),
        (break_p6, "file demo.db-wal", "otp_code #2"),
    ],
)
def test_a_broken_promise_is_reported(
    broken: Callable[[Patch], None], place: str, name: str, monkeypatch: pytest.MonkeyPatch, sealgate_command: Command
) -> None:
    broken(monkeypatch)
    done = sealgate_command("demo", "--json")
    said = json.loads(done.stdout)
    assert done.returncode == 1
    assert (place, name) in {(leak["place"], leak["name"]) for leak in said["leaks"]}
    assert not said["summary"].startswith("0 leaks")


@pytest.mark.parametrize("suffix", ["json", "toml"])
def test_answers_from_a_file(suffix: str, tmp_path: Path, sealgate_command: Command) -> None:
    lines = [f'{name} = "{value}"' for name, value in GIVEN.items()]
    path = tmp_path / f"answers.{suffix}"
    path.write_text(json.dumps(GIVEN) if suffix == "json" else "\n".join(lines), "utf-8")
    done = sealgate_command("demo", "--answers", str(path))
    assert (done.returncode, done.stderr) == (0, b"")
    assert GIVEN["otp_code"].encode() in done.stdout
    assert b"Leak check: 0 leaks in" in done.stdout


def test_json_for_machines(sealgate_command: Command) -> None:
    done = sealgate_command("demo", "--json")
    assert (done.returncode, done.stderr, done.stdout.count(b"\n")) == (0, b"", 1)
    said = json.loads(done.stdout)
    assert said["typed"] == MADE_UP
    assert said["tool"][0]["arguments"]["otp_code"] == MADE_UP["otp_code"]
    assert said["delivered"] is True
    assert said["leaks"] == []
    assert said["summary"] == f"0 leaks in {len(said['places'])} places"
    seen = json.dumps([said["model"], said["browser"]])
    assert not any(value in seen for value in MADE_UP.values())
    assert {event["type"] for event in said["browser"]} >= {"interrupt.requested", "tool.completed", "final"}


def test_with_standard_input_closed_it_answers_itself(tmp_path: Path) -> None:
    done = subprocess.run(
        f"exec {shlex.join(DEMO)} <&-", shell=True, capture_output=True, cwd=tmp_path, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Leak check: 0 leaks in" in done.stdout


def test_it_leaves_nothing_behind(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    run()
    assert list(temporary.iterdir()) == []
    assert [path for path in own_home.rglob("*") if path.is_file()] == []


def own_terminal() -> None:
    """In the child: standard input becomes its controlling terminal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def read_until(terminal: int, text: bytes, seen: bytearray) -> None:
    while text not in seen:
        seen += os.read(terminal, 65536)


def test_a_person_at_a_terminal(tmp_path: Path) -> None:
    """The account number is typed openly; the code is read from the terminal and never echoed."""
    ours, theirs = os.openpty()
    with subprocess.Popen(
        DEMO,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        start_new_session=True,
        preexec_fn=own_terminal,  # noqa: PLW1509
    ) as process:
        os.close(theirs)
        seen = bytearray()
        with io.FileIO(ours, "r+") as terminal:
            read_until(ours, b"Account number: ", seen)
            terminal.write(b"9876-5432-1098\n")
            read_until(ours, b"6-digit code we texted: ", seen)
            terminal.write(b"001122\n")
            read_until(ours, b"PERSON TYPED", seen)
            asked = bytes(seen).partition(b"PERSON TYPED")[0]
            read_until(ours, b" places", seen)
            assert process.wait(timeout=60) == 0
    assert b"9876-5432-1098" in asked
    assert b"001122" not in asked
    assert bytes(seen).count(b"001122") == 2
    assert b"Leak check: 0 leaks in" in seen
