"""The event bridges of one session: one for each audience and owner, all told of every event."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sealgate.models.events import AppEvent, Audience
from sealgate.models.sealing import Sealer

from .events.bridge import EventBridge


class Bridges:
    """The bridges of a session.

    The ``frontend_safe`` one is always there, so that a stream and a late browser see the same events.
    """

    def __init__(self, session_id: str, sealer: Sealer, clock: Callable[[], float]) -> None:
        self._session_id = session_id
        self._sealer = sealer
        self._clock = clock
        self._lock = threading.Lock()
        self._default = self._new("frontend_safe", None)
        self._bridges: dict[tuple[Audience, str | None], EventBridge] = {("frontend_safe", None): self._default}

    def get(self, audience: Audience = "frontend_safe", owner: str | None = None) -> EventBridge:
        """The bridge of an audience; the same one each time. Raises ``InvalidInput`` for an unknown audience."""
        with self._lock:
            key = (audience, owner)
            if key not in self._bridges:
                self._bridges[key] = self._new(audience, owner)
            return self._bridges[key]

    def publish(self, event: AppEvent) -> AppEvent:
        """Send an event to every bridge, and give back what a browser would get."""
        with self._lock:
            others = [bridge for bridge in self._bridges.values() if bridge is not self._default]
        shown = self._default.publish(event)
        for bridge in others:
            bridge.publish(event)
        return shown

    def close(self) -> None:
        """End every subscription."""
        with self._lock:
            for bridge in self._bridges.values():
                bridge.close()

    def _new(self, audience: Audience, owner: str | None) -> EventBridge:
        return EventBridge(self._session_id, sealer=self._sealer, audience=audience, owner=owner, clock=self._clock)
