"""The guest bus: a request is published where the turn runs, and decided where the browser is.

It carries requests and decisions, redacted, for ten minutes at most. What is pending stands in the session's own table
and nowhere else; a bus that is attached to a session files decisions there.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final, Protocol, TypeAlias
from weakref import WeakValueDictionary

import anyio
import anyio.to_thread

from sealgate.models.approvals import ALWAYS_ALLOW, InterruptDecision, InterruptRequest
from sealgate.models.errors import InvalidInput
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.receipts import InterruptResolveReceipt

from .guest_store import GuestInterruptStore, NotifyingStore
from .manager import InterruptManager
from .outcomes import Aborted, Decided, Outcome, TimedOut

TTL: Final = 600
"""Seconds that a request or a decision is kept."""

TIMEOUT: Final = 300.0
INTERVAL: Final = 0.75
"""Seconds that a decision is waited for, and between two looks at a store that cannot wake whoever waits."""

_ID: Final = re.compile(r"[A-Za-z0-9_-]{22,128}\Z")
"""22 characters of 64 hold 128 bits."""

Redact: TypeAlias = Callable[[str, JsonValue], JsonValue]
"""The form of a chat's data that may be written down: ``redact(chat_id, value)``."""


class Attached(Protocol):
    """**Protocol:** a session that a bus is attached to."""

    @property
    def interrupts(self) -> InterruptManager:
        """Its pauses."""
        ...

    @property
    def name(self) -> str:
        """The chat that it is."""
        ...

    def on_interrupt(self, observer: Callable[[InterruptRequest], object]) -> object:
        """Tell of each pause."""
        ...


def new_interrupt_id() -> str:
    """128 random bits in hex."""
    return secrets.token_hex(16)


class InterruptBus:
    """Requests and decisions of chats over a store. Safe from many threads.

    Of several decisions about one request the first counts. One that comes after the wait has ended, or for an id that
    nobody published, is refused and not written.
    """

    def __init__(self, store: GuestInterruptStore, redact: Redact) -> None:
        self._store = store
        self._redact = redact
        self._attached: WeakValueDictionary[str, Attached] = WeakValueDictionary()

    def attach(self, session: Attached) -> None:
        """Publish each pause of a session under its name, and file decisions about them in the session."""
        name = session.name
        self._attached[name] = session
        session.on_interrupt(lambda request: self._queue(name, request.interrupt_id, request.wire()))

    def publish(self, chat_id: str, request: InterruptRequest) -> None:
        """Queue a request for whoever serves the chat.

        Raises ``InvalidInput`` for an id of less than 128 bits, and ``TooManyInterrupts`` when too many are queued.
        """
        wire = request.wire()
        call = {**wire["toolCall"]}
        named = {name: call.pop(name) for name in ("id", "name")}
        rest = {name: value for name, value in wire.items() if name not in ("interruptId", "riskLevel", "toolCall")}
        hidden = {**self._hidden(chat_id, rest), "toolCall": {**self._hidden(chat_id, call), **named}}
        told = {"interruptId": wire["interruptId"], "riskLevel": wire["riskLevel"]}
        self._queue(chat_id, request.interrupt_id, {**hidden, **told})

    def pop(self, chat_id: str) -> InterruptRequest | None:
        """The oldest request of a chat that nobody has taken, or ``None``."""
        taken = self._store.rpop(_queue(chat_id))
        return None if taken is None else InterruptRequest.read(json.loads(taken))

    def record(self, interrupt_id: str, decision: InterruptDecision | Mapping[str, Any]) -> InterruptResolveReceipt:
        """Write a decision down, redacted. ``handled`` is false for an id that does not wait, and nothing is written.

        Raises ``InvalidEnvelope`` or ``NotJson`` for something else than a decision.
        """
        given = dict(decision) if isinstance(decision, Mapping) else decision
        read = given if isinstance(given, InterruptDecision) else InterruptDecision.read(given)
        chat = self._store.rpop(_open(_checked(interrupt_id)))
        if chat is None:
            return InterruptResolveReceipt(handled=False, interrupt_id=interrupt_id)
        chat_id = chat.decode() if isinstance(chat, bytes) else chat
        kept = self._kept(chat_id, interrupt_id, read)
        if kept is None:
            self._reopen(chat_id, interrupt_id)
            return InterruptResolveReceipt(handled=False, interrupt_id=interrupt_id)
        self._store.setex(_decision(interrupt_id), TTL, json.dumps(kept.wire()))
        return InterruptResolveReceipt(handled=True, resolved_decision=kept.decision(), interrupt_id=interrupt_id)

    def wait(
        self,
        interrupt_id: str,
        timeout: float = TIMEOUT,
        interval: float = INTERVAL,
        abort: threading.Event | None = None,
    ) -> Outcome:
        """What became of a request, in this thread. Times are in seconds; ``abort`` ends the wait."""
        deadline = monotonic() + min(timeout, TTL)
        while (found := self._look(interrupt_id, deadline, abort)) is None:
            pause = max(0.0, min(interval, deadline - monotonic()))
            if isinstance(self._store, NotifyingStore):
                self._store.changed(_decision(interrupt_id), pause)
            else:
                (abort or threading.Event()).wait(pause)
        return found

    async def await_(
        self,
        interrupt_id: str,
        timeout: float = TIMEOUT,  # noqa: ASYNC109 - it is an outcome, not an exception
        interval: float = INTERVAL,
        abort: threading.Event | None = None,
    ) -> Outcome:
        """``wait`` for an event loop. A task that is cancelled ends the wait as ``abort`` does, and is cancelled."""
        deadline = monotonic() + min(timeout, TTL)
        try:
            while (found := self._look(interrupt_id, deadline, abort)) is None:  # noqa: ASYNC110
                await anyio.sleep(max(0.0, min(interval, deadline - monotonic())))
        except anyio.get_cancelled_exc_class():
            self._store.rpop(_open(interrupt_id))
            raise
        return found

    def _look(self, interrupt_id: str, deadline: float, abort: threading.Event | None) -> Outcome | None:
        if abort is not None and abort.is_set():
            return self._over(interrupt_id, Aborted())
        written = self._store.get(_decision(_checked(interrupt_id)))
        if written is not None:
            self._store.delete(_decision(interrupt_id))
            return Decided(InterruptDecision.read(json.loads(written)))
        return self._over(interrupt_id, TimedOut()) if monotonic() >= deadline else None

    def _over(self, interrupt_id: str, outcome: TimedOut | Aborted) -> Outcome:
        """End a wait: what comes now is late. A decision that was being written just then counts."""
        if self._store.rpop(_open(interrupt_id)) is None and isinstance(outcome, TimedOut):
            written = self._store.get(_decision(interrupt_id))
            if written is not None:
                return Decided(InterruptDecision.read(json.loads(written)))
        self._store.delete(_decision(interrupt_id))
        return outcome

    def _kept(self, chat_id: str, interrupt_id: str, decision: InterruptDecision) -> InterruptDecision | None:
        """The decision as it may be written; ``None`` where the session does not take it."""
        wire = decision.wire()
        own = ("approved", "note", "modifiedArguments")
        hidden = self._hidden(chat_id, {name: value for name, value in wire.items() if name not in own})
        session = self._attached.get(chat_id)
        if session is None:
            texts = {name: wire[name] for name in own[1:] if name in wire}
            kept = {**self._hidden(chat_id, texts), **({"note": ALWAYS_ALLOW} if decision.always_allow else {})}
            return InterruptDecision.read({**hidden, **kept, "approved": decision.approved})
        receipt = session.interrupts.resolve(interrupt_id, decision.decision())
        if receipt.resolved_decision is None:
            return None
        return InterruptDecision.read({**hidden, **receipt.resolved_decision.wire()})

    def _queue(self, chat_id: str, interrupt_id: str, wire: dict[str, Any]) -> None:
        self._reopen(chat_id, _checked(interrupt_id))
        self._store.lpush(_queue(chat_id), json.dumps(wire))
        self._store.expire(_queue(chat_id), TTL)

    def _reopen(self, chat_id: str, interrupt_id: str) -> None:
        self._store.lpush(_open(interrupt_id), chat_id)
        self._store.expire(_open(interrupt_id), TTL)

    def _hidden(self, chat_id: str, wire: dict[str, Any]) -> dict[str, Any]:
        hidden = self._redact(chat_id, wire) if wire else {}
        return hidden if isinstance(hidden, dict) else {}


def _checked(interrupt_id: str) -> str:
    if not isinstance(interrupt_id, str) or not _ID.match(interrupt_id):
        raise InvalidInput("the id of an interrupt has at least 128 bits: 22 or more characters of A-Z a-z 0-9 _ -")
    return interrupt_id


def _open(interrupt_id: str) -> str:
    return f"sealgate:guest:open:{interrupt_id}"


def _decision(interrupt_id: str) -> str:
    return f"sealgate:guest:decision:{interrupt_id}"


def _queue(chat_id: str) -> str:
    return f"sealgate:guest:queue:{hashlib.sha256(chat_id.encode('utf-8', 'surrogatepass')).hexdigest()}"
