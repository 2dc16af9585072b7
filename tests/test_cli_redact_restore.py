"""``sealgate redact | sealgate restore`` on bytes, in one pipe and across processes."""

from __future__ import annotations

import json
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Command: TypeAlias = Callable[..., subprocess.CompletedProcess[bytes]]

TEXT = "Ada's account is 1234-5678-9012, mail ada@example.org, card 4111 1111 1111 1111.\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        b"",
        b"no newline at the end, ada@example.org",
        b"\xff\xfe bytes \x80 that are no UTF-8, ada@example.org \xc3",
        "null \0, line \u2028 and astral \U0001f600, mail zo\u00eb@example.org\r\n".encode(),
        b"[ACCOUNT_NUMBER_K7QZ2MXB] looks like a placeholder and is none",
    ],
)
def test_the_pipe_gives_every_byte_back(data: bytes, sealgate_command: Command) -> None:
    redacted = sealgate_command("redact", "--session", "s1", input=data)
    assert (redacted.returncode, redacted.stderr) == (0, b"")
    assert b"ada@example.org" not in redacted.stdout
    restored = sealgate_command("restore", "--session", "s1", input=redacted.stdout)
    assert (restored.returncode, restored.stderr) == (0, b"")
    assert restored.stdout == data


def test_a_session_is_its_tenants(sealgate_command: Command) -> None:
    redacted = sealgate_command("redact", "--tenant", "acme", input=TEXT.encode())
    restored = sealgate_command("restore", "--tenant", "acme", input=redacted.stdout)
    assert restored.stdout == TEXT.encode()
    refused = sealgate_command("restore", input=redacted.stdout)
    assert refused.returncode != 0
    assert refused.stdout == b""


def test_both_ends_of_one_pipe_start_at_once(tmp_path: Path) -> None:
    """Nothing exists yet: ``restore`` waits for its input to end before it looks for the session."""
    command = shlex.join([sys.executable, "-m", "sealgate.gateway"])
    pipe = f"{command} redact --session s1 | {command} restore --session s1"
    done = subprocess.run(
        pipe, shell=True, input=TEXT.encode(), capture_output=True, cwd=tmp_path, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == TEXT.encode()


def test_json_says_what_was_found_and_no_value(sealgate_command: Command) -> None:
    done = sealgate_command("redact", "--json", input=TEXT.encode())
    said = json.loads(done.stdout)
    assert done.stdout.count(b"\n") == 1
    assert said["session"] == "default"
    types = {finding["entity_type"] for finding in said["findings"]}
    assert types >= {"ACCOUNT_NUMBER", "EMAIL_ADDRESS", "CREDIT_CARD"}
    for finding in said["findings"]:
        assert set(finding) == {"entity_type", "start", "end", "score", "recognizer", "placeholder"}
        assert TEXT[finding["start"] : finding["end"]].encode() not in done.stdout
        assert finding["placeholder"] in said["text"]
    restored = sealgate_command("restore", "--json", input=said["text"].encode())
    assert json.loads(restored.stdout) == {"session": "default", "text": TEXT, "unresolved": []}


def test_json_survives_bytes_that_are_no_text(sealgate_command: Command) -> None:
    said = json.loads(sealgate_command("redact", "--json", input=b"\xff ada@example.org").stdout)
    assert said["text"].startswith("\udcff [EMAIL_ADDRESS_")


def test_the_default_vault_is_in_the_data_directory_and_private(own_home: Path, sealgate_command: Command) -> None:
    assert sealgate_command("redact", input=TEXT.encode()).returncode == 0
    found = list(own_home.rglob("sealgate.db"))
    assert len(found) == 1
    assert found[0].parent.name == "sealgate"
    assert stat.S_IMODE(found[0].parent.stat().st_mode) == 0o700
    assert b"1234-5678-9012" not in found[0].read_bytes()


def test_another_vault_is_another_world(tmp_path: Path, sealgate_command: Command) -> None:
    redacted = sealgate_command("redact", "--vault", "one.db", input=TEXT.encode()).stdout
    assert (tmp_path / "one.db").is_file()
    done = sealgate_command("restore", "--vault", "two.db", input=redacted)
    assert (done.returncode, done.stdout) == (3, b"")


def test_restore_never_creates_a_session(sealgate_command: Command) -> None:
    assert sealgate_command("redact", "--session", "s1", input=TEXT.encode()).returncode == 0
    for _ in range(2):
        done = sealgate_command("restore", "--session", "s2", input=b"x")
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (3, b"", 1)


def test_foreign_placeholders_stay_and_are_listed(sealgate_command: Command) -> None:
    text = b"[EMAIL_ADDRESS_BCDFGHJK] is of nobody"
    sealgate_command("redact", input=b"x")
    assert sealgate_command("restore", input=text).stdout == text
    assert json.loads(sealgate_command("restore", "--json", input=text).stdout)["unresolved"] == [
        "[EMAIL_ADDRESS_BCDFGHJK]"
    ]


def test_a_file_that_is_no_vault_is_left_alone(tmp_path: Path, sealgate_command: Command) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"these are notes\n" * 100)
    done = sealgate_command("redact", "--vault", str(path), input=TEXT.encode())
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (3, b"", 1)
    assert path.read_bytes() == b"these are notes\n" * 100


def test_closed_standard_input_is_bad_input(tmp_path: Path) -> None:
    for name in ("redact", "restore"):
        command = f"exec {shlex.join([sys.executable, '-m', 'sealgate.gateway', name])} <&-"
        done = subprocess.run(command, shell=True, capture_output=True, cwd=tmp_path, timeout=60, check=False)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr == b"sealgate: standard input is closed\n"
