"""Who wants to know when a session pauses or is aborted: callbacks of this process, never a way to settle anything."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from sealgate.models.approvals import InterruptRequest, InterruptToolCall
from sealgate.models.processlock import ProcessLock

from .interrupts.record import InterruptRecord

Observer: TypeAlias = Callable[[InterruptRequest], object]
Cleanup: TypeAlias = Callable[[], object]


class Watchers:
    """The observers of one session. One that raises harms nothing: what it raises may hold a value and is dropped."""

    def __init__(self) -> None:
        self._lock = ProcessLock()
        self._observers: list[Observer] = []
        self._cleanups: list[Cleanup] = []

    def on_interrupt(self, observer: Observer) -> Observer:
        """Call ``observer`` with the (redacted) request of each pause."""
        with self._lock:
            self._observers.append(observer)
        return observer

    def on_abort(self, cleanup: Cleanup) -> Cleanup:
        """Call ``cleanup`` when a turn is cancelled."""
        with self._lock:
            self._cleanups.append(cleanup)
        return cleanup

    def tell(self, record: InterruptRecord) -> None:
        """Tell the observers of a pause."""
        call = InterruptToolCall(id=record.call_id or record.id, name=record.tool, arguments=record.arguments)
        request = InterruptRequest(interrupt_id=record.id, tool_call=call, risk_level=record.risk)
        with self._lock:
            observers = list(self._observers)
        for observer in observers:
            _quietly(lambda observer=observer: observer(request))  # type: ignore[misc]

    def abort(self) -> None:
        """Run the cleanups."""
        with self._lock:
            cleanups = list(self._cleanups)
        for cleanup in cleanups:
            _quietly(cleanup)


def _quietly(call: Callable[[], object]) -> None:
    # An observer's error is its own, and its text may hold a value; one that wants to exit does not end a turn.
    with suppress(Exception, SystemExit):
        call()
