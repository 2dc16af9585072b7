"""The table of what was asked for: every row names a test that exists and is collected."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sealgate.gateway as gateway

ROOT = Path(__file__).parent.parent
ROWS: dict[str, dict[str, str]] = tomllib.loads((ROOT / "tests" / "seed_rows.toml").read_text())


@pytest.fixture(scope="module")
def collected() -> frozenset[str]:
    """The node ids of every file that a row names, with and without their parameters."""
    files = sorted({row["test"].split("::")[0] for row in ROWS.values()})
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "--numprocesses=0",
        "-p",
        "no:cacheprovider",
        *files,
    ]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    ids = [line for line in run.stdout.splitlines() if "::" in line]
    assert run.returncode == 0, run.stdout[-2000:]
    return frozenset(ids) | frozenset(one.split("[")[0] for one in ids)


def test_no_row_is_missing() -> None:
    pages = {"000": 105, "003": 54}
    assert set(ROWS) == {f"{page}-{row:03d}" for page, rows in pages.items() for row in range(1, rows + 1)}


def test_each_row_names_a_test_that_is_collected(collected: frozenset[str]) -> None:
    assert not {key: row["test"] for key, row in ROWS.items() if row["test"] not in collected}


def test_each_row_has_a_test() -> None:
    assert not [key for key, row in ROWS.items() if "test" not in row]


def test_the_names_of_the_seeds_import_from_the_gateway() -> None:
    names = {
        *("InterruptManager", "InterruptScratchpad", "GraphInterrupt", "HumanInterrupt", "HumanResponse"),
        *("PerToolApproval", "PerToolDispatchConfig", "InterruptConfig", "InterruptRequest", "InterruptDecision"),
        *("ApprovalDecision", "InterruptResolveReceipt", "InterruptCancelReceipt", "InterruptDestroyReceipt"),
        *("InterruptDecisionRecord", "InterruptBus", "set_guest_interrupt_store", "publish_interrupt_request"),
        *("pop_interrupt_request", "record_interrupt_decision", "wait_for_interrupt_decision", "interrupt"),
        *("depends_on_interrupt", "default_terminal_interrupt", "SessionResponse", "normalize_stream", "Agent"),
        *("HumanMessage", "RedactedMessage", "PrivateData", "EventBridge", "InterruptDescriptor"),
    }
    assert names <= set(gateway.__all__)
    for name in names:
        assert getattr(gateway, name).__doc__


def test_the_long_names_of_the_manager() -> None:
    for name in (
        *("should_interrupt_before", "should_interrupt_after", "request_approval", "resume", "resolve", "cancel"),
        *("destroy", "get_pending_interrupts", "get_pending_interrupt", "manager"),
    ):
        assert hasattr(gateway.InterruptManager, name)
