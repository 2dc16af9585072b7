"""What a session's row remembers under its MAC: spent uses, ended lives, and how far each kind of record got.

A life is eight random bytes that an entry gets when it is sealed. Rows of an ended life that are put back stay dead.
"""

from __future__ import annotations

import json
from typing import Any, Final

from sealgate.models.errors import TamperDetected

from .encoding import AUTHENTICATION

_VERSION: Final = b"\x01"
_ACC_MODULUS: Final = 1 << 128

MAX_ENDED: Final = 256
"""Ended lives that are kept before the session's data key is renewed, which kills their rows for good."""


class Spent:
    """Uses by call, and ended lives.

    ``calls`` maps a life to the calls that used it (digests, in order), ``ended`` a life to when its rows would die by
    themselves (Unix milliseconds, 0 for never) and the code that they had. ``moved`` is the session's last generation
    in which stored entries changed or went; later ones only added some.
    """

    __slots__ = ("calls", "ended", "moved")

    def __init__(self, calls: dict[str, list[str]], ended: dict[str, tuple[int, str]], moved: int = 0) -> None:
        self.calls = calls
        self.ended = ended
        self.moved = moved

    @classmethod
    def parse(cls, stored: bytes) -> Spent:
        """The inverse of ``encode``."""
        fields = _parse(stored)
        ended = {life: (int(expires), str(code)) for life, (expires, code) in fields.get("ended", {}).items()}
        return cls(fields.get("calls", {}), ended, int(fields.get("moved", 0)))

    def copy(self) -> Spent:
        """Another one with the same content."""
        return Spent({life: list(calls) for life, calls in self.calls.items()}, dict(self.ended), self.moved)

    def encode(self) -> bytes:
        """Version byte and canonical JSON."""
        return _encode({"calls": self.calls, "ended": self.ended, "moved": self.moved})

    def used(self, life: bytes) -> int:
        """How many calls used this life."""
        return len(self.calls.get(life.hex(), ()))

    def burn(self, life: bytes, call: bytes, uses: int) -> bool:
        """Counts one call's use; the same call counts once. ``False`` when all uses are gone to other calls."""
        calls = self.calls.setdefault(life.hex(), [])
        if call.hex() in calls:
            return True
        if len(calls) >= uses:
            return False
        calls.append(call.hex())
        return True

    def end(self, life: bytes, expires: int, code: str) -> None:
        """Ends a life."""
        self.calls.pop(life.hex(), None)
        self.ended[life.hex()] = (expires, code)

    def is_ended(self, life: bytes) -> bool:
        """Whether rows of this life are dead."""
        return life.hex() in self.ended

    def had(self, code: str) -> bool:
        """Whether a life with this code ended lately."""
        return any(one == code for _, one in self.ended.values())

    def trim(self, now: int) -> bool:
        """Drops ended lives whose rows are refused by their own expiry, once there are many; ``False`` if too many
        are left.
        """
        if len(self.ended) > MAX_ENDED:
            self.ended = {life: end for life, end in self.ended.items() if not 0 < end[0] <= now}
        return len(self.ended) <= MAX_ENDED


class Heads:
    """By kind of record: the last sequence, and a keyed sum over the live keyed records.

    The sum (a multiset hash, addition modulo 2^128 of keyed tags) shows that an older keyed record was put back.
    """

    __slots__ = ("kinds",)

    def __init__(self, kinds: dict[str, tuple[int, int]]) -> None:
        self.kinds = kinds

    @classmethod
    def parse(cls, stored: bytes) -> Heads:
        """The inverse of ``encode``."""
        return cls({kind: (seq, int(total, 16)) for kind, (seq, total) in _parse(stored).items()})

    def encode(self) -> bytes:
        """Version byte and canonical JSON."""
        return _encode({kind: [seq, f"{total:x}"] for kind, (seq, total) in self.kinds.items()})

    def last(self, kind: str) -> int:
        """The last sequence of a kind, 0 before the first."""
        return self.kinds.get(kind, (0, 0))[0]

    def total(self, kind: str) -> int:
        """The sum over the kind's keyed records."""
        return self.kinds.get(kind, (0, 0))[1]

    def advance(self, kind: str, added: int = 0, removed: int = 0) -> int:
        """The next sequence, with tags added to and taken off the sum."""
        seq, total = self.kinds.get(kind, (0, 0))
        self.kinds[kind] = (seq + 1, (total + added - removed) % _ACC_MODULUS)
        return seq + 1


_JSON: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def _encode(fields: object) -> bytes:
    return _VERSION + _JSON.encode(fields).encode("ascii")


def _parse(stored: bytes) -> dict[str, Any]:
    """The fields of an authenticated blob; none for an empty one."""
    if not stored:
        return {}
    if stored[:1] != _VERSION:
        raise TamperDetected(AUTHENTICATION)
    fields: dict[str, Any] = json.loads(stored[1:])
    return fields
