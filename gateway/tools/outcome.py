"""What a tool returned or raised, redacted before anything else sees it."""

from __future__ import annotations

import json
from collections.abc import Callable

from pydantic_core import PydanticSerializationError, to_jsonable_python

from sealgate.models.errors import NotJson, ToolFailed
from sealgate.models.jsonvalue import JsonValue, check_json
from sealgate.models.origins import tool_origin
from sealgate.models.placeholder import Placeholder
from sealgate.redaction import Redactor

MAX_ERROR_TEXT = 2000
"""Code points of an exception's text that a model is shown."""


def to_json(result: object) -> JsonValue:
    """A tool's result as JSON: pydantic models, dataclasses, dates, decimals and sets become what pydantic makes of
    them.

    Raises ``ToolFailed`` naming the type, never the value, for what has no JSON form.
    """
    try:
        value: JsonValue = to_jsonable_python(result, by_alias=True)
        check_json(value)
    except (PydanticSerializationError, NotJson, ValueError, TypeError, RecursionError):
        raise ToolFailed(f"the tool returned a {type(result).__name__} that has no JSON form") from None
    return value


def redact_result(
    redactor: Redactor, tool: str, result: JsonValue, kept: frozenset[Placeholder], max_new: int
) -> JsonValue:
    """The sealed result of a tool. ``kept`` are placeholders that the tool was passed closed and may give back."""
    return redactor.redact_json(result, origin=tool_origin(tool), keep=kept.__contains__, max_new=max_new)


def as_text(sealed: JsonValue) -> str:
    """What a model reads of a sealed result: a text as it is, anything else as JSON."""
    return sealed if isinstance(sealed, str) else json.dumps(sealed, ensure_ascii=False)


def redact_error(redactor: Redactor, tool: str, error: BaseException, max_new: int) -> str:
    """The name of an exception's type and its redacted text; a text that cannot be had or redacted is left out."""
    name = type(error).__name__
    text = _text_of(error)[:MAX_ERROR_TEXT]
    if not text:
        return name
    return f"{name}: {redactor.redact(text, origin=tool_origin(tool), max_new=max_new).text}"


def _text_of(error: BaseException) -> str:
    to_text: Callable[[BaseException], str] = str
    try:
        return to_text(error)
    except Exception:
        return ""
