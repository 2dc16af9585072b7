"""Start-up and memory, each in a fresh interpreter: seconds until something can be done, CPU and resident MiB then.

Run it with ``python tests/benchmarks/bench_startup.py``. Nothing is asserted.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from typing import Final

ROUNDS: Final = 3

STEPS: Final = {
    "nothing (the interpreter)": "pass",
    "import sealgate.models.errors": "import sealgate.models.errors",
    "import sealgate.gateway": "import sealgate.gateway",
    "all that the gateway offers": "from sealgate.gateway import *",
    "from sealgate.gateway import Gateway": "from sealgate.gateway import Gateway",
    "open a vault in memory": "from sealgate.gateway import Gateway; Gateway.open(':memory:', key=bytes(range(32)))",
    "redact a first message": (
        "from sealgate.gateway import Gateway\n"
        "Gateway.open(':memory:', key=bytes(range(32))).session('s').redact('I am Ada Lovelace')"
    ),
    "import presidio_analyzer": "import presidio_analyzer",
    "sealgate --help": (
        "from sealgate.gateway.cli.command import sealgate\nsealgate.main(['--help'], standalone_mode=False)"
    ),
}

MEASURE: Final = """
import resource, sys, time
start = time.perf_counter()
{step}
taken = time.perf_counter() - start
print()
unit = 1024 if sys.platform == "linux" else 1048576
print(taken, time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)
"""


def measured(step: str) -> tuple[float, float, float]:
    """Seconds, CPU seconds (with the interpreter's own) and MiB of one run."""
    command = [sys.executable, "-c", MEASURE.format(step=step)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds, processor, memory = done.stdout.splitlines()[-1].split()
    return float(seconds), float(processor), float(memory)


def main() -> None:
    """Print a table."""
    print(f"{'':<38} {'seconds':>8} {'CPU':>6} {'MiB':>7}")
    for name, step in STEPS.items():
        runs = [measured(step) for _ in range(ROUNDS)]
        seconds, processor, memory = (statistics.median(column) for column in zip(*runs, strict=True))
        print(f"{name:<38} {seconds:>8.2f} {processor:>6.2f} {memory:>7.0f}")


if __name__ == "__main__":
    main()
