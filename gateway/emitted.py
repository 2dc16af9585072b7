"""What the gateway itself emitted, recognised by a keyed record when a caller sends it back: not by look, type or
flag.
"""

from __future__ import annotations

import hashlib
from typing import Final

from sealgate.models.messages import SealedMessage
from sealgate.redaction import canonical_json
from sealgate.vault import VaultSession

_KIND: Final = "emitted"

MAX_EMITTED: Final = 10_000
"""Texts that are recognised; of more, the newest. An older one that comes back is redacted like any other text."""


class EmittedTexts:
    """The texts of one session that came out of this gateway, each by a keyed digest of its role and trimmed text.

    A recognised text is *replaced* by the sealed text that was recorded for it, so a forged twin gains nothing.
    """

    def __init__(self, vault: VaultSession) -> None:
        self._vault = vault

    def remember(self, role: str, said: str, sealed: str) -> None:
        """Record that ``said`` (the sealed text itself, or the form that was delivered to a person) stands for
        ``sealed``.
        """
        payload = sealed.encode("utf-8", "surrogatepass")
        self._vault.records.replace(_KIND, _key(role, said), payload, newest=MAX_EMITTED, durable=False)

    def remember_message(self, message: SealedMessage) -> None:
        """Record a message: its text or the texts of its parts, and the arguments of its calls."""
        for text in _texts(message):
            self.remember(message.role, text, text)
        for call in message.tool_calls:
            arguments = canonical_json(call.arguments)
            self.remember(message.role, arguments, arguments)

    def recognise(self, role: str, said: str) -> str | None:
        """The sealed text of what this gateway emitted, or ``None``."""
        recorded = self._vault.records.get(_KIND, _key(role, said))
        return None if recorded is None else recorded.decode("utf-8", "surrogatepass")


def _key(role: str, said: str) -> str:
    # The vault keys this digest again, so a short text cannot be found by trying.
    return hashlib.sha256(f"{role}\x00{said.strip()}".encode("utf-8", "surrogatepass")).hexdigest()


def _texts(message: SealedMessage) -> list[str]:
    if isinstance(message.content, str):
        return [message.content]
    return [str(part["text"]) for part in message.content if "text" in part]
