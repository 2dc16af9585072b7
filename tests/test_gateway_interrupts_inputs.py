from __future__ import annotations

import traceback
from contextlib import suppress
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway.interrupts.inputs import MAX_ANSWER, coerce, infer_input
from sealgate.gateway.interrupts.question import Question
from sealgate.models.errors import InvalidAnswer
from sealgate.models.interrupts import InputType
from sealgate.models.jsonvalue import check_json

CANARY = "canary-7f3a91"


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Step(Enum):
    FIRST = 1
    SECOND = 2


def question(input_type: InputType, annotation: object = object, *choices: str, sensitive: Any = None) -> Question:
    return Question("argument", None, "?", input_type, choices, sensitive, annotation=annotation)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (bool, ("boolean", ())),
        (int, ("number", ())),
        (float, ("number", ())),
        (str, ("text", ())),
        (bytes, ("text", ())),
        (Any, ("text", ())),
        (Optional[bool], ("boolean", ())),  # noqa: UP045 - the old spelling is what is tested
        (int | None, ("number", ())),
        (Annotated[float | None, "unit"], ("number", ())),
        (Literal["a", "b"], ("choice", ("a", "b"))),
        (Literal["a", None], ("choice", ("a",))),
        (Literal["a"] | None, ("choice", ("a",))),
        (Literal[True, False], ("boolean", ())),
        (Literal[True], ("choice", ("True",))),
        (Literal[1, 2], ("choice", ("1", "2"))),
        (Size, ("choice", ("small", "large"))),
        (Step, ("choice", ("FIRST", "SECOND"))),
        (list[bool], ("text", ())),
        (dict[str, int], ("text", ())),
        (int | str, ("text", ())),
        (Decimal, ("text", ())),
        ("bool", ("boolean", ())),
        ("Literal['a', 'b'] | None", ("choice", ("a", "b"))),
        ("NoSuchName", ("text", ())),
        (None, ("text", ())),
    ],
)
def test_inference(annotation: object, expected: tuple[InputType, tuple[str, ...]]) -> None:
    assert infer_input(annotation) == expected


@pytest.mark.parametrize(
    ("answer", "asked", "expected"),
    [
        *((word, question("boolean", bool), True) for word in ("yes", "Y", "TRUE", "1", " yes ", "ｙｅｓ", True)),
        *((word, question("boolean", bool), False) for word in ("no", "N", "false", "0", False)),
        ("y", question("boolean", str), "yes"),
        (False, question("boolean", str), "no"),
        ("12", question("number", int), 12),
        ("-12", question("number", int), -12),
        ("１２", question("number", int), 12),
        (12, question("number", int), 12),
        (12.0, question("number", int), 12),
        ("1.5", question("number", float), 1.5),
        (".5", question("number", float), 0.5),
        ("5.", question("number", float), 5.0),
        ("1e3", question("number", float), 1000.0),
        ("7", question("number", float), 7),
        ("7", question("number"), 7),
        ("7", question("number", int | None), 7),
        ("012345", question("number", str), "012345"),
        (12, question("number", str), "12"),
        ("1.10", question("number", Decimal), "1.10"),
        (None, question("number", int | None), None),
        ("small", question("choice", Size, "small", "large"), "small"),
        (Size.LARGE, question("choice", Size, "small", "large"), "large"),
        ("SECOND", question("choice", Step, "FIRST", "SECOND"), 2),
        (2, question("choice", Step, "FIRST", "SECOND"), 2),
        ("2", question("choice", Literal[1, 2], "1", "2"), 2),
        ("yes", question("choice", str, "yes", "no"), "yes"),
        ("", question("text", str), ""),
        (" kept ", question("text", str), " kept "),
        (["a"], question("text", list[str]), ["a"]),
        ({"a": 1}, question("text"), {"a": 1}),
        (None, question("text", str | None), None),
        (" s ", question("password", str), " s "),
        ("\ud800", question("text", str), "\ud800"),
    ],
)
def test_answers_that_fit(answer: object, asked: Question, expected: object) -> None:
    value = coerce(answer, asked)
    assert value == expected
    assert type(value) is type(expected)


REFUSED = [
    *((word, question("boolean", bool)) for word in ("maybe", "", "yesyes", 1, 0, 1.0, None, ["yes"], CANARY)),
    *((word, question("number", int)) for word in ("1.5", 1.5, "1e3", True, "", "twelve", None, "1" * 401, CANARY)),
    *((word, question("number", float)) for word in ("nan", "inf", "1e999", float("nan"), float("inf"), "0x10", "1,5")),
    *((word, question("number", float)) for word in ("1_000", False, b"1", "--1", "1 2", "NaN", CANARY)),
    *((word, question("choice", str, "a", "b")) for word in ("A", "a ", "1", 1, "", None, True, CANARY)),
    (1, question("choice", Literal["1"], "1")),
    (True, question("choice", Literal[1], "1")),
    (1.0, question("choice", Literal[1], "1")),
    (Step.FIRST, question("choice", Size, "small", "large")),
    ("large", question("choice", Size, "small")),
    (5, question("text", str)),
    (b"bytes", question("text", str)),
    (None, question("text", str)),
    ({1: CANARY}, question("text")),
    ([float("nan")], question("text")),
    ("x" * (MAX_ANSWER + 1), question("text", str)),
    ("", question("password", str)),
    ("  ", question("text", str, sensitive="OTP_CODE")),
    (482913, question("text", sensitive="OTP_CODE")),
]


@pytest.mark.parametrize(("answer", "asked"), REFUSED)
def test_answers_that_do_not_fit(answer: object, asked: Question) -> None:
    with pytest.raises(InvalidAnswer) as refused:
        coerce(answer, asked)
    assert str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None


@pytest.mark.parametrize("asked", [question("boolean", bool), question("number", int), question("choice", str, "a")])
def test_no_refused_answer_is_in_the_error_or_its_frames(asked: Question) -> None:
    shown = ""
    try:
        coerce(CANARY, asked)
    except InvalidAnswer as error:
        frames = traceback.TracebackException.from_exception(error, capture_locals=True)
        own = [frame for frame in frames.stack if frame.name != "test_no_refused_answer_is_in_the_error_or_its_frames"]
        assert own
        shown = "".join(map(repr, (error, *(frame.locals for frame in own))))
    assert shown
    assert CANARY not in shown


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.integers(), inner, max_size=3),
    max_leaves=6,
)
asked_for = st.sampled_from(
    [
        question("text", str),
        question("text"),
        question("password", str),
        question("number", int),
        question("number", float),
        question("number", str),
        question("boolean", bool),
        question("boolean", str),
        question("choice", Literal["a", 1], "a", "1"),
        question("choice", Size, "small", "large"),
    ]
)


@settings(max_examples=100)
@given(anything, asked_for)
def test_every_answer_is_json_or_refused(answer: object, asked: Question) -> None:
    with suppress(InvalidAnswer):
        check_json(coerce(answer, asked))


@settings(max_examples=100)
@given(st.integers(min_value=-(10**100), max_value=10**100))
def test_whole_numbers_read_as_written(number: int) -> None:
    assert coerce(str(number), question("number", int)) == number
    assert coerce(number, question("number", int)) == number


@settings(max_examples=100)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_read_as_written(number: float) -> None:
    assert coerce(repr(number), question("number", float)) == number
