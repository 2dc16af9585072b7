"""What an argument's type asks of its answer, from a handler, from outside, and in a process without the tool."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, StringConstraints

from sealgate.gateway import Gateway, HumanMessage, InvalidAnswer, Session, ToolCall, depends_on_interrupt
from sealgate.gateway.interrupts.fitting import check_fit, told_rules, told_type, told_values, typed_as
from sealgate.gateway.testing import ScriptedModel
from sealgate.redaction import Detector

REFUSED = object()


class Speed(Enum):
    FAST = "fast"
    SLOW = "slow"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


def even(value: int) -> int:
    if value % 2:
        raise RuntimeError(f"odd: {value}")
    return value


Bounded = Annotated[int, Field(ge=1, le=10)]
Plate = Annotated[str, Field(pattern=r"^[A-Z]{2}[0-9]{3}$")]
German = Annotated[datetime.date, BeforeValidator(lambda said: datetime.datetime.strptime(said, "%d.%m.%Y").date())]
MAY_2 = datetime.date(2026, 5, 2)

ANSWERS: list[tuple[Any, dict[str, Any], object, object]] = [
    (int, {}, "42", 42),
    (int, {}, "3.7", REFUSED),
    (int, {}, 3.7, REFUSED),
    (float, {}, "3.5", 3.5),
    (str, {}, 5, REFUSED),
    (str, {}, ["x"], REFUSED),
    (str, {}, "", ""),
    (str, {"input_type": "number"}, "01234", "01234"),
    (str, {"input_type": "boolean"}, True, "yes"),
    (bool, {}, "NO", False),
    (int | None, {}, None, None),
    (int | None, {}, "5", 5),
    (str | None, {}, None, None),
    (bool | None, {}, None, None),
    (Speed | None, {}, None, None),
    (str, {}, None, REFUSED),
    (Speed, {}, "fast", Speed.FAST),
    (Speed, {}, "Fast", REFUSED),
    (Level, {}, "LOW", Level.LOW),
    (Level, {}, 1, Level.LOW),
    (Literal[1, 2], {}, "1", 1),
    (Literal[1, 2], {}, 1, 1),
    (Literal[1, 2], {}, 3, REFUSED),
    (Bounded, {}, "10", 10),
    (Bounded, {}, "11", REFUSED),
    (Bounded | None, {}, "0", REFUSED),
    (Bounded | None, {}, None, None),
    (Plate, {}, "AB123", "AB123"),
    (Plate, {}, "AB12", REFUSED),
    (SecretStr, {}, "pw", SecretStr("pw")),
]

WHERE_THE_TOOL_IS_KNOWN: list[tuple[Any, dict[str, Any], object, object]] = [
    (datetime.date, {}, "2026-05-02", MAY_2),
    (datetime.date, {}, "never", REFUSED),
    (German, {}, "2.5.2026", MAY_2),
    (German, {}, "2026-05-02", REFUSED),
    (decimal.Decimal, {"input_type": "number"}, "1.10", decimal.Decimal("1.10")),
    (uuid.UUID, {}, "not one", REFUSED),
    (Annotated[int, AfterValidator(even)], {}, "3", REFUSED),
    (Annotated[str, StringConstraints(strip_whitespace=True, min_length=2)], {}, " ab ", "ab"),
    (list[str], {}, ["a", "b"], ["a", "b"]),
    (list[bool], {}, "maybe", REFUSED),
    (str, {"sensitive": "OTP_CODE"}, "482 913", "482913"),
    (Annotated[str, Field(pattern="^4")], {"sensitive": "OTP_CODE"}, "582913", REFUSED),
]


def registered(gateway: Gateway, annotation: Any, handler: Any, options: dict[str, Any]) -> list[Any]:
    """A tool with one asked argument of that type; what it got."""
    got: list[Any] = []

    def tool(value: Any) -> str:
        got.append(value)
        return "ok"

    tool.__annotations__ = {"value": annotation, "return": str}
    gateway.toolify()(depends_on_interrupt("value", handler, "Value?", attempts=1, **options)(tool))
    return got


def from_a_handler(gateway: Gateway, annotation: Any, options: dict[str, Any], answer: object) -> object:
    got = registered(gateway, annotation, lambda _prompt: answer, options)
    session = gateway.session("s1")
    session.invoke([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id="c1", name="tool"), "Done."]))
    (read,) = [message.text() for message in session.history() if message.role == "tool"]
    return got[0] if got else REFUSED if read.startswith("InvalidAnswer: ") else read


def asked(gateway: Gateway) -> tuple[Session, str]:
    session = gateway.session("s1")
    response = session.invoke([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id="c1", name="tool"), "Done."]))
    return session, response.interrupts[0].id


def from_outside(gateway: Gateway, annotation: Any, options: dict[str, Any], answer: object) -> object:
    got = registered(gateway, annotation, None, options)
    session, interrupt_id = asked(gateway)
    try:
        session.resume(interrupt_id, answer)
    except InvalidAnswer:
        return REFUSED
    return got[0] if got else session.history()[-2].text()


@pytest.mark.parametrize("way", [from_a_handler, from_outside])
@pytest.mark.parametrize(("annotation", "options", "answer", "got"), ANSWERS + WHERE_THE_TOOL_IS_KNOWN)
def test_the_tool_gets_it_or_it_is_asked_for_again(
    gateway: Gateway, way: Callable[..., object], annotation: Any, options: dict[str, Any], answer: object, got: object
) -> None:
    assert repr(way(gateway, annotation, options, answer)) == repr(got)


@pytest.mark.parametrize(("annotation", "options", "answer", "got"), ANSWERS)
def test_a_process_without_the_tool_takes_and_refuses_the_same(
    tmp_path: Path, detector: Detector, annotation: Any, options: dict[str, Any], answer: object, got: object
) -> None:
    def opened() -> Gateway:
        return Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector)

    with opened() as first:
        registered(first, annotation, None, options)
        interrupt_id = asked(first)[1]
    with opened() as web:
        try:
            assert web.session("s1").interrupts.answer(interrupt_id, answer).handled
            assert got is not REFUSED
        except InvalidAnswer:
            assert got is REFUSED
            return
    with opened() as again:
        received = registered(again, annotation, None, options)
        again.session("s1").resume(model=ScriptedModel(["Done."]))
    assert repr(received) == repr([got])


def test_a_field_of_a_final_tool_keeps_its_bounds(gateway: Gateway, session: Session) -> None:
    @gateway.toolify(final_tool=True)
    @depends_on_interrupt("age", prompt="Age?")
    class Form(BaseModel):
        age: int = Field(ge=18)

    response = session.invoke([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id="c1", name="Form")]))
    with pytest.raises(InvalidAnswer, match="greater_than_equal"):
        session.resume(response.interrupts[0].id, "17")
    with session.reveal(session.resume(response.interrupts[0].id, "18").result) as form:
        assert isinstance(form, Form)
        assert form.age == 18


@pytest.mark.parametrize(
    ("annotation", "told"),
    [
        (int, ("integer", False)),
        (float | None, ("number", True)),
        (Annotated[str | None, "x"], ("string", True)),
        (Speed | None, ("", True)),
        (list[int], ("", False)),
        (Any, ("", False)),
        (datetime.date, ("", False)),
    ],
)
def test_what_is_told_of_a_type(annotation: Any, told: tuple[str, bool]) -> None:
    assert told_type(annotation) == told
    assert told_type(typed_as(told[0], optional=told[1])) == told


def test_what_is_told_of_choices_and_bounds() -> None:
    assert told_values(Level, ("LOW", "HIGH")) == (1, 2)
    assert told_values(Speed, ("fast", "slow")) == ()
    assert told_values(str, ("a", "b")) == ()
    assert told_rules(Bounded) == {"type": "integer", "minimum": 1, "maximum": 10}
    for without in (int, German, Annotated[int, AfterValidator(even)], datetime.date, Speed, Any):
        assert told_rules(without) is None


def test_no_value_is_in_the_error() -> None:
    for annotation in (Bounded, German, uuid.UUID, Annotated[int, AfterValidator(even)]):
        with pytest.raises(InvalidAnswer) as refused:
            check_fit(annotation, 77313)
        assert "77313" not in str(refused.value)
        assert refused.value.__context__ is None


class Unreadable:
    """A type whose schema cannot be made."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> object:
        raise RuntimeError


def test_a_type_that_pydantic_cannot_make_out_is_left_to_the_tool() -> None:
    check_fit(Unreadable, "anything")
