"""The command: help and version, one line and an exit code for every error, and no value in either."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

import click
import pytest

from sealgate.gateway.cli import command
from sealgate.models.errors import DetectionFailed, InvalidName, LimitExceeded, WrongKey

Command: TypeAlias = Callable[..., subprocess.CompletedProcess[bytes]]

SECRET = "4242-secret-4242"
COMMAND = (sys.executable, "-m", "sealgate.gateway")


def complaint(done: subprocess.CompletedProcess[bytes]) -> str:
    """The one line on standard error."""
    assert done.stdout == b""
    lines = done.stderr.decode("utf-8").splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("sealgate: ")
    return lines[0].removeprefix("sealgate: ")


def test_version_and_help(sealgate_command: Command, sealgate_process: Command) -> None:
    assert sealgate_process("--version").stdout.decode("utf-8") == f"sealgate {version('sealgate')}\n"
    shown = sealgate_command("--help").stdout.decode("utf-8")
    for name in ("demo", "redact", "restore"):
        assert name in shown
        assert b"Usage: sealgate " in sealgate_command(name, "--help").stdout


@pytest.mark.parametrize("absent", ["serve", "proxy", "audit", "check"])
def test_what_does_not_exist_yet_is_absent(absent: str, sealgate_command: Command) -> None:
    done = sealgate_command(absent)
    assert done.returncode == 2
    assert complaint(done) == "there is no such command (see sealgate --help)"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("redact", SECRET), "unexpected argument; text is read from standard input"),
        (("redact", f"--{SECRET}"), "there is no such option (see sealgate redact --help)"),
        (("redact", "--session"), "--session is not used like this"),
        (("restore", SECRET, SECRET), "unexpected argument"),
        ((SECRET,), "there is no such command"),
        ((), "a command is missing (see sealgate --help)"),
        (("redact", "--session", "x" * 400), ""),
        (("redact", "--vault", ":memory:"), "--vault names a file"),
        (("redact", "--vault", ""), "--vault names a file"),
        (("demo", "--answers", "/nowhere/answers.json"), "the answers file cannot be read: No such file or directory"),
    ],
)
def test_wrong_usage_is_one_line_that_quotes_nothing(
    arguments: tuple[str, ...], said: str, sealgate_command: Command
) -> None:
    done = sealgate_command(*arguments, input=b"x")
    line = complaint(done)
    assert line.startswith(said)
    assert SECRET not in line
    assert "x" * 400 not in line
    assert done.returncode == 2


def test_restore_makes_no_vault(sealgate_command: Command, tmp_path: Path) -> None:
    done = sealgate_command("restore", "--vault", str(tmp_path / "mistyped.db"), input=b"x")
    assert (done.returncode, complaint(done)) == (3, "there is no vault at this place")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InvalidName("a name is short"), 2, "a name is short"),
        (WrongKey("not the key\nof this vault"), 3, "not the key of this vault"),
        (LimitExceeded("too long", 5), 4, "too long"),
        (DetectionFailed("ner", "OSError"), 4, "recognizer 'ner' failed"),
        (OSError(28, "No space left on device", f"/tmp/{SECRET}"), 4, "no space left on device"),
        (ValueError(SECRET), 4, "unexpected ValueError"),
        (click.Abort(), 130, "interrupted"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_errors_have_their_codes(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(command.sealgate, "main", fail)
    with pytest.raises(SystemExit) as ended:
        command.main([])
    assert ended.value.code == code
    printed = capsys.readouterr()
    assert printed.err.startswith(f"sealgate: {said}")
    assert printed.err.count("\n") == 1
    assert SECRET not in printed.err + printed.out


def test_a_reader_that_has_gone_is_no_error_message(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*COMMAND, "redact"],
            input=b"nothing private here\n",
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_ctrl_c_while_it_reads_is_one_line(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "redact"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as process:
        assert process.stdin is not None
        # A pipe holds less than this, so the write ends only when the command reads.
        process.stdin.write(b"x" * 1_000_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
    assert (process.returncode, out, said) == (130, b"", b"sealgate: interrupted\n")
