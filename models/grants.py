"""Grants: which tool argument may receive which entity types of which origins; and the purposes of opening an entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from .entities import entity_info
from .errors import InvalidPolicy
from .origins import TRUSTED, check_origin
from .placeholder import Placeholder


@dataclass(frozen=True, slots=True)
class Accepts:
    """``Annotated[str, Accepts("IBAN_CODE", origins=("person",))]``: what an argument may receive.

    Origins are ``person``, ``application`` and ``interrupt`` unless told otherwise. Raises ``UnknownEntityType`` or
    ``InvalidInput`` when it is made, so a misspelled grant fails where it is written.
    """

    entity_types: tuple[str, ...]
    origins: tuple[str, ...]

    def __init__(self, *entity_types: str, origins: tuple[str, ...] = TRUSTED) -> None:
        if not entity_types:
            raise InvalidPolicy("Accepts needs at least one entity type")
        object.__setattr__(self, "entity_types", tuple(entity_info(name).name for name in entity_types))
        object.__setattr__(self, "origins", tuple(check_origin(origin) for origin in origins))

    def spelled(self) -> str:
        """The grant as a user would write it."""
        return "Accepts(" + ", ".join(repr(name) for name in self.entity_types) + ")"


def _accepts_any(entity_type: str, value: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Inject:
    """Opening for one argument of one call, at the moment it runs.

    ``accepts`` is the written grant, ``given`` the placeholders that an interrupt or private data put into this very
    argument (implicit grant), ``written`` those that the model wrote into this call as plain values (an entry whose
    only origin is the model opens for them). ``valid(entity_type, value)`` says whether the value is well-formed as
    that type; a grant matches only types for which it is true.
    """

    call_id: str
    tool: str
    argument: str
    accepts: Accepts | None = None
    given: frozenset[Placeholder] = frozenset()
    written: frozenset[Placeholder] = frozenset()
    valid: Callable[[str, str], bool] = field(default=_accepts_any, repr=False)


@dataclass(frozen=True, slots=True)
class Restore:
    """Opening a text or a JSON value for the application; audited. ``channel`` names the method."""

    channel: str = "restore"


@dataclass(frozen=True, slots=True)
class Reveal:
    """Opening a typed result for the application; audited. Raises ``ValueGone`` for burnt values instead of leaving
    them out."""

    channel: str = "reveal"


@dataclass(frozen=True, slots=True)
class ReadFacts:
    """Opening a value to read its facts, for the gateway alone; audited, and refused for secrets."""

    channel: str = "sealed_facts"


Purpose: TypeAlias = Inject | Restore | Reveal | ReadFacts
"""Why an entry is opened. Matching is the one purpose besides; it yields no value and has a method of its own,
``Sealer.match``."""
