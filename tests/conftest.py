"""Fixtures for all tests. No test touches the directories of whoever runs it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Command: TypeAlias = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test, with nothing in it."""
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower().replace("_", "-")) if name != "HOME" else str(home))
    return home


@pytest.fixture
def sealgate_command(tmp_path: Path) -> Command:
    """Runs ``sealgate`` as a process: ``sealgate_command("redact", input=b"…")`` gives the completed process."""

    def run(*arguments: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "sealgate.gateway", *arguments]
        return subprocess.run(command, input=input, capture_output=True, cwd=tmp_path, timeout=60, check=False)

    return run
