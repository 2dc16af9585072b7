"""The cache of a detector: spans by keyed digest, never text. An agent resends its history with each turn; this makes a
turn cost what is new in it."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from typing import Final

from sealgate.models.findings import Finding
from sealgate.models.processlock import ProcessLock

ENTRIES: Final = 8192
"""Texts that are remembered; the least recently used goes first."""

_MOST_FINDINGS: Final = 256
"""Findings of a text that is remembered; one with more is looked at again."""


class SpanCache:
    """Findings by text. The digest is keyed with random bytes of this process and with the caller's partition, so that
    neither a dump nor the time of a look-up tells one session what another one said."""

    def __init__(self) -> None:
        self._key = os.urandom(32)
        self._lock = ProcessLock()
        self._spans: OrderedDict[bytes, tuple[Finding, ...]] = OrderedDict()

    def __repr__(self) -> str:
        return f"SpanCache({len(self._spans)} texts)"

    def digest(self, text: str, partition: bytes) -> bytes:
        """The name under which a text is remembered; ``partition`` has at most 16 bytes."""
        return hashlib.blake2b(
            text.encode("utf-8", "surrogatepass"), key=self._key, person=partition, digest_size=20
        ).digest()

    def get(self, digest: bytes) -> list[Finding] | None:
        """The findings of a remembered text."""
        with self._lock:
            found = self._spans.get(digest)
            if found is None:
                return None
            self._spans.move_to_end(digest)
            return list(found)

    def put(self, digest: bytes, findings: list[Finding]) -> None:
        """Remembers the findings of a text."""
        if len(findings) > _MOST_FINDINGS:
            return
        with self._lock:
            self._spans[digest] = tuple(findings)
            if len(self._spans) > ENTRIES:
                self._spans.popitem(last=False)
