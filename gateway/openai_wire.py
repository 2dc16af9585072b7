"""The chat-completions wire of OpenAI-compatible endpoints, without a connection.

The shapes are those of OpenAI's API reference, ``POST /chat/completions``, as other servers speak them too. Everything
that is read is checked; nonsense is ``ModelFailed``, whose text quotes none of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from sealgate.models.errors import ModelFailed
from sealgate.models.messages import AIMessage, SealedMessage, ToolCall
from sealgate.models.tools import ToolSpec

MAX_CALLS: Final = 128
"""Tool calls of one answer."""

END: Final = "[DONE]"
"""What a stream of deltas ends with."""


def request_body(
    model: str, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec], extra: Mapping[str, Any], *, stream: bool
) -> bytes:
    """The body of a request. ``extra`` adds options such as ``temperature``; it cannot replace the conversation.

    UTF-8 has no lone surrogates, so each goes as ``?``.
    """
    body: dict[str, Any] = {**extra, "model": model, "messages": [_message(message) for message in messages]}
    if tools:
        body["tools"] = [_tool(spec) for spec in tools]
    if stream:
        body["stream"] = True
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def read_answer(body: bytes) -> AIMessage:
    """The message of a whole response. Raises ``ModelFailed`` for anything that is not one."""
    choices = _list(_mapping(_parsed(body)).get("choices"))
    if not choices:
        raise ModelFailed("the model's response has no choices")
    message = _mapping(_mapping(choices[0]).get("message"))
    calls = [_mapping(call) for call in _list(message.get("tool_calls"))]
    text = message.get("content")
    return _answer(_text(message.get("refusal") if text is None else text), calls)


class StreamedAnswer:
    """An answer that comes in deltas: ``feed`` takes the data of one event, ``finish`` gives the whole message."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._calls: dict[int, dict[str, Any]] = {}
        self._finished = False

    def feed(self, data: str) -> str:
        """The text that one event adds, often none. Raises ``ModelFailed`` for an event that is no delta."""
        chunk = _mapping(_parsed(data.encode("utf-8", "replace")))
        if chunk.get("error"):
            raise ModelFailed("the model's stream reported an error")
        choices = _list(chunk.get("choices"))
        if not choices:
            return ""  # usage and keep-alive events have no choices
        choice = _mapping(choices[0])
        self._finished = self._finished or choice.get("finish_reason") is not None
        delta = _mapping(choice.get("delta") or {})
        for call in _list(delta.get("tool_calls")):
            self._feed_call(_mapping(call))
        text = _text(delta.get("content")) or _text(delta.get("refusal"))
        self._pieces.append(text)
        return text

    def finish(self) -> AIMessage:
        """The whole message. Raises ``ModelFailed`` where the stream broke off before the model had finished."""
        if not self._finished:
            raise ModelFailed("the model's stream broke off")
        return _answer("".join(self._pieces), [self._calls[index] for index in sorted(self._calls)])

    def _feed_call(self, delta: Mapping[str, Any]) -> None:
        index = delta.get("index")
        if index is None:  # Some servers leave it out: then an id begins a call, and what has none goes on the last.
            index = max(0, len(self._calls) - (0 if delta.get("id") else 1))
        if type(index) is not int or not 0 <= index < MAX_CALLS:
            raise ModelFailed("the model's stream numbers a tool call beyond reason")
        call = self._calls.setdefault(index, {"id": "", "function": {"name": "", "arguments": ""}})
        function = _mapping(delta.get("function") or {})
        call["id"] = call["id"] or _text(delta.get("id"))
        for key in ("name", "arguments"):
            call["function"][key] += _text(function.get(key))


def _message(message: SealedMessage) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        sent["content"] = message.content or None
        sent["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for call in message.tool_calls
        ]
    if message.role == "tool":
        sent["tool_call_id"] = message.tool_call_id
    return sent


def _tool(spec: ToolSpec) -> dict[str, Any]:
    parameters = spec.parameters or {"type": "object", "properties": {}}
    return {
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": parameters},
    }


def _answer(text: str, calls: Sequence[Mapping[str, Any]]) -> AIMessage:
    if len(calls) > MAX_CALLS:
        raise ModelFailed(f"the model asked for more than {MAX_CALLS} tool calls at once")
    return AIMessage(text, tool_calls=[_call(call) for call in calls])


def _call(call: Mapping[str, Any]) -> ToolCall:
    """One tool call. Some servers leave its id out; then it gets one here."""
    function = _mapping(call.get("function"))
    arguments = function.get("arguments")
    values = arguments if isinstance(arguments, dict) else _mapping(_parsed(_text(arguments).encode() or b"{}"))
    name, identity = _text(function.get("name")), _text(call.get("id")) or f"call_{uuid4().hex}"
    if not 1 <= len(name) <= 64 or len(identity) > 128 or not (name + identity).isprintable():
        raise ModelFailed("the model's tool call has no usable name or id")
    return ToolCall(id=identity, name=name, arguments=values)


def _parsed(data: bytes) -> object:
    try:
        return json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError):  # undecodable bytes are a ValueError too
        pass
    del data
    raise ModelFailed("the model's response is not JSON")


def _refuse(constant: str) -> None:
    raise ValueError("JSON has no NaN and no Infinity")


def _mapping(value: object) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise ModelFailed("the model's response has another value where an object belongs", type(value).__name__)


def _list(value: object) -> list[Any]:
    if value is None or isinstance(value, list):
        return value or []
    raise ModelFailed("the model's response has another value where a list belongs", type(value).__name__)


def _text(value: object) -> str:
    """Text, or the texts of typed parts; empty for ``None``."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "".join(_text(_mapping(part).get("text")) for part in value)
    if isinstance(value, str):
        return value
    raise ModelFailed("the model's response has another value where text belongs", type(value).__name__)
