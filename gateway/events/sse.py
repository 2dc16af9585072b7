"""Server-sent events: how an event is spelled on the wire (WHATWG HTML, 9.2)."""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import BaseModel

from sealgate.models.events import AppEvent

RETRY: Final = 2000
"""Milliseconds after which a browser connects again."""

OPENING: Final = f"retry: {RETRY}\n\n"
HEARTBEAT: Final = ": heartbeat\n\n"
"""A comment, which no client sees as an event; it keeps proxies from closing an idle connection."""

HEADERS: Final = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}
"""What a response that carries these frames should say; the last is for proxies that would collect it."""


def encode(event: AppEvent) -> str:
    """The frame of an event: its number, its type, and its set fields as one line of ASCII JSON."""
    return frame(str(event.id), event.type, body(event))


def body(event: AppEvent) -> str:
    """The JSON of an event. ASCII, so that line separators and lone surrogates arrive as they were."""
    fields = {name: value for name, value in vars(event).items() if value is not None and value != {}}
    return json.dumps(fields, default=_dumped, separators=(",", ":"))


def _dumped(descriptor: BaseModel) -> dict[str, Any]:
    return descriptor.model_dump(exclude_none=True)


def resync(cursor: int, oldest: int, last: int) -> str:
    """The frame that says: what you have seen is not known here, start afresh with what follows.

    Its id leads to the same place again. ``oldest`` and ``last`` are the numbers of the events still held.
    """
    data = {"type": "resync", "contract_version": "v1", "oldest": oldest, "last": last}
    return frame(str(cursor), "resync", json.dumps(data, separators=(",", ":")))


def frame(number: str, kind: str, data: str) -> str:
    """One frame; none of the three may hold a line break."""
    return f"id: {number}\nevent: {kind}\ndata: {data}\n\n"
