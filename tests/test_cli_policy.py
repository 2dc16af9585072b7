"""``sealgate policy check`` validates a file and reads it out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

POLICY = """version = 1
[[rules]]
tool = "charge"
argument = "card"
types = ["CREDIT_CARD"]
uses = 1
lifetime = 600
approval = true
destination = { argument = "url", hosts = ["api.bank.example"] }
[[rules]]
purpose = "restore"
types = ["PERSON"]
"""


CONDITIONS = (
    "only if the url in url is at api.bank.example; at most 1 call for one value; within 600 s of sealing; "
    "after an approval of the very call"
)


def test_it_lists_what_each_tool_can_receive(tmp_path: Path, sealgate_command: Callable[..., Any]) -> None:
    (tmp_path / "policy.toml").write_text(POLICY, "utf-8")
    done = sealgate_command("policy", "check", "policy.toml")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines() == [
        "(restore)  PERSON  from person, application, interrupt",
        "charge.card  CREDIT_CARD  from person, application, interrupt; " + CONDITIONS,
        "(reveal)  everything, as no rule names this purpose",
        "Everything else is refused.",
    ]
    listed = json.loads(sealgate_command("policy", "check", "--json", "policy.toml").stdout)
    assert [line["target"] for line in listed["rules"]] == ["(restore)", "charge.card"]


def test_a_wrong_file_is_one_line_and_a_code(tmp_path: Path, sealgate_command: Callable[..., Any]) -> None:
    (tmp_path / "policy.toml").write_text(POLICY.replace("CREDIT_CARD", "hunter2"), "utf-8")
    done = sealgate_command("policy", "check", "policy.toml")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"sealgate: policy.toml, line 5, rules[0].types[0]: not an entity type of sealgate\n"
    assert sealgate_command("policy", "check", "none.toml").returncode == 2
