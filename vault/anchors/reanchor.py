"""Beginning a vault's anchor anew: after an older copy was put back on purpose, or when the anchor is lost."""

from __future__ import annotations

import os

from sealgate.models.errors import KeyRefused, VaultMissing

from ..clock import SYSTEM_CLOCK, Clock, SteadyClock
from ..clockmark import load_mark
from ..keys.provider import KeyProvider, provider_of
from ..places import check_place, is_taken, open_place, place_at
from .anchor import Anchor, anchor_of
from .anchoring import Anchoring, give_up


def reanchor(
    location: str | os.PathLike[str],
    anchor: str | os.PathLike[str] | Anchor | None,
    key: bytes | KeyProvider | None = None,
    *,
    clock: Clock = SYSTEM_CLOCK,
) -> None:
    """Accepts the present state of a vault as its newest, and keeps it by this anchor; by none if it is ``None``.

    Whether the state is the newest is for a person to know: nothing is compared. The audit chain says that it was done.
    Raises ``VaultMissing``, ``AnchorRefused`` (also for the anchor of another vault) and what ``Vault.open`` raises.
    """
    provider = provider_of(key)
    del key  # A traceback that shows locals must not show it.
    if isinstance(provider, KeyRefused):
        raise provider
    place, kept = place_at(location), anchor_of(anchor)
    check_place(place, kept)
    if not is_taken(place):
        raise VaultMissing("there is no vault at this place")
    steady = SteadyClock(clock)
    store, root = open_place(place, provider, steady.now_ms())
    try:
        with store.read() as transaction:
            load_mark(transaction, root, steady)
        if kept is None:
            give_up(store, root, steady)
        else:
            Anchoring(store, root, steady, kept).accept()
    finally:
        store.close()
