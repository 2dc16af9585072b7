"""The live values of a session as a matcher, kept until they change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeVar, cast

from sealgate.models.errors import TamperDetected
from sealgate.models.sealing import ExtendingBuilder, LiveValue

from .encoding import AUTHENTICATION
from .entries import Opened, open_row, placeholder_of
from .facts import Facts
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


class _Kept(NamedTuple):
    """A decrypted row, the facts of its head, and the form if it is searchable: used again while both stay."""

    opened: Opened
    facts: Facts
    candidate: _Candidate | None


class Snapshot(NamedTuple):
    """All rows of a session, decrypted, as of one generation; ``kept`` by row id, in order.

    ``values`` are the live ones, valid ``until`` the first of them expires (Unix milliseconds, 0 for never); ``mortal``
    are the heads of entries with a lifetime or a number of uses.
    """

    gen: int
    dek_ver: int
    last: int
    kept: dict[int, _Kept]
    heads: dict[str, Facts]
    mortal: tuple[Opened, ...]
    values: tuple[LiveValue, ...]
    until: int


_NOTHING: Final = Snapshot(-1, 0, 0, {}, {}, (), (), 0)


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
        """The snapshot now. Reads only what was added, if nothing else happened since the cached one, and decrypts only
        what is not as it was.
        """
        known, spent = self._snapshot, state.spent()
        if known.dek_ver != state.row.dek_ver:
            known = _NOTHING
        grown = spent.moved <= known.gen <= state.row.gen
        before = known if grown else _NOTHING
        rows = entries.after(state.row.sid, before.last)
        snapshot = self._snapshot = _extended(state, spent, before, _kept(state, before, known, rows), now)
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


def _kept(state: State, before: Snapshot, known: Snapshot, rows: Sequence[EntryRow]) -> list[_Kept]:
    """The rows, decrypted or as they are ``known``. A head stands before its other forms."""
    heads, kept = dict(before.heads), []
    for row in rows:
        was = known.kept.get(row.id)
        opened = was.opened if was is not None and was.opened.row == row else open_row(state.keys, row)
        if opened.facts is not None:
            heads[row.code] = opened.facts
        facts = heads.get(row.code)
        if facts is None:
            raise TamperDetected(AUTHENTICATION)
        same = was is not None and was.opened is opened and was.facts is facts
        kept.append(was if was is not None and same else _Kept(opened, facts, _candidate(opened, facts)))
    return kept


def _extended(state: State, spent: Spent, before: Snapshot, added: Sequence[_Kept], now: int) -> Snapshot:
    kept = before.kept | {one.opened.row.id: one for one in added}
    heads = before.heads | {one.opened.row.code: one.facts for one in added}
    mortal = before.mortal + tuple(one.opened for one in added if _is_mortal(one.opened))
    candidates = [one.candidate for one in kept.values() if one.candidate is not None]
    live = [one for one in candidates if not spent.is_ended(one.life) and not 0 < one.expires <= now]
    until = min((one.expires for one in live if one.expires), default=0)
    last = added[-1].opened.row.id if added else before.last
    values = tuple(one.live for one in live)
    return Snapshot(state.row.gen, state.row.dek_ver, last, kept, heads, mortal, values, until)


def _is_mortal(opened: Opened) -> bool:
    facts = opened.facts
    return facts is not None and (opened.row.expires > 0 or facts.uses is not None or facts.until_turn_ends)


def _candidate(opened: Opened, facts: Facts) -> _Candidate | None:
    """The form, if it is searchable. Burnt values are looked for until their turn ends."""
    if not facts.searchable:
        return None
    live = LiveValue(opened.secret, placeholder_of(opened.row, facts), facts.entity_types)
    return _Candidate(live, opened.row.life, opened.row.expires)
