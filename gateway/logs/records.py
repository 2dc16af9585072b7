"""Log records: what is in one, scrubbed before any handler sees it."""

from __future__ import annotations

import logging
import traceback
from types import TracebackType
from typing import Any, Final

from .scrubber import scrub_text, scrub_value

ExcInfo = tuple[type[BaseException] | None, BaseException | None, TracebackType | None]

_STANDARD: Final = frozenset((*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"))
"""What every record has; the rest is what a caller put in as ``extra``."""


def scrub_record(record: logging.LogRecord) -> logging.LogRecord:
    """The record itself, with its message, arguments, traceback and names of thread and process scrubbed.

    Where nothing is found it keeps its template and its arguments, which some formatters need. A traceback becomes
    text, without locals, and the exception itself is let go.
    """
    _scrub_message(record)
    if record.exc_info:
        record.exc_text = exception_text(record.exc_info)
        record.exc_info = None
    if record.stack_info:
        record.stack_info = scrub_text(record.stack_info)
    for name in ("threadName", "processName", "taskName"):
        value = getattr(record, name, None)
        if isinstance(value, str):
            setattr(record, name, scrub_text(value, rules=False))
    return record


def scrub_extra(record: logging.LogRecord) -> logging.LogRecord:
    """The record itself, with what a caller put in as ``extra`` scrubbed, and as plain data."""
    fields = vars(record)
    for name in [name for name in fields if name not in _STANDARD]:
        fields[name] = scrub_value(fields[name])
    return record


def exception_text(info: ExcInfo | bool) -> str:
    """A traceback as text, scrubbed, with causes and notes and without locals."""
    if not isinstance(info, tuple) or info[0] is None:
        return ""
    try:
        text = "".join(traceback.format_exception(*info)).rstrip("\n")
    except Exception:  # an exception that cannot be spelled is named
        text = info[0].__name__
    scrubbed = scrub_text(text)
    return scrubbed if not scrubbed.startswith("<withheld: ") else f"{info[0].__name__}: {scrubbed}"


def _scrub_message(record: logging.LogRecord) -> None:
    try:
        message = record.getMessage()
    except Exception:  # arguments that do not fit are for the one who logs; here they would be quoted
        record.msg, record.args = "<a log message whose arguments do not fit>", ()
        return
    if scrub_text(message) == message:
        return
    args = record.args
    if isinstance(args, tuple) and all(isinstance(item, str | int | float | None) for item in args):
        record.args = tuple(scrub_text(item) if isinstance(item, str) else item for item in args)
        message = _message_of(record)
        if message and scrub_text(message) == message:
            return
    record.msg, record.args = scrub_text(message or record.msg), ()


def _message_of(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:
        return ""


def factory_over(previous: Any) -> Any:
    """A record factory that scrubs what another factory makes."""

    def make(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record: logging.LogRecord = previous(*args, **kwargs)
        return scrub_record(record)

    return make
