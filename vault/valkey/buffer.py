"""What a transaction on Valkey has read and means to write: it sees its own writes, and sends them at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from .link import Command

Call: TypeAlias = Callable[..., list[Any]]
"""``call(*commands)``: their answers, in one round trip."""

Field: TypeAlias = bytes | str | int
_EDGE: Final = b"+inf"
_PIECE: Final = 500
"""Fields of one command."""


class Buffer:
    """Hashes and sorted sets of one vault, under its writers' lock. Names and members are as bytes."""

    __slots__ = ("_call", "_dropped", "_hashes", "_prefix", "_scores", "_wanted", "commands")

    def __init__(self, call: Call, prefix: str) -> None:
        self._call = call
        self._prefix = prefix
        self._hashes: dict[str, dict[bytes, bytes | None]] = {}
        self._scores: dict[str, dict[bytes, int | None]] = {}
        self._dropped: set[str] = set()
        self._wanted: list[tuple[str, list[Field]]] = []
        self.commands: list[Command] = []

    def get(self, name: str, field: Field) -> bytes | None:
        """One field of a hash."""
        key = _bytes(field)
        self.fetch([(name, [key])])
        return self._hashes.get(name, {}).get(key)

    def know(self, name: str, values: dict[bytes, bytes | None]) -> None:
        """Takes over fields of a hash that were read already."""
        self._hashes.setdefault(name, {}).update(values)

    def want(self, name: str, field: Field) -> None:
        """Reads a field with whatever is read next."""
        self._wanted.append((name, [field]))

    def fetch(self, wanted: Iterable[tuple[str, Iterable[Field]]]) -> None:
        """Reads fields that are not known yet, of several hashes, in one round trip."""
        asked = self._unknown(wanted)
        if not asked:
            return
        later, self._wanted = self._wanted, []
        asked += self._unknown(later)
        answers = self._call(*(("HMGET", self._prefix + name, *keys) for name, keys in asked))
        for (name, keys), values in zip(asked, answers, strict=True):
            self._hashes[name].update(zip(keys, values, strict=True))

    def _unknown(self, wanted: Iterable[tuple[str, Iterable[Field]]]) -> list[tuple[str, list[bytes]]]:
        """What of that is not known yet, in pieces."""
        asked: list[tuple[str, list[bytes]]] = []
        for name, fields in wanted:
            known = self._hashes.setdefault(name, {})
            missing = [key for key in dict.fromkeys(map(_bytes, fields)) if key not in known]
            if name in self._dropped:
                known.update(dict.fromkeys(missing))
                continue
            asked += [(name, missing[at : at + _PIECE]) for at in range(0, len(missing), _PIECE)]
        return asked

    def all(self, name: str) -> dict[bytes, bytes]:
        """All fields of a hash."""
        stored = {} if name in self._dropped else _pairs(self._call(("HGETALL", self._prefix + name))[0])
        merged: dict[bytes, bytes | None] = {**stored, **self._hashes.get(name, {})}
        return {field: value for field, value in merged.items() if value is not None}

    def put(self, name: str, field: Field, value: bytes | None) -> None:
        """Stores a field, or deletes it (``None``)."""
        key = _bytes(field)
        self._hashes.setdefault(name, {})[key] = value
        full = self._prefix + name
        self.commands.append(("HDEL", full, key) if value is None else ("HSET", full, key, value))

    def score(self, name: str, member: Field, score: int | None) -> None:
        """Stores a member of a sorted set with its score, or deletes it (``None``)."""
        key = _bytes(member)
        self._scores.setdefault(name, {})[key] = score
        full = self._prefix + name
        self.commands.append(("ZREM", full, key) if score is None else ("ZADD", full, score, key))

    def scored(self, name: str, low: int, high: int | None = None, limit: int | None = None) -> list[tuple[bytes, int]]:
        """Members with ``low <= score <= high`` in order of their scores, at most ``limit``."""
        own = self._scores.get(name, {})
        upper = _EDGE if high is None else high
        command: Command = ("ZRANGEBYSCORE", self._prefix + name, low, upper, "WITHSCORES")
        if limit is not None:
            command += ("LIMIT", 0, limit + len(own))
        stored = [] if name in self._dropped else _scores(self._call(command)[0])
        merged: dict[bytes, int | None] = {**dict(stored), **own}
        kept = [
            (member, score)
            for member, score in merged.items()
            if score is not None and score >= low and (high is None or score <= high)
        ]
        return sorted(kept, key=lambda item: (item[1], item[0]))[:limit]

    def last(self, name: str) -> bytes | None:
        """The member with the highest score."""
        own = self._scores.get(name, {})
        command = ("ZREVRANGE", self._prefix + name, 0, len(own), "WITHSCORES")
        stored = [] if name in self._dropped else _scores(self._call(command)[0])
        kept = [(score, member) for member, score in {**dict(stored), **own}.items() if score is not None]
        return max(kept)[1] if kept else None

    def count(self, name: str) -> int:
        """How many fields a hash has."""
        if self._hashes.get(name) or name in self._dropped:
            return len(self.all(name))
        return int(self._call(("HLEN", self._prefix + name))[0])

    def drop(self, name: str) -> None:
        """Deletes a hash or a sorted set as a whole; the server frees its memory in the background."""
        self._dropped.add(name)
        self._hashes[name], self._scores[name] = {}, {}
        self.commands.append(("UNLINK", self._prefix + name))


def _bytes(field: Field) -> bytes:
    return field if isinstance(field, bytes) else str(field).encode()


def _pairs(answer: Any) -> dict[bytes, bytes]:
    if isinstance(answer, dict):
        return answer
    return dict(zip(answer[::2], answer[1::2], strict=True))


def _scores(answer: Any) -> list[tuple[bytes, int]]:
    """Members with their scores, whichever version of the protocol they came in."""
    if answer and isinstance(answer[0], list | tuple):
        return [(member, int(float(score))) for member, score in answer]
    return [(member, int(float(score))) for member, score in zip(answer[::2], answer[1::2], strict=True)]
