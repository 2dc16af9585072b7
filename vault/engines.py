"""Engines by URL. An engine's client library is imported when a vault on it is opened, and not before."""

from __future__ import annotations

import importlib
import re
from typing import Any, Final, Protocol, cast
from urllib.parse import SplitResult, urlsplit

from sealgate.models.errors import InvalidInput, StoreUnavailable

from .keys.provider import KeyProvider
from .opener import Opened, open_store
from .store import Store

_URL: Final = re.compile(r"\s*(?:[a-z][a-z0-9+.-]+://|(?:postgres(?:ql)?|valkeys?|rediss?):)", re.IGNORECASE)
"""What nobody means as a path, misspelled or not: a file of that name would have the password in it."""

_ENGINES: Final = {
    "postgresql": ("postgres", "PostgresStore", "postgres"),
    "postgres": ("postgres", "PostgresStore", "postgres"),
    "valkey": ("valkey", "ValkeyStore", "valkey"),
    "valkeys": ("valkey", "ValkeyStore", "valkey"),
    "redis": ("valkey", "ValkeyStore", "valkey"),
    "rediss": ("valkey", "ValkeyStore", "valkey"),
}
"""By scheme: the module, its store, and the extra that installs its client library."""


class Engine(Store, Protocol):
    """**Protocol:** a store at a URL, which has no file that a backup could be restored to."""

    def load(self, path: str) -> None:
        """Fills a store that holds nothing with the rows of a portable copy, in one transaction."""
        ...


def is_url(place: str) -> bool:
    """Whether a vault's place is a URL and no path."""
    return _URL.match(place) is not None


def parts_of(url: str) -> SplitResult | None:
    """The parts of a URL; ``None`` if it has none, as with half an IPv6 address. What is raised then quotes it."""
    try:
        return urlsplit(url)
    except ValueError:
        return None


def engine_at(url: str) -> Engine:
    """The engine that a URL names. Raises ``InvalidInput`` for another scheme, ``StoreUnavailable`` without its extra,
    and what the engine raises.
    """
    scheme = url.partition("://")[0]
    if scheme not in _ENGINES or parts_of(url) is None:
        del url  # It may hold a password.
        raise InvalidInput("a vault lies at a path, or at a URL of postgresql:// or valkey://")
    module, name, extra = _ENGINES[scheme]
    try:
        engine: Any = getattr(importlib.import_module(f".{module}", __package__), name)
    except ImportError:
        del url
        raise StoreUnavailable(f"this engine needs its client library: install sealgate[{extra}]") from None
    return cast("Engine", engine(url))


def is_used(url: str) -> bool:
    """Whether a vault lies at a URL."""
    store = engine_at(url)
    try:
        with store.read() as transaction:
            return transaction.meta.get("vault") is not None
    finally:
        store.close()


def open_engine(url: str, given: KeyProvider | None, now: int) -> Opened:
    """The vault at a URL, made if the engine holds nothing there."""
    store = engine_at(url)
    try:
        return open_store(store, given, now, place_of(url))
    except BaseException:
        store.close()
        raise


def place_of(url: str) -> str:
    """What a key file records of a URL: everything but user, password and options that say nothing about the place."""
    parts = urlsplit(url)
    kept = sorted(
        one for one in parts.query.split("&") if one.partition("=")[0] in ("host", "port", "dbname", "schema")
    )
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" + (f"?{'&'.join(kept)}" if kept else "")
