"""The redactor of messages: every role, every part, every argument of every tool call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias, cast

from sealgate.models.errors import InvalidInput
from sealgate.models.jsonvalue import JsonValue, check_json
from sealgate.models.messages import (
    AIMessage,
    PrivateData,
    RawMessage,
    RedactedMessage,
    Role,
    SealedCall,
    SealedMessage,
    ToolCall,
    ToolMessage,
    sealing,
)
from sealgate.models.origins import APPLICATION, MODEL, PERSON, tool_origin
from sealgate.models.placeholder import Placeholder

from .batch import Batch, Later
from .planner import Keep, Planner
from .rescrub import Scrubber, scrubber

Recognise: TypeAlias = Callable[[Role, str], str | None]
"""What the gateway itself emitted: role and text (tool arguments as ``canonical_json``) → the sealed text behind it."""

JsonObject: TypeAlias = dict[str, JsonValue]

_NOT_OF_AN_ID: Final = re.compile(r"[^A-Za-z0-9_-]")

_ORIGINS: Final[dict[Role, str]] = {"user": PERSON, "system": APPLICATION, "assistant": MODEL}


def canonical_json(value: JsonValue) -> str:
    """JSON with sorted keys and no spaces: one text for one value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def origin_of(message: RawMessage) -> str:
    """The origin of a message's values, by its role."""
    return _origin_of_role(message.role, message.name if isinstance(message, ToolMessage) else None)


def _origin_of_role(role: Role, name: str | None) -> str:
    return tool_origin(name or "unknown") if role == "tool" else _ORIGINS[role]


def redact_message(
    planner: Planner,
    message: RawMessage,
    *,
    known: Sequence[str | PrivateData] = (),
    whitelist: Sequence[str] = (),
    max_new: int | None = None,
    recognise: Recognise | None = None,
    allowed_parts: frozenset[str] = frozenset(),
    keep: Keep | None = None,
    fixed: frozenset[str] = frozenset(),
) -> SealedMessage:
    """The message with placeholders.

    ``recognise`` is asked for each text first; what it returns is used instead, with the known-value pass outside its
    placeholders. Strict placeholders for which ``keep`` is true stay; without ``recognise`` an assistant's message is
    what the model has just said, and all of its placeholders stay. Parts that
    are not text raise ``InvalidInput`` unless their type is in ``allowed_parts`` (they then pass with their strings
    redacted, and what is in an image is not seen). ``max_new`` bounds the new values of the whole message. Raises what
    ``Redactor.redact`` raises; then nothing was stored.
    """
    if isinstance(message, RedactedMessage):
        known = (*known, *message.known_pii_values)
        whitelist = (*whitelist, *message.pii_whitelist)
    if keep is None and recognise is None and message.role == "assistant":
        keep = _keep_all
    scope = planner.scope(origin=origin_of(message), known=known, whitelist=whitelist, keep=keep, fixed=fixed)
    scrub = scrubber(planner, origin_of(message))
    worker = _MessageWorker(Batch(planner, scope), scrub, message.role, recognise)
    content = worker.content(message.content, allowed_parts)
    calls = [(call, worker.json(call.arguments)) for call in _calls(message)]
    worker.batch.commit(max_new=max_new)
    with sealing():
        return SealedMessage(
            role=message.role,
            content=cast("str | list[JsonObject]", content()),
            tool_calls=tuple(
                SealedCall(id=call.id, name=call.name, arguments=cast("JsonObject", arguments()))
                for call, arguments in calls
            ),
            **_tool_fields(message),
        )


def redact_messages(planner: Planner, messages: Iterable[RawMessage], **options: Any) -> list[SealedMessage]:
    """All messages, and then the known-value pass over all of them: an early one may hold what a later one made
    known. ``options`` as in ``redact_message``."""
    sealed = [redact_message(planner, message, **options) for message in messages]
    return [rescrub(planner, message) for message in sealed]


def rescrub(planner: Planner, message: SealedMessage) -> SealedMessage:
    """A message said earlier, with what has become known since hidden outside of its placeholders; in the ids of calls
    too, which a model makes up."""
    scrub = scrubber(planner, _origin_of_role(message.role, message.name))
    content = scrub.json(cast("JsonValue", message.content))
    calls = [
        SealedCall(
            id=_hidden_id(scrub, call.id),
            name=call.name,
            arguments=cast("JsonObject", scrub.json(cast("JsonValue", call.arguments))),
        )
        for call in message.tool_calls
    ]
    with sealing():
        return SealedMessage(
            role=message.role,
            content=cast("str | list[JsonObject]", content),
            tool_calls=tuple(calls),
            tool_call_id=None if message.tool_call_id is None else _hidden_id(scrub, message.tool_call_id),
            name=message.name,
            status=message.status,
        )


def _hidden_id(scrub: Scrubber, call_id: str) -> str:
    """An id without sealed values, in the characters that chat APIs take; a call and its result get the same one."""
    hidden = scrub.text(call_id)
    return call_id if hidden == call_id else _NOT_OF_AN_ID.sub("-", hidden)


def _keep_all(placeholder: Placeholder) -> bool:
    return True


def _calls(message: RawMessage) -> list[ToolCall]:
    return message.tool_calls if isinstance(message, AIMessage) else []


def _tool_fields(message: RawMessage) -> dict[str, Any]:
    if not isinstance(message, ToolMessage):
        return {}
    return {"tool_call_id": message.tool_call_id, "name": message.name, "status": message.status}


class _MessageWorker:
    """Plans the pieces of one message; each comes back as a value that exists after the commit."""

    def __init__(self, batch: Batch, scrub: Scrubber, role: Role, recognise: Recognise | None) -> None:
        self.batch = batch
        self._scrub = scrub
        self._role = role
        self._recognise = recognise

    def text(self, text: str) -> Later:
        recognised = self._recognise(self._role, text) if self._recognise is not None else None
        if recognised is not None:
            scrubbed = self._scrub.text(recognised)
            return lambda: scrubbed
        return self.batch.text(text)

    def json(self, value: JsonValue) -> Later:
        check_json(value)
        recognised = self._recognise(self._role, canonical_json(value)) if self._recognise is not None else None
        if recognised is not None:
            scrubbed = self._scrub.json(json.loads(recognised))
            return lambda: scrubbed
        return self.batch.json(value)

    def content(self, content: str | list[dict[str, Any]], allowed: frozenset[str]) -> Later:
        if isinstance(content, str):
            return self.text(content)
        parts = [self.part(index, part, allowed) for index, part in enumerate(content)]
        return lambda: [part() for part in parts]

    def part(self, index: int, part: dict[str, Any], allowed: frozenset[str]) -> Later:
        kind = part.get("type")
        is_text = kind == "text" and isinstance(part.get("text"), str)
        if not is_text and not (isinstance(kind, str) and kind in allowed):
            raise InvalidInput(f"part {index} of the message is not text; other parts are refused unless allowed")
        text = self.text(part["text"]) if is_text else None
        rest = self.json(
            {key: item for key, item in part.items() if key not in ({"type", "text"} if is_text else {"type"})}
        )

        def rebuilt() -> JsonValue:
            head: JsonObject = {"type": kind} if text is None else {"type": kind, "text": text()}
            return {**head, **cast("JsonObject", rest())}

        return rebuilt
