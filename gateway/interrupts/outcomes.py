"""What became of a request on the guest bus. The two ways in which nobody decided are not one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sealgate.models.approvals import InterruptDecision


@dataclass(frozen=True, slots=True)
class Decided:
    """Somebody decided."""

    decision: InterruptDecision


@dataclass(frozen=True, slots=True)
class TimedOut:
    """Nobody decided in time. Whoever waited denies the call."""

    decision: None = None


@dataclass(frozen=True, slots=True)
class Aborted:
    """The turn was cancelled. Whoever waited lets that go on, and shows no denial."""

    decision: None = None


Outcome: TypeAlias = Decided | TimedOut | Aborted
