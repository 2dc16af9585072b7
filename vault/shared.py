"""What all sessions of an open vault share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from sealgate.models.grants import Inject, Purpose

from .audit import AuditLog
from .clock import SteadyClock
from .index import Random
from .root import Root
from .store import Store


@dataclass(frozen=True, slots=True)
class Shared:
    """The open vault behind its sessions."""

    store: Store
    root: Root
    clock: SteadyClock
    random: Random
    audit: AuditLog

    def describe(self, purpose: Purpose) -> dict[str, object]:
        """A purpose in the fields of an audit row; names outside the grammar stand as pseudonyms."""
        if isinstance(purpose, Inject):
            return {
                "kind": "inject",
                "tool": self._word(purpose.tool),
                "argument": self._place(purpose.argument),
                "call": self.root.pseudonym(purpose.call_id),
            }
        return {"kind": type(purpose).__name__.lower(), "channel": self._word(purpose.channel)}

    def _place(self, place: str) -> str:
        """A place in the arguments, dotted: ``items.iban`` for ``items[].iban``."""
        plain = place.replace("{key}", ".key").replace("[]", "").replace("{}", "").strip("*") or "any"
        if len(plain) <= 128 and all(step.isascii() and step.isidentifier() for step in plain.split(".")):
            return plain
        return self.root.pseudonym(place)

    def _word(self, name: str) -> str:
        return name if name.isascii() and name.isidentifier() and len(name) <= 128 else self.root.pseudonym(name)

    def __repr__(self) -> str:
        return "Shared(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a vault cannot be pickled")
