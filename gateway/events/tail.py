"""The tail of a bridge: what it sends about one turn, for whoever runs that turn."""

from __future__ import annotations

from collections.abc import Iterator

from sealgate.models.events import AppEvent

from .bridge import EventBridge
from .holdback import is_piece


class Tail:
    """The events of a bridge from now on, one turn's alone.

    What a turn publishes is not what leaves: a chunk waits, and leaves later with others.
    """

    def __init__(self, bridge: EventBridge) -> None:
        self._bridge = bridge
        self._cursor = bridge.last_id

    def upto(self, published: AppEvent) -> Iterator[AppEvent]:
        """What has left since the last time, once a turn has published an event.

        A bridge that was closed meanwhile sends nothing more; then the event comes as it was published.
        """
        events, self._cursor = self._bridge.since(self._cursor)
        yield from (event for event in events if event.turn_id == published.turn_id)
        if published.id == 0 and not is_piece(published.type, published.data):
            yield published
