"""What a model was given, kept encrypted with the session: for tests, and for the proof."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Final

from sealgate.models.messages import SealedMessage, sealing
from sealgate.models.tools import ToolSpec
from sealgate.vault import AuditLog, VaultSession

_KIND: Final = "sent"


class SentToModel:
    """The payloads of one session's model calls, in order."""

    def __init__(self, vault: VaultSession, audit: AuditLog) -> None:
        self._vault = vault
        self._audit = audit

    def record(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> None:
        """Keep a payload, and write its digest and size (bytes) to the audit chain, before it is sent."""
        payload = payload_json(messages, tools)
        self._vault.records.append(_KIND, payload, durable=False)
        fields = {"digest": hashlib.sha256(payload).hexdigest(), "size": len(payload), "count": len(messages)}
        self._audit.append("model.request", session=self._vault.id, fields=fields)

    def messages(self) -> list[list[SealedMessage]]:
        """The messages of each call of the model, oldest first."""
        with sealing():
            return [
                [SealedMessage.model_validate(message) for message in json.loads(record.payload)["messages"]]
                for record in self._vault.records.read(_KIND)
            ]


def payload_json(messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> bytes:
    """A payload as JSON, UTF-8 with ``surrogatepass``."""
    payload = {
        "messages": [message.model_dump(mode="json") for message in messages],
        "tools": [tool.model_dump(mode="json") for tool in tools],
    }
    return json.dumps(payload, ensure_ascii=False).encode("utf-8", "surrogatepass")
