"""What the README shows is true: its blocks run, its picture is what the demo prints, its commands are those of CI."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from sealgate.models.placeholder import STRICT

Command: TypeAlias = Callable[..., subprocess.CompletedProcess[bytes]]

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def without_codes(text: str) -> str:
    """The text with every placeholder's code made the same, as a session's codes are its own, and without the number of
    audit rows."""
    same = STRICT.sub(lambda found: f"[{found['type']}_{'X' * len(found['code'])}]", text)
    return re.sub(r"Audit chain: \d+ rows", "Audit chain: N rows", same)


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_each_python_block_runs(number: int, tmp_path: Path) -> None:
    script = blocks("python")[number]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    # A comment behind a print says what it prints; an ellipsis stands for the code of a placeholder.
    promised = re.findall(r"^\s*print\(.*\)  # (.*)$", script, re.MULTILINE)
    printed = done.stdout.decode("utf-8").splitlines()
    assert len(printed) == len(promised)
    for line, promise in zip(printed, promised, strict=True):
        assert re.fullmatch(re.escape(promise).replace("…", r"[0-9A-Z.]+"), line)


def test_there_are_blocks() -> None:
    assert len(blocks("python")) >= 4
    assert len(blocks("sh")) == 4
    assert len(blocks("text")) == 1


def test_the_policy_is_one(sealgate_command: Command, tmp_path: Path) -> None:
    (policy,) = blocks("toml")
    (tmp_path / "policy.toml").write_text(policy, "utf-8")
    said = sealgate_command("policy", "check", str(tmp_path / "policy.toml"))
    assert said.returncode == 0
    assert b"pay.headers{}  API_KEY  from application; only if" in said.stdout


def test_the_short_example_is_short() -> None:
    example = [line for line in blocks("python")[0].splitlines() if line.strip()]
    assert len(example) <= 13


def test_the_picture_is_what_the_demo_prints(sealgate_command: Command) -> None:
    done = sealgate_command("demo")
    assert done.returncode == 0
    assert without_codes(done.stdout.decode("utf-8")).strip() == without_codes(blocks("text")[0]).strip()


def test_the_pipe_gives_its_input_back(sealgate_command: Command) -> None:
    (pipe,) = [block for block in blocks("sh") if "redact" in block]
    assert pipe.strip() == 'echo "Mail ada@example.org" | sealgate redact --session s1 | sealgate restore --session s1'
    redacted = sealgate_command("redact", "--session", "s1", input=b"Mail ada@example.org\n")
    restored = sealgate_command("restore", "--session", "s1", input=redacted.stdout)
    assert restored.stdout == b"Mail ada@example.org\n"


def test_the_test_command_is_what_ci_runs() -> None:
    (command,) = [block.strip() for block in blocks("sh") if "pytest" in block]
    assert command.endswith("/pytest")
    assert "sed -n" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).is_file()
