"""The filter: what may leave the gateway in an event, at what the session knows now.

It looks at values, so it does not matter where in a payload a secret stands. For ``frontend_safe`` it looks at the
names of fields as well: what is named as private or internal does not go to a browser even if nothing in it is sealed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from pydantic import JsonValue

from sealgate.models.events import AppEvent, Audience, ErrorDescriptor, ToolDescriptor
from sealgate.models.interrupts import HumanInterrupt, InterruptDescriptor

from .plain import plain, put

PRIVATE: Final = "<private>"
"""Stands for each value under a field that is named as private."""

INTERNAL: Final = "<internal>"
"""Stands for the content of a field that only operators should read."""

_PRIVATE_FIELDS: Final = frozenset(
    (
        *("privatedata", "privatedatainjected", "interruptdata", "interruptdatainjected"),
        *("addedprivatedata", "mergedprivatedata"),
        *("knownpiivalues", "matchedknownpiivalues", "unmatchedknownpiivalues"),
    )
)
_INTERNAL_FIELDS: Final = frozenset(("traceback", "stacktrace", "excinfo", "locals"))
"""Names of fields in lower case without underscores and spaces."""


class Known(Protocol):
    """**Protocol:** what is sealed in a session, as something that can be looked for."""

    def scrub(self, text: str) -> str:
        """The text with each sealed value replaced by its placeholder; the very text where there is none."""
        ...


def filtered(payload: object, known: Known, audience: Audience = "frontend_safe") -> JsonValue:
    """The payload as JSON data in which no sealed value stands; equal to ``plain(payload)`` where none did.

    ``frontend_safe`` also blanks fields named as private or internal; ``internal`` keeps those, with placeholders.
    """
    read = plain(payload)
    return scrub(read if audience == "internal" else _without_private(read), known)


def scrub(value: JsonValue, known: Known) -> JsonValue:
    """JSON data with the sealed values of its strings, keys and numbers replaced by placeholders."""
    if isinstance(value, str):
        return known.scrub(value)
    if isinstance(value, dict):
        found: dict[str, JsonValue] = {}
        for key, item in value.items():
            put(found, known.scrub(key), scrub(item, known))
        return found
    if isinstance(value, list):
        return [scrub(item, known) for item in value]
    if value is None or isinstance(value, bool):
        return value
    spelled = repr(value)
    safe = known.scrub(spelled)
    return value if safe == spelled else safe


def filter_event(event: AppEvent, known: Known, audience: Audience = "frontend_safe") -> AppEvent:
    """An event of the gateway with its contents filtered.

    What the gateway itself wrote is left alone: type, identifiers, time, names of tools and arguments, statuses, error
    codes. Contents are the texts, arguments, results, prompts, choices and ``data``.
    """
    fields: dict[str, Any] = {}
    if event.text is not None:
        fields["text"] = filtered(event.text, known, audience)
    if event.data:
        fields["data"] = filtered(event.data, known, audience)
    if event.tool is not None:
        fields["tool"] = _tool(event.tool, known, audience)
    if event.interrupt is not None:
        fields["interrupt"] = _interrupt(event.interrupt, known, audience)
    if event.error is not None:
        fields["error"] = ErrorDescriptor(code=event.error.code, message=known.scrub(event.error.message))
    return event.model_copy(update=fields) if fields else event


def _tool(tool: ToolDescriptor, known: Known, audience: Audience) -> ToolDescriptor:
    return tool.model_copy(
        update={
            "args": filtered(tool.args, known, audience),
            "result": filtered(tool.result, known, audience),
            "error": None if tool.error is None else known.scrub(tool.error),
        }
    )


def _interrupt(interrupt: InterruptDescriptor, known: Known, audience: Audience) -> InterruptDescriptor:
    fields: dict[str, Any] = {
        "prompt": known.scrub(interrupt.prompt),
        "choices": [known.scrub(choice) for choice in interrupt.choices],
    }
    if interrupt.human is not None:
        fields["human"] = _human(interrupt.human, known, audience)
    return interrupt.model_copy(update=fields)


def _human(human: HumanInterrupt, known: Known, audience: Audience) -> HumanInterrupt:
    action = human.action_request
    args = filtered(action.args, known, audience)
    description = None if human.description is None else known.scrub(human.description)
    return human.model_copy(
        update={"action_request": action.model_copy(update={"args": args}), "description": description}
    )


def _without_private(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_without_private(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _named(key, item) for key, item in value.items()}


def _named(key: str, value: JsonValue) -> JsonValue:
    name = key.casefold().replace("_", "").replace(" ", "").replace("-", "") if len(key) < 64 else ""
    if name in _INTERNAL_FIELDS:
        return INTERNAL
    return _summary(value) if name in _PRIVATE_FIELDS else _without_private(value)


def _summary(value: JsonValue) -> JsonValue:
    """What may be said of private data: the keys of an object, the number of an array's items."""
    if isinstance(value, Mapping):
        return dict.fromkeys(value, PRIVATE)
    return [PRIVATE] * len(value) if isinstance(value, list) else PRIVATE
