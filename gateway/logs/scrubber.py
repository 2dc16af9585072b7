"""Scrubbing what is logged: by the values of the scope's sessions, and by rules for what nothing has sealed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from pydantic import JsonValue

from sealgate.models.placeholder import STRICT
from sealgate.redaction.detector import Detector
from sealgate.redaction.known.known import build_known_values
from sealgate.redaction.union import resolve

from ..events.plain import laid_out
from ..events.scrub import scrub
from .scope import sealers

MAX_RULED: Final = 20_000
"""Code points of a text that rules look at; longer ones are withheld unless they are scrubbed by values alone."""

_DETECTOR: Final = Detector(names=False, recognizers=())
_BUSY: Final = threading.local()


def scrub_text(text: str, *, rules: bool = True) -> str:
    """The text with placeholders for known values and ``<ENTITY_TYPE>`` for what rules find.

    Never raises: a text that cannot be checked becomes ``<withheld: reason>``, where the reason is the name of an
    exception's type.
    """
    try:
        with _once():
            for sealer in sealers():
                text = sealer.match(build_known_values).scrub(text)
            return _ruled(text) if rules else text
    except Exception as failure:
        return f"<withheld: {type(failure).__name__}>"


def scrub_value(value: object, *, rules: bool = True) -> Any:
    """Any object as JSON data, scrubbed like a text; numbers and the like stay what they are."""
    try:
        with _once():
            read, layout = laid_out(value)
            for sealer in sealers():
                scrubbed = scrub(read, layout, sealer.match(build_known_values))
                if scrubbed is not read:
                    read, layout = laid_out(scrubbed)
            return _each(read) if rules else read
    except Exception as failure:
        return f"<withheld: {type(failure).__name__}>"


@contextmanager
def _once() -> Iterator[None]:
    """Refuses what is logged while something is being scrubbed in the same thread: it would never end."""
    if getattr(_BUSY, "now", False):
        raise RecursionError
    _BUSY.now = True
    try:
        yield
    finally:
        _BUSY.now = False


def _each(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return _ruled(value)
    if isinstance(value, dict):
        return {key: _each(item) for key, item in value.items()}
    return [_each(item) for item in value] if isinstance(value, list) else value


def _ruled(text: str) -> str:
    """The text with what rules find replaced by its type; placeholders stay."""
    if len(text) > MAX_RULED:
        return "<withheld: too long>"
    parts: list[str] = []
    at = 0
    for token in STRICT.finditer(text):
        parts += (_typed(text[at : token.start()]), token.group())
        at = token.end()
    return "".join(parts) + _typed(text[at:])


def _typed(text: str) -> str:
    parts: list[str] = []
    at = 0
    for finding in resolve(text, _DETECTOR.detect(text)) if text.strip() else ():
        parts += (text[at : finding.start], f"<{finding.entity_type}>")
        at = finding.end
    return "".join(parts) + text[at:]
