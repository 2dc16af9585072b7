"""A process as its leases and claims name it, so that others can see when it is dead."""

from __future__ import annotations

import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class Owner:
    """A process: the machine and its process namespace, the process id, when it started, and a token of one lease.

    ``started`` is in clock ticks since the machine's start (field 22 of Linux's ``/proc/PID/stat``), empty where the
    system does not tell.
    """

    host: str
    pid: int
    started: str
    token: str

    @classmethod
    def here(cls) -> Self:
        """This process, with a new token."""
        return cls(host(), os.getpid(), _started(os.getpid()), secrets.token_hex(8))

    @property
    def is_here(self) -> bool:
        """Whether this process is the owner."""
        return (self.host, self.pid) == (host(), os.getpid())

    def encode(self) -> str:
        """The stored form."""
        return json.dumps(asdict(self))

    @classmethod
    def decode(cls, stored: str) -> Self:
        """The owner of a stored form."""
        return cls(**json.loads(stored))

    def is_dead(self) -> bool:
        """Whether this owner certainly runs no more. Another machine's never certainly does not."""
        if self.host != host():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            pass
        return self.started != _started(self.pid)


def host() -> str:
    """The machine since it started, and the namespace that its process ids are of."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return socket.gethostname()


def _started(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    # The command in parentheses may hold anything, so fields are counted from its end.
    return stat.rpartition(")")[2].split()[19]
