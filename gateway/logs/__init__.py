"""Logs without sealed values: opt-in, by one call.

``protect_logs()`` covers the ``logging`` module, warnings and unhandled exceptions of the process;
``structlog_processor`` is for structlog's chain. What sealgate itself logs never holds values; this is for everybody
else's logs.
"""

from __future__ import annotations

from .guard import LogGuard, protect_logs
from .processor import structlog_processor
from .scope import log_scope

__all__ = ["LogGuard", "log_scope", "protect_logs", "structlog_processor"]
