"""Standard input and output as bytes. Text is UTF-8; other bytes pass unchanged (``surrogateescape``)."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from sealgate.models.errors import InvalidInput, LimitExceeded

MAX_INPUT: Final = 64 * 1024 * 1024
"""Bytes of the longest input."""


def read_text() -> str:
    """All of standard input.

    Raises ``InvalidInput`` when it is closed and ``LimitExceeded`` beyond 64 MiB.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise InvalidInput("standard input is closed")
    data = sys.stdin.buffer.read(MAX_INPUT + 1)
    if len(data) > MAX_INPUT:
        raise LimitExceeded(f"the input is longer than {MAX_INPUT} bytes", MAX_INPUT)
    return data.decode("utf-8", "surrogateescape")


def write_text(text: str) -> None:
    """``text`` and nothing after it, to standard output."""
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def write_json(value: Any) -> None:
    """``value`` as one line of ASCII JSON, so that it survives any locale; lone surrogates are ``\\u`` escapes."""
    sys.stdout.buffer.write(json.dumps(value).encode("ascii") + b"\n")
    sys.stdout.buffer.flush()


def write_report(as_json: bool, facts: dict[str, Any], sentence: str) -> None:
    """The outcome of a command: as one line of JSON, or as a sentence for a person."""
    if as_json:
        write_json(facts)
    else:
        write_text(f"{sentence}\n")
