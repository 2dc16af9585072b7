"""Sealing a batch of values inside one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sealgate.models.entities import entity_info
from sealgate.models.errors import InvalidInput, TamperDetected, TooManyValues
from sealgate.models.origins import APPLICATION, INTERRUPT, check_origin
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest

from .encoding import AUTHENTICATION
from .entries import Opened, check_size, close_row, head_of, open_row, placeholder_of
from .facts import Facts
from .index import CODE_LENGTHS, LIFE_BYTES, SUFFIX_LENGTHS, Mark, Random, random_code, random_suffix
from .ledger import Spent
from .rows import EntryRow
from .state import State
from .store import EntryTable

MAX_VALUES: Final = 10_000
"""Exact forms of values that one session holds."""

MAX_USES: Final = 1_000
_RENEWING: Final = (INTERRUPT, APPLICATION)
"""Origins whose values are given on purpose: they give a burnt value a new life, and a living one its full time."""


def check_request(request: SealRequest) -> None:
    """Nothing, or ``UnknownEntityType``, ``InvalidInput`` or ``TextTooLong``."""
    entity_info(request.entity_type)
    check_origin(request.origin)
    check_size(request.value)
    if request.uses is not None and not 1 <= request.uses <= MAX_USES:
        raise InvalidInput("uses is between 1 and 1,000")
    if request.ttl is not None and not 0 < request.ttl < 1e9:
        raise InvalidInput("ttl is a number of seconds above 0")


@dataclass(frozen=True, slots=True)
class Sealed:
    """What happened to one request."""

    placeholder: Placeholder
    facts: Facts
    expires: int
    fresh: bool


class Sealing:
    """One batch. ``changed`` says whether the session's row must be written, ``spent`` with what, and ``moved``
    whether entries that were there before changed. ``held`` is how many forms the session holds, if that is known.
    """

    __slots__ = ("_entries", "_now", "_random", "_room", "_state", "changed", "moved", "spent")

    def __init__(self, state: State, entries: EntryTable, now: int, random: Random, held: int | None = None) -> None:
        self._state = state
        self._entries = entries
        self._now = now
        self._random = random
        self._room: int | None = None if held is None else MAX_VALUES - held
        self.spent: Spent = state.spent()
        self.changed = False
        self.moved = False

    def seal(self, request: SealRequest, mark: Mark) -> Sealed:
        """Stores what is not stored yet of a value, and returns its placeholder."""
        code = mark.code(CODE_LENGTHS[0])
        found = self._entries.by_mark(self._state.row.sid, mark.identity, code)
        forms = [row for row in found if row.identity == mark.identity]
        head = head_of(forms)
        if head is None or self._is_over(head, request.origin):
            if head is not None:
                request = self._still_hidden(request, head)
                self._bury(forms)
            others = [row for row in found if row.code == code and row.identity != mark.identity]
            for row in others:  # Rare, and a changed identity must not give a known value another placeholder.
                open_row(self._state.keys, row)
            return self._first(request, mark, None if others else code)
        opened = open_row(self._state.keys, head)
        if opened.facts is None:
            raise TamperDetected(AUTHENTICATION)
        facts, expires = self._widen(forms, opened, opened.facts, request)
        for row in forms:
            if row.form == mark.form:
                return Sealed(placeholder_of(row, facts), facts, expires, fresh=False)
        return self._further(request, mark, forms, facts, expires)

    @property
    def held(self) -> int | None:
        """How many forms the session holds now; ``None`` if nobody counted."""
        return None if self._room is None else MAX_VALUES - self._room

    def _is_over(self, head: EntryRow, origin: str) -> bool:
        if 0 < head.expires <= self._now or self.spent.is_ended(head.life):
            return True
        if origin not in _RENEWING or not self.spent.used(head.life):
            return False
        facts = open_row(self._state.keys, head).facts
        return facts is not None and facts.uses is not None and self.spent.used(head.life) >= facts.uses

    def _still_hidden(self, request: SealRequest, head: EntryRow) -> SealRequest:
        """The request for a value that lived until now. What a burnt value is given again for must not show it before
        its turn has ended."""
        facts = open_row(self._state.keys, head).facts
        alive = not self.spent.is_ended(head.life) and not 0 < head.expires <= self._now
        hidden = alive and facts is not None and facts.searchable
        return replace(request, searchable=request.searchable or hidden)

    def _bury(self, forms: Sequence[EntryRow]) -> None:
        for row in forms:
            self.spent.end(row.life, row.expires, row.code)
        self._entries.delete([row.id for row in forms])
        self.moved |= bool(forms)
        if self._room is not None:
            self._room += len(forms)

    def _first(self, request: SealRequest, mark: Mark, code: str | None) -> Sealed:
        """``code`` is the one that the identity gives, unless another value has it."""
        facts, expires = initial_facts(request, self._now)
        if entity_info(request.entity_type).small:
            code, indirect = self._drawn_code(), 1
        else:
            code, indirect = code or mark.code(CODE_LENGTHS[1]), int(code is None)
        row = EntryRow(
            0, self._state.row.sid, mark.identity, mark.form, code, "", indirect, self._random(LIFE_BYTES),
            self._state.row.dek_ver, expires, b"",
        )  # fmt: skip
        self._insert(close_row(self._state.keys, row, facts, request.value))
        return Sealed(placeholder_of(row, facts), facts, expires, fresh=True)

    def _further(
        self, request: SealRequest, mark: Mark, forms: Sequence[EntryRow], facts: Facts, expires: int
    ) -> Sealed:
        head = next(row for row in forms if not row.suffix)
        small = any(entity_info(name).small for name in facts.entity_types)
        taken = {row.suffix for row in forms}
        suffix = random_suffix(self._random) if small else mark.suffix(SUFFIX_LENGTHS[0])
        if suffix in taken:
            suffix = mark.suffix(SUFFIX_LENGTHS[1])
        row = head._replace(form=mark.form, suffix=suffix, dek_ver=self._state.row.dek_ver, expires=expires, ct=b"")
        self._insert(close_row(self._state.keys, row, None, request.value))
        return Sealed(placeholder_of(row, facts), facts, expires, fresh=True)

    def _widen(self, forms: Sequence[EntryRow], head: Opened, facts: Facts, request: SealRequest) -> tuple[Facts, int]:
        """Adds what the request knows of the value to its head; a longer lifetime goes to every form."""
        wider = facts.widened(request.entity_type, request.origin, request.searchable)
        expires = head.row.expires
        if expires and request.origin in _RENEWING:
            expires = max(expires, initial_facts(request, self._now)[1])
        if expires != head.row.expires:
            others = [open_row(self._state.keys, row) for row in forms if row.suffix]
            self._close_again([one._replace(row=one.row._replace(expires=expires)) for one in others])
        if wider is not facts or expires != head.row.expires:
            self._close_again([Opened(head.row._replace(expires=expires), wider, head.secret)])
        return wider, expires

    def _close_again(self, opened: Sequence[Opened]) -> None:
        self._entries.replace([close_row(self._state.keys, one.row, one.facts, one.secret) for one in opened])
        self.changed = self.moved = True

    def _insert(self, row: EntryRow) -> None:
        if self._room is None or self._room <= 0:  # What was known may be more than what a sweep has left.
            self._room = MAX_VALUES - self._entries.count(row.sid)
        if self._room <= 0:
            raise TooManyValues("a session holds at most 10,000 values", MAX_VALUES)
        self._room -= 1
        self._entries.insert(row)
        self.changed = True

    def _drawn_code(self) -> str:
        code = random_code(self._random)
        while self._entries.by_code(self._state.row.sid, code):
            code = random_code(self._random)
        return code


def initial_facts(request: SealRequest, now: int) -> tuple[Facts, int]:
    """The facts of a new entry and when it expires: what the request says, else what its type says.

    A PIN with neither lives to the end of its turn.
    """
    info = entity_info(request.entity_type)
    until_turn_ends = info.name == "PIN" and request.uses is None and request.ttl is None
    ttl = info.ttl if request.ttl is None else request.ttl
    uses = info.uses if request.uses is None else request.uses
    expires = now + int(ttl * 1000) if ttl is not None else 0
    return Facts((info.name,), (request.origin,), uses, request.searchable, until_turn_ends, now // 1000), expires
