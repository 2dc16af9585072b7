"""The live values of a session as a matcher, kept until they change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeVar, cast

from sealgate.models.errors import TamperDetected
from sealgate.models.sealing import LiveValue

from .encoding import AUTHENTICATION
from .entries import SEARCHABLE, Facts, Opened, open_row, placeholder_of
from .ledger import Spent
from .rows import EntryRow
from .state import State
from .store import EntryTable

Built = TypeVar("Built")

_MAX_BUILDERS: Final = 16


class _Live(NamedTuple):
    gen: int
    until: int
    values: tuple[LiveValue, ...]


class Matching:
    """Caches the live values by the session's generation, and what each ``build`` function made of them.

    Plaintext of live values stays in memory while this object lives, as it does in whatever ``build`` returns.
    """

    __slots__ = ("_built", "_live", "_opened")

    def __init__(self) -> None:
        self._live: _Live | None = None
        self._opened: dict[int, tuple[bytes, Opened]] = {}
        self._built: dict[object, tuple[_Live, Any]] = {}

    def current(self, gen: int, now: int) -> _Live | None:
        """The cached values, if they are still the ones of this generation and none has expired."""
        live = self._live
        return live if live is not None and live.gen == gen and (not live.until or now < live.until) else None

    def refresh(self, state: State, entries: EntryTable, now: int) -> _Live:
        """Reads and decrypts what is new."""
        known, opened = self._opened, {}
        for row in entries.all(state.row.sid):
            before = known.get(row.id)
            same = before is not None and before[0] == row.ct
            opened[row.id] = before if before is not None and same else (row.ct, open_row(state.keys, row))
        self._opened = opened
        live = self._live = _live(state, [item for _, item in opened.values()], now)
        return live

    def build(self, live: _Live, build: Callable[[Sequence[LiveValue]], Built]) -> Built:
        """What ``build`` makes of the values, from the cache if it made it of these before."""
        made = self._built.get(build)
        if made is None or made[0] is not live:
            if len(self._built) >= _MAX_BUILDERS:
                self._built.clear()
            made = self._built[build] = (live, build(live.values))
        return cast("Built", made[1])

    def clear(self) -> None:
        """Forgets all values."""
        self._live, self._opened, self._built = None, {}, {}

    def __reduce__(self) -> NoReturn:
        raise TypeError("values cannot be pickled")


def _live(state: State, opened: Sequence[Opened], now: int) -> _Live:
    spent = state.spent()
    heads = {item.row.code: item.facts for item in opened if item.facts is not None}
    values: list[LiveValue] = []
    until = 0
    for item in opened:
        facts = heads.get(item.row.code)
        if facts is None:
            raise TamperDetected(AUTHENTICATION)
        if _counts(item.row, facts, spent, now):
            values.append(LiveValue(item.secret, placeholder_of(item.row, facts), facts.entity_types))
            until = min(until or item.row.expires, item.row.expires or until)
    return _Live(state.row.gen, until, tuple(values))


def _counts(row: EntryRow, facts: Facts, spent: Spent, now: int) -> bool:
    """Whether a form is looked for: burnt values are until their turn ends, expired and destroyed ones are not."""
    return SEARCHABLE in facts.flags and not spent.is_ended(row.life) and not 0 < row.expires <= now
