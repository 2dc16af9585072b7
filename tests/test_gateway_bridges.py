"""The bridges of a session: every event reaches each of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sealgate.gateway import AppEvent, Gateway, HumanMessage, Session, SessionShredded, ToolCall
from sealgate.gateway.testing import ScriptedModel, StreamingScriptedModel
from sealgate.models.errors import InvalidInput
from sealgate.redaction import Detector


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


# Stored streams: several processes serve one.

CARD = "4111 1111 1111 1111"
LONG = "This is a sentence that is long enough to leave for itself, as it has more than sixty-four. "


class Site:
    """A vault file that several gateways open, as several processes do."""

    def __init__(self, folder: Path, detector: Detector) -> None:
        self._path = folder / "vault.db"
        self._detector = detector
        self.opened: list[Gateway] = []

    def open(self) -> Session:
        gateway = Gateway.open(self._path, key=b"k" * 32, detector=self._detector, events="stored")
        gateway.toolify(name="look")(lambda: f"the card is {CARD}")
        self.opened.append(gateway)
        return gateway.session("s1", subject="jane")

    def bytes(self) -> bytes:
        return b"".join(path.read_bytes() for path in self._path.parent.iterdir() if path.is_file())


@pytest.fixture
def site(tmp_path: Path, detector: Detector) -> Iterator[Site]:
    made = Site(tmp_path, detector)
    yield made
    for gateway in made.opened:
        gateway.close()


def turn(session: Session, text: str = "Hello.") -> list[AppEvent]:
    script: list[Any] = [ToolCall(id="c1", name="look"), f"{LONG}It is {CARD}. {LONG}Good day."]
    return list(session.stream([HumanMessage(text)], model=StreamingScriptedModel(script, piece=5)))


async def replayed(session: Session, last_event_id: str | None) -> list[dict[str, object]]:
    """What a browser gets that comes back with its cursor, up to the last event that is there."""
    found, newest = list[dict[str, object]](), session.events().history()[-1].id
    frames = session.events().generate_sse(last_event_id)
    async for frame in frames:
        found += [json.loads(line[6:]) for line in frame.splitlines() if line.startswith("data: ")]
        if found and found[-1].get("id") == newest:
            break
    await frames.aclose()  # type: ignore[attr-defined]  # it is a generator
    return found


async def test_another_gateway_on_the_same_file_replays_by_last_event_id(site: Site) -> None:
    first = site.open()
    events = await _threaded(turn, first)
    other = site.open()
    assert other.events().history() == events == first.events().history()
    again = await replayed(other, str(events[3].id))
    assert [event["id"] for event in again] == [event.id for event in events[4:]]
    assert [event["type"] for event in again] == [event.type for event in events[4:]]
    assert again == await replayed(first, str(events[3].id))
    assert CARD not in json.dumps(await replayed(other, None))


async def test_an_unknown_cursor_gives_one_resync_there_too(site: Site) -> None:
    await _threaded(turn, site.open())
    found = await replayed(site.open(), "9999")
    assert [event["type"] for event in found].count("resync") == 1


def test_turns_in_two_processes_are_one_stream(site: Site) -> None:
    left, right = site.open(), site.open()
    told = [*turn(left), *turn(right), *turn(left)]
    assert [event.id for event in told] == list(range(1, len(told) + 1))
    assert left.events().history() == right.events().history() == told
    assert [event.type for event in told].count("final") == 3


def test_it_outlives_the_processes(site: Site) -> None:
    events = turn(site.open())
    site.opened.pop().close()
    later = site.open()
    more = turn(later)
    assert more[0].id == events[-1].id + 1
    assert later.events().history() == [*events, *more]


def test_what_one_process_seals_later_no_other_shows(site: Site) -> None:
    left, right = site.open(), site.open()
    left.events().emit("status", {"text": "tr0ub4dor-zebra-quartz"})
    left.redact("x", known=["tr0ub4dor-zebra-quartz"])
    assert "zebra" not in repr(right.events().history())
    assert "zebra" not in repr(site.open().events().history())


def test_the_owner_sees_his_masks_and_the_file_nothing(site: Site) -> None:
    turn(site.open())
    other = site.open()
    assert "•••• 1111" in repr(other.events(owner="jane").history())
    assert not any(leak in site.bytes() for leak in (b"4111", b"Good day", b"long enough"))


def test_the_internal_view_is_each_process_own(site: Site) -> None:
    left, right = site.open(), site.open()
    internal = left.events(audience="internal")
    turn(left)
    assert internal.history()[-1].type == "final"
    assert right.events(audience="internal").history() == []


def test_after_a_shred_no_process_has_events(site: Site) -> None:
    left, right = site.open(), site.open()
    turn(left)
    left.shred()
    with pytest.raises(SessionShredded):
        right.events().history()
    with pytest.raises(SessionShredded):
        turn(right)


def test_in_memory_each_process_has_its_own(tmp_path: Path, detector: Detector) -> None:
    with (
        Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector) as one,
        Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector, events="memory") as two,
    ):
        held = one.session("s1")
        held.invoke([HumanMessage("Hello.")], model=ScriptedModel(["Good day."]))
        assert two.session("s1").events().history() == []
        assert held.events().history()[-1].type == "final"


def test_events_are_kept_in_one_of_two_places() -> None:
    with pytest.raises(InvalidInput, match="'memory' or 'stored'"):
        Gateway.open(":memory:", events="file")  # type: ignore[arg-type]


async def _threaded(call: Callable[..., list[AppEvent]], *given: object) -> list[AppEvent]:
    return await asyncio.to_thread(call, *given)
