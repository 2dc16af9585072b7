"""What the steps of one turn work with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sealgate.models.events import AppEvent, EventType

from ..model import Model
from ..services import Services
from ..tools.toolkit import Toolkit
from .state import TurnState


@dataclass(frozen=True, slots=True)
class TurnContext:
    """A turn's services, tools and model, and the two things that every step does: record a state, publish an event."""

    services: Services = field(repr=False)
    toolkit: Toolkit = field(repr=False)
    model: Model | None = field(repr=False)
    turn_id: str = ""

    def record(self, state: TurnState) -> TurnState:
        """The state itself, once it is on the store. Nothing goes on before.

        Of a turn that ended only the last state is kept. What starts a tool or waits for a person survives the loss of
        power; the other steps survive the death of the process.
        """
        durable = state.status == "interrupted" or any(call.phase == "started" for call in state.calls)
        records = self.services.vault.records
        sequence = records.append("step", state.to_json(), durable=durable)
        if state.status in ("completed", "failed"):
            records.drop_before("step", sequence)
        return state

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
