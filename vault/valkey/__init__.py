"""The Valkey and Redis engine (extra ``valkey``)."""

from .store import ValkeyStore

__all__ = ["ValkeyStore"]
