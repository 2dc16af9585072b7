from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sealgate.gateway.events.normalize import anormalize_stream, normalize_event, normalize_stream
from sealgate.gateway.events.wire_names import WIRE_NAMES
from sealgate.models.events import EVENT_TYPES, AppEvent

TABLE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "our own names": (
        {"type": "tool.completed", "name": "pay", "id": "c1", "result": 3},
        {"type": "tool.completed", "tool": {"id": "c1", "name": "pay", "status": "completed", "result": 3}},
    ),
    "tool event that started": (
        {"event_name": "tool_event", "tool": {"id": "c1", "name": "pay", "status": "running", "args": {"a": 1}}},
        {"type": "tool.started", "tool": {"id": "c1", "name": "pay", "status": "started", "args": {"a": 1}}},
    ),
    "tool event that completed, each datum sent twice": (
        {
            "type": "tool_event",
            "data": {"args": {}, "result": 2, "tool": {"name": "p", "status": "done", "args": {}, "result": 2}},
        },
        {"type": "tool.completed", "tool": {"id": "", "name": "p", "status": "completed", "args": {}, "result": 2}},
    ),
    "tool event that failed": (
        {"event": "tool_event", "payload": {"tool_name": "pay", "status": "failed", "error": "declined"}},
        {"type": "tool.failed", "tool": {"id": "", "name": "pay", "status": "failed", "error": "declined"}},
    ),
    "system tool": (
        {"type": "system_tool_start", "tool_id": "t", "tool_name": "web", "params": {"q": "x"}},
        {"type": "tool.started", "tool": {"id": "t", "name": "web", "status": "started", "args": {"q": "x"}}},
    ),
    "assistant chunk": (
        {"type": "assistant_chunk", "assistant": {"id": "a", "delta": "hel"}, "text": "hel"},
        {"type": "assistant.chunk", "text": "hel", "data": {"assistant": {"id": "a"}}},
    ),
    "status": (
        {"type": "status_message", "message": "thinking"},
        {"type": "status", "text": "thinking"},
    ),
    "partial status": (
        {"type": "system_tool_chunk", "tool_id": "t", "chunk": {"text": "hal", "progress": 0.5}},
        {"type": "status", "text": "hal", "data": {"tool_id": "t", "chunk": {"progress": 0.5}, "partial": True}},
    ),
    "interrupt with the seed's fields": (
        {
            "type": "interrupt_required",
            "interrupt": {
                "id": "i1", "prompt": "Which?", "arg_name": "which", "tool_name": "pay", "input_type": "choice",
                "choices": ["a", "b"], "number": 1, "total": 2, "data_key": "which",
            },
        },
        {
            "type": "interrupt.requested",
            "interrupt": {
                "id": "i1", "kind": "ask", "prompt": "Which?", "arg_name": "which", "tool_name": "pay",
                "input_type": "choice", "choices": ["a", "b"], "number": 1, "total": 2,
            },
            "data": {"data_key": "which"},
        },
    ),
    "flat interrupt": (
        {"type": "interrupt_request", "checkpoint_id": "k", "prompt": "PIN?", "input_type": "password"},
        {"type": "interrupt.requested", "interrupt": {"id": "k", "prompt": "PIN?", "input_type": "password"}},
    ),
    "interrupt of a type that we do not have": (
        {"type": "interrupt_request", "id": "k", "prompt": "Mail?", "input_type": "email"},
        {"type": "interrupt.requested", "interrupt": {"id": "k", "prompt": "Mail?", "input_type": "text"}},
    ),
    "redaction": (
        {"type": "enrichment", "enrichment": {"phase": "message_redaction_applied"}},
        {"type": "redaction.applied", "data": {"enrichment": {"phase": "message_redaction_applied"}}},
    ),
    "other enrichment": (
        {"type": "enrichment", "phase": "memory", "message": "recalled"},
        {"type": "status", "text": "recalled", "data": {"phase": "memory"}},
    ),
    "error": (
        {"type": "error", "error": "boom", "error_info": {"code": "E1", "details": {"a": 1}}},
        {"type": "error", "error": {"code": "E1", "message": "boom"}, "data": {"details": {"a": 1}}},
    ),
    "final": (
        {"type": "final", "output": {"response": "done", "result": {"a": 1}}, "turn_id": "t1"},
        {"type": "final", "text": "done", "turn_id": "t1", "data": {"output": {"result": {"a": 1}}}},
    ),
    "hook": (
        {"type": "hook_fired", "name": "audit", "stage": "after"},
        {"type": "hook.fired", "data": {"name": "audit", "stage": "after"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_a_foreign_event_gets_our_names(name: str) -> None:
    given, expected = TABLE[name]
    before = repr(given)
    event = normalize_event(given)
    assert event is not None
    assert repr(given) == before
    assert event == AppEvent.model_validate(expected)


@pytest.mark.parametrize("wire_name", WIRE_NAMES)
def test_every_wire_name_has_a_type_of_ours(wire_name: str) -> None:
    assert WIRE_NAMES[wire_name] in EVENT_TYPES
    found = normalize_event({"type": wire_name})
    assert found is not None
    assert found.type == WIRE_NAMES[wire_name]


@pytest.mark.parametrize(
    "event", [{}, {"type": "heartbeat"}, {"type": 3}, {"data": {}}, "text", None, 7, ["type"], {"type": "x" * 10_000}]
)
def test_what_means_nothing_is_left_out(event: object) -> None:
    assert list(normalize_stream([event])) == []


@pytest.mark.parametrize("name", TABLE)
def test_normalising_is_idempotent(name: str) -> None:
    once = list(normalize_stream([TABLE[name][0]]))
    assert list(normalize_stream(once)) == once
    assert list(normalize_stream([event.model_dump() for event in once])) == once


def test_it_streams() -> None:
    taken: list[int] = []

    def source() -> Any:
        for number in range(3):
            taken.append(number)
            yield {"type": "status", "text": str(number)}

    stream = normalize_stream(source())
    assert next(stream).text == "0"
    assert taken == [0]


async def test_the_asynchronous_twin_gives_the_same() -> None:
    async def source() -> AsyncIterator[object]:
        for given, _ in TABLE.values():
            yield given

    expected = list(normalize_stream(given for given, _ in TABLE.values()))
    assert [event async for event in anormalize_stream(source())] == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"tool": "pay"}, {"tool": None}, {"tool": {"args": [1]}}, {"args": "x"}, {"error": {"code": 3}}, {"choices": 5},
        {"interrupt": {"number": "x", "choices": None}}, {"assistant": []}, {"id": {}}, {1: 2, "text": 3},
        {"args": {1: 2}},
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["tool_event", "interrupt_request", "error", "assistant_chunk", "final"])
def test_odd_fields_raise_nothing(kind: str, fields: dict[Any, Any]) -> None:
    assert normalize_event({"type": kind, **fields}) is not None
