"""The contract between whoever finds values and whoever keeps them. ``redaction`` uses it, ``vault`` fulfils it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from .grants import Purpose
from .placeholder import Placeholder
from .secretvalue import SecretValue

Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class SealRequest:
    """One value to be kept.

    ``origin`` is one of ``models.origins``. ``uses`` and ``ttl`` (seconds) override the defaults of the entity type.
    An entry that is not ``searchable`` is sealed where it stands and looked for nowhere else.
    """

    value: SecretValue
    entity_type: str
    origin: str
    uses: int | None = None
    ttl: float | None = None
    searchable: bool = True


@dataclass(frozen=True, slots=True)
class LiveValue:
    """One live, searchable value of a session, as the builder of a matcher gets it."""

    value: SecretValue
    placeholder: Placeholder
    entity_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """What may be known of an entry without opening it. ``uses_left`` is ``None`` for no limit; ``expires_at`` in
    Unix seconds."""

    placeholder: Placeholder
    entity_types: tuple[str, ...]
    origins: tuple[str, ...]
    uses_left: int | None
    expires_at: float | None
    burnt: bool = False


class Sealer(Protocol):
    """**Protocol:** keeps values and issues placeholders."""

    def seal(self, requests: Sequence[SealRequest]) -> list[Placeholder]:
        """One placeholder a request, in order, in one transaction: all are stored or none.

        The same identity gives the same code, the same exact form the same placeholder. A type or origin that an
        entry did not have yet is added to it. Raises ``TooManyValues`` beyond 10,000 values a session, ``VaultError``
        when nothing could be stored.
        """
        ...

    def match(self, build: Callable[[Sequence[LiveValue]], Built]) -> Built:
        """What ``build`` makes of all live searchable values (burnt ones until the turn's end); cached until they
        change.

        The cache is by ``build`` itself, so pass a module-level function. The values reach ``build`` and nothing else.
        """
        ...


class Opener(Protocol):
    """**Protocol:** the one way from a placeholder back to its value."""

    def open(self, placeholders: Sequence[Placeholder], purpose: Purpose) -> dict[Placeholder, SecretValue]:
        """The values of those placeholders that this session issued and that live; others are absent from the result.

        Written to the audit chain before a value is returned. For ``Inject`` every placeholder must be covered by the
        grant, or ``GrantRefused`` is raised and none is opened; ``UnknownPlaceholder`` and ``ValueGone`` say that one
        cannot be. One-time values burn in the same transaction, counted per call id. Raises ``AuditUnavailable`` when
        the row could not be written.
        """
        ...
