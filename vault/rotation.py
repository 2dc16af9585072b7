"""New keys for a vault, and the end of the old ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sealgate.models.errors import InvalidInput, KeyRefused

from .guarded import keep_anchor
from .keys.provider import KeyProvider, RotatingProvider, provider_of
from .root import rewrap_kek
from .sessionkeys import rewrap
from .shared import Shared

_CHUNK: Final = 1000


def rotate(shared: Shared, key: bytes | KeyProvider | None, progress: Callable[[int], object] | None = None) -> int:
    """See ``Vault.rotate``."""
    given = provider_of(key)
    del key  # A traceback that shows locals must not show it.
    if isinstance(given, KeyRefused):
        raise given
    _add_kek(shared, given or _rotated(shared.root.provider))
    count = after = 0
    while True:
        done, after = _rewrap_chunk(shared, after)
        count += done
        if progress is not None:
            progress(count)
        if not after:
            keep_anchor(shared.store)
            return count


def _rotated(provider: KeyProvider) -> KeyProvider:
    if not isinstance(provider, RotatingProvider):
        raise InvalidInput("this key provider makes no keys itself: give the new key")
    provider.rotate()
    return provider


def _add_kek(shared: Shared, provider: KeyProvider) -> None:
    root = shared.root
    with shared.store.write() as transaction:
        rows = transaction.meta.keks()
        known = next(row for row in reversed(rows) if root.has_kek(row.kek_id))
        created = max(shared.clock.now_ms(), rows[-1].created + 1)
        transaction.meta.add_kek(rewrap_kek(root, known, provider, created))
        shared.audit.record(transaction, "key.rotated", None, {})
    root.provider = provider
    with shared.store.read() as transaction:
        root.refresh(transaction.meta.keks())


def _rewrap_chunk(shared: Shared, after: int) -> tuple[int, int]:
    root = shared.root
    with shared.store.write() as transaction:
        rows = transaction.sessions.page(after, _CHUNK)
        changes = [rewrap(root, row) for row in rows if row.kek_id != root.active]
        transaction.sessions.rewrap(changes)
    return len(changes), rows[-1].sid if rows else 0


def destroy_old_keys(shared: Shared) -> int:
    """See ``Vault.destroy_old_keys``."""
    with shared.store.write() as transaction:
        older = transaction.meta.keks()[:-1]
        if any(transaction.sessions.on_kek(row.kek_id) for row in older):
            raise KeyRefused("sessions are wrapped under an older key: rotate first")
        for row in older:
            transaction.meta.drop_kek(row.kek_id)
        shared.audit.record(transaction, "key.destroyed", None, {"count": len(older)})
    if isinstance(shared.root.provider, RotatingProvider):
        shared.root.provider.destroy_older()
    shared.store.purge()
    keep_anchor(shared.store)
    return len(older)
