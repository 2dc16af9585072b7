"""The event bridges of one session: one for each audience, all told of every event."""

from __future__ import annotations

from collections.abc import Callable

from sealgate.models.events import AppEvent, Audience
from sealgate.models.processlock import ProcessLock
from sealgate.models.sealing import Sealer

from .events.bridge import EventBridge
from .events.stored import RecordStore


class Bridges:
    """The bridges of a session.

    The ``frontend_safe`` one is always there, so that a stream and a late browser see the same events. With ``records``
    its events are stored, and it is one stream with those of other processes; the ``internal`` one stays this
    process' own.
    """

    def __init__(
        self,
        session_id: str,
        sealer: Sealer,
        clock: Callable[[], float],
        *,
        subject: str | None = None,
        records: RecordStore | None = None,
    ) -> None:
        self._session_id = session_id
        self._sealer = sealer
        self._clock = clock
        self._subject = subject
        self._records = records
        self._lock = ProcessLock()
        self._default = self._new("frontend_safe")
        self._bridges: dict[Audience, EventBridge] = {"frontend_safe": self._default}

    def get(self, audience: Audience = "frontend_safe", owner: str | None = None) -> EventBridge:
        """The bridge of an audience; the same one each time, with masks where ``owner`` is the session's subject.

        Raises ``InvalidInput`` for an unknown audience.
        """
        with self._lock:
            if audience not in self._bridges:
                self._bridges[audience] = self._new(audience)
            bridge = self._bridges[audience]
        return bridge if owner is None else bridge.watched_by(owner)

    def publish(self, event: AppEvent) -> AppEvent:
        """Send an event to every bridge, and give back what a browser would get."""
        with self._lock:
            others = [bridge for bridge in self._bridges.values() if bridge is not self._default]
        shown = self._default.publish(event, ours=True)
        for bridge in others:
            bridge.publish(event, ours=True)
        return shown

    def close(self) -> None:
        """End every subscription."""
        with self._lock:
            for bridge in self._bridges.values():
                bridge.close()

    def _new(self, audience: Audience) -> EventBridge:
        return EventBridge(
            self._session_id,
            sealer=self._sealer,
            audience=audience,
            subject=self._subject,
            clock=self._clock,
            records=self._records if audience == "frontend_safe" else None,
        )
