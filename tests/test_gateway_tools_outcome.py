"""Whatever a tool returns or raises becomes redacted JSON or a failure that the model reads; the turn goes on."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import decimal
import enum
import io
import itertools
import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field, field_serializer

from sealgate.gateway import Gateway, HumanMessage, Session, TextTooLong, ToolCall, ToolFailed
from sealgate.gateway.testing import ScriptedModel
from sealgate.gateway.tools.outcome import MAX_ERROR_TEXT, MAX_READ_ERROR, as_text, redact_error, to_json
from sealgate.models.errors import LimitExceeded
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.limits import Limits
from sealgate.redaction import Detector

EMAIL = "jane.roe@example.com"
IBAN = "GB82WEST12345698765432"


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    name: str


class Account(BaseModel):
    iban: str = Field(alias="IBAN")


class Angry(BaseModel):
    value: str = EMAIL

    @field_serializer("value")
    def _refuse(self, value: str) -> str:
        raise RuntimeError(f"cannot write {value}")


FITTING: list[tuple[object, object]] = [
    (None, None), ("x", "x"), (7, 7), (1.5, 1.5), (True, True), ("\ud800", "\ud800"), (b"abc", "abc"), ((1, 2), [1, 2]),
    ({3}, [3]), (frozenset({"a"}), ["a"]), (Colour.RED, "red"), (Point(1, "p"), {"x": 1, "name": "p"}),
    (Account(IBAN=IBAN), {"IBAN": IBAN}), (datetime.date(2026, 1, 2), "2026-01-02"), (decimal.Decimal("1.50"), "1.50"),
    (uuid.UUID(int=0), "00000000-0000-0000-0000-000000000000"), ({1: "a"}, {"1": "a"}), (datetime.timedelta(1), "P1D"),
]  # fmt: skip


@pytest.mark.parametrize(("returned", "expected"), FITTING, ids=[type(pair[0]).__name__ for pair in FITTING])
def test_what_has_a_json_form_gets_it(returned: object, expected: object) -> None:
    assert to_json(returned) == expected


def generator() -> Any:
    yield EMAIL


def circle() -> list[Any]:
    around: list[Any] = []
    around.append(around)
    return around


ODD: list[tuple[str, Callable[[], object]]] = [
    ("object", object),
    ("type", lambda: int),
    ("function", lambda: json.dumps),
    ("module", lambda: json),
    ("exception", lambda: ValueError(EMAIL)),
    ("bytes that are no text", lambda: b"\xff\xfe"),
    ("nan", lambda: float("nan")),
    ("infinity in a list", lambda: [1, {"x": float("inf")}]),
    ("generator", generator),
    ("endless iterator", itertools.count),
    ("endless iterator in a list", lambda: [itertools.repeat(EMAIL)]),
    ("endless iterator in an object", lambda: {"a": (itertools.cycle([1]),)}),
    ("buffer", lambda: io.StringIO(EMAIL)),
    ("an object that refuses", Angry),
    ("circle", circle),
]


@pytest.mark.parametrize(("name", "make"), ODD)
def test_what_has_none_is_a_failure_that_names_the_type_only(name: str, make: Callable[[], object]) -> None:
    returned = make()
    with pytest.raises((ToolFailed, LimitExceeded)) as refused:
        to_json(returned)
    assert EMAIL not in str(refused.value)


def test_a_text_reads_as_it_is_and_the_rest_as_json() -> None:
    values: list[JsonValue] = ["a", 1, None, {"é": [True]}]
    assert list(map(as_text, values)) == ["a", "1", "null", '{"é": [true]}']


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError(EMAIL)


class Quitting(Exception):
    def __str__(self) -> str:
        raise SystemExit(EMAIL)


class Wordless(Exception):
    def __str__(self) -> str:
        return 7  # type: ignore[return-value]  # noqa: PLE0307  # what a broken exception does


class Abort(BaseException):
    """One that no handler of exceptions catches."""


def chained() -> Exception:
    try:
        try:
            raise KeyError(IBAN)
        except KeyError as error:
            raise RuntimeError(f"charge of {IBAN} failed") from error
    except RuntimeError as error:
        return error


def invalid() -> Exception:
    try:
        Account.model_validate({"IBAN": {"x": IBAN}})
    except ValueError as error:
        return error
    raise AssertionError


RAISED: list[tuple[BaseException, str]] = [
    (ValueError(), "ValueError"),
    (ValueError(f"no {EMAIL}"), "ValueError: no [EMAIL_ADDRESS_"),
    (KeyError(EMAIL), "KeyError: '[EMAIL_ADDRESS_"),
    (Silent(), "Silent"),
    (Quitting(), "Quitting"),
    (Wordless(), "Wordless"),
    (SystemExit(EMAIL), "SystemExit: [EMAIL_ADDRESS_"),
    (chained(), "RuntimeError: charge of [IBAN_CODE_"),
    (invalid(), "ValidationError: "),
    (ExceptionGroup(f"both {EMAIL}", [ValueError(IBAN), KeyError(IBAN)]), "ExceptionGroup: both [EMAIL_ADDRESS_"),
    (BaseExceptionGroup(EMAIL, [Abort(EMAIL)]), "BaseExceptionGroup"),
    (Abort(EMAIL), "Abort"),
    (GeneratorExit(EMAIL), "GeneratorExit"),
    (StopIteration(EMAIL), "StopIteration: [EMAIL_ADDRESS_"),
    (TimeoutError(EMAIL), "TimeoutError: [EMAIL_ADDRESS_"),
    (UnicodeDecodeError("utf-8", EMAIL.encode(), 0, 1, EMAIL), "UnicodeDecodeError: "),
    (ValueError("\ud800"), "ValueError: \ud800"),
    (OSError(2, "No such file", f"/home/{EMAIL}"), "FileNotFoundError: [Errno 2]"),
    (ValueError(f"{EMAIL} " * 2000), "ValueError"),
]  # fmt: skip


@pytest.mark.parametrize("way", ["blocking", "awaited", "coroutine"])
@pytest.mark.parametrize(("error", "told"), RAISED, ids=[type(pair[0]).__name__ for pair in RAISED])
def test_whatever_a_tool_raises_the_turn_goes_on(
    gateway: Gateway, session: Session, error: BaseException, told: str, way: str
) -> None:
    if way == "coroutine" and isinstance(error, (GeneratorExit, StopIteration)):
        pytest.skip("the language gives these another meaning in a coroutine")

    def plain() -> None:
        raise error

    async def coroutine() -> None:
        raise error

    gateway.toolify(name="fail")(coroutine if way == "coroutine" else plain)
    model = ScriptedModel([ToolCall(id="c1", name="fail"), "Sorry."])
    said = [HumanMessage("Go.")]
    if way == "blocking":
        response = session.invoke(said, model=model)
    else:
        response = asyncio.run(session.ainvoke(said, model=model))
    failed = response.messages[2]
    assert (response.response, failed.status) == ("Sorry.", "error")
    assert failed.text().startswith(told)
    assert len(failed.text()) <= MAX_ERROR_TEXT + 100
    everything = repr((response, session.events().history(), session.history(), session.sent_to_model()))
    assert EMAIL not in everything
    assert IBAN not in everything


@pytest.mark.parametrize("size", [MAX_ERROR_TEXT - 10, MAX_READ_ERROR - 10, MAX_READ_ERROR])
def test_a_long_text_never_ends_in_half_of_a_value(session: Session, size: int) -> None:
    text = redact_error(session._services.redactor, "pay", ValueError("x " * (size // 2) + IBAN), 256)
    assert "GB82" not in text
    assert len(text) <= MAX_ERROR_TEXT + len("ValueError: ")


def test_a_text_with_too_many_values_is_left_out(session: Session, gateway: Gateway) -> None:
    crowded = ValueError(" ".join(f"a{number}@example.com" for number in range(20)))
    assert redact_error(session._services.redactor, "pay", crowded, 10) == "ValueError"


@pytest.mark.parametrize(
    "returned",
    [
        {"email": EMAIL, EMAIL: [IBAN, {"deep": f"to {EMAIL}"}]},
        f"mail {EMAIL}",
        [EMAIL, IBAN],
        Account(IBAN=IBAN),
        b"mail " + EMAIL.encode(),
        {"n": 4111111111111111},
    ],
)
def test_what_a_tool_returns_is_redacted_before_anybody_sees_it(
    gateway: Gateway, session: Session, returned: object
) -> None:
    gateway.toolify(name="look")(lambda: returned)
    model = ScriptedModel([ToolCall(id="c1", name="look"), "Done."])
    response = session.invoke([HumanMessage("Go.")], model=model)
    assert response.messages[2].status == "success"
    everything = repr((response, session.events().history(), session.sent_to_model()))
    assert not [value for value in (EMAIL, IBAN, "4111111111111111") if value in everything]


def test_a_coroutine_that_a_plain_function_returns_is_awaited(gateway: Gateway, session: Session) -> None:
    async def later() -> str:
        return "later"

    def plain() -> object:
        return later()

    gateway.toolify(name="look")(plain)
    assert session.run_tool(ToolCall(id="c1", name="look")).content == "later"
    assert asyncio.run(session.arun_tool(ToolCall(id="c2", name="look"))).content == "later"


def test_a_result_beyond_its_bound_is_a_failure(detector: Detector) -> None:
    with Gateway.open(":memory:", detector=detector, limits=Limits(result_size=100)) as gateway:
        gateway.toolify(name="look")(lambda many: ["x"] * many)
        session = gateway.session("s1")
        few = session.run_tool(ToolCall(id="c1", name="look", arguments={"many": 10}))
        many = session.run_tool(ToolCall(id="c1", name="look", arguments={"many": 100}))
        assert (few.status, many.status) == ("success", "error")
        assert str(many.content).startswith(TextTooLong.__name__)


def test_a_result_with_too_many_values_or_levels_is_a_failure(gateway: Gateway, session: Session) -> None:
    deep: list[Any] = []
    for _ in range(80):
        deep = [deep]
    results = {"many": [f"a{number}@example.com" for number in range(300)], "deep": deep, "long": 10**5000}
    gateway.toolify(name="look")(lambda which: results[which])
    for which in results:
        message = session.run_tool(ToolCall(id="c1", name="look", arguments={"which": which}))
        assert message.status == "error", which
