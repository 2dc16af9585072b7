"""Opening a vault: find its file and its key, make both if there are none, refuse everything that is not it."""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from sealgate.models.errors import InvalidInput, NotAVault, TamperDetected, VaultMissing

from .encoding import AUTHENTICATION
from .keys.file import KeyDirectory, KeyFile, KeyFileProvider
from .keys.provider import KeyProvider, LocalKeys
from .root import VAULT_ID_BYTES, Root, load_root, new_root
from .sqlite.file import create, look
from .sqlite.lockfile import LockFile
from .sqlite.store import MEMORY, SqliteStore
from .store import Store, Transaction

_ID: Final = "vault"
_VERSION: Final = b"\x01"


class Opened(NamedTuple):
    """An open store and its root."""

    store: Store
    root: Root


def open_memory(given: KeyProvider | None, now: int) -> Opened:
    """A vault in memory; its key dies with it unless one is given."""
    provider = given or LocalKeys([os.urandom(32)])
    store = SqliteStore(MEMORY)
    vault_id = os.urandom(VAULT_ID_BYTES)
    with store.write() as transaction:
        _fill(transaction, vault_id, provider, now)
    return Opened(store, _load(store, provider))


def open_file(location: str, given: KeyProvider | None, now: int) -> Opened:
    """The vault at a path, made if nothing is there; of many processes that come at once, one makes it.

    Nothing is written before the key is known to be the right one. Raises what ``Vault.open`` says.
    """
    path = os.path.realpath(os.path.dirname(os.path.abspath(location))) + os.sep + os.path.basename(location)
    keys = KeyDirectory() if given is None else None
    if look(path) != "database":
        lock = LockFile(f"{path}-lock")
        try:
            with lock.held():
                _make_if_absent(path, given, keys, now)
        finally:
            lock.close()
    return _open_existing(path, given, keys)


def open_store(store: Store, given: KeyProvider | None, now: int, place: str = "") -> Opened:
    """The vault on an engine, made if the engine holds nothing; of many that come at once, one makes it.

    Without a key ``place`` is what key files record of it. The store stays open when this raises.
    """
    keys = KeyDirectory() if given is None else None
    with store.read() as transaction:
        absent = transaction.meta.get(_ID) is None
    if absent:
        with store.write() as transaction:
            if transaction.meta.get(_ID) is None:
                vault_id = os.urandom(VAULT_ID_BYTES)
                provider = given or _new_key(keys or KeyDirectory(), _recorded(keys, place), vault_id, place)
                _fill(transaction, vault_id, provider, now)
    return _load_with_key(store, given, keys, place)


def _recorded(keys: KeyDirectory | None, place: str) -> list[KeyFile]:
    """Key files of vaults never made at this place. Raises ``VaultMissing`` when there is one of a vault that was."""
    recorded = keys.of_store(place) if keys else []
    paths = [keys.path(one.vault) for one in recorded if keys and not one.pending]
    if paths:
        raise VaultMissing(
            "a key file records a vault at this place, and the store is empty or gone: put the store back, or move "
            f"{', '.join(paths)} away to begin anew"
        )
    return recorded


def _make_if_absent(path: str, given: KeyProvider | None, keys: KeyDirectory | None, now: int) -> None:
    state = look(path)
    if state == "database":
        return
    recorded = _recorded(keys, path)
    if state == "empty":
        raise NotAVault("the file is empty; a vault is only made where there is no file")
    vault_id = os.urandom(VAULT_ID_BYTES)
    provider = given or _new_key(keys or KeyDirectory(), recorded, vault_id, path)
    create(path, lambda transaction: _fill(transaction, vault_id, provider, now))


def _new_key(keys: KeyDirectory, recorded: list[KeyFile], vault_id: bytes, path: str) -> KeyProvider:
    """A key file for the vault that is about to be made; ones that never got their vault are cleared away."""
    for orphan in recorded:
        keys.remove(orphan)
    return KeyFileProvider(keys, keys.make(vault_id.hex(), path))


def _open_existing(path: str, given: KeyProvider | None, keys: KeyDirectory | None) -> Opened:
    store = SqliteStore(path)
    try:
        return _load_with_key(store, given, keys, path)
    except BaseException:
        store.close()
        raise


def _load_with_key(store: Store, given: KeyProvider | None, keys: KeyDirectory | None, place: str) -> Opened:
    key_file = keys.find(_vault_id(store).hex()) if keys else None
    provider = KeyFileProvider(keys, key_file) if keys and key_file else given
    if provider is None:
        raise InvalidInput("a vault needs a key")
    root = _load(store, provider)
    if keys and key_file:
        keys.settle(key_file, place)
    return Opened(store, root)


def _fill(transaction: Transaction, vault_id: bytes, provider: KeyProvider, now: int) -> None:
    row = new_root(vault_id, provider, now)
    transaction.meta.add_kek(row)
    root = load_root(vault_id, [row], provider)
    transaction.meta.put(_ID, root.protect(_ID, vault_id))


def _vault_id(store: Store) -> bytes:
    with store.read() as transaction:
        return stored_vault_id(transaction)


def stored_vault_id(transaction: Transaction) -> bytes:
    """The vault's id as stored. It is authenticated when the vault is opened, once there is a key to do it with."""
    stored = transaction.meta.get(_ID)
    if stored is None or stored[:1] != _VERSION:
        raise TamperDetected(AUTHENTICATION)
    return stored[1 : 1 + VAULT_ID_BYTES]


def _load(store: Store, provider: KeyProvider) -> Root:
    vault_id = _vault_id(store)
    with store.read() as transaction:
        root = load_root(vault_id, transaction.meta.keks(), provider)
        root.unprotect(_ID, transaction.meta.get(_ID) or b"")
    return root


def load_again(store: Store, root: Root) -> Root:
    """A vault's root as its key provider gives it now. The provider is asked after the store was read."""
    with store.read() as transaction:
        rows = transaction.meta.keks()
        stored = transaction.meta.get(_ID) or b""
    fresh = load_root(root.vault_id, rows, root.provider)
    fresh.unprotect(_ID, stored)
    return fresh
