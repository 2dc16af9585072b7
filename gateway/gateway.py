"""The gateway: vault, detection, audit and shared tools of one process."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Final, Literal, NoReturn, Self, TypeAlias, get_args
from weakref import WeakSet, WeakValueDictionary

from sealgate.models.errors import InvalidInput
from sealgate.models.grants import Accepts
from sealgate.models.limits import Limits
from sealgate.models.policy import Policy
from sealgate.models.processlock import ProcessLock
from sealgate.redaction import Coverage, Detector, Operator, Redactor, Restorer
from sealgate.vault import SYSTEM_CLOCK, Anchor, AuditLog, Clock, KeyProvider, Vault, VaultSession

from .bridges import Bridges
from .emitted import EmittedTexts
from .frames import without_locals
from .given import check_clock, check_operators, check_options, path_of
from .interrupts.config import InterruptConfig
from .interrupts.ending import audit_fields, decision_record
from .interrupts.record import InterruptRecord
from .interrupts.table import InterruptTable
from .logs.scope import forget
from .policy.explain import policy_of
from .policy.guard import PolicyGuard
from .policy.loader import load_policy
from .policy.openings import PolicyOpener
from .private_data import SessionPrivateData
from .sent import SentToModel
from .services import Services
from .session import Session
from .tools.granted import grant_at
from .tools.hooks import Hook
from .tools.tool import PlaceholderPolicy
from .tools.toolkit import Toolkit
from .turn.ledger import TurnLog
from .turn.portal import Portal
from .watchers import Watchers

EventKeeping: TypeAlias = Literal["memory", "stored"]
"""Where the events for browsers are kept: in each process, or in the vault."""

_TO_END: Final = 1.0
"""Seconds that the turns of a gateway that is closed have to end: a tool that runs still is left behind."""


class Gateway:
    """One a process. ``with Gateway.open("sealgate.db") as gateway: …``

    Thread-safe. Values are kept encrypted in the vault at that location; a model, an event, a log and a state hold
    placeholders only. It refuses to be pickled. ``gateway.policy`` says what a tool may receive and why.
    """

    def __init__(
        self,
        vault: Vault,
        *,
        detector: Detector,
        limits: Limits,
        clock: Clock,
        interrupt: InterruptConfig,
        policy: Policy | None = None,
        operators: Mapping[str, Operator] | None = None,
        events: EventKeeping = "memory",
    ) -> None:
        self._events = events
        self._interrupt = interrupt
        self._vault = vault
        self._operators = operators
        self._detector = detector
        self._limits = limits
        self._clock = clock
        self._portal = Portal()
        self._lock = ProcessLock()
        self._sessions: WeakValueDictionary[tuple[str, str], Session] = WeakValueDictionary()
        self._opened: WeakSet[VaultSession] = WeakSet()
        self.tools = Toolkit()
        self.policy = policy_of(policy, self._grant_at, clock.now)

    @classmethod
    @without_locals
    def open(
        cls,
        location: str | os.PathLike[str],
        *,
        key: bytes | KeyProvider | None = None,
        anchor: str | os.PathLike[str] | Anchor | None = None,
        detector: Detector | None = None,
        limits: Limits | None = None,
        clock: Clock = SYSTEM_CLOCK,
        interrupt: InterruptConfig | None = None,
        policy: str | os.PathLike[str] | Policy | None = None,
        operators: Mapping[str, Operator] | None = None,
        events: EventKeeping = "memory",
    ) -> Self:
        """Open or create the vault at ``location``: a file path, ``":memory:"``, or a URL of ``postgresql://`` or
        ``valkey://`` (with the extra of that name).

        ``key`` is 32 bytes or a key provider; ``None`` takes the default provider, a key file in the user's
        configuration directory. Raises a ``VaultError``: ``WrongKey``, ``KeyMissing``, ``NotAVault``,
        ``VaultMissing``, ``VaultTooNew``, ``StoreUnavailable`` (also where the folder does not exist); or
        ``InvalidInput`` that names the argument. Nothing is changed then.

        ``anchor`` is the path of a file outside the vault's folder, or another ``Anchor``: with it an older copy of the
        vault that somebody put back is ``RollbackDetected``, within the limits that ``vault.anchors.anchoring`` says,
        and the vault opens without it no more (``AnchorMissing``).

        ``detector`` finds values (the shipped one by default), ``limits`` bounds what is taken in and kept, and
        ``interrupt`` says which calls wait for a person.

        ``policy`` is a ``Policy`` or a TOML or YAML file with one (``InvalidPolicy`` names line and key): then it and
        the annotations both have to allow what a tool receives. Without one the annotations decide.

        ``operators`` says per entity type what is done with a detected value instead of sealing it: ``keep``, ``mask``,
        ``redact``, ``replace`` or ``hash`` (under a key of the session). Only sealed values can be restored.
        A type that nothing here finds is ``InvalidPolicy``.

        ``events="stored"`` keeps the last 1,000 events for browsers of each session in the vault, encrypted: several
        processes then serve one stream, and a browser goes on by ``Last-Event-ID`` in any of them, after a restart too.
        Each event is one more write (some 0.3 ms in a file), another process' event comes up to 0.25 seconds later, and
        the first reader of a session's stream waits for all that is kept (some 50 ms). The ``internal`` view is not
        kept.
        """
        if events not in get_args(EventKeeping):
            raise InvalidInput("events is 'memory' or 'stored'")
        check_options(limits=(Limits, limits), detector=(Detector, detector), interrupt=(InterruptConfig, interrupt))
        check_clock(clock)
        detector = detector or Detector()
        check_operators(operators, detector)
        location = path_of(location, "the location of a vault")
        allowed = policy if policy is None or isinstance(policy, Policy) else load_policy(path_of(policy, "policy"))
        vault = Vault.open(location, key, anchor=anchor, clock=clock)
        return cls(
            vault,
            detector=detector,
            limits=limits or Limits(),
            clock=clock,
            interrupt=interrupt or InterruptConfig(),
            policy=allowed,
            operators=operators,
            events=events,
        )

    @property
    def audit(self) -> AuditLog:
        """The chained record of what was sealed, opened, refused, sent and destroyed;

        ``audit.verify()`` raises on a broken chain.
        """
        return self._vault.audit

    def coverage(self) -> Coverage:
        """Which entity types and languages this configuration can find, by what, and which it cannot."""
        return self._detector.coverage()

    def session(
        self, name: str, *, tenant: str = "default", subject: str | None = None, create: bool = True
    ) -> Session:
        """Open the session of this name, or create it. The same object while somebody holds it.

        ``subject`` says whose conversation it is; another one for an existing session is refused. Raises
        ``UnknownSession`` with ``create=False``, ``SessionShredded``, ``InvalidName``.
        """
        vault = self._vault.session(name, tenant=tenant, subject=subject, create=create)
        with self._lock:
            known = self._sessions.get((tenant, name))
            if known is None:
                known = self._sessions[(tenant, name)] = self._new_session(vault)
            return known

    def toolify(
        self,
        target: Any = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        schema: dict[str, Any] | None = None,
        final_tool: bool = False,
        accepts: dict[str, Accepts] | None = None,
        placeholders: PlaceholderPolicy = "refuse",
        idempotent: bool = False,
        risk: Any = None,
        before_execute: Hook | None = None,
        after_execute: Hook | None = None,
    ) -> Callable[[Any], Any]:
        """Register a function, coroutine function or pydantic model as a tool of every session; it is returned
        unchanged. ``@gateway.toolify`` alone does it too.

        What the model, a hook, an event and the history see of a call holds placeholders; the function alone gets real
        values, and only for arguments that accept them. Raises ``ValueError`` for a name, grant or dependency that
        cannot be.
        """
        decorate = self.tools.toolify(
            name=name,
            description=description,
            schema=schema,
            final_tool=final_tool,
            accepts=accepts,
            placeholders=placeholders,
            idempotent=idempotent,
            risk=risk,
            before_execute=before_execute,
            after_execute=after_execute,
        )
        return decorate if target is None else decorate.apply(target, sys._getframe(1).f_locals)

    def purge(self) -> bool:
        """Remove what was destroyed from the store's journals; ``False`` while a reader still holds some of it back."""
        return self._vault.purge()

    def close(self) -> None:
        """Close the vault. Sessions of this gateway cannot be used afterwards; a turn that waits for a person ends here
        with ``TurnCancelled``, its pause stays, and ``resume`` goes on with it where the vault is opened again.
        """
        for vault in list(self._opened):
            forget(vault)
        sessions = list(self._sessions.values())
        for session in sessions:
            session.events().close()
        self._portal.close()
        until = time.monotonic() + _TO_END
        for session in sessions:
            session.turns.at_rest(until - time.monotonic())
        self._vault.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return "Gateway(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Gateway cannot be pickled")

    def _grant_at(self, tool: str, place: str) -> Accepts | None:
        return grant_at(self.tools.get(tool).shape, place)

    def _audited(self, vault: VaultSession) -> Callable[[InterruptRecord], object]:
        """Writes how a pause of a session ended to the audit chain."""

        def write(record: InterruptRecord) -> None:
            fields = audit_fields(decision_record(record, self.audit.pseudonym))
            self.audit.append(f"interrupt.{record.state}", session=vault.id, fields=fields)

        return write

    def _opener(self, vault: VaultSession, policy: PolicyGuard | None) -> VaultSession | PolicyOpener:
        if policy is None:
            return vault
        return PolicyOpener(
            vault, policy, lambda action, fields: self.audit.append(action, session=vault.id, fields=fields)
        )

    def _new_session(self, vault: VaultSession) -> Session:
        policy = self.policy.guard(vault)
        hash_key = bytes.fromhex(vault.bind("operator/1", "hash")) if self._operators else None
        self._opened.add(vault)
        stored = vault.records if self._events == "stored" else None
        bridges = Bridges(vault.name, vault, self._clock.now, subject=vault.subject, records=stored)
        services = Services(
            vault=vault,
            redactor=Redactor(self._detector, vault, operators=self._operators, hash_key=hash_key),
            restorer=Restorer(self._opener(vault, policy)),
            log=TurnLog(vault),
            private_data=SessionPrivateData(vault),
            emitted=EmittedTexts(vault),
            sent=SentToModel(vault, self.audit),
            interrupts=InterruptTable(vault, self._limits, self._clock.now, self._audited(vault)),
            watchers=Watchers(),
            audit=lambda action, fields: self.audit.append(action, session=vault.id, fields=fields),
            pseudonym=self.audit.pseudonym,
            policy=policy,
            limits=self._limits,
            publish=bridges.publish,
            now=self._clock.now,
            new_id=lambda: secrets.token_hex(16),
        )
        return Session(services, self.tools, bridges, self._portal, self._interrupt)
