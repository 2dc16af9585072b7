"""What becomes of the answer to ``interrupt()`` in a tool's body: fitted to its schema, then every text and number
sealed.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from sealgate.models.errors import InvalidAnswer, LimitExceeded, NotJson
from sealgate.models.jsonvalue import JsonValue, check_json
from sealgate.models.origins import INTERRUPT
from sealgate.models.processlock import unforked
from sealgate.models.sealing import Sealer, SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.redaction import is_searchable

from .inputs import MAX_ANSWER

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z_-]{0,39}\Z")
"""Keys as programs spell them, without digits."""


def take_pause_answer(sealer: Sealer, schema: dict[str, Any] | None, raw: object) -> JsonValue:
    """The answer as a turn's state may hold it. Booleans, ``None`` and keys that are plain names stay; the body alone
    gets the values back.

    Raises ``InvalidAnswer`` for one that is not JSON, too long, or does not fit the schema; then nothing was stored.
    """
    try:
        check_json(raw)
    except (NotJson, LimitExceeded):
        raise InvalidAnswer("the answer must be JSON") from None
    value: JsonValue = raw  # type: ignore[assignment]
    if len(json.dumps(value)) > MAX_ANSWER:
        raise InvalidAnswer(f"the answer is longer than {MAX_ANSWER} characters")
    if schema is not None:
        _check_schema(schema, value)
    return _sealed(sealer, value)


def _check_schema(schema: dict[str, Any], value: JsonValue) -> None:
    with unforked():
        from jsonschema import Draft202012Validator  # noqa: PLC0415 - only answers that have a schema need it

    broken = sorted({str(error.validator) for error in Draft202012Validator(schema).iter_errors(value)})
    if broken:
        raise InvalidAnswer(f"the answer does not fit the response schema: {', '.join(broken)}")


def _sealed(sealer: Sealer, value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_sealed(sealer, item) for item in value]
    if isinstance(value, dict):
        # A key may hold a value too, or a placeholder that would open in the body for whoever answers.
        return {
            key if _NAME.match(key) else str(_sealed(sealer, key)): _sealed(sealer, item) for key, item in value.items()
        }
    if value is None or isinstance(value, bool):
        return value
    secret = secret_of(value)
    request = SealRequest(secret, "ANSWER", INTERRUPT, searchable=is_searchable(secret.text()))
    return str(sealer.seal([request])[0])
