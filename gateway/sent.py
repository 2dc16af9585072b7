"""What a model was given, kept encrypted with the session: for tests, and for the proof."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from sealgate.models.messages import SealedMessage, sealing
from sealgate.models.tools import ToolSpec
from sealgate.vault import AuditLog, VaultSession

_CALLS: Final = "sent"
_PARTS: Final = "sent.part"

MAX_KNOWN_PARTS: Final = 4096
"""Parts whose number a process remembers; one that it forgot is stored again."""


class SentToModel:
    """The payloads of one session's model calls, in order.

    A conversation is resent with every call, so each message is stored once and a call holds the numbers of its
    messages.
    """

    def __init__(self, vault: VaultSession, audit: AuditLog) -> None:
        self._vault = vault
        self._audit = audit
        self._known: OrderedDict[str, int] = OrderedDict()

    def record(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> None:
        """Keep a payload, and write its digest and size (bytes) to the audit chain, before it is sent."""
        parts = [_encoded(message.model_dump(mode="json")) for message in messages]
        toolbox = _encoded([tool.model_dump(mode="json") for tool in tools])
        call = {"messages": [self._stored(part) for part in parts], "tools": self._stored(toolbox)}
        self._vault.records.append(_CALLS, _encoded(call), durable=False)
        payload = b"\n".join([*parts, toolbox])
        fields = {"digest": hashlib.sha256(payload).hexdigest(), "size": len(payload), "count": len(messages)}
        self._audit.append("model.request", session=self._vault.id, fields=fields)

    def messages(self) -> list[list[SealedMessage]]:
        """The messages of each call of the model, oldest first."""
        parts = [record.payload for record in self._vault.records.whole(_PARTS)]
        with sealing():
            return [
                [SealedMessage.model_validate(json.loads(parts[number - 1])) for number in numbers]
                for call in self._vault.records.whole(_CALLS)
                for numbers in [json.loads(call.payload)["messages"]]
            ]

    def _stored(self, part: bytes) -> int:
        digest = hashlib.sha256(part).hexdigest()
        if digest not in self._known:
            self._known[digest] = self._vault.records.append(_PARTS, part, durable=False)
            if len(self._known) > MAX_KNOWN_PARTS:
                self._known.popitem(last=False)
        return self._known[digest]


def payload_json(messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> bytes:
    """A payload as JSON, UTF-8 with ``surrogatepass``: what a model was given, for a reader."""
    payload = {
        "messages": [message.model_dump(mode="json") for message in messages],
        "tools": [tool.model_dump(mode="json") for tool in tools],
    }
    return json.dumps(payload, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _encoded(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode("ascii")
