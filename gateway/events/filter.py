"""The filter: what may leave the gateway in an event, at what the session knows now.

It looks at values, so it does not matter where in a payload a secret stands. For ``frontend_safe`` it looks at the
names of fields as well: what is named as private or internal does not go to a browser even if nothing in it is sealed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import JsonValue

from sealgate.models.events import AppEvent, Audience
from sealgate.models.interrupts import HumanInterrupt

from .plain import laid_out
from .scrub import Known, scrub

PRIVATE: Final = "<private>"
"""Stands for each value under a field that is named as private."""

INTERNAL: Final = "<internal>"
"""Stands for the content of a field that only operators should read."""

_PRIVATE_FIELD: Final = re.compile(
    r"(?:private.?data|interrupt.?data)(?:.?injected)?|(?:added|merged).?private.?data"
    r"|(?:(?:un)?matched.?)?known.?pii.?values",
    re.IGNORECASE,
)
_INTERNAL_FIELD: Final = re.compile("traceback|stack.?trace|exc.?info|locals", re.IGNORECASE)
"""Names of fields, with or without a separator inside."""

_HINTS: Final = ("private", "interrupt", "known", "trace", "exc", "locals")
"""Each name has one of these in it; a plain search for them is a tenth of the expressions' cost."""


def filtered(payload: object, known: Known, audience: Audience = "frontend_safe") -> JsonValue:
    """The payload as JSON data in which no sealed value stands; equal to ``plain(payload)`` where none did.

    ``frontend_safe`` also blanks fields named as private or internal; ``internal`` keeps those, with placeholders.
    """
    read, layout = laid_out(payload)
    if audience != "internal" and _may_be_named(layout.keys().casefold()):
        read, layout = laid_out(_without_private(read))
    return scrub(read, layout, known)


def filter_event(event: AppEvent, known: Known, audience: Audience = "frontend_safe") -> AppEvent:
    """An event of the gateway with its contents filtered.

    What the gateway itself wrote is left alone: type, identifiers, time, names of tools and arguments, statuses, error
    codes. Contents are the texts, arguments, results, prompts, choices and ``data``; they are searched together.
    """
    return with_contents(event, lambda contents: filtered(contents, known, audience))


def with_contents(event: AppEvent, change: Callable[[dict[str, Any]], JsonValue]) -> AppEvent:
    """An event whose contents went through a function that keeps their shape."""
    contents = _contents(event)
    changed = change(contents) if contents else None
    return _with_contents(event, changed) if isinstance(changed, dict) else event


def _contents(event: AppEvent) -> dict[str, Any]:
    """What others wrote into an event, by names that ``_with_contents`` knows."""
    found: dict[str, Any] = {}
    if event.text is not None:
        found["text"] = event.text
    if event.data:
        found["data"] = event.data
    if event.error is not None:
        found["message"] = event.error.message
    if event.tool is not None:
        found["tool"] = {"args": event.tool.args, "result": event.tool.result, "error": event.tool.error}
    if event.interrupt is not None:
        found["interrupt"] = {"prompt": event.interrupt.prompt, "choices": event.interrupt.choices}
        if event.interrupt.human is not None:
            human = event.interrupt.human
            found["human"] = {"description": human.description, "args": human.action_request.args}
    return found


def _with_contents(event: AppEvent, safe: dict[str, Any]) -> AppEvent:
    fields: dict[str, Any] = {name: safe[name] for name in ("text", "data") if name in safe}
    if event.error is not None:
        fields["error"] = event.error.model_copy(update={"message": safe["message"]})
    if event.tool is not None:
        fields["tool"] = event.tool.model_copy(update=safe["tool"])
    if event.interrupt is not None:
        human = event.interrupt.human
        changed = safe["interrupt"] if human is None else {**safe["interrupt"], "human": _human(human, safe["human"])}
        fields["interrupt"] = event.interrupt.model_copy(update=changed)
    return event.model_copy(update=fields)


def _human(human: HumanInterrupt, safe: dict[str, Any]) -> HumanInterrupt:
    action = human.action_request.model_copy(update={"args": safe["args"]})
    return human.model_copy(update={"action_request": action, "description": safe["description"]})


def _may_be_named(keys: str) -> bool:
    return any(hint in keys for hint in _HINTS)


def _without_private(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_without_private(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _named(key, item) for key, item in value.items()}


def _named(key: str, value: JsonValue) -> JsonValue:
    if _INTERNAL_FIELD.fullmatch(key):
        return INTERNAL
    return _summary(value) if _PRIVATE_FIELD.fullmatch(key) else _without_private(value)


def _summary(value: JsonValue) -> JsonValue:
    """What may be said of private data: the keys of an object, the number of an array's items."""
    if isinstance(value, Mapping):
        return dict.fromkeys(value, PRIVATE)
    return [PRIVATE] * len(value) if isinstance(value, list) else PRIVATE
