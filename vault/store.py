"""What the vault needs of a storage engine. Engines see ciphertext, HMACs and codes; never a value, never a key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol, runtime_checkable

from .rows import AuditRow, EntryRow, KekRow, RecordRow, SessionRow


class MetaTable(Protocol):
    """**Protocol:** the few facts of the vault itself, and its wrapped keys."""

    def get(self, name: str) -> bytes | None:
        """The stored bytes, or ``None``."""
        ...

    def put(self, name: str, data: bytes) -> None:
        """Stores or replaces them."""
        ...

    def keks(self) -> list[KekRow]:
        """All key-encryption keys, oldest first."""
        ...

    def add_kek(self, row: KekRow) -> None:
        """Adds one."""
        ...

    def drop_kek(self, kek_id: bytes) -> None:
        """Removes one."""
        ...


class SessionTable(Protocol):
    """**Protocol:** sessions by their reference."""

    def by_ref(self, sref: bytes) -> SessionRow | None:
        """The session, or ``None``."""
        ...

    def insert(self, row: SessionRow) -> int:
        """Adds one, ignoring ``row.sid``; returns the new ``sid``."""
        ...

    def update(self, row: SessionRow) -> None:
        """Replaces all columns of the session ``row.sid``; ``sref`` and ``tref`` are what they were."""
        ...

    def rewrap(self, changes: Sequence[tuple[bytes, bytes, int]]) -> None:
        """Replaces ``(kek_id, wrapped)`` of each ``sid``."""
        ...

    def page(self, after: int, limit: int) -> list[SessionRow]:
        """Live sessions with ``sid > after`` in order."""
        ...

    def on_kek(self, kek_id: bytes) -> int:
        """How many live sessions are wrapped under this key."""
        ...

    def expired(self, now: int, limit: int) -> list[int]:
        """The ``sid`` of live sessions whose lifetime, absolute or idle, ended; needs no key."""
        ...

    def bury(self, sid: int) -> None:
        """Turns the session into a tombstone and deletes its entries and records; needs no key."""
        ...


class EntryTable(Protocol):
    """**Protocol:** the sealed values of a session."""

    def gather(self, sid: int, identities: Iterable[bytes], codes: Iterable[str]) -> None:
        """Says what this transaction will look for, so that an engine behind a network can fetch it in one go.

        An engine may do nothing, and need not go through the arguments then.
        """
        ...

    def by_mark(self, sid: int, identity: bytes, code: str) -> list[EntryRow]:
        """All forms of one value, and whatever else has the code that its identity gives; no row twice.

        A form of the value has this code, or its row is ``indirect``.
        """
        ...

    def by_code(self, sid: int, code: str) -> list[EntryRow]:
        """All forms under one code."""
        ...

    def after(self, sid: int, entry_id: int) -> list[EntryRow]:
        """All forms of all values with a higher ``id`` than this (0 for all), in the order they were stored."""
        ...

    def drop_expired(self, now: int, limit: int) -> int:
        """Deletes entries of any session whose time has come; returns how many. Needs no key."""
        ...

    def count(self, sid: int) -> int:
        """How many forms the session holds."""
        ...

    def insert(self, row: EntryRow) -> int:
        """Adds one, ignoring ``row.id``; returns the new ``id``."""
        ...

    def replace(self, rows: Sequence[EntryRow]) -> None:
        """Replaces the changeable columns (``dek_ver``, ``expires``, ``ct``) of the rows with these ``id``."""
        ...

    def delete(self, ids: Sequence[int]) -> None:
        """Deletes rows by ``id``."""
        ...


class RecordTable(Protocol):
    """**Protocol:** encrypted records of a session."""

    def append(self, row: RecordRow) -> None:
        """Adds one, ignoring ``row.id``."""
        ...

    def after(self, sid: int, kind: str, seq: int, limit: int) -> list[RecordRow]:
        """Appended records with a higher sequence, in order."""
        ...

    def last(self, sid: int, kind: str) -> RecordRow | None:
        """The appended record with the highest sequence."""
        ...

    def keyed(self, sid: int, kind: str, keyref: bytes) -> RecordRow | None:
        """The record of that key."""
        ...

    def keys(self, sid: int, kind: str) -> list[tuple[bytes, int]]:
        """``(keyref, seq)`` of every keyed record of a kind."""
        ...

    def delete_keyed(self, sid: int, kind: str, keyref: bytes) -> None:
        """Deletes the record of that key."""
        ...

    def delete_before(self, sid: int, kind: str, seq: int) -> None:
        """Deletes appended records with a lower sequence."""
        ...


class AuditTable(Protocol):
    """**Protocol:** the audit chain's rows."""

    def tail(self) -> AuditRow | None:
        """The last row."""
        ...

    def append(self, row: AuditRow) -> None:
        """Adds one. Raises ``AuditUnavailable`` when it cannot be written, unless there is no room."""
        ...

    def after(self, seq: int, limit: int) -> list[AuditRow]:
        """Rows with a higher number, in order."""
        ...


class Transaction(Protocol):
    """**Protocol:** the tables, inside one transaction."""

    @property
    def meta(self) -> MetaTable: ...  # noqa: D102

    @property
    def sessions(self) -> SessionTable: ...  # noqa: D102

    @property
    def entries(self) -> EntryTable: ...  # noqa: D102

    @property
    def records(self) -> RecordTable: ...  # noqa: D102

    @property
    def audit(self) -> AuditTable: ...  # noqa: D102


class Store(Protocol):
    """**Protocol:** an engine.

    Both kinds of transaction raise ``StoreFull`` when there is no room, ``StoreUnavailable`` when the store cannot be
    read or written or stays locked past its deadline, and ``TamperDetected`` for a damaged file. None of these errors
    quotes a statement's parameters.
    """

    def session(self, sref: bytes) -> SessionRow | None:
        """One session's row, outside any transaction."""
        ...

    def look(self, sref: bytes, code: str) -> tuple[SessionRow | None, list[EntryRow]]:
        """One session's row and its forms under one code, as of one moment, outside any transaction."""
        ...

    def read(self) -> AbstractContextManager[Transaction]:
        """A consistent view."""
        ...

    def write(self, *, durable: bool = True) -> AbstractContextManager[Transaction]:
        """The one writer; committed at the end, rolled back by any exception.

        A ``durable`` transaction survives the loss of power, another one the death of the process only.
        """
        ...

    def snapshot(self) -> AbstractContextManager[BinaryIO]:
        """A consistent copy of everything, as bytes to be read once; for backups."""
        ...

    def purge(self) -> bool:
        """Removes deleted data from the engine's journals; ``False`` while something still holds some of it back."""
        ...

    def close(self) -> None:
        """Releases everything. Twice does no harm."""
        ...


@runtime_checkable
class CheckedStore(Store, Protocol):
    """**Protocol:** an engine that can tell whether its own structures are whole, such as an index beside its table."""

    def check_structure(self) -> None:
        """Reads all of them. Raises ``TamperDetected`` where they do not agree."""
        ...


@runtime_checkable
class RoleStore(Store, Protocol):
    """**Protocol:** an engine whose server has roles and keeps the rows of tenants apart."""

    def admit(self, role: str, tref: bytes) -> None:
        """Lets a role use the sessions of one tenant (``SessionRow.tref``), and no others."""
        ...

    def is_confined(self) -> bool:
        """Whether this process came as such a role, and sees one tenant's sessions only."""
        ...
