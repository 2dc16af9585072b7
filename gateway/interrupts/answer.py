"""What becomes of a person's answer: read, checked, and sealed before anything else sees it."""

from __future__ import annotations

from enum import Enum

from sealgate.models.errors import InvalidAnswer
from sealgate.models.expectation import Expectation
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.origins import INTERRUPT
from sealgate.models.sealing import Sealer, SealRequest
from sealgate.models.secretvalue import SecretValue, secret_of
from sealgate.redaction import Redactor, is_searchable, machine_form

from .inputs import coerce
from .question import Question

MAX_ANSWER = 20_000
"""Code points of the longest answer that is read."""


def take_answer(redactor: Redactor, sealer: Sealer, question: Question, raw: object) -> JsonValue:
    """The answer as a turn's state may hold it: a placeholder, redacted text, or clear JSON for a choice or a
    yes-or-no.

    Raises ``InvalidAnswer`` for an answer that does not fit; then nothing was stored.
    """
    if isinstance(raw, str) and len(raw) > MAX_ANSWER:
        raise InvalidAnswer(f"the answer is longer than {MAX_ANSWER} characters")
    if isinstance(question.sensitive, str):
        return _expected(redactor, sealer, question, question.sensitive, raw)
    value = coerce(raw, question)
    if isinstance(value, Enum):
        value = value.value
    if question.sensitive is False:
        return redactor.redact_json(value, origin=INTERRUPT)
    if question.sensitive is None and question.input_type in ("boolean", "choice"):
        return value
    return _whole(sealer, value)


def _expected(redactor: Redactor, sealer: Sealer, question: Question, entity_type: str, raw: object) -> JsonValue:
    """Exactly one hit of the expected type is the answer; the rest of what was said is dropped."""
    expect = Expectation.of_type(entity_type, prompt=question.prompt[:2000])
    hits = redactor.answer(_as_text(raw), expect)
    if len(hits) != 1:
        raise InvalidAnswer(f"the answer must hold exactly one {entity_type}")
    # A spoken or spaced code is kept as the digits that its tool gets, so that they are one entity when they come back.
    value = SecretValue(machine_form(entity_type, hits[0].text()))
    return str(sealer.seal([SealRequest(value, entity_type, INTERRUPT)])[0])


def _whole(sealer: Sealer, value: JsonValue) -> JsonValue:
    """The whole answer, sealed; each text and number of a list or an object by itself. That there is none is no secret.

    One that is a common word or too short to search for is hidden here and nowhere else.
    """
    if value is None:
        return None
    if isinstance(value, list):
        return [_whole(sealer, item) for item in value]
    if isinstance(value, dict):
        return {str(_whole(sealer, key)): _whole(sealer, item) for key, item in value.items()}
    secret = secret_of(value) if isinstance(value, (str, float)) or type(value) is int else SecretValue(str(value))
    request = SealRequest(secret, "ANSWER", INTERRUPT, searchable=is_searchable(secret.text()))
    return str(sealer.seal([request])[0])


def _as_text(raw: object) -> str:
    if isinstance(raw, str):
        return raw
    if isinstance(raw, (int, float)) and not isinstance(raw, bool):
        return str(raw)
    raise InvalidAnswer("the answer must be text")
