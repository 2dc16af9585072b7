"""The bridges of a session: every event reaches each of them."""

from __future__ import annotations

from contextlib import suppress

import pytest

from sealgate.gateway import HumanMessage, Session, SessionShredded
from sealgate.gateway.testing import ScriptedModel
from sealgate.models.errors import InvalidInput


def test_one_bridge_for_each_audience(session: Session) -> None:
    default, internal = session.events(), session.events(audience="internal")
    assert session.events(audience="frontend_safe", owner=None) is default
    assert session.events(audience="internal") is internal is not default


def test_an_owner_watches_the_same_events(session: Session) -> None:
    owned = session.events(owner="jane")
    session.events().emit("status", {"text": "working"})
    assert (owned.owner, [event.text for event in owned.history()]) == ("jane", ["working"])


def test_a_turn_is_told_to_each_of_them(session: Session) -> None:
    internal, owned = session.events(audience="internal"), session.events(owner="jane")
    session.invoke([HumanMessage("Hello.")], model=ScriptedModel(["Good day."]))
    told = [[(event.id, event.type) for event in bridge.history()] for bridge in (session.events(), internal, owned)]
    assert told[0] == told[1] == told[2]
    assert told[0][-1][1] == "final"


def test_a_late_browser_sees_what_was_told_before(session: Session) -> None:
    session.invoke([HumanMessage("Hello.")], model=ScriptedModel(["Good day."]))
    assert session.events().history()[0].type == "session.started"


def test_what_an_application_emits_stays_with_its_bridge(session: Session) -> None:
    internal = session.events(audience="internal")
    session.events().emit("status", {"text": "working"})
    assert [event.text for event in session.events().history()] == ["working"]
    assert internal.history() == []


def test_an_unknown_audience_is_refused_and_leaves_no_bridge(session: Session) -> None:
    with pytest.raises(InvalidInput):
        session.events(audience="everybody")  # type: ignore[arg-type]
    assert session.invoke([HumanMessage("Hello.")], model=ScriptedModel(["Good day."])).status == "completed"


def test_a_shred_ends_every_subscription(session: Session) -> None:
    internal = session.events(audience="internal")
    readers = [bridge.subscribe(timeout=30) for bridge in (session.events(), internal)]
    session.shred()
    for reader in readers:
        got: list[object] = []
        with suppress(SessionShredded):
            got += reader
        assert got == []
