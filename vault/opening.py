"""Opening entries: the only place where a stored value is given out, and only for a purpose.

Grants are enforced here and nowhere else; ``models.granting`` is their rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sealgate.models.errors import SealgateError, UnknownPlaceholder, ValueGone
from sealgate.models.granting import facts_refusal, refusal
from sealgate.models.grants import Inject, Purpose, ReadFacts, Restore
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import CallPart, Candidate, EntryFacts, Permit
from sealgate.models.secretvalue import SecretValue

from .entries import head_of, open_into, open_row
from .facts import Facts
from .ledger import Spent
from .rows import EntryRow
from .secretbytes import SecretBytes
from .state import State
from .store import EntryTable

_CALL_BYTES = 8


class Found(NamedTuple):
    """A placeholder that this session issued: its own row decrypted, and the facts of its head."""

    placeholder: Placeholder
    row: EntryRow
    facts: Facts
    secret: SecretValue

    def shown(self, spent: Spent) -> EntryFacts:
        """The facts without the value."""
        left = None if self.facts.uses is None else max(0, self.facts.uses - spent.used(self.row.life))
        expires = self.row.expires / 1000 if self.row.expires else None
        facts = self.facts
        return EntryFacts(
            self.placeholder, facts.entity_types, facts.origins, left, expires, left == 0, facts.sealed_at
        )


def find(state: State, spent: Spent, rows: list[EntryRow], placeholder: Placeholder) -> Found | None:
    """The entry of a placeholder among the forms under its code, alive or not; ``None`` if this session never issued it
    or destroyed it."""
    wanted = next((row for row in rows if row.suffix == placeholder.form), None)
    head = head_of(rows)
    if wanted is None or head is None or spent.is_ended(head.life):
        return None
    opened = open_row(state.keys, head)
    facts = opened.facts
    if facts is None or facts.entity_types[0] != placeholder.entity_type:
        return None
    secret = opened.secret if wanted is head else open_row(state.keys, wanted).secret
    return Found(placeholder, head, facts, secret)


def borrow(state: State, entries: EntryTable, placeholder: Placeholder, now: int) -> SecretBytes:
    """The value of a placeholder in a buffer that is wiped; raises ``UnknownPlaceholder`` and ``ValueGone``."""
    rows, spent = entries.by_code(state.row.sid, placeholder.code), state.spent()
    wanted = next((row for row in rows if row.suffix == placeholder.form), None)
    head = head_of(rows)
    if wanted is None or head is None:
        if spent.had(placeholder.code):
            raise ValueGone("the value is used up, expired or forgotten")
        raise UnknownPlaceholder("this session issued no such placeholder")
    facts, secret = open_into(state.keys, head)
    if facts is None or facts.entity_types[0] != placeholder.entity_type:
        raise UnknownPlaceholder("this session issued no such placeholder")
    used_up = facts.uses is not None and spent.used(head.life) >= facts.uses
    if used_up or spent.is_ended(head.life) or 0 < head.expires <= now:
        raise ValueGone("the value is used up, expired or forgotten")
    return secret if wanted is head else open_into(state.keys, wanted)[1]


class Opening:
    """One opening of some placeholders. ``values`` is what came out, ``refusal`` what is to be raised instead.

    ``ended`` is when the last of those that had expired did so (Unix milliseconds), 0 if none had.
    """

    __slots__ = ("_found", "_now", "_purpose", "_shown", "_spent", "_state", "burnt", "ended", "refusal", "values")

    def __init__(self, state: State, purpose: Purpose, now: int, spent: Spent | None = None) -> None:
        self._state = state
        self._purpose = purpose
        self._now = now
        self._spent = spent or state.spent()
        self._found: list[Found] = []
        self._shown: list[EntryFacts] = []
        self.values: dict[Placeholder, SecretValue] = {}
        self.refusal: SealgateError | None = None
        self.burnt = False
        self.ended = 0

    @property
    def spent(self) -> Spent:
        """The ledger after this opening."""
        return self._spent

    @property
    def entity_types(self) -> tuple[str, ...]:
        """The shown types of what was opened, in order."""
        return tuple(dict.fromkeys(placeholder.entity_type for placeholder in self.values))

    def outcome(self, gen: int) -> dict[str, object]:
        """How it ended, in fields of an audit row; ``gen`` is the session's generation after a use was counted."""
        if self.refusal is not None:
            missing = getattr(self.refusal, "missing", None)
            return {"cause": type(self.refusal).__name__} | ({"missing": missing} if missing else {})
        return {"gen": gen} if self.burnt else {}

    def run(self, entries: EntryTable, placeholders: Sequence[Placeholder]) -> None:
        """Opens all that may be opened, or sets ``refusal`` and opens none."""
        self.look(entries, placeholders)
        if self.refusal is None:
            self.burn()

    def look(self, entries: EntryTable, placeholders: Sequence[Placeholder]) -> None:
        """``run`` without using up anything yet."""
        entries.gather(self._state.row.sid, (), (one.code for one in placeholders))
        for placeholder in dict.fromkeys(placeholders):
            rows = entries.by_code(self._state.row.sid, placeholder.code)
            found = find(self._state, self._spent, rows, placeholder)
            shown = found.shown(self._spent) if found is not None else None
            self.refusal = self._why_not(placeholder, found, shown)
            if self.refusal is not None:
                self.values.clear()
                return
            if found is not None and shown is not None and not self._is_gone(found):
                self._found.append(found)
                self._shown.append(shown)
                self.values[placeholder] = found.secret

    def candidates(self) -> dict[Placeholder, Candidate]:
        """What came out, with its facts."""
        pairs = zip(self._found, self._shown, strict=True)
        return {one.placeholder: Candidate(one.secret, shown) for one, shown in pairs}

    def _why_not(self, placeholder: Placeholder, found: Found | None, shown: EntryFacts | None) -> SealgateError | None:
        if isinstance(self._purpose, Restore):
            return None
        if found is None and not self._spent.had(placeholder.code):
            return UnknownPlaceholder(f"{self._where()}this session issued no such placeholder")
        if found is None or shown is None or self._is_gone(found):
            return ValueGone(f"{self._where()}the value is used up, expired or forgotten")
        purpose = self._purpose
        if isinstance(purpose, ReadFacts):
            return facts_refusal(shown)
        if not isinstance(purpose, Inject):
            return None
        return refusal(purpose, shown, lambda name: _is_valid(purpose, name, found))

    def _is_gone(self, found: Found) -> bool:
        row, uses = found.row, found.facts.uses
        if 0 < row.expires <= self._now:
            self.ended = max(self.ended, row.expires)
            return True
        if uses is None or self._spent.used(row.life) < uses:
            return False
        return not (isinstance(self._purpose, Inject) and self._spent.burn(row.life, self._call(), uses))

    def burn(self) -> None:
        """Counts this call's use of every one-time value that came out."""
        if not isinstance(self._purpose, Inject):
            return
        for found in self._found:
            if found.facts.uses is not None:
                before = self._spent.used(found.row.life)
                self._spent.burn(found.row.life, self._call(), found.facts.uses)
                self.burnt |= self._spent.used(found.row.life) != before

    def _where(self) -> str:
        purpose = self._purpose
        return f"argument {purpose.argument!r} of tool {purpose.tool!r}: " if isinstance(purpose, Inject) else ""

    def _call(self) -> bytes:
        call_id = self._purpose.call_id if isinstance(self._purpose, Inject) else ""
        return self._state.keys.index.name("call/1", call_id)[:_CALL_BYTES]


class CallOpening:
    """One opening of everything that a call holds: each part by itself, then the whole; nothing is used up before."""

    __slots__ = ("asked", "parts", "refusal", "spent")

    def __init__(self, state: State, asked: Sequence[CallPart], now: int) -> None:
        self.asked = asked
        self.spent = state.spent()
        self.parts = [Opening(state, purpose, now, self.spent) for purpose, _placeholders in asked]
        self.refusal: SealgateError | None = None

    @property
    def burnt(self) -> bool:
        """Whether the ledger changed."""
        return any(part.burnt for part in self.parts)

    def run(self, entries: EntryTable, permit: Permit) -> None:
        """Opens every part, or sets ``refusal`` (and that of the part it is about) and opens none."""
        for part, (_purpose, placeholders) in zip(self.parts, self.asked, strict=True):
            part.look(entries, placeholders)
            if part.refusal is not None:
                self._refuse(part, part.refusal)
                return
        refused = permit([part.candidates() for part in self.parts])
        if refused is not None:
            places = [purpose.argument for purpose, _placeholders in self.asked]
            self._refuse(self.parts[places.index(refused.argument) if refused.argument in places else 0], refused)
            return
        for part in self.parts:
            part.burn()

    def _refuse(self, part: Opening, refusal: SealgateError) -> None:
        self.refusal = part.refusal = refusal
        for one in self.parts:
            one.values.clear()


def _is_valid(purpose: Inject, entity_type: str, found: Found) -> bool:
    try:
        return purpose.valid(entity_type, found.secret.text()) is True
    except Exception:
        return False
