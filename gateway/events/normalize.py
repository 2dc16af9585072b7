"""Any producer's stream, in the one vocabulary of ``AppEvent``."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from sealgate.models.events import AppEvent, ErrorDescriptor, ToolDescriptor
from sealgate.models.interrupts import InterruptDescriptor

from .wire_names import PARTIAL_NAMES, event_type

_NAME_KEYS: Final = ("event_name", "type", "event", "name")
_BODY_KEYS: Final = ("data", "payload")
_TEXT_KEYS: Final = ("text", "delta", "content", "response", "message")
_TOOL_FIELDS: Final = ("args", "result", "error")
_INTERRUPT_FIELDS: Final = ("prompt", "arg_name", "tool_name", "input_type", "choices", "number", "total", "kind")
_STATUS: Final = {"tool.started": "started", "tool.completed": "completed", "tool.failed": "failed"}


def normalize_stream(events: Iterable[object]) -> Iterator[AppEvent]:
    """The events of a stream as ``AppEvent``s, each as it comes; those with no meaning here are left out.

    An ``AppEvent`` passes as it is, so that normalising twice changes nothing. A mapping is read by its name (``type``,
    ``event``, ``event_name``) in our vocabulary or mAIvn's, with its fields beside the name or under ``data`` or
    ``payload``. Nothing is filtered here: the values of a raw stream stay in it until ``EventBridge.publish`` takes
    them.
    """
    for event in events:
        normal = normalize_event(event)
        if normal is not None:
            yield normal


async def anormalize_stream(events: AsyncIterable[object]) -> AsyncIterator[AppEvent]:
    """The same for an asynchronous stream."""
    async for event in events:
        normal = normalize_event(event)
        if normal is not None:
            yield normal


def normalize_event(event: object) -> AppEvent | None:
    """One event; ``None`` if it has no name that means something here."""
    if isinstance(event, AppEvent):
        return event
    if not isinstance(event, Mapping):
        return None
    ours = _ours(event)
    if ours is not None:
        return ours
    name_key = next((key for key in _NAME_KEYS if isinstance(event.get(key), str)), None)
    name = event.get(name_key) if name_key else None
    body = next((event[key] for key in _BODY_KEYS if isinstance(event.get(key), Mapping)), None)
    fields = dict(body) if body is not None else {key: item for key, item in event.items() if key != name_key}
    type_ = event_type(name, fields)
    if name in PARTIAL_NAMES:
        fields["partial"] = True
    return None if type_ is None else _event(type_, fields)


def _ours(event: Mapping[str, Any]) -> AppEvent | None:
    """A dumped ``AppEvent`` read back."""
    if event.get("contract_version") != "v1":
        return None
    try:
        return AppEvent.model_validate(dict(event))
    except ValidationError:  # it quotes its input; the event is read as a foreign one instead
        return None


def _event(type_: str, fields: dict[str, Any]) -> AppEvent:
    """An event of ``type_``; each field goes to the one place that it has, and the rest to ``data``."""
    built: dict[str, Any] = {"type": type_}
    if type_.startswith("tool."):
        built["tool"] = _tool(type_, fields)
    elif type_.startswith("interrupt."):
        built["interrupt"] = _interrupt(fields)
    elif type_ == "error":
        built["error"] = _error(fields)
    else:
        built["text"] = _text(fields)
    for key in ("session_id", "turn_id"):
        if isinstance(fields.get(key), str):
            built[key] = fields.pop(key)
    return AppEvent.model_validate({**built, "data": _keyed(fields)})


def _nested(fields: dict[str, Any], name: str) -> dict[str, Any]:
    """A nested descriptor, taken out of the fields."""
    found = fields.pop(name, None)
    return dict(found) if isinstance(found, Mapping) else {} if found is None else {"name": found}


def _take(fields: dict[str, Any], nested: dict[str, Any], *names: str) -> Any:
    """The first of these fields, taken out of both places: many producers send each datum twice."""
    values = [where.pop(name, None) for name in names for where in (nested, fields)]
    return next((value for value in values if value is not None), None)


def _tool(type_: str, fields: dict[str, Any]) -> ToolDescriptor:
    nested = _nested(fields, "tool")
    args, error = _take(fields, nested, "args", "arguments", "params"), _take(fields, nested, "error")
    found = {
        "id": _string(_take(fields, nested, "id", "tool_id", "call_id", "tool_call_id")),
        "name": _string(_take(fields, nested, "name", "tool_name")),
        "status": _STATUS[type_],
        "args": _keyed(args) if isinstance(args, Mapping) else {} if args is None else {"input": args},
        "result": _take(fields, nested, "result", "output"),
        "error": error if error is None or isinstance(error, str) else "failed",
    }
    _take(fields, nested, "status")
    fields.update(nested)
    return ToolDescriptor.model_validate(found)


def _interrupt(fields: dict[str, Any]) -> InterruptDescriptor:
    nested = _nested(fields, "interrupt")
    found = {name: _take(fields, nested, name) for name in _INTERRUPT_FIELDS}
    found["id"] = _string(_take(fields, nested, "id", "interrupt_id", "checkpoint_id"))
    choices = found["choices"]
    found["choices"] = [_string(choice) for choice in choices] if isinstance(choices, list | tuple) else []
    fields.update(nested)
    given = {name: value for name, value in found.items() if value is not None}
    try:
        return InterruptDescriptor.model_validate(given)
    except ValidationError:  # it quotes its input; what does not fit is left out
        return InterruptDescriptor(id=found["id"], prompt=_string(found["prompt"]))


def _error(fields: dict[str, Any]) -> ErrorDescriptor:
    nested = _nested(fields, "error_info")
    error = fields.pop("error", None)
    if error is not None:
        nested.update(error if isinstance(error, Mapping) else {"message": error})
    found = ErrorDescriptor(
        code=_string(_take(fields, nested, "code")) or "error", message=_string(_take(fields, nested, "message"))
    )
    fields.update(nested)
    return found


def _text(fields: dict[str, Any]) -> str | None:
    """The text of an event, from wherever producers put it."""
    for nest in ("assistant", "chunk", "output"):
        inner = fields.get(nest)
        if isinstance(inner, Mapping):
            fields[nest] = dict(inner)
            text = next((fields[nest].pop(key) for key in _TEXT_KEYS if isinstance(inner.get(key), str)), None)
            if text is not None:
                _drop_repeats(fields, text)
                return str(text)
    return next((fields.pop(key) for key in _TEXT_KEYS if isinstance(fields.get(key), str)), None)


def _drop_repeats(fields: dict[str, Any], text: object) -> None:
    for key in _TEXT_KEYS:
        if fields.get(key) == text:
            del fields[key]


def _keyed(fields: Mapping[Any, Any]) -> dict[str, Any]:
    """Fields with their keys as strings; a validation error would quote others."""
    return {key if isinstance(key, str) else f"<{type(key).__name__}>": item for key, item in fields.items()}


def _string(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value) if type(value) is int else ""
