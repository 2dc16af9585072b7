"""A person's answer: read as what was asked for, sealed, and nothing else of it kept."""

from __future__ import annotations

import enum
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway import Gateway, InvalidAnswer, Session
from sealgate.gateway.interrupts.answer import take_answer
from sealgate.gateway.interrupts.inputs import MAX_ANSWER
from sealgate.gateway.interrupts.question import Question
from sealgate.models.placeholder import parse


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


def question(annotation: Any = str, input_type: Any = "text", **fields: Any) -> Question:
    return Question(
        arg_name="x", handler=None, prompt="Your answer? ", input_type=input_type, annotation=annotation, **fields
    )


def take(session: Session, asked: Question, raw: object) -> Any:
    return take_answer(session._services.redactor, session._services.vault, asked, raw)


@pytest.mark.parametrize(
    ("entity_type", "raw", "value"),
    [
        ("OTP_CODE", "uh four eight two, nine one three", "482913"),
        ("OTP_CODE", "it's 482 913 thanks, order 55", "482913"),
        ("OTP_CODE", 482913, "482913"),
        ("ACCOUNT_NUMBER", "My account is 1234-5678-9012", "1234-5678-9012"),
        ("EMAIL_ADDRESS", "write to jane.roe@example.com please", "jane.roe@example.com"),
        ("IBAN_CODE", "GB82 WEST 1234 5698 7654 32", "GB82WEST12345698765432"),
        ("CREDIT_CARD", "card 4111 1111 1111 1111", "4111111111111111"),
        ("PASSWORD", "correct horse battery", "correct horse battery"),
    ],
)
def test_an_expected_answer_is_its_one_hit_and_the_rest_is_dropped(
    session: Session, entity_type: str, raw: object, value: str
) -> None:
    sealed = take(session, question(sensitive=entity_type), raw)
    assert parse(sealed).entity_type == entity_type
    (facts,) = session._services.vault.facts([parse(sealed)]).values()
    assert facts.origins == ("interrupt",)
    assert session.restore(sealed) == value


@pytest.mark.parametrize(
    ("entity_type", "raw"),
    [
        ("OTP_CODE", "I have none"), ("OTP_CODE", "482913 or 571204"), ("OTP_CODE", ""), ("OTP_CODE", None),
        ("EMAIL_ADDRESS", "jane at home"), ("EMAIL_ADDRESS", "a@x.example and b@x.example"), ("PIN", True),
        ("OTP_CODE", ["482913"]), ("OTP_CODE", b"482913"), ("PIN", object()),
    ],
)  # fmt: skip
def test_none_or_several_is_no_answer_and_nothing_is_stored(
    gateway: Gateway, session: Session, entity_type: str, raw: object
) -> None:
    rows = gateway.audit.verify()
    with pytest.raises(InvalidAnswer) as refused:
        take(session, question(sensitive=entity_type), raw)
    assert gateway.audit.verify() == rows
    assert "482913" not in str(refused.value)
    assert "@" not in str(refused.value)


@pytest.mark.parametrize(("kind", "raw"), [("text", "zebra quartz"), ("password", "hunter2!xyz"), ("number", "4711")])
def test_without_a_type_the_whole_answer_is_sealed(session: Session, kind: str, raw: str) -> None:
    sealed = take(session, question(float if kind == "number" else str, kind), raw)
    assert parse(sealed).entity_type == "ANSWER"
    assert session.restore(sealed) == raw


@pytest.mark.parametrize(
    ("annotation", "kind", "raw", "value"),
    [
        (bool, "boolean", "yes", True),
        (bool, "boolean", "N", False),
        (Literal["red", "blue"], "choice", "red", "red"),
        (Size, "choice", "large", "large"),
        (Size, "choice", Size.SMALL, "small"),
    ],
)
def test_a_choice_and_a_yes_or_no_stay_clear(
    session: Session, annotation: Any, kind: str, raw: object, value: object
) -> None:
    choices = {"choice": ("red", "blue") if annotation is not Size else ("small", "large")}.get(kind, ())
    assert take(session, question(annotation, kind, choices=choices), raw) == value
    sealed = take(session, question(annotation, kind, choices=choices, sensitive=True), raw)
    assert parse(sealed).entity_type == "ANSWER"


def test_false_only_redacts(session: Session) -> None:
    answer = take(session, question(sensitive=False), "tell jane.roe@example.com at noon")
    assert answer.startswith("tell [EMAIL_ADDRESS_")
    assert answer.endswith(" at noon")
    assert take(session, question(int, "number", sensitive=False), "7") == 7


@pytest.mark.parametrize(
    ("annotation", "kind", "raw"), [(int, "number", "12.5"), (bool, "boolean", "perhaps"), (str, "password", " ")]
)
def test_an_answer_that_does_not_fit_is_refused(session: Session, annotation: Any, kind: str, raw: str) -> None:
    with pytest.raises(InvalidAnswer):
        take(session, question(annotation, kind), raw)


def test_no_answer_where_none_is_allowed_stays_none(session: Session) -> None:
    assert take(session, question(str | None), None) is None
    assert take(session, question(str | None, sensitive=True), None) is None
    with pytest.raises(InvalidAnswer):
        take(session, question(str), None)


def test_a_list_of_answers_is_sealed_piece_by_piece(session: Session) -> None:
    sealed = take(session, question(list[Any]), ["zebra quartz", {"k": 5, "none": None}])
    assert parse(sealed[0]).entity_type == "ANSWER"
    assert session.restore_json(sealed) == ["zebra quartz", {"k": 5, "none": None}]


def test_a_common_word_is_hidden_where_it_stands_and_nowhere_else(session: Session) -> None:
    sealed = take(session, question(), "blue")
    assert parse(sealed).entity_type == "ANSWER"
    assert session.redact("The sky is blue.").text == "The sky is blue."
    take(session, question(), "zebra quartz 7731")
    assert "zebra" not in session.redact("It was Zebra-Quartz 7731.").text


@pytest.mark.parametrize("sensitive", ["PASSWORD", True, False, None])
def test_an_answer_beyond_the_bound_is_refused(session: Session, sensitive: Any) -> None:
    with pytest.raises(InvalidAnswer):
        take(session, question(sensitive=sensitive), "x" * (MAX_ANSWER + 1))


@settings(max_examples=50, deadline=None)
@given(raw=st.text(st.characters(codec=None), min_size=1, max_size=60))
def test_any_text_comes_back_exactly(shared_gateway: Gateway, raw: str) -> None:
    session = shared_gateway.session("answers")
    assert session.restore(take(session, question(), raw)) == raw
