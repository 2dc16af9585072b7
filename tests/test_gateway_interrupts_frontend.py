"""What a component that renders pauses relies on: three events, a call to show, and two ways to end it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sealgate.gateway import AppEvent, Gateway, HumanMessage, InterruptConfig, PerToolApproval, Session, ToolCall
from sealgate.gateway.testing import FakeClock, ScriptedModel
from sealgate.redaction import Detector

Render = Callable[[PerToolApproval, Callable[[dict[str, Any]], object], Callable[[], object]], object]


class Surface:
    """A frontend with nothing but the events of a bridge and the session's resolve: components by type of pause."""

    def __init__(self, session: Session | None, components: dict[str, Render]) -> None:
        self._session = session
        self._components = components

    def pending(self) -> dict[str, AppEvent]:
        """The pauses that are open, from the events alone."""
        open_: dict[str, AppEvent] = {}
        for event in self._session.events().history() if self._session is not None else ():
            if event.interrupt is not None and event.type == "interrupt.requested":
                open_[event.interrupt.id] = event
            elif event.interrupt is not None:
                open_.pop(event.interrupt.id, None)
        return open_

    def render_active(self) -> list[object]:
        """Each pause in the component of its tool, or in the one for all."""
        shown: list[object] = []
        for interrupt_id, event in self.pending().items():
            assert self._session is not None
            assert event.interrupt is not None
            assert event.interrupt.human is not None
            component = self._components.get(event.interrupt.tool_name) or self._components["*"]
            resolve = partial(self._session.interrupts.resolve, interrupt_id)
            cancel = partial(resolve, {"approved": False})
            shown += [component(call, resolve, cancel) for call in event.interrupt.human.approvals()]
        return shown


@pytest.fixture
def paused(detector: Detector) -> Any:
    clock = FakeClock()
    ran: list[tuple[Any, ...]] = []
    config = InterruptConfig(interrupt_before=["delete", "send"], default_timeout=60)
    with Gateway.open(":memory:", detector=detector, clock=clock, interrupt=config) as gateway:

        @gateway.toolify()
        def delete(path: str, dry_run: bool = False) -> str:
            ran.append(("delete", path, dry_run))
            return "deleted"

        @gateway.toolify()
        def send(to: str) -> str:
            ran.append(("send", to))
            return "sent"

        session = gateway.session("s1")
        calls = [
            ToolCall(id="c1", name="delete", arguments={"path": "a.txt"}),
            ToolCall(id="c2", name="send", arguments={"to": "bob"}),
        ]
        session.invoke([HumanMessage("Go.")], model=ScriptedModel([calls, "Done."]))
        yield session, clock, ran


def test_a_component_for_each_tool_resolves_or_cancels(paused: Any) -> None:
    session, _clock, ran = paused
    surface = Surface(
        session,
        {
            "delete": lambda call, resolve, _cancel: resolve(
                {"approved": True, "modifiedArguments": {**call.args, "dry_run": True}}
            ),
            "*": lambda _call, _resolve, cancel: cancel(),
        },
    )
    assert len(surface.render_active()) == 2
    session.resume()
    assert ran == [("delete", "a.txt", True)]
    assert surface.pending() == {}
    assert surface.render_active() == []


def test_a_pause_that_timed_out_is_no_longer_shown(paused: Any) -> None:
    session, clock, ran = paused
    surface = Surface(session, {"*": lambda call, _resolve, _cancel: call.tool_name})
    assert surface.render_active() == ["delete", "send"]
    clock.advance(61)
    assert session.resume().status == "failed"
    assert (surface.render_active(), ran) == ([], [])


def test_without_a_session_nothing_is_shown() -> None:
    assert Surface(None, {}).render_active() == []


def test_the_list_of_pauses_is_there_after_a_reload(paused: Any) -> None:
    session, _clock, _ran = paused
    from_events = [event.interrupt for event in Surface(session, {}).pending().values()]
    assert session.interrupts.pending() == from_events
    assert [session.interrupts.get_pending_interrupt(one.id) for one in from_events if one] == from_events
    assert session.interrupts.get_pending_interrupt("0" * 32) is None
    assert session.interrupts.manager is session.interrupts
