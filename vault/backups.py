"""Backups: a consistent copy of the vault in one encrypted stream that cannot be cut or reordered unnoticed.

``magic || vault id (16) || length (4) || wrapped backup key || Cobblestone-256 stream of the database``. The backup key
is fresh and wrapped by the vault's key provider, so a backup is as safe as that key and ends with it.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from typing import BinaryIO, Final

from cryptography.cobblestone import Cobblestone256Decryptor, Cobblestone256Encryptor
from cryptography.exceptions import InvalidTag

from sealgate.models.errors import KeyRefused, NotAVault, StoreUnavailable, TamperDetected

from .anchors.anchor import Anchor, anchor_of
from .anchors.reanchor import reanchor
from .encoding import AUTHENTICATION, lp
from .engines import engine_at, is_url
from .keys.file import KeyDirectory, KeyFileProvider
from .keys.provider import KeyProvider, provider_of
from .places import check_place, place_at
from .root import VAULT_ID_BYTES
from .shared import Shared
from .sqlite.file import place

_MAGIC: Final = b"sealgate backup\x01"
_CHUNK: Final = 64 * 1024
_MAX_WRAPPED: Final = 4096
_TAKEN: Final = "something is at the place of the restored vault already"


def write_backup(shared: Shared, target: BinaryIO) -> int:
    """See ``Vault.backup``. On every engine a SQLite vault, full of ciphertext itself, is encrypted; then deleted."""
    vault_id, provider = shared.root.vault_id, shared.root.provider
    key = Cobblestone256Encryptor.generate_key()
    wrapped = provider.wrap(key, _context(vault_id))
    encryptor = Cobblestone256Encryptor(key, _context(vault_id))
    del key
    shared.audit.append("backup.written")
    written = target.write(_MAGIC + vault_id + lp(wrapped))
    with shared.store.snapshot() as source:
        while chunk := source.read(_CHUNK):
            written += target.write(encryptor.update(chunk))
    return written + target.write(encryptor.finalize())


def restore_backup(
    source: BinaryIO,
    location: str | os.PathLike[str],
    key: bytes | KeyProvider | None = None,
    *,
    anchor: str | os.PathLike[str] | Anchor | None = None,
) -> None:
    """Makes a vault of a backup at a path where nothing is, or at a URL of an engine that holds nothing.

    The whole stream is checked before the vault appears; nothing is left of one that fails. A backup is an older copy:
    with ``anchor`` the vault's anchor begins anew with it (``reanchor``), without one the old anchor refuses it. Raises
    ``NotAVault`` for another file, ``WrongKey``, ``KeyMissing``, ``TamperDetected`` for a stream that was cut or
    changed, ``AnchorRefused``, and ``StoreUnavailable`` when something is at the path already.
    """
    given = provider_of(key)
    del key  # A traceback that shows locals must not show it.
    if isinstance(given, KeyRefused):
        raise given
    where, kept = place_at(location), anchor_of(anchor)
    if kept is not None:
        check_place(where, kept)
        kept.load()  # What cannot be used is refused before anything is made.
    _restore_to_engine(source, where, given) if is_url(where) else _restore_to_file(source, where, given)
    if kept is not None:
        reanchor(where, kept, given)


def _restore_to_file(source: BinaryIO, where: str, given: KeyProvider | None) -> None:
    path = os.path.abspath(where)
    if os.path.lexists(path):
        raise StoreUnavailable(_TAKEN)
    decryptor = _open_header(source, given)
    draft = f"{path}-new-{secrets.token_hex(8)}"
    try:
        _decrypt(source, decryptor, draft)
        place(draft, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)


def _restore_to_engine(source: BinaryIO, url: str, given: KeyProvider | None) -> None:
    decryptor = _open_header(source, given)
    with tempfile.TemporaryDirectory(prefix="sealgate-") as directory:
        draft = os.path.join(directory, "restored.db")
        _decrypt(source, decryptor, draft)
        store = engine_at(url)
        try:
            with store.read() as transaction:
                if transaction.meta.get("vault") is not None:
                    raise StoreUnavailable(_TAKEN)
            store.load(draft)
        finally:
            store.close()


def _open_header(source: BinaryIO, given: KeyProvider | None) -> Cobblestone256Decryptor:
    if source.read(len(_MAGIC)) != _MAGIC:
        raise NotAVault("the file is no backup of a vault")
    vault_id, length = source.read(VAULT_ID_BYTES), int.from_bytes(source.read(4), "big")
    if length > _MAX_WRAPPED:
        raise TamperDetected(AUTHENTICATION)
    wrapped = source.read(length)
    keys = KeyDirectory()
    provider = given or KeyFileProvider(keys, keys.find(vault_id.hex()))
    return Cobblestone256Decryptor(provider.unwrap(wrapped, _context(vault_id)), _context(vault_id))


def _decrypt(source: BinaryIO, decryptor: Cobblestone256Decryptor, draft: str) -> None:
    try:
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            while chunk := source.read(_CHUNK):
                file.write(decryptor.update(chunk))
            file.write(decryptor.finalize())
            file.flush()
            os.fsync(file.fileno())
    except InvalidTag:
        raise TamperDetected(AUTHENTICATION) from None
    except ValueError:
        raise TamperDetected(AUTHENTICATION) from None
    except OSError:
        raise StoreUnavailable("the restored vault could not be written") from None


def _context(vault_id: bytes) -> bytes:
    return lp("backup/1", vault_id)
