"""What becomes of a person's answer: read, checked, and sealed before anything else sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sealgate.models.errors import InvalidAnswer
from sealgate.models.expectation import Expectation
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.origins import INTERRUPT
from sealgate.models.processlock import unforked
from sealgate.models.sealing import Sealer, SealRequest
from sealgate.models.secretvalue import SecretValue, secret_of
from sealgate.redaction import Redactor, is_searchable, machine_form

from .fitting import check_fit
from .inputs import MAX_ANSWER, coerce
from .question import Question


@dataclass(frozen=True, slots=True, repr=False)
class ReadAnswer:
    """An answer that fits its question and is not stored yet. ``seal`` stores it and gives what a turn's state may
    hold; ``value`` is the value itself, for a second reading of it.
    """

    value: object
    seal: Callable[[], JsonValue] = field(compare=False)


def take_answer(redactor: Redactor, sealer: Sealer, question: Question, raw: object, again: object = None) -> JsonValue:
    """The answer as a turn's state may hold it: a placeholder, redacted text, or clear JSON for a choice or a
    yes-or-no. ``again`` is the second typing, where the question wants one.

    Raises ``InvalidAnswer`` for an answer that does not fit; then nothing was stored.
    """
    if question.fields:
        return _form(redactor, sealer, question, raw, again)
    return read_answer(redactor, sealer, question, raw, again).seal()


def read_answer(
    redactor: Redactor, sealer: Sealer, question: Question, raw: object, again: object = None
) -> ReadAnswer:
    """The answer to one question, read and not stored. Raises ``InvalidAnswer``."""
    read = _read(redactor, sealer, question, raw)
    if question.confirm and (again is None or _read(redactor, sealer, question, again) != read):
        raise InvalidAnswer("the answer has to be typed twice, the same both times")
    return read


def _read(redactor: Redactor, sealer: Sealer, question: Question, raw: object) -> ReadAnswer:
    if isinstance(raw, str) and len(raw) > MAX_ANSWER:
        raise InvalidAnswer(f"the answer is longer than {MAX_ANSWER} characters")
    if isinstance(question.sensitive, str):
        return _expected(redactor, sealer, question, question.sensitive, raw)
    value = coerce(raw, question)
    _check_schema(question, value)
    if question.input_type not in ("boolean", "choice"):
        check_fit(question.annotation, value)
    if question.sensitive is False:
        return ReadAnswer(value, lambda: redactor.redact_json(value, origin=INTERRUPT))
    if question.sensitive is None and question.input_type in ("boolean", "choice"):
        return ReadAnswer(value, lambda: value)
    return ReadAnswer(value, lambda: _whole(sealer, value))


def _form(redactor: Redactor, sealer: Sealer, question: Question, raw: object, again: object) -> JsonValue:
    """Every field of a form, or nothing: what is wrong is told field by field."""
    if not isinstance(raw, Mapping) or not (again is None or isinstance(again, Mapping)):
        raise InvalidAnswer("the answer to a form is an object with its fields")
    if not set(raw) <= {one.arg_name for one in question.fields}:
        raise InvalidAnswer("the answer has a field that the form does not have")
    read: dict[str, ReadAnswer] = {}
    wrong: list[str] = []
    for one in question.fields:
        if is_left_out(one, raw.get(one.arg_name)):
            continue
        try:
            second = (again or {}).get(one.arg_name)
            read[one.arg_name] = read_answer(redactor, sealer, one, raw.get(one.arg_name), second)
        except InvalidAnswer as error:
            wrong.append(f"{one.arg_name}: {error}")
    if wrong:
        raise InvalidAnswer("; ".join(wrong))
    return {name: answer.seal() for name, answer in read.items()}


def is_left_out(field: Question, raw: object) -> bool:
    """Whether a field of a form stays empty and may."""
    return not field.required and raw in (None, "")


def _expected(redactor: Redactor, sealer: Sealer, question: Question, entity_type: str, raw: object) -> ReadAnswer:
    """Exactly one hit of the expected type is the answer; the rest of what was said is dropped."""
    expect = Expectation.of_type(entity_type, prompt=question.prompt[:2000], digits=question.digits)
    hits = redactor.answer(_as_text(raw), expect)
    if len(hits) != 1:
        length = "" if question.digits is None else f" of {question.digits} digits"
        raise InvalidAnswer(f"the answer must hold exactly one {entity_type}{length}")
    # A spoken or spaced code is kept as the digits that its tool gets, so that they are one entity when they come back.
    value = SecretValue(machine_form(entity_type, hits[0].text()))
    _check_schema(question, value.text())
    check_fit(question.annotation, value.text())
    return ReadAnswer(value.text(), lambda: str(sealer.seal([SealRequest(value, entity_type, INTERRUPT)])[0]))


def _check_schema(question: Question, value: Any) -> None:
    """Nothing, if a field's answer keeps what its model says of it. Raises ``InvalidAnswer`` with the rules alone."""
    if question.schema is None:
        return
    with unforked():
        from jsonschema import Draft202012Validator  # noqa: PLC0415 - only forms need it

    broken = sorted({str(error.validator) for error in Draft202012Validator(question.schema).iter_errors(value)})
    if broken:
        raise InvalidAnswer(f"the answer breaks the rules {', '.join(broken)}")


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
