"""The guest bus as functions over one store of the process, for code that is written against them."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from sealgate.models.approvals import InterruptDecision, InterruptRequest
from sealgate.models.errors import InvalidPolicy
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.origins import INTERRUPT
from sealgate.models.receipts import InterruptResolveReceipt
from sealgate.redaction import Detector, Redactor
from sealgate.vault import Vault

from .bus import INTERVAL, TIMEOUT, InterruptBus, Redact
from .guest_store import GuestInterruptStore
from .outcomes import Outcome


class _OneWay:
    """Redaction with placeholders that nothing opens: their values are in the memory of this process, under a key that
    nobody has."""

    def __init__(self) -> None:
        self._vault = Vault.open(":memory:", None)
        self._detector = Detector()

    def __call__(self, chat_id: str, value: JsonValue) -> JsonValue:
        session = self._vault.session("guest-" + chat_id[:64], tenant="default", subject=None, create=True)
        return Redactor(self._detector, session).redact_json(value, origin=INTERRUPT)


_lock = threading.Lock()
_bus: list[InterruptBus] = []


def set_guest_interrupt_store(store: GuestInterruptStore | None, redact: Redact | None = None) -> None:
    """Use this store from now on; ``None`` for none.

    ``redact`` gives the form of a chat's data that may be written; without it, what is found is replaced by
    placeholders that nothing opens.
    """
    with _lock:
        _bus[:] = [] if store is None else [InterruptBus(store, redact or _OneWay())]


def publish_interrupt_request(chat_id: str, request: InterruptRequest | Mapping[str, Any]) -> None:
    """Queue a request for whoever serves the chat. Raises as ``InterruptBus.publish``."""
    read = request if isinstance(request, InterruptRequest) else InterruptRequest.read(dict(request))
    _current().publish(chat_id, read)


def pop_interrupt_request(chat_id: str) -> InterruptRequest | None:
    """The oldest request of a chat that nobody has taken, or ``None``."""
    return _current().pop(chat_id)


def record_interrupt_decision(
    interrupt_id: str, decision: InterruptDecision | Mapping[str, Any]
) -> InterruptResolveReceipt:
    """Write a decision down, redacted. Raises as ``InterruptBus.record``."""
    return _current().record(interrupt_id, decision)


def wait_for_interrupt_decision(
    interrupt_id: str, timeout: float = TIMEOUT, interval: float = INTERVAL, abort: threading.Event | None = None
) -> Outcome:
    """What became of a request, in this thread. Times are in seconds."""
    return _current().wait(interrupt_id, timeout, interval, abort)


async def await_interrupt_decision(
    interrupt_id: str,
    timeout: float = TIMEOUT,  # noqa: ASYNC109 - it is an outcome, not an exception
    interval: float = INTERVAL,
    abort: threading.Event | None = None,
) -> Outcome:
    """``wait_for_interrupt_decision`` for an event loop."""
    return await _current().await_(interrupt_id, timeout, interval, abort)


def _current() -> InterruptBus:
    with _lock:
        if not _bus:
            raise InvalidPolicy("no store is set: call set_guest_interrupt_store first")
        return _bus[0]
