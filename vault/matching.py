"""The live values of a session as a matcher, kept until they change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeVar, cast

from sealgate.models.errors import TamperDetected
from sealgate.models.sealing import ExtendingBuilder, LiveValue

from .encoding import AUTHENTICATION
from .entries import SEARCHABLE, UNTIL_TURN_ENDS, Facts, Opened, open_row, placeholder_of
from .ledger import Spent
from .rows import EntryRow
from .state import State
from .store import EntryTable

Built = TypeVar("Built")

_MAX_BUILDERS: Final = 16


class _Candidate(NamedTuple):
    """A form that is looked for while it lives."""

    live: LiveValue
    life: bytes
    expires: int


class Snapshot(NamedTuple):
    """All rows of a session, decrypted, as of one generation.

    ``values`` are the live ones, valid ``until`` the first of them expires (Unix milliseconds, 0 for never); ``mortal``
    are the heads of entries with a lifetime or a number of uses.
    """

    gen: int
    dek_ver: int
    last: int
    facts: dict[str, Facts]
    candidates: tuple[_Candidate, ...]
    mortal: tuple[Opened, ...]
    values: tuple[LiveValue, ...]
    until: int


_NOTHING: Final = Snapshot(-1, 0, 0, {}, (), (), (), 0)


class Matching:
    """Caches the decrypted rows of a session, and what each ``build`` function made of the live ones.

    Plaintext of live values stays in memory while this object lives, as it does in whatever ``build`` returns.
    """

    __slots__ = ("_built", "_snapshot")

    def __init__(self) -> None:
        self._snapshot = _NOTHING
        self._built: dict[object, tuple[Snapshot, Any]] = {}

    def current(self, gen: int, now: int) -> Snapshot | None:
        """The cached snapshot, if it is still the one of this generation and none of its values has expired."""
        snapshot = self._snapshot
        return snapshot if snapshot.gen == gen and (not snapshot.until or now < snapshot.until) else None

    def refresh(self, state: State, entries: EntryTable, now: int) -> Snapshot:
        """The snapshot now. Decrypts only what was added, if nothing else happened since the cached one."""
        before, spent = self._snapshot, state.spent()
        if not spent.moved <= before.gen <= state.row.gen or before.dek_ver != state.row.dek_ver:
            before = _NOTHING
        snapshot = self._snapshot = _extended(state, spent, before, entries.after(state.row.sid, before.last), now)
        return snapshot

    def build(self, snapshot: Snapshot, build: Callable[[Sequence[LiveValue]], Built]) -> Built:
        """What ``build`` makes of the live values, from the cache if it made it of these before."""
        made = self._built.get(build)
        if made is None or made[0] is not snapshot:
            if len(self._built) >= _MAX_BUILDERS:
                self._built.clear()
            made = self._built[build] = (snapshot, _made(build, made, snapshot.values))
        return cast("Built", made[1])

    def clear(self) -> None:
        """Forgets all values."""
        self._snapshot, self._built = _NOTHING, {}

    def __reduce__(self) -> NoReturn:
        raise TypeError("values cannot be pickled")


def _made(
    build: Callable[[Sequence[LiveValue]], Any], before: tuple[Snapshot, Any] | None, values: tuple[LiveValue, ...]
) -> Any:
    """What ``build`` makes of the values; if it can, from what it made of the first of them before."""
    if before is not None and isinstance(build, ExtendingBuilder):
        known = before[0].values
        if known and values[: len(known)] == known:
            return build.extend(before[1], values[len(known) :]) if len(values) > len(known) else before[1]
    return build(values)


def _extended(state: State, spent: Spent, before: Snapshot, rows: Sequence[EntryRow], now: int) -> Snapshot:
    facts, candidates, mortal = dict(before.facts), list(before.candidates), list(before.mortal)
    for opened in [open_row(state.keys, row) for row in rows]:
        row = opened.row
        if opened.facts is not None:
            facts[row.code] = opened.facts
            if row.expires or opened.facts.uses is not None or UNTIL_TURN_ENDS in opened.facts.flags:
                mortal.append(opened)
        candidates += _candidate(opened, facts.get(row.code))
    live = [one for one in candidates if not spent.is_ended(one.life) and not 0 < one.expires <= now]
    until = min((one.expires for one in live if one.expires), default=0)
    last = rows[-1].id if rows else before.last
    values = tuple(one.live for one in live)
    return Snapshot(state.row.gen, state.row.dek_ver, last, facts, tuple(candidates), tuple(mortal), values, until)


def _candidate(opened: Opened, facts: Facts | None) -> list[_Candidate]:
    """The form, if it is searchable. Burnt values are looked for until their turn ends."""
    if facts is None:
        raise TamperDetected(AUTHENTICATION)
    if SEARCHABLE not in facts.flags:
        return []
    live = LiveValue(opened.secret, placeholder_of(opened.row, facts), facts.entity_types)
    return [_Candidate(live, opened.row.life, opened.row.expires)]
