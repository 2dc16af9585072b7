"""The PostgreSQL engine (extra ``postgres``)."""

from .store import PostgresStore

__all__ = ["PostgresStore"]
