"""What the parts of a turn share: one session's vault, redactor and restorer, and how it records and publishes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sealgate.models.events import AppEvent
from sealgate.models.limits import Limits
from sealgate.redaction import Redactor, Restorer
from sealgate.vault import VaultSession

from .emitted import EmittedTexts
from .interrupts.table import InterruptTable
from .policy.guard import PolicyGuard
from .private_data import SessionPrivateData
from .sent import SentToModel
from .turn.ledger import TurnLog
from .watchers import Watchers


@dataclass(frozen=True, slots=True)
class Services:
    """One session's services. ``publish`` filters an event and sends it to every bridge; ``now`` is Unix time in
    seconds; ``new_id`` gives 128 random bits as hex. ``audit`` writes a row of this session, ``pseudonym`` is what
    stands there for a name.
    """

    vault: VaultSession = field(repr=False)
    redactor: Redactor = field(repr=False)
    restorer: Restorer = field(repr=False)
    log: TurnLog = field(repr=False)
    private_data: SessionPrivateData = field(repr=False)
    emitted: EmittedTexts = field(repr=False)
    sent: SentToModel = field(repr=False)
    interrupts: InterruptTable = field(repr=False)
    watchers: Watchers = field(repr=False)
    audit: Callable[[str, dict[str, object]], object] = field(repr=False)
    pseudonym: Callable[[str], str] = field(repr=False)
    policy: PolicyGuard | None = field(repr=False)
    limits: Limits
    publish: Callable[[AppEvent], AppEvent] = field(repr=False)
    now: Callable[[], float] = field(repr=False)
    new_id: Callable[[], str] = field(repr=False)
