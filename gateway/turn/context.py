"""What the steps of one turn work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sealgate.models.events import AppEvent, EventType

from ..interrupts.config import InterruptConfig
from ..model import Model
from ..services import Services
from ..tools.toolkit import Toolkit
from .changes import Change
from .state import TurnState


@dataclass(frozen=True, slots=True)
class TurnContext:
    """A turn's services, tools and model, and the two things that every step does.

    ``followed`` says that somebody reads the turn's events as they come: it waits here for answers from outside instead
    of pausing, and a model that can is asked to answer piece by piece.
    ``advance`` gives the state after a change, once the change is on the store; nothing goes on before. ``event``
    publishes.
    """

    services: Services = field(repr=False)
    toolkit: Toolkit = field(repr=False)
    model: Model | None = field(repr=False)
    turn_id: str
    config: InterruptConfig
    followed: bool
    advance: Callable[[TurnState | None, Change], TurnState] = field(repr=False)

    def event(self, kind: EventType, **fields: Any) -> AppEvent:
        """An event of this turn, filtered and sent to every bridge."""
        services = self.services
        return services.publish(
            AppEvent(
                type=kind, turn_id=self.turn_id, session_id=services.vault.name, timestamp=services.now(), **fields
            )
        )

    def hook_event(self, stage: str, tool: str, failed: str | None) -> AppEvent:
        """That a hook ran, with the type name of what it raised."""
        data: Mapping[str, str | None] = {"stage": stage, "tool": tool, "error": failed}
        return self.event("hook.fired", data=dict(data))
