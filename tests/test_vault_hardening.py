"""A hardened process leaves no core."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CRASH = """
import ctypes, os, resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
from sealgate.vault import harden
assert harden()
print(resource.getrlimit(resource.RLIMIT_CORE), ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), flush=True)
os.abort()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks prctl")
def test_v48_a_hardened_process_leaves_no_core(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CRASH], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert done.stdout.decode().split() == ["(0,", "0)", "0"]
    assert done.returncode < 0
    assert list(tmp_path.iterdir()) == []
