"""Forms that this process has sealed or seen sealed: a repeated value costs no transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest

from .index import Mark
from .sealing import Sealed


class _Known(NamedTuple):
    placeholder: Placeholder
    entity_types: tuple[str, ...]
    origins: tuple[str, ...]
    searchable: bool


class KnownForms:
    """Placeholders by form, valid for one generation of the session. Holds HMACs and placeholders, no value.

    Entries with a lifetime or a number of uses are left out: sealing them again may have to change them.
    """

    __slots__ = ("_forms", "_gen")

    def __init__(self) -> None:
        self._gen = -1
        self._forms: dict[tuple[bytes, bytes], _Known] = {}

    def has(self, marks: Sequence[Mark]) -> bool:
        """Whether all of these were known once; if not, the store is needed anyway."""
        return all((mark.identity, mark.form) in self._forms for mark in marks)

    def placeholders(
        self, gen: int, requests: Sequence[SealRequest], marks: Sequence[Mark]
    ) -> list[Placeholder] | None:
        """The placeholders of all requests, or ``None`` if any of them needs the store."""
        forms = self._forms
        if gen != self._gen:
            return None
        found = []
        for request, mark in zip(requests, marks, strict=True):
            known = forms.get((mark.identity, mark.form))
            if known is None or not _covers(known, request):
                return None
            found.append(known.placeholder)
        return found

    def learn(self, before: int, after: int, sealed: Sequence[Sealed], marks: Sequence[Mark]) -> None:
        """Takes over a committed batch that led from one generation to another."""
        if before != self._gen:
            self._forms = {}
        for one, mark in zip(sealed, marks, strict=True):
            key = (mark.identity, mark.form)
            if one.expires or one.facts.uses is not None:
                self._forms.pop(key, None)
            else:
                facts = one.facts
                known = _Known(one.placeholder, facts.entity_types, facts.origins, facts.searchable)
                self._forms[key] = known
        self._gen = after

    def clear(self) -> None:
        """Forgets everything."""
        self._gen, self._forms = -1, {}


def _covers(known: _Known, request: SealRequest) -> bool:
    return (
        request.entity_type in known.entity_types
        and request.origin in known.origins
        and (known.searchable or not request.searchable)
    )
