"""Every known attack on a vault has a test that is named by it, on every engine that it can be tried on.

The identifiers are those of the collection of cases that the vault was built against: ``test_v09_…`` holds V09. Tests
of several cases have several of them in their name.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

ALL = "engine"
"""The fixture that runs a test on SQLite, PostgreSQL and Valkey."""

CASES = {
    **dict.fromkeys(["V01", "V02", "V03", "V04", "V05", "V06", "V07", "V08", "V09"], ALL),  # changed and moved rows
    **dict.fromkeys(["V11", "V12", "V13", "V15", "V16"], ALL),  # older copies, other keys
    **dict.fromkeys(["V19", "V23", "V24", "V27", "V28", "V29"], ALL),  # crashes and races
    **dict.fromkeys(["V31", "V32", "V33", "V35", "V36", "V37", "V39"], ALL),  # values, policy, side channels, time
    **dict.fromkeys(["V43", "V44", "V45", "V51", "V52", "V53", "V55", "V56"], ALL),  # residue, leaks, keys, operation
    **dict.fromkeys(["V17", "V20", "V21", "V25", "V40", "V41"], "sqlite"),  # files
    **dict.fromkeys(["V47", "V48", "V49"], "process"),  # memory, cores and key files: the engine makes no difference
    **dict.fromkeys(["V57", "V58"], "servers"),  # in the tests of those engines
}


class Named(NamedTuple):
    """A test function, and whether it or one of its fixtures asks for ``engine``."""

    name: str
    everywhere: bool


def arguments(function: ast.FunctionDef) -> set[str]:
    return {argument.arg for argument in function.args.args}


def named_by_case() -> dict[str, list[Named]]:
    """The test functions whose names hold a case's identifier."""
    found: dict[str, list[Named]] = defaultdict(list)
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        functions = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)]
        fixtures = {ALL, *(one.name for one in functions if ALL in arguments(one))}
        for one in functions:
            if names := re.match(r"test((?:_v\d\d)+)_", one.name):
                for number in names[1].split("_v")[1:]:
                    found[f"V{number}"].append(Named(one.name, bool(fixtures & arguments(one))))
    return found


FOUND = named_by_case()


def test_the_cases_are_46() -> None:
    assert len(CASES) == 46
    assert set(FOUND) == set(CASES)


@pytest.mark.parametrize(("case", "where"), CASES.items(), ids=CASES)
def test_a_case_has_its_test(case: str, where: str) -> None:
    assert FOUND[case], f"{case} has no test"
    if where == ALL:
        assert any(one.everywhere for one in FOUND[case]), f"{case} is not tried on every engine"


@pytest.mark.parametrize("number", range(1, 24))
def test_an_invariant_is_named_where_it_is_shown(number: int) -> None:
    """All twenty-three, in the docstrings of the vault's tests."""
    texts = {path.name: path.read_text("utf-8") for path in Path(__file__).parent.glob("test_vault_*.py")}
    assert [name for name, text in texts.items() if re.search(rf"\bI{number}\b", text)]
