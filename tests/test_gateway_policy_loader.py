"""A policy file is read strictly; what is wrong is told by line and key, never by value."""

from __future__ import annotations

from pathlib import Path

import pytest

from sealgate.gateway import Gateway, InvalidPolicy, Policy
from sealgate.gateway.policy.loader import MAX_BYTES, load_policy

TOML = """version = 1

[[rules]]
tool = "charge"
argument = "payment.card"
types = ["CREDIT_CARD"]
uses = 2
lifetime = 600
approval = true

[rules.destination]
argument = "url"
hosts = ["api.bank.example", "*.bank.example:8443"]

[[rules]]
purpose = "restore"
types = ["PERSON"]
origins = ["person", "tool:crm"]
"""

YAML = """version: 1
rules:
  - tool: charge
    argument: payment.card
    types: [CREDIT_CARD]
    uses: 2
    lifetime: 600
    approval: true
    destination: {argument: url, hosts: [api.bank.example, "*.bank.example:8443"]}
  - purpose: restore
    types: [PERSON]
    origins: [person, "tool:crm"]
"""


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_toml_and_yaml_say_the_same(tmp_path: Path) -> None:
    toml = load_policy(written(tmp_path, "p.toml", TOML))
    assert toml == load_policy(written(tmp_path, "p.yaml", YAML)) == load_policy(str(written(tmp_path, "p.yml", YAML)))
    assert [rule.purpose for rule in toml.rules] == ["inject", "restore"]


RULE = "version = 1\n[[rules]]\ntool = 't'\nargument = 'a'\ntypes = ['PIN']\n"

HOST = "rules[0].destination.hosts[0]: a host is"

WRONG = [
    ("p.toml", "", "line 1, version: Field required"),
    ("p.toml", "version = 2\n", "line 1, version: Input should be 1"),
    ("p.toml", "version = 1\nrules = 3\n", "line 2, rules: "),
    ("p.toml", "version = 1\n[[rules]\n", "line 2: not TOML"),
    ("p.toml", "version = 1\nversion = 1\n", "line 2: not TOML"),
    ("p.toml", RULE + "argumet = 'hunter2'\n", "line 6, rules[0].argumet: Extra inputs are not permitted"),
    ("p.toml", RULE + "uses = 'hunter2'\n", "line 6, rules[0].uses: Input should be a valid integer"),
    ("p.toml", RULE + "uses = 0\n", "line 6, rules[0].uses: "),
    ("p.toml", RULE + "approval = 1\n", "line 6, rules[0].approval: "),
    ("p.toml", RULE + "origins = ['hunter2']\n", "line 6, rules[0].origins[0]: an origin is"),
    ("p.toml", RULE.replace("PIN", "hunter2"), "line 5, rules[0].types[0]: not an entity type"),
    ("p.toml", RULE.replace("['PIN']", "[]"), "line 5, rules[0].types: "),
    ("p.toml", RULE.replace("'a'", "'a b'"), "line 4, rules[0].argument: an argument is"),
    ("p.toml", RULE.replace("'t'", "'hunter 2'"), "line 3, rules[0].tool: a tool's name"),
    ("p.toml", RULE.replace("tool = 't'\n", ""), "line 2, rules[0]: a rule for a tool names"),
    ("p.toml", RULE + "purpose = 'reveal'\n", "line 2, rules[0]: a tool, an argument"),
    ("p.toml", RULE + "[rules.destination]\nargument = 'u'\nhosts = ['Hunter2.EXAMPLE']\n", f"line 8, {HOST}"),
    ("p.toml", RULE + "destination = {argument = 'u', hosts = ['x:70000']}\n", f"line 6, {HOST}"),
    ("p.toml", RULE + RULE.removeprefix("version = 1\n").replace("PIN", "PIM"), "line 9, rules[1].types[0]: not an"),
    ("p.yaml", "version: 1\nrules:\n  - types: [PIN]\n    purpose: facts\n    uses: yes\n", "line 5, rules[0].uses: "),
    ("p.yaml", "version: 1\nversion: 1\n", "line 2: a key that stands twice"),
    ("p.yaml", "version: 1\nrules: &r []\nother: *r\n", "line 3: a YAML alias"),
    ("p.yaml", "version: [\n", "line 2: not YAML"),
    ("p.yaml", "!!python/object/apply:os.system ['true']\n", "line 1"),
    ("p.yaml", "- 1\n", "line 1, the document: "),
    ("p.json", "{}", "a policy is a .toml, .yaml or .yml file"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "told"), WRONG, ids=[told for _name, _text, told in WRONG])
def test_what_is_wrong_is_told_by_line_and_key(tmp_path: Path, name: str, text: str, told: str) -> None:
    with pytest.raises(InvalidPolicy) as wrong:
        load_policy(written(tmp_path, name, text))
    assert told in str(wrong.value)
    assert "unter" not in str(wrong.value)
    assert wrong.value.__cause__ is None
    assert wrong.value.__context__ is None


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"version = '\xff'")
    (tmp_path / "large.toml").write_bytes(b"#" * (MAX_BYTES + 1))
    for name, told in (("none.toml", "FileNotFoundError"), ("latin.toml", "not UTF-8"), ("large.toml", "larger than")):
        with pytest.raises(InvalidPolicy, match=told):
            load_policy(tmp_path / name)


def test_a_gateway_takes_a_file_or_a_policy_and_changes_nothing_for_a_wrong_one(tmp_path: Path) -> None:
    with Gateway.open(":memory:", policy=written(tmp_path, "p.toml", TOML)) as gateway:
        assert gateway.policy.document == load_policy(tmp_path / "p.toml")
    with Gateway.open(":memory:", policy=Policy(version=1)) as gateway:
        assert gateway.policy.receivable() == ()
    with pytest.raises(InvalidPolicy):
        Gateway.open(tmp_path / "v.db", policy=written(tmp_path, "q.toml", "version = 3\n"))
    assert not (tmp_path / "v.db").exists()
