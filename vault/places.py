"""Where a vault lies: a path, a URL or memory, and what may be there."""

from __future__ import annotations

import os

from sealgate.models.errors import AnchorRefused, InvalidInput, VaultMissing

from .anchors.anchor import Anchor, FileAnchor
from .engines import is_url, is_used, open_engine
from .keys.provider import KeyProvider
from .opener import Opened, open_file, open_memory
from .sqlite.store import MEMORY


def place_at(location: str | os.PathLike[str]) -> str:
    """A location as text. Raises ``InvalidInput`` for none."""
    place = os.fspath(location)
    if not place or "\0" in place:
        raise InvalidInput("a vault lies at a path or a URL")
    return place


def is_taken(place: str) -> bool:
    """Whether something lies at a path, or a vault at a URL."""
    return is_used(place) if is_url(place) else os.path.lexists(place)


def open_place(place: str, provider: KeyProvider | None, now: int) -> Opened:
    """The vault at a place, made if nothing is there; ``now`` in Unix milliseconds. Raises what ``Vault.open`` says."""
    if is_url(place):
        return open_engine(place, provider, now)
    return open_memory(provider, now) if place == MEMORY else open_file(place, provider, now)


def check_place(place: str, anchor: Anchor | None) -> None:
    """Nothing, if the vault here may have this anchor. Raises ``InvalidInput`` for a vault in memory, and
    ``AnchorRefused`` for a file beside the store's.
    """
    if place == MEMORY and anchor is not None:
        raise InvalidInput("a vault in memory ends with its process and has no anchor")
    if isinstance(anchor, FileAnchor) and not is_url(place):
        anchor.check_apart(place)


def check_recorded(place: str, anchor: Anchor | None) -> None:
    """Nothing, or ``VaultMissing`` when an anchor says that a vault was here and there is none: it may be rolled back
    to before its beginning. ``AnchorRefused`` for an anchor that a new vault could not be given.
    """
    if anchor is not None and anchor.load() is not None and not is_taken(place):
        raise VaultMissing("an anchor records a vault at this place, and there is none: put the store back")
    if isinstance(anchor, FileAnchor) and not anchor.has_folder() and not is_taken(place):
        raise AnchorRefused("the anchor lies in a directory that is not there")
