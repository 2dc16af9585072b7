"""What a tool returned or raised, redacted before anything else sees it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pydantic_core import PydanticSerializationError, to_jsonable_python

from sealgate.models.errors import LimitExceeded, NotJson, TextTooLong, ToolFailed
from sealgate.models.jsonvalue import JsonValue, check_json
from sealgate.models.origins import tool_origin
from sealgate.models.placeholder import Placeholder
from sealgate.redaction import Redactor

from ..events.plain import laid_out
from ..events.scrub import Known, scrub
from ..turn.waits import Escaped

MAX_ERROR_TEXT: Final = 2_000
"""Code points of an exception's redacted text that a model is shown."""

MAX_READ_ERROR: Final = 20_000
"""Code points of the longest exception text that is read. A longer one is left out: cut before it is redacted, it could
end in half of a value."""

_CONTAINERS: Final = 16
"""Levels of containers that are searched for an iterator."""


def to_json(result: object) -> JsonValue:
    """A tool's result as JSON: pydantic models, dataclasses, dates, decimals and sets become what pydantic makes of
    them.

    Raises ``ToolFailed`` naming the type, never the value, for what has no JSON form, and for iterators, which may have
    no end; ``LimitExceeded`` below 64 levels.
    """
    if _holds_iterator(result):
        raise ToolFailed(f"the tool returned a {type(result).__name__} with an iterator, which has no JSON form")
    try:
        value: JsonValue = to_jsonable_python(result, by_alias=True)
        check_json(value)
    except (PydanticSerializationError, NotJson, ValueError, TypeError, RecursionError):
        raise ToolFailed(f"the tool returned a {type(result).__name__} that has no JSON form") from None
    return value


def redact_result(
    redactor: Redactor, tool: str, result: JsonValue, kept: frozenset[Placeholder], max_new: int, max_size: int
) -> JsonValue:
    """The sealed result of a tool. ``kept`` are placeholders that the tool was passed closed and may give back.

    Raises ``TextTooLong`` for one of more than ``max_size`` code points as text, and what ``redact_json`` raises.
    """
    if len(as_text(result)) > max_size:
        raise TextTooLong(f"the tool returned more than {max_size} code points", max_size)
    return redactor.redact_json(result, origin=tool_origin(tool), keep=kept.__contains__, max_new=max_new)


def hide_split(sealed: JsonValue, known: Known, pieces: Known) -> JsonValue:
    """A sealed result without the values that are split over its texts, such as a code as a list of its digits;
    ``pieces`` looks for those."""
    read, layout = laid_out(sealed)
    scrubbed = scrub(read, layout, known, pieces)
    return sealed if scrubbed is read else scrubbed


def as_text(sealed: JsonValue) -> str:
    """What a model reads of a sealed result: a text as it is, anything else as JSON."""
    return sealed if isinstance(sealed, str) else json.dumps(sealed, ensure_ascii=False)


def redact_error(redactor: Redactor, tool: str, error: BaseException, max_new: int) -> str:
    """The name of an exception's type and its redacted text; a text that is empty, too long or holds more than
    ``max_new`` new values is left out.

    Raises what ``Redactor.redact`` raises beside that.
    """
    name = error.name if isinstance(error, Escaped) else type(error).__name__
    text = _text_of(error)
    if not text or len(text) > MAX_READ_ERROR:
        return name
    try:
        redacted = redactor.redact(text, origin=tool_origin(tool), max_new=max_new).text
    except LimitExceeded:
        return name
    return f"{name}: {redacted[:MAX_ERROR_TEXT]}"


def _text_of(error: BaseException) -> str:
    to_text: Callable[[BaseException], str] = str
    try:
        return to_text(error)
    except (Exception, SystemExit):
        return ""


def _holds_iterator(value: object, depth: int = 0) -> bool:
    """Whether a result is, or holds in its containers, something that can only be read by running it."""
    if depth > _CONTAINERS or isinstance(value, (str, bytes)):
        return False
    if isinstance(value, Mapping):
        return any(_holds_iterator(item, depth + 1) for item in value.values())
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(_holds_iterator(item, depth + 1) for item in value)
    return isinstance(value, Iterator)
