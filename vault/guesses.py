"""How many tokens were compared with a secret of a small guess space, counted where every process sees it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from sealgate.models.sealing import MAX_GUESSES

from .index import Index
from .records import Records

_KIND: Final = "guess"
_MAX_KNOWN: Final = 1_000


class Guesses:
    """The tokens compared so far, by the code of the secret: at most three each, as HMACs under the session's key.

    A full count never changes again, so it is kept in memory too.
    """

    __slots__ = ("_full", "_records")

    def __init__(self, records: Records) -> None:
        self._records = records
        self._full: dict[str, frozenset[str]] = {}

    def admit(self, index: Index, codes: Sequence[str], tokens: Sequence[str]) -> frozenset[str]:
        """Those of ``tokens`` that may be compared with all of these secrets. See ``GuessCounter.admit``."""
        named = {token: index.name("guess/1", token).hex() for token in tokens}
        admitted = set(tokens)
        for code in codes:
            compared = self._full.get(code) or self._count(code, list(named.values()))
            admitted = {token for token in admitted if named[token] in compared}
        return frozenset(admitted)

    def _count(self, code: str, names: list[str]) -> frozenset[str]:
        def add(before: bytes | None) -> bytes | None:
            compared: list[str] = json.loads(before) if before else []
            fresh = [name for name in names if name not in compared][: MAX_GUESSES - len(compared)]
            return json.dumps([*compared, *fresh]).encode() if fresh else None

        stored = self._records.change(_KIND, code, add)
        compared = frozenset(json.loads(stored)) if stored else frozenset[str]()
        if len(compared) >= MAX_GUESSES:
            if len(self._full) >= _MAX_KNOWN:
                self._full.clear()
            self._full[code] = compared
        return compared
