"""The terminal handler, at real terminals: each case is a process of its own on a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import textwrap
from collections.abc import Iterator, Sequence
from time import monotonic

import pytest

from sealgate.gateway.interrupts.terminal import chosen, listed

CANARY = "canary-7f3a91"

CONTROL = """
import os
os.close(os.open(os.ttyname(2), os.O_RDWR))  # The first terminal that a session's leader opens controls it.
"""

ASK = """
import json, os, sys, traceback
from sealgate.gateway.interrupts import terminal
from sealgate.gateway.interrupts.handlers import DEADLINE
report = os.fdopen(int(sys.argv[1]), "w")
try:
    outcome = {call}
except BaseException as error:
    outcome = [type(error).__name__, "".join(traceback.format_exception(error))]
report.write(json.dumps(outcome))
report.close()
"""


class Terminal:
    """A child process whose controlling terminal is a pseudo-terminal of ours, and what it showed."""

    def __init__(self, call: str, *, stdin: int | None = None, stdout: int | None = None) -> None:
        self.master, slave = pty.openpty()
        self.settings = termios.tcgetattr(slave)
        self.report, write = os.pipe()
        self.shown = b""
        self.process = subprocess.Popen(
            [sys.executable, "-c", CONTROL + ASK.format(call=call), str(write)],
            stdin=slave if stdin is None else stdin,
            stdout=slave if stdout is None else stdout,
            stderr=slave,
            pass_fds=(write,),
            start_new_session=True,
        )
        os.close(write)
        self.slave = slave

    def wait_for(self, text: str) -> None:
        """Read until the child has shown that text."""
        until = monotonic() + 60
        while text.encode() not in self.shown:
            assert monotonic() < until, "the child never showed what was waited for"
            assert self.process.poll() is None, "the child ended too early"
            if select.select([self.master], [], [], 0.2)[0]:
                self.shown += os.read(self.master, 4096)

    def wait_for_echo(self, on: bool) -> None:
        until = monotonic() + 60
        while bool(termios.tcgetattr(self.slave)[3] & termios.ECHO) is not on:
            assert monotonic() < until, "the terminal's echo never changed"
            assert self.process.poll() is None, "the child ended too early"
            select.select([], [], [], 0.01)

    def type(self, text: str) -> None:
        os.write(self.master, text.encode("utf-8", "surrogateescape"))

    def outcome(self) -> str:
        """What the call gave, as JSON, once the child has ended."""
        said = b""
        while chunk := os.read(self.report, 4096):
            said += chunk
        self.process.wait(timeout=60)
        while select.select([self.master], [], [], 0.05)[0]:
            self.shown += os.read(self.master, 4096)
        return said.decode()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=60)
        for descriptor in (self.master, self.slave, self.report):
            os.close(descriptor)


@pytest.fixture
def opened() -> Iterator[list[Terminal]]:
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


def ask(opened: list[Terminal], arguments: str, **descriptors: int) -> Terminal:
    opened.append(Terminal(f"terminal.default_terminal_interrupt({arguments})", **descriptors))
    return opened[-1]


def test_an_ordinary_answer_is_one_echoed_line(opened: list[Terminal]) -> None:
    terminal = ask(opened, "'Your name: '")
    terminal.wait_for("Your name: ")
    terminal.type("Ada Lovelace \n")
    assert terminal.outcome() == '"Ada Lovelace "'
    assert b"Your name: Ada Lovelace" in terminal.shown


@pytest.mark.parametrize("arguments", ["'Code: ', secret=True", "'Code: ', 'password'"])
def test_a_secret_is_not_echoed(opened: list[Terminal], arguments: str) -> None:
    terminal = ask(opened, arguments)
    terminal.wait_for("Code: ")
    terminal.wait_for_echo(False)
    terminal.type(CANARY + "\n")
    assert terminal.outcome() == f'"{CANARY}"'
    assert CANARY.encode() not in terminal.shown
    assert termios.tcgetattr(terminal.slave) == terminal.settings


def test_a_secret_is_read_from_the_terminal_and_not_from_standard_input(opened: list[Terminal]) -> None:
    read, write = os.pipe()
    os.write(write, b"from-standard-input\n")
    with open(os.devnull, "wb") as nowhere:
        terminal = ask(opened, "'Code: ', secret=True", stdin=read, stdout=nowhere.fileno())
        terminal.wait_for("Code: ")
        terminal.type(CANARY + "\n")
        assert terminal.outcome() == f'"{CANARY}"'
    os.close(read)
    os.close(write)


def test_what_was_typed_ahead_of_a_secret_is_dropped(opened: list[Terminal]) -> None:
    terminal = ask(opened, "'Code: ', secret=True) if os.read(0, 1) else (''")
    terminal.type("\ntoo-early\n")
    terminal.wait_for("Code: ")
    terminal.type("right\n")
    assert terminal.outcome() == '"right"'


def test_what_is_left_over_after_a_secret_is_dropped(opened: list[Terminal]) -> None:
    """The rest of a pasted secret must not become a command of the shell."""
    terminal = ask(opened, "'Code: ', secret=True) + '/' + terminal.default_terminal_interrupt('Next: '")
    terminal.wait_for("Code: ")
    terminal.type(f"first\n{CANARY}\n")
    terminal.wait_for("Next: ")
    terminal.type("second\n")
    assert terminal.outcome() == '"first/second"'
    assert CANARY.encode() not in terminal.shown


def test_interrupting_a_secret_gives_the_echo_back(opened: list[Terminal]) -> None:
    terminal = ask(opened, "'Code: ', secret=True")
    terminal.wait_for("Code: ")
    terminal.type(CANARY + "\x03")
    said = terminal.outcome()
    assert said.startswith('["KeyboardInterrupt"')
    assert CANARY not in said
    assert termios.tcgetattr(terminal.slave) == terminal.settings


def test_a_process_that_exits_while_a_thread_asks_gives_the_echo_back(opened: list[Terminal]) -> None:
    thread = "Thread(target=terminal.default_terminal_interrupt, args=('Code: ', 'password'), daemon=True)"
    opened.append(Terminal(f"(__import__('threading').{thread}.start(), __import__('time').sleep(60))"))
    terminal = opened[0]
    terminal.wait_for_echo(False)
    terminal.process.send_signal(signal.SIGINT)
    terminal.outcome()
    assert termios.tcgetattr(terminal.slave) == terminal.settings


def test_the_end_of_input_cancels_a_secret(opened: list[Terminal]) -> None:
    terminal = ask(opened, "'Code: ', secret=True")
    terminal.wait_for("Code: ")
    terminal.type("\x04")
    assert terminal.outcome().startswith('["InterruptCancelled"')
    assert termios.tcgetattr(terminal.slave) == terminal.settings


@pytest.mark.parametrize("secret", [True, False])
def test_the_terminal_is_let_go_at_the_deadline(opened: list[Terminal], secret: bool) -> None:
    terminal = ask(opened, f"'Code: ', secret={secret}) if DEADLINE.set(1.0) else (''")
    assert terminal.outcome().startswith('["InterruptTimeout"')
    assert termios.tcgetattr(terminal.slave) == terminal.settings


@pytest.mark.parametrize(("typed", "error"), [("\udcff\udcfe", "InvalidAnswer"), ("x" * 4095, "InvalidAnswer")])
def test_secrets_that_cannot_be_read_are_refused_without_showing_them(
    opened: list[Terminal], typed: str, error: str
) -> None:
    terminal = ask(opened, "'Code: ', secret=True")
    terminal.wait_for("Code: ")
    terminal.type(typed + "\n")
    said = terminal.outcome()
    assert said.startswith(f'["{error}"')
    assert "xxxx" not in said
    assert "ff" not in said.replace("off", "")
    assert termios.tcgetattr(terminal.slave) == terminal.settings


def test_choices_are_listed_above_the_prompt(opened: list[Terminal]) -> None:
    terminal = ask(opened, "'Size? ', 'choice', ['small', 'large']")
    terminal.wait_for("Size? ")
    terminal.type("2\n")
    assert terminal.outcome() == '"large"'
    assert b"  1. small\r\n  2. large\r\nSize? " in terminal.shown


def detached(call: str, stdin: bytes | None = b"", close: bool = False) -> subprocess.CompletedProcess[bytes]:
    """The call in a process without a controlling terminal, its outcome on standard output."""
    program = textwrap.dedent(ASK).replace('os.fdopen(int(sys.argv[1]), "w")', "sys.stdout").format(call=call)
    before = "import sys; sys.stdin.close(); " if close else ""
    return subprocess.run(
        [sys.executable, "-c", f"{before}\n{program}"],
        input=stdin,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        start_new_session=True,
        check=False,
        timeout=60,
    )


def test_no_terminal_no_secret() -> None:
    done = detached("terminal.default_terminal_interrupt('Code: ', secret=True)", CANARY.encode() + b"\n")
    assert done.stdout.startswith(b'["NoTerminal"')
    assert CANARY.encode() not in done.stdout + done.stderr


@pytest.mark.parametrize(("stdin", "close"), [(b"", False), (b"unread\n", True)])
def test_standard_input_that_has_ended_cancels(stdin: bytes, close: bool) -> None:
    done = detached("terminal.default_terminal_interrupt('Name: ')", stdin, close)
    assert b'["InterruptCancelled"' in done.stdout


@pytest.mark.parametrize(
    ("stdin", "expected"),
    [
        (b"Ada\n", b'"Ada"'),
        (b"Ada\r\n", b'"Ada"'),
        (b"  Ada  \nrest\n", b'"  Ada  "'),
        (b"no break", b'"no break"'),
        (b"\n", b'""'),
    ],
)
def test_one_line_of_standard_input(stdin: bytes, expected: bytes) -> None:
    done = detached("terminal.default_terminal_interrupt('Name: ')", stdin)
    assert done.stdout == b"Name: " + expected
    assert done.stderr == b""


def test_the_rest_of_a_line_that_is_too_long_answers_no_other_prompt() -> None:
    program = """
    import sys
    from sealgate.gateway.interrupts.terminal import default_terminal_interrupt
    from sealgate.models.errors import InvalidAnswer
    try:
        default_terminal_interrupt("First: ")
    except InvalidAnswer:
        print(default_terminal_interrupt("Second: "))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        input=b"x" * 50_000 + b"\nright\n",
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == b"First: Second: right\n"


@pytest.mark.parametrize("stdin", [CANARY.encode() + b"\xff\n", CANARY.encode() * 2_000 + b"\n"])
def test_lines_that_cannot_be_read_are_not_shown(stdin: bytes) -> None:
    done = detached("terminal.default_terminal_interrupt('Name: ')", stdin)
    assert b'["InterruptCancelled"' in done.stdout or b'["InvalidAnswer"' in done.stdout
    assert CANARY.encode() not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("answer", "choices", "expected"),
    [
        ("2", ["a", "b"], "b"),
        (" 2 ", ["a", "b"], "b"),
        ("a", ["a", "b"], "a"),
        (" b", ["a", "b"], "b"),
        ("1", ["2", "1"], "1"),
        ("3", ["a", "b"], "3"),
        ("0", ["a", "b"], "0"),
        ("-1", ["a", "b"], "-1"),
        ("²", ["a", "b"], "²"),
        ("9" * 5_000, ["a"], "9" * 5_000),
        ("", ["a"], ""),
        ("1", [], "1"),
    ],
)
def test_a_choice_by_text_or_number(answer: str, choices: Sequence[str], expected: str) -> None:
    assert chosen(answer, choices) == expected


def test_a_prompt_cannot_steer_the_terminal() -> None:
    assert (
        listed("\x1b[2J\u202eprompt\r\x07: ", ["one\x1b[31m"])
        == "  1. one\ufffd[31m\n\ufffd[2J\ufffdprompt\ufffd\ufffd: "
    )
    assert listed("Línea: ñ\t\n", []) == "Línea: ñ\t\n"
