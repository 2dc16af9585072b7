"""The tail of a bridge: one turn's events as they leave."""

from __future__ import annotations

from collections.abc import Callable

from sealgate.gateway.events.bridge import EventBridge
from sealgate.gateway.events.tail import Tail
from sealgate.models.events import AppEvent

MakeBridge = Callable[..., EventBridge]


def said(tail: Tail, bridge: EventBridge, kind: str, text: str | None = None, turn: str = "t1") -> list[str | None]:
    event = AppEvent.model_validate({"type": kind, "turn_id": turn, "text": text})
    return [event.text for event in tail.upto(bridge.publish(event))]


def test_a_chunk_leaves_with_what_ends_it(bridge_over: MakeBridge) -> None:
    bridge = bridge_over({"831942": "OTP_CODE"})
    bridge.emit("status", {"text": "before"})
    tail = Tail(bridge)
    assert said(tail, bridge, "assistant.chunk", "it is 831") == []
    assert said(tail, bridge, "assistant.chunk", "942") == []
    assert said(tail, bridge, "assistant.message", "whole") == ["it is [OTP_CODE_00000000]", "whole"]


def test_it_leaves_out_what_is_not_the_turns(bridge_over: MakeBridge) -> None:
    bridge = bridge_over({})
    tail = Tail(bridge)
    bridge.emit("status", {"text": "an application's"})
    said(Tail(bridge), bridge, "status", "another's", turn="t0")
    assert said(tail, bridge, "status", "ours") == ["ours"]


def test_a_closed_bridge_sends_nothing_and_the_event_still_comes(bridge_over: MakeBridge) -> None:
    bridge = bridge_over({})
    tail = Tail(bridge)
    said(tail, bridge, "assistant.chunk", "half")
    bridge.close()
    assert said(tail, bridge, "error", "over") == ["half", "over"]
    assert said(tail, bridge, "assistant.chunk", "late") == []


def test_more_than_the_log_holds(bridge_over: MakeBridge) -> None:
    bridge = bridge_over({}, max_history=3)
    tail = Tail(bridge)
    for number in range(9):
        bridge.emit("status", {"text": str(number)})
    assert said(tail, bridge, "final", "end") == ["end"]
