"""Conformance checks of what several handles see of each other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, TypeAlias

from sealgate.models.errors import StoreUnavailable

from ..store import Store
from .rules import expect, expect_raises

_Check: TypeAlias = Callable[[Store, Store], None]

_MOMENT: Final = 0.2
"""Seconds that a writer gets before a reader looks again."""


def a_view_is_consistent(store: Store, other: Store) -> None:
    """A reading transaction sees the store as of one moment, or keeps writers waiting."""
    if store is other:
        return
    _put_all(store, ("one",), b"before")
    writer = threading.Thread(target=_put_all, args=(store, ("one", "two"), b"after"))
    with other.read() as view:
        view.meta.get("one")
        writer.start()
        writer.join(_MOMENT)
        expect((view.meta.get("one"), view.meta.get("two")) == (b"before", None), "a view changes while it is read")
    writer.join()
    with other.read() as view:
        expect(view.meta.get("two") == b"after", "a writer that waited did not write")


def _put_all(store: Store, names: tuple[str, ...], data: bytes) -> None:
    with store.write() as transaction:
        for name in names:
            transaction.meta.put(name, data)


def a_closed_store_is_unavailable(store: Store, other: Store) -> None:
    """Closing twice does no harm, and what comes later is ``StoreUnavailable``."""
    store.close()
    store.close()
    expect_raises(StoreUnavailable, lambda: store.session(b"?" * 16), "a closed store answers")


VIEW_CHECKS: Final[tuple[_Check, ...]] = (a_view_is_consistent, a_closed_store_is_unavailable)
