"""A batch: texts and JSON values of one call, planned one by one and sealed in one transaction at the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from sealgate.models.entities import ENTITY_TYPES
from sealgate.models.errors import LimitExceeded, TextTooLong
from sealgate.models.findings import Finding, Redaction
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.secretvalue import JsonType, secret_of

from .bounds import MAX_TEXT
from .known.guesses import GUESS
from .plan import Plan, commit
from .planner import Planner, Scope, guess, planned
from .union import rank_of

Later: TypeAlias = Callable[[], JsonValue]
"""A value that exists once its batch is committed."""

_MAX_INTEGER_BITS: Final = 13_000
"""Bits of the longest integer that Python prints without complaint (4,300 digits, less a margin)."""

_WORDY: Final = frozenset(
    info.name for info in ENTITY_TYPES.values() if info.family in ("name", "place", "date", "contact")
)
"""Types that are found by how words read, not by a checksum or a cue."""

_IDENTIFIER: Final = re.compile(r"[a-z_][A-Za-z0-9_]*\Z")

_KEY_CUE: Final = 40
"""Code points of a key that are read as a cue for its value."""


_SAYS_NOTHING: Final = frozenset({"value: ", "raw: ", "text: ", "data: "})
_SAYS_LITTLE: Final = frozenset({"id: ", "number: ", "no: ", "code: "})
"""Cues of keys that say nothing, or little, without the key of the object: ``{"phone": {"number": …}}``."""

_SECRET_CUE: Final = re.compile(r"(?:\A|.* )(?:passwords?|passwd|pwd|passphrase|secrets?|api keys?|tokens?): ")


class Batch:
    """Plans of one call under one scope. ``commit`` seals them; before it nothing is stored."""

    def __init__(self, planner: Planner, scope: Scope) -> None:
        self._planner = planner
        self._scope = scope
        self._identifiers = replace(scope, whitelist=scope.whitelist | _WORDY)
        self._plans: list[Plan] = []
        self._done: list[Redaction] = []
        self._length = 0

    def text(self, text: str, cue: str = "") -> Callable[[], str]:
        """The redacted text, later. Raises ``TextTooLong`` beyond 1,000,000 code points in the batch."""
        self._count(text)
        return self._later(self._planner.plan(text, self._scope, cue=cue))

    def json(self, value: JsonValue, cue: str = "") -> Later:
        """The redacted JSON, later. ``value`` was checked by ``check_json``. Raises ``LimitExceeded`` for an integer of
        more than 13,000 bits."""
        if isinstance(value, str):
            return (lambda: value) if value in self._scope.fixed else self.text(value, _opened(cue))
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return self._number(value, cue)
        if isinstance(value, list):
            items = [self.json(item, cue) for item in value]
            return lambda: [item() for item in items]
        if isinstance(value, dict):
            members = [(self._key(key), self.json(item, _cue(key, cue))) for key, item in value.items()]
            return lambda: {key(): item() for key, item in members}
        return lambda: value

    def _key(self, key: str) -> Callable[[], str]:
        """A key, later.

        One that reads as an identifier (``payee``, ``first_name``) is not taken for a name or a place.
        """
        if key in self._scope.fixed:
            return lambda: key
        self._count(key)
        return self._later(self._planner.plan(key, self._identifiers if _IDENTIFIER.match(key) else self._scope))

    def commit(self, *, max_new: int | None = None) -> None:
        """Seals everything. Raises what ``plan.commit`` raises; then nothing was stored."""
        self._done = commit(self._planner.sealer, self._plans, also=self._scope.requests, max_new=max_new)

    def _number(self, number: int | float, cue: str) -> Later:
        text, json_type = _spelled(number)
        self._count(text)
        found = self._planner.plan(text, self._scope, cue=cue)
        covered = sum(item.finding.end - item.finding.start for item in found.items)
        if covered * 2 < len(text.lstrip("-")):
            return lambda: number
        if any(item.finding.recognizer == GUESS for item in found.items):
            return self._later(Plan(text, (guess(text, 0, len(text), self._scope.origin, json_type),)))
        best = min((item.finding for item in found.items), key=rank_of)
        whole = Finding(best.entity_type, 0, len(text), best.score, best.recognizer)
        return self._later(Plan(text, (planned(text, whole, self._scope, json_type),)))

    def _later(self, plan: Plan) -> Callable[[], str]:
        at = len(self._plans)
        self._plans.append(plan)
        return lambda: self._done[at].text

    def _count(self, text: str) -> None:
        self._length += len(text)
        if self._length > MAX_TEXT:
            raise TextTooLong("more than 1,000,000 code points of text are not redacted at once", MAX_TEXT)


def key_cue(key: str) -> str:
    """A key as words before its value: ``cardNumber`` reads as "card number: "."""
    spelled = "".join(f" {char.lower()}" if char.isupper() and not key.isupper() else char for char in key[:_KEY_CUE])
    words = spelled.replace("_", " ").replace("-", " ").split()
    return f"{' '.join(words)}: " if words and key[:_KEY_CUE].isascii() else ""


def _cue(key: str, outer: str) -> str:
    """The cue of a member: its key, and that of its object where it says little by itself. A bare ``id`` is a record's
    and no cue: programs need it."""
    cue = key_cue(key)
    if cue in _SAYS_NOTHING and outer:
        return outer
    if cue in _SAYS_LITTLE and outer:
        return f"{outer[:-2]} {cue.replace('id', 'number')}"
    return "object_id: " if cue == "id: " else cue


def _opened(cue: str) -> str:
    """The cue of a string: a quotation mark stands before one that is all a secret, whatever marks it holds."""
    return f'{cue}"' if _SECRET_CUE.fullmatch(cue) else cue


def _spelled(number: int | float) -> tuple[str, JsonType]:
    if isinstance(number, int) and number.bit_length() > _MAX_INTEGER_BITS:
        raise LimitExceeded("an integer of more than 13,000 bits is not redacted", _MAX_INTEGER_BITS)
    carrier = secret_of(number)
    return carrier.text(), carrier.json_type
