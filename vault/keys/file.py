"""A vault's key in a file of its own, in the user's configuration directory: never beside the store.

The file records which vault it belongs to and where that lies, so that an emptied or missing store is noticed. It is
JSON, because a person may have to look at it in bad times::

    {"version": 1, "vault": "…", "store": "/…/sealgate.db", "pending": false, "keys": ["base64", …]}

``keys`` are oldest first. ``pending`` is true from the moment the file is written until its vault exists.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import platformdirs

from sealgate.models.errors import KeyMissing, KeyRefused, WrongKey

from ..envelope import KEY_BYTES
from ..privatefile import Unsafe, read_private, write_private
from .provider import LocalKeys, decode_key

_SUFFIX: Final = ".key.json"


@dataclass(frozen=True, slots=True)
class KeyFile:
    """What one key file holds. ``vault`` is the vault's id in hex, ``store`` the absolute path of its file."""

    vault: str
    store: str
    pending: bool
    keys: tuple[bytes, ...] = field(repr=False)


class KeyFileProvider:
    """``RotatingProvider`` over a vault's key file, which it reads again when another process may have changed it."""

    def __init__(self, directory: KeyDirectory, key_file: KeyFile) -> None:
        self._directory = directory
        self._vault = key_file.vault
        self._keys = LocalKeys(key_file.keys)

    def wrap(self, secret: bytes, context: bytes) -> bytes:
        """Wraps under the newest key."""
        return self._keys.wrap(secret, context)

    def unwrap(self, blob: bytes, context: bytes) -> bytes:
        """Unwraps under whichever key it was."""
        try:
            return self._keys.unwrap(blob, context)
        except WrongKey:
            self._keys = LocalKeys(self._directory.find(self._vault).keys)
        return self._keys.unwrap(blob, context)

    def rotate(self) -> None:
        """Adds a key to the file."""
        key_file = self._directory.find(self._vault)
        self._write(replace(key_file, keys=(*key_file.keys, os.urandom(KEY_BYTES))))

    def destroy_older(self) -> None:
        """Leaves the newest key in the file. Copies of the file, in backups for instance, still hold the older ones."""
        key_file = self._directory.find(self._vault)
        self._write(replace(key_file, keys=key_file.keys[-1:]))

    def _write(self, key_file: KeyFile) -> None:
        self._directory.write(key_file)
        self._keys = LocalKeys(key_file.keys)

    def __repr__(self) -> str:
        return "KeyFileProvider(…)"


class KeyDirectory:
    """The key files of one user: ``sealgate/keys`` in the configuration directory, modes 0700 and 0600.

    Not protected from: a process of the same user, root, a backup of the home directory that is not encrypted.
    """

    def __init__(self, directory: str | None = None) -> None:
        self._directory = directory or os.path.join(platformdirs.user_config_dir("sealgate"), "keys")

    def make(self, vault: str, store: str) -> KeyFile:
        """Draws a key and writes its file, pending. Raises ``KeyRefused`` when the directory is not safe."""
        made = KeyFile(vault, store, True, (os.urandom(KEY_BYTES),))
        self.write(made)
        return made

    def find(self, vault: str) -> KeyFile:
        """The key file of a vault. Raises ``KeyMissing``, or ``KeyRefused`` when it is not safe to use."""
        return read(self.path(vault))

    def of_store(self, store: str) -> list[KeyFile]:
        """The key files that record a vault at this place."""
        return [one for one in self._all() if one.store == store]

    def settle(self, key_file: KeyFile, store: str) -> None:
        """Records that the vault exists, and where."""
        if key_file.pending or key_file.store != store:
            self.write(replace(key_file, pending=False, store=store))

    def write(self, key_file: KeyFile) -> None:
        """Writes a key file in one step: a new file, synced, renamed over the old one."""
        self._prepare()
        try:
            write_private(self.path(key_file.vault), _encode(key_file))
        except Unsafe as unsafe:
            raise KeyRefused(f"the key file {unsafe}") from None

    def remove(self, key_file: KeyFile) -> None:
        """Deletes a key file that never got a vault."""
        try:
            os.unlink(self.path(key_file.vault))
        except FileNotFoundError:
            return

    def path(self, vault: str) -> str:
        """Where the key file of a vault lies, or would lie."""
        return os.path.join(self._directory, f"{vault}{_SUFFIX}")

    def _prepare(self) -> None:
        try:
            os.makedirs(self._directory, mode=0o700, exist_ok=True)
            status = os.stat(self._directory)
        except OSError:
            raise KeyRefused("the directory of the key files could not be made") from None
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise KeyRefused("the directory of the key files can be written by others")

    def _all(self) -> Iterator[KeyFile]:
        names = sorted(os.listdir(self._directory)) if os.path.isdir(self._directory) else []
        for name in names:
            if name.endswith(_SUFFIX):
                yield read(os.path.join(self._directory, name))


def read(path: str) -> KeyFile:
    """The key file at ``path``.

    Raises ``KeyMissing`` when there is none, and ``KeyRefused`` unless it is a private file (``privatefile``) holding
    keys of 32 bytes.
    """
    try:
        return _decode(read_private(path))
    except FileNotFoundError:
        raise KeyMissing("there is no key file for this vault") from None
    except Unsafe as unsafe:
        raise KeyRefused(f"the key file {unsafe}") from None


def _encode(key_file: KeyFile) -> bytes:
    fields = {
        "version": 1,
        "vault": key_file.vault,
        "store": key_file.store,
        "pending": key_file.pending,
        "keys": [base64.b64encode(key).decode("ascii") for key in key_file.keys],
    }
    return json.dumps(fields, indent=1).encode("ascii")


def _decode(data: bytes) -> KeyFile:
    try:
        fields = json.loads(data)
        if fields["version"] != 1:
            raise KeyRefused("the key file was written by a newer version of sealgate")
        keys = tuple(decode_key(str(key)) for key in fields["keys"])
        return KeyFile(str(fields["vault"]), str(fields["store"]), bool(fields["pending"]), keys)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # KeyRefused is no ValueError; what json raises holds the file's text and is dropped.
        raise KeyRefused("the key file cannot be read as one") from None
