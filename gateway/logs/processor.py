"""The structlog processor. It needs nothing of structlog: a processor is a callable over a mapping."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from .records import exception_text
from .scrubber import scrub_value


def structlog_processor(logger: object, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Scrubs every field of an event, names included. Place it last before the renderer, and any
    ``format_exc_info`` before it; an exception that is still an object becomes its text."""
    info = event.get("exc_info")
    if isinstance(info, BaseException):
        info = (type(info), info, info.__traceback__)
    if isinstance(info, tuple):
        event["exc_info"] = None
        event["exception"] = exception_text(info)
    scrubbed = scrub_value(dict(event))
    event.clear()
    event.update(scrubbed if isinstance(scrubbed, dict) else {"event": scrubbed})
    return event
