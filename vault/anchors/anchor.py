"""Where an anchor is kept: some bytes outside the store, which show that an older copy of the store was put back."""

from __future__ import annotations

import os
from typing import Protocol, runtime_checkable

from sealgate.models.errors import AnchorRefused, InvalidInput

from ..privatefile import Unsafe, read_private, write_private


@runtime_checkable
class Anchor(Protocol):
    """**Protocol:** keeps fewer than 200 bytes where whoever can write the store cannot. They need not be kept secret.

    Both methods raise ``AnchorRefused`` when the place is not safe or does not answer. The vault calls ``save`` while
    it holds the store's write lock, so that of several processes none puts an older anchor over a newer one.
    """

    def load(self) -> bytes | None:
        """What was saved last, or ``None`` before the first time."""
        ...

    def save(self, data: bytes) -> None:
        """Keeps these bytes in place of the ones before; returns once they survive the loss of power."""
        ...


class FileAnchor:
    """An anchor in a file of its own, with the care that key files get: private, no link, replaced in one step.

    It lies in another folder than the store, best on another file system or machine: a backup that brings both back
    shows nothing. Not protected from: whoever can write both places, root.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        place = os.fspath(path)
        if not isinstance(place, str) or not os.path.basename(place) or "\0" in place:
            raise InvalidInput("an anchor lies at the path of a file")
        self._folder = os.path.realpath(os.path.dirname(os.path.abspath(place)))
        self._path = os.path.join(self._folder, os.path.basename(place))

    def load(self) -> bytes | None:
        """The file's bytes, or ``None`` if there is no file."""
        try:
            return read_private(self._path)
        except FileNotFoundError:
            return None
        except Unsafe as unsafe:
            raise AnchorRefused(f"the anchor {unsafe}") from None

    def save(self, data: bytes) -> None:
        """Replaces the file."""
        try:
            write_private(self._path, data)
        except Unsafe as unsafe:
            raise AnchorRefused(f"the anchor {unsafe}") from None

    def check_apart(self, store: str) -> None:
        """Nothing, or ``AnchorRefused`` for the folder of a store's file: who puts that back puts the anchor back."""
        if os.path.realpath(os.path.dirname(os.path.abspath(store))) == self._folder:
            raise AnchorRefused("the anchor lies in the vault's folder, where an older copy of it is put back as well")

    def has_folder(self) -> bool:
        """Whether its folder is there."""
        return os.path.isdir(self._folder)

    def __repr__(self) -> str:
        return "FileAnchor(…)"


def anchor_of(given: str | os.PathLike[str] | Anchor | None) -> Anchor | None:
    """The anchor that a caller means; a path is that of a file. Raises ``InvalidInput`` for another thing."""
    if isinstance(given, str | os.PathLike):
        return FileAnchor(given)
    if given is None or isinstance(given, Anchor):
        return given
    raise InvalidInput("an anchor is the path of a file or an Anchor")
