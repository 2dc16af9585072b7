"""How many tokens were compared with a secret of a small guess space, counted where every process sees it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from sealgate.models.guessing import MAX_GUESSES, compare

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
        self._full: set[str] = set()

    def admit(self, index: Index, codes: Sequence[str], tokens: Sequence[str]) -> int:
        """How many of ``tokens`` may be compared with all of these secrets. See ``GuessCounter.admit``."""
        if any(code in self._full for code in codes):
            return 0
        names = [index.name("guess/1", token).hex() for token in tokens]
        return min((self._count(code, names) for code in codes), default=0)

    def _count(self, code: str, names: list[str]) -> int:
        admitted = 0

        def add(before: bytes | None) -> bytes | None:
            nonlocal admitted
            compared: list[str] = json.loads(before) if before else []
            known = len(compared)
            admitted = compare(compared, names)
            return json.dumps(compared).encode() if len(compared) > known else None

        stored = self._records.change(_KIND, code, add)
        if stored is not None and len(json.loads(stored)) >= MAX_GUESSES:
            if len(self._full) >= _MAX_KNOWN:
                self._full.clear()
            self._full.add(code)
        return admitted
