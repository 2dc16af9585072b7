"""The vault: where sealed values live, as ciphertext under a key of their session."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType
from typing import BinaryIO, Final, NoReturn, Self
from weakref import WeakValueDictionary

from sealgate.models.errors import AnchorMissing, InvalidInput, InvalidName, KeyRefused, UnknownSession

from .anchors.anchor import Anchor, anchor_of
from .anchors.anchoring import NO_ANCHOR, Anchoring, is_anchored
from .audit import AuditLog
from .backups import write_backup
from .birth import Lifetime, check_subject, new_row
from .clock import SYSTEM_CLOCK, Clock, SteadyClock
from .clockmark import load_mark
from .guarded import GuardedStore, keep_anchor
from .index import Random
from .keys.lease import KeyLease, ttl_of
from .keys.provider import KeyProvider, provider_of
from .opener import Opened, open_store
from .places import check_place, check_recorded, is_taken, open_place, place_at
from .rotation import destroy_old_keys, rotate
from .session import VaultSession
from .shared import Shared
from .state import SessionState, State
from .status import Status, status
from .store import RoleStore, Store, Transaction
from .sweep import Swept, sweep_store
from .verify import Verified, verify

MAX_NAME: Final = 256
"""Code points of the longest name of a session, a tenant or a subject."""


class Vault:
    """An open vault. Use it as a context manager, or call ``close``.

    May be used from many threads; a forked child goes on with connections of its own (a vault in memory refuses). Not
    protected from: other processes of the same user, root, and, without an anchor, a store that somebody rolls back as
    a whole.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._sessions: WeakValueDictionary[bytes, VaultSession] = WeakValueDictionary()
        self.audit: AuditLog = shared.audit
        if isinstance(shared.store, GuardedStore):
            shared.store.on_lapse(self._drop_keys)

    @classmethod
    def open(
        cls,
        location: str | os.PathLike[str],
        key: bytes | KeyProvider | None = None,
        *,
        anchor: str | os.PathLike[str] | Anchor | None = None,
        clock: Clock = SYSTEM_CLOCK,
        random: Random = os.urandom,
    ) -> Vault:
        """Opens the vault at a path, or makes one if nothing is there; ``":memory:"`` is private and dies with it,
        ``postgresql://…`` and ``valkey://…`` lie on a server (extras ``postgres`` and ``valkey``).

        ``key`` is 32 bytes, a ``KeyProvider``, or ``None`` for the vault's key file in the user's configuration
        directory. ``anchor`` is an ``Anchor`` or the path of a file for one, outside the store: an older copy of the
        store is then ``RollbackDetected`` (see ``anchoring`` for how far). The first time makes the anchor; from then
        on the vault opens with it only. ``random`` draws codes and lives; keys and nonces always come from the
        operating system. Raises ``NotAVault`` (another file, or an empty one), ``VaultTooNew``, ``VaultMissing`` (a key
        file or an anchor records a store that is empty or gone), ``KeyMissing``, ``KeyRefused``, ``WrongKey`` (nothing
        was written), ``TamperDetected``, ``AnchorMissing``, ``AnchorRefused``, ``StoreUnavailable``, ``StoreRefused``
        (a server that would lose what it acknowledged).
        """
        provider = provider_of(key)
        del key  # A traceback that shows locals must not show it.
        if isinstance(provider, KeyRefused):
            raise provider
        place, kept = place_at(location), anchor_of(anchor)
        check_place(place, kept)
        check_recorded(place, kept)
        steady = SteadyClock(clock)
        opened = open_place(place, provider, steady.now_ms())
        try:
            return cls(_shared(opened, steady, random, kept))
        except BaseException:
            opened.store.close()
            raise

    @classmethod
    def on(
        cls,
        store: Store,
        key: bytes | KeyProvider,
        *,
        anchor: str | os.PathLike[str] | Anchor | None = None,
        clock: Clock = SYSTEM_CLOCK,
        random: Random = os.urandom,
    ) -> Vault:
        """The vault on an engine of one's own (``vault.store.Store``), made if the engine holds nothing.

        Closing the vault closes the store. Raises what ``open`` raises, but for what is about files.
        """
        provider = provider_of(key)
        del key  # A traceback that shows locals must not show it.
        if isinstance(provider, KeyRefused):
            raise provider
        if provider is None:
            raise InvalidInput("a vault on an engine of one's own needs a key")
        steady = SteadyClock(clock)
        return cls(_shared(open_store(store, provider, steady.now_ms()), steady, random, anchor_of(anchor)))

    def session(
        self,
        name: str,
        *,
        tenant: str = "default",
        subject: str | None = None,
        create: bool = True,
        ttl: float | None = None,
        idle: float | None = None,
    ) -> VaultSession:
        """The session of this name and tenant, made if it is new and ``create`` is true.

        ``ttl`` and ``idle`` (seconds, in all and without a write) limit the life of a new session and do not change
        that of an existing one. Raises ``UnknownSession`` when there is none, or it belongs to another subject;
        ``SessionShredded`` when its keys are destroyed or its lifetime has ended; ``InvalidName`` for names that are
        not 1 to 256 code points long.
        """
        for text in (name, tenant, *(() if subject is None else (subject,))):
            if not isinstance(text, str) or not 1 <= len(text) <= MAX_NAME:
                raise InvalidName("a session, a tenant and a subject have names of 1 to 256 code points")
        root = self._shared.root
        sref = root.sref(tenant, name)
        known = self._sessions.get(sref)
        state = known.state if known else SessionState(root, self._shared.clock, sref, self._shared.keep_time)
        loaded = self._load(state)
        if loaded is None and not create:
            raise UnknownSession("there is no such session in this vault")
        loaded = loaded or self._make(state, tenant, subject, Lifetime(ttl, idle))
        owner = check_subject(loaded, subject)
        return self._sessions.setdefault(sref, known or VaultSession(self._shared, state, name, tenant, owner))

    @staticmethod
    def is_at(location: str | os.PathLike[str]) -> bool:
        """Whether something lies at a path, or a vault at a URL; nothing is made and no key is needed."""
        return is_taken(os.fspath(location))

    def status(self) -> Status:
        """How many sessions, keys and audit rows there are; needs a look at every session."""
        return status(self._shared)

    def rotate(self, key: bytes | KeyProvider | None = None, *, progress: Callable[[int], object] | None = None) -> int:
        """Wraps all sessions under a new key and returns how many; entries stay as they are.

        Without ``key`` the provider makes the new key itself (``RotatingProvider``; the key file does), else the new
        key is this one and later opens need it. Repeat it after a crash. Old backups open with the old key until it is
        destroyed: see ``destroy_old_keys``. ``progress`` is told how many are done, now and then.
        """
        return rotate(self._shared, key, progress)

    def destroy_old_keys(self) -> int:
        """Destroys all keys but the newest and returns how many: backups from before the rotation become unreadable.

        Raises ``KeyRefused`` while a session is wrapped under an older key.
        """
        return destroy_old_keys(self._shared)

    def sweep(self) -> Swept:
        """Destroys sessions and values whose lifetime has ended. ``sealgate.vault.sweep`` does it without a key."""
        swept = sweep_store(self._shared.store, self._shared.clock.now_ms())
        keep_anchor(self._shared.store)
        return swept

    def verify(self, *, progress: Callable[[int], object] | None = None) -> Verified:
        """Reads everything that is stored and checks it; see ``sealgate.vault.verify`` for what it cannot see.

        ``progress`` is told how many values are done, now and then.
        """
        return verify(self._shared, progress)

    def backup(self, target: BinaryIO) -> int:
        """Writes an encrypted copy of the whole vault, as of now, and returns its bytes; see ``backups``."""
        return write_backup(self._shared, target)

    def purge(self) -> bool:
        """Removes deleted data from the store's journals; ``False`` while something still holds some of it back."""
        return self._shared.store.purge()

    def admit(self, role: str, tenant: str) -> None:
        """Lets a role of the database server use the sessions of one tenant, and see no others.

        The vault's own facts and the audit chain are one for all. Raises ``InvalidInput`` where there are no roles.
        """
        store = self._shared.store
        if not isinstance(store, RoleStore):
            raise InvalidInput("this engine has no roles")
        store.admit(role, self._shared.root.tref(tenant))

    def close(self) -> None:
        """Releases files and connections. Twice does no harm; afterwards everything is ``StoreUnavailable``.

        Raises ``AnchorRefused`` when the anchor could not be saved for the last time: it is then behind, no more.
        """
        self._shared.store.close()

    def _drop_keys(self) -> None:
        for session in list(self._sessions.values()):
            session.drop_keys()

    def _load(self, state: SessionState) -> State | None:
        with self._shared.read() as transaction:
            return _load_if_there(transaction, state)

    def _make(self, state: SessionState, tenant: str, subject: str | None, life: Lifetime) -> State:
        root, shared = self._shared.root, self._shared
        with shared.store.write() as transaction:
            loaded = _load_if_there(transaction, state)
            if loaded is None:
                root.refresh(transaction.meta.keks())
                row = new_row(root, state.sref, root.tref(tenant), subject, shared.clock.now_ms(), life)
                transaction.sessions.insert(row)
                shared.audit.record(transaction, "session.created", state.sref.hex(), {})
                loaded = state.load(transaction)
        return loaded

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return "Vault(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a vault cannot be pickled")


def _shared(opened: Opened, clock: SteadyClock, random: Random, anchor: Anchor | None) -> Shared:
    engine, root = opened
    with engine.read() as transaction:
        load_mark(transaction, root, clock)
        if anchor is None and is_anchored(transaction, root):
            raise AnchorMissing(NO_ANCHOR)
    anchoring = None if anchor is None else Anchoring(engine, root, clock, anchor)
    if anchoring is not None:
        anchoring.begin()
    lease = None if ttl_of(root.provider) is None else KeyLease(engine, root, clock)
    store = GuardedStore(engine, lease, anchoring) if lease or anchoring else engine
    return Shared(store, root, clock, random, AuditLog(store, root, clock))


def _load_if_there(transaction: Transaction, state: SessionState) -> State | None:
    return state.load(transaction) if transaction.sessions.by_ref(state.sref) is not None else None
