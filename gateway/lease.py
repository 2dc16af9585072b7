"""The lease of a session's turn: one process at a time goes on with it, and a dead one is not waited for."""

from __future__ import annotations

import json
import os
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from sealgate.models.errors import SessionBusy
from sealgate.vault import VaultSession

_KIND: Final = "lease"
_KEY: Final = "turn"

FOREIGN: Final = 900.0
"""Seconds after which the lease of another machine, whose processes cannot be looked at, is taken over unless it was
renewed."""


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
    def here(cls) -> Owner:
        """This process, with a new token."""
        return cls(_host(), os.getpid(), _started(os.getpid()), secrets.token_hex(8))

    def is_dead(self) -> bool:
        """Whether this owner certainly runs no more. Another machine's never certainly does not."""
        if self.host != _host():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            pass
        return self.started != _started(self.pid)


class TurnLease:
    """The one lease of a session. Not protected: two machines whose clocks differ by more than ``FOREIGN``."""

    def __init__(self, vault: VaultSession, now: Callable[[], float]) -> None:
        self._records = vault.records
        self._now = now
        self._renew_at = 0.0

    @contextmanager
    def held(self) -> Iterator[None]:
        """The lease for this block. Raises ``SessionBusy`` while a living process has it."""
        owner = Owner.here()
        self._records.change(_KIND, _KEY, lambda stored: self._taken(stored, owner), durable=False)
        self._renew_at = self._now() + FOREIGN / 2
        try:
            yield
        finally:
            self._records.change(_KIND, _KEY, lambda stored: _given_back(stored, owner), durable=False)

    def renew(self) -> None:
        """Say that this process is still at it, when half of the lease's time is over."""
        if self._now() < self._renew_at:
            return
        self._renew_at = self._now() + FOREIGN / 2

        def renewed(stored: bytes | None) -> bytes | None:
            lease = json.loads(stored or b"{}")
            mine = lease.get("pid") == os.getpid() and lease.get("host") == _host()
            return json.dumps({**lease, "until": self._now() + FOREIGN}).encode() if mine else None

        self._records.change(_KIND, _KEY, renewed, durable=False)

    def _taken(self, stored: bytes | None, owner: Owner) -> bytes:
        lease = json.loads(stored or b"{}")
        if lease:
            until = lease.pop("until")
            holder = Owner(**lease)
            lapsed = holder.host != owner.host and self._now() >= until
            if not lapsed and not holder.is_dead():
                raise SessionBusy("another process or thread runs a turn of this session")
        return json.dumps({**asdict(owner), "until": self._now() + FOREIGN}).encode()


def _given_back(stored: bytes | None, owner: Owner) -> bytes | None:
    return b"{}" if stored and json.loads(stored).get("token") == owner.token else None


def _host() -> str:
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
