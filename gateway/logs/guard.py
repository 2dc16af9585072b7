"""The guard: puts the scrubber before everything in a process that writes logs, and takes it away again."""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, TextIO

from .records import exception_text, factory_over, scrub_extra
from .scrubber import scrub_text

_LOCK: Final = threading.Lock()


class LogGuard:
    """What ``protect_logs`` put in place. ``undo()`` restores what was there before; so does leaving its block."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def __enter__(self) -> LogGuard:
        return self

    def __exit__(self, *error: object) -> None:
        self.undo()

    def undo(self) -> None:
        """Restore what was there before. Calling it again changes nothing."""
        with _LOCK:
            while self._undo:
                self._undo.pop()()

    def _replace(self, where: Any, name: str, value: object) -> None:
        before = getattr(where, name)
        setattr(where, name, value)
        self._undo.append(lambda: setattr(where, name, before))

    def _install(self) -> None:
        previous = logging.getLogRecordFactory()
        logging.setLogRecordFactory(factory_over(previous))
        self._undo.append(lambda: logging.setLogRecordFactory(previous))
        self._replace(logging.Handler, "handle", _handle_over(logging.Handler.handle))
        self._replace(warnings, "showwarning", _show_over(warnings.showwarning))
        self._replace(sys, "excepthook", _print_exception)
        self._replace(sys, "unraisablehook", _print_unraisable)
        self._replace(threading, "excepthook", _print_thread_exception)


def protect_logs() -> LogGuard:
    """Scrub every log record, warning and unhandled exception of this process, whoever writes them.

    Known values of the current ``log_scope`` (outside of one, of the sessions that were watched last) become
    placeholders; what rules find becomes ``<ENTITY_TYPE>``. Covers messages, arguments, ``extra`` fields, tracebacks
    (without locals) and asyncio's reports, which are log records. Records that another record factory makes after this
    call, and what is written without ``logging``, are not covered. Returns a guard whose ``undo()`` takes it away.
    """
    guard = LogGuard()
    with _LOCK:
        guard._install()
    return guard


def _handle_over(original: Callable[..., Any]) -> Callable[..., Any]:
    def handle(self: logging.Handler, record: logging.LogRecord) -> Any:
        return original(self, scrub_extra(record))

    return handle


def _show_over(original: Callable[..., None]) -> Callable[..., None]:
    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        original(scrub_text(str(message)), category, filename, lineno, file, line)

    return show


def _print(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"{text}\n")


def _print_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    _print(exception_text((kind, error, trace)))


def _print_unraisable(raised: Any) -> None:
    _print(f"Exception ignored:\n{exception_text((raised.exc_type, raised.exc_value, raised.exc_traceback))}")


def _print_thread_exception(raised: Any) -> None:
    if raised.exc_type is not SystemExit:
        name = scrub_text(raised.thread.name) if raised.thread is not None else "?"
        _print(
            f"Exception in thread {name}:\n{exception_text((raised.exc_type, raised.exc_value, raised.exc_traceback))}"
        )
