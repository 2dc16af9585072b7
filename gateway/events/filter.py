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
from .scrub import Edit, Known, edited, scrub

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


_NAMES: Final = {"tool": ("id", "name"), "interrupt": ("id", "arg_name", "tool_name"), "error": ("code",)}
"""Fields of an event's parts that say which one they are."""

_LONG: Final = 8
"""Letters and digits of a value from which it stands in no identifier of ours by chance."""


def filtered(payload: object, known: Known, audience: Audience = "frontend_safe") -> JsonValue:
    """The payload as JSON data in which no sealed value stands; equal to ``plain(payload)`` where none did.

    ``frontend_safe`` also blanks fields named as private or internal; ``internal`` keeps those, with placeholders.
    """
    read, layout = laid_out(payload)
    if audience != "internal" and _may_be_named(layout.keys().casefold()):
        read, layout = laid_out(_without_private(read))
    return scrub(read, layout, known)


def filter_event(
    event: AppEvent, known: Known, audience: Audience = "frontend_safe", *, ours: bool = False
) -> AppEvent:
    """An event with its contents filtered.

    What the gateway itself wrote is left alone: type, identifiers, time, names of tools and arguments, statuses, error
    codes. Contents are the texts, arguments, results, prompts, choices and ``data``; they are searched together.
    Unless the event is ``ours``, its identifiers and names may be anything: values of eight letters and digits or more
    are taken out of them too.
    """
    named = event if ours else _named_safely(event, known)
    return with_contents(named, lambda contents: filtered(contents, known, audience))


def _named_safely(event: AppEvent, known: Known) -> AppEvent:
    """An event without long values in its identifiers and names."""
    own = {"turn_id": event.turn_id} if event.turn_id else {}
    parts = {name: part for name in _NAMES if (part := getattr(event, name)) is not None}
    texts = [*own.values(), *(str(getattr(part, field)) for name, part in parts.items() for field in _NAMES[name])]
    if not any(len(text) >= _LONG for text in texts) or not known.suspects(" | ".join(texts)):
        return event
    safe: dict[str, Any] = {name: _without_long(text, known) for name, text in own.items()}
    for name, part in parts.items():
        fields = {field: _without_long(str(getattr(part, field)), known) for field in _NAMES[name]}
        safe[name] = part.model_copy(update=fields)
    return event.model_copy(update=safe)


def _without_long(text: str, known: Known) -> str:
    hits = [hit for hit in known.outside(text) if sum(map(str.isalnum, text[hit.start : hit.end])) >= _LONG]
    return edited(text, [Edit(hit.start, hit.end, str(hit.placeholder)) for hit in hits])


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
