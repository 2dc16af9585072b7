"""The contract between whoever finds values and whoever keeps them. ``redaction`` uses it, ``vault`` fulfils it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from .errors import GrantRefused
from .grants import Inject, Purpose
from .placeholder import Placeholder
from .secretvalue import SecretValue

Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class SealRequest:
    """One value to be kept.

    ``origin`` is one of ``models.origins``. ``uses`` and ``ttl`` (seconds) override the defaults of the entity type.
    An entry that is not ``searchable`` is sealed where it stands and looked for nowhere else. One that is kept
    ``apart`` shares its placeholder with the same text kept apart, and with no value that is sealed otherwise.
    """

    value: SecretValue
    entity_type: str
    origin: str
    uses: int | None = None
    ttl: float | None = None
    searchable: bool = True
    apart: bool = False


@dataclass(frozen=True, slots=True)
class LiveValue:
    """One live, searchable value of a session, as the builder of a matcher gets it."""

    value: SecretValue
    placeholder: Placeholder
    entity_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """What may be known of an entry without opening it. ``uses_left`` is ``None`` for no limit; ``expires_at`` and
    ``sealed_at`` in Unix seconds, the latter ``None`` for an entry that does not record it."""

    placeholder: Placeholder
    entity_types: tuple[str, ...]
    origins: tuple[str, ...]
    uses_left: int | None
    expires_at: float | None
    burnt: bool = False
    sealed_at: float | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One value that may open as far as types and origins go, while the rest of its call is looked at."""

    value: SecretValue = field(repr=False)
    facts: EntryFacts


CallPart: TypeAlias = tuple[Inject, Sequence[Placeholder]]
"""One place in the arguments of a call, and the placeholders that stand there."""

Permit: TypeAlias = Callable[[Sequence[Mapping[Placeholder, Candidate]]], GrantRefused | None]
"""The last word about a whole call, given the values of its parts in order: ``None`` lets them out. It runs inside the
vault's transaction, so it must neither wait nor touch the vault."""


@runtime_checkable
class ExtendingBuilder(Protocol[Built]):
    """**Protocol:** a builder of a matcher that can go on from what it built before, when values were only added."""

    def __call__(self, values: Sequence[LiveValue]) -> Built:
        """The matcher of all values."""
        ...

    def extend(self, built: Built, added: Sequence[LiveValue]) -> Built:
        """The matcher of what ``built`` was made of and of ``added``; ``built`` is not changed."""
        ...


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

        The cache is by ``build`` itself, so pass a module-level function; an ``ExtendingBuilder`` is given only what
        was added. The values reach ``build`` and nothing else.
        """
        ...


@runtime_checkable
class GuessCounter(Protocol):
    """**Protocol:** counts what is compared with secrets of a small guess space."""

    def admit(self, codes: Sequence[str], tokens: Sequence[str]) -> int:
        """How many of ``tokens``, from the first, may be compared with all of the secrets that have these codes.

        A secret is compared until three distinct tokens came for it, and then with nothing more, not even with one of
        these three. It is stored before it is returned, and does not depend on whether a token is right.
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


class CallOpener(Protocol):
    """**Protocol:** opens everything that one tool call holds, or nothing."""

    def open_call(self, parts: Sequence[CallPart], permit: Permit) -> list[dict[Placeholder, SecretValue]]:
        """The values of each part, in order: all of them, or an error and none is opened or burnt.

        Every placeholder must be covered by the grant of its part, then ``permit`` is asked once. Raises as
        ``Opener.open`` does for ``Inject``, and what ``permit`` returns.
        """
        ...
