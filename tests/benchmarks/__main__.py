"""Every benchmark in turn: ``python -m tests.benchmarks``, or ``python tests/benchmarks``. Takes some minutes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NEEDS_DATA = {"bench_detection.py"}
"""Benchmarks that measure labelled texts, which are not in this repository; run them by hand with their folders."""


def main() -> int:
    """The number of benchmarks that failed."""
    failed = 0
    for script in sorted(Path(__file__).parent.glob("bench_*.py")):
        if script.name not in NEEDS_DATA:
            print(f"\n== {script.stem.removeprefix('bench_')}", flush=True)
            failed += subprocess.run([sys.executable, str(script)], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
