"""The scope: whose values a log record is scrubbed of."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from sealgate.models.sealing import Sealer

MAX_RECENT: Final = 16
"""Sessions that a record outside of any scope is compared with: those of which an event bridge was made last."""

_BOUND: ContextVar[tuple[Sealer, ...]] = ContextVar("_BOUND", default=())
_RECENT: Final[OrderedDict[int, weakref.ref[Sealer]]] = OrderedDict()


@contextmanager
def log_scope(sealer: Sealer) -> Iterator[None]:
    """Within this block, and in the tasks and ``to_thread`` calls that start in it, records are scrubbed of the
    session's values. Blocks may be nested; a thread started by hand is outside."""
    before = _BOUND.get()
    _BOUND.set((*before, sealer))
    try:
        yield
    finally:
        # Not by token: a generator may be closed in another context than it was begun in.
        _BOUND.set(before)


def remember(sealer: Sealer) -> None:
    """A session of this process, for records outside of any scope. Held weakly; of many only the last count."""
    try:
        _RECENT[id(sealer)] = weakref.ref(sealer)
    except TypeError:  # a sealer that cannot be held weakly is known in its scope only
        return
    _RECENT.move_to_end(id(sealer))
    while len(_RECENT) > MAX_RECENT:
        _RECENT.popitem(last=False)


def forget(sealer: Sealer) -> None:
    """A session that is closed or shredded: nothing can be compared with it any more."""
    _RECENT.pop(id(sealer), None)


def sealers() -> tuple[Sealer, ...]:
    """The sessions of the current scope; outside of any, the recent ones that still live."""
    bound = _BOUND.get()
    if bound:
        return bound
    return tuple(sealer for held in list(_RECENT.values()) if (sealer := held()) is not None)
