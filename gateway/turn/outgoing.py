"""The last check on the way to a model: independent of detection, it fails closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sealgate.models.errors import LeakPrevented
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.messages import SealedMessage
from sealgate.models.tools import ToolSpec
from sealgate.redaction import KnownValues

from .specs import prose_of


def check_outgoing(known: KnownValues, messages: Iterable[SealedMessage], tools: Iterable[ToolSpec]) -> None:
    """Nothing, if no text of the payload holds a sealed value. Raises ``LeakPrevented`` naming the place, never the
    value.

    Names, keys and enums of tool schemas are the application's and are not looked at; descriptions are, and so are the
    ids of calls and the names of tools that nobody registered: a model made them up.
    """
    texts = list(_texts(messages, tools))
    if not known.suspects("\n".join(text for _where, text in texts)):
        return
    for where, text in texts:
        if known.appears_in(text):
            raise LeakPrevented(where)


def may_hold(known: KnownValues, messages: Iterable[SealedMessage]) -> bool:
    """Whether a message may hold a sealed value. False is certain, and costs one pass over all of them."""
    return known.suspects("\n".join(text for _where, text in _texts(messages, ())))


def _texts(messages: Iterable[SealedMessage], tools: Iterable[ToolSpec]) -> Iterator[tuple[str, str]]:
    tools = list(tools)
    registered = {tool.name for tool in tools}
    for position, message in enumerate(messages):
        where = f"message {position} ({message.role})"
        yield from ((where, text) for text in strings_of(message.content))
        labels = (
            message.name,
            message.tool_call_id,
            *(text for call in message.tool_calls for text in (call.id, call.name)),
        )
        yield from ((f"{where}, its labels", text) for text in labels if text and text not in registered)
        for call in message.tool_calls:
            yield from ((f"{where}, arguments of a call", text) for text in strings_of(call.arguments))
    for position, tool in enumerate(tools):
        for text in (tool.description, *prose_of(tool.parameters)):
            yield f"description of tool {position}", text


def strings_of(value: JsonValue | list[dict[str, JsonValue]]) -> Iterator[str]:
    """Every text in a JSON value: keys, strings, and numbers by their digits."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield repr(value)
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from strings_of(item)
