from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field, field_validator
from pydantic_core import PydanticCustomError

from sealgate.gateway.interrupts.question import Question
from sealgate.gateway.tools.dependencies import depends_on_interrupt, depends_on_private_data, depends_on_tool
from sealgate.gateway.tools.tool import MAX_PROBLEMS, Tool
from sealgate.gateway.tools.toolkit import Toolkit
from sealgate.models.errors import InvalidArguments
from sealgate.models.grants import Accepts

CANARY = "canary-7f3a91"
SENTINEL = object()


def made(target: Callable[..., Any], **options: Any) -> Tool:
    toolkit = Toolkit()
    toolkit.toolify(name="tool", **options)(target)
    return toolkit.get("tool")


class Line(BaseModel):
    sku: str
    price: float


class Order(BaseModel):
    item: str
    lines: list[Line] = []
    card: str = Field(alias="cardNumber")
    labels: dict[str, int] = {}

    @field_validator("item")
    @classmethod
    def _known(cls, value: str) -> str:
        if value == "crash":
            raise RuntimeError(CANARY)
        if value == "refused":
            raise ValueError(CANARY)
        if value == "custom":
            raise PydanticCustomError(CANARY, CANARY)
        return value


def order(item: str, lines: list[Line], labels: dict[str, int] | None = None, *, card: str = "none") -> tuple[Any, ...]:
    return item, lines, labels, card


def test_call_gets_the_validated_arguments() -> None:
    tool = made(order)
    validated = tool.validate({"item": "x", "lines": [{"sku": "s", "price": "1.5"}]})
    assert tool.call(validated) == ("x", [Line(sku="s", price=1.5)], None, "none")


def test_kinds_of_parameters_and_own_defaults() -> None:
    def target(a: int, b: Any = SENTINEL, /, c: int = 3, *, json: int = 4, d: int = Field(5, ge=1), **rest: Any) -> Any:
        return a, b is SENTINEL, c, json, d, rest

    tool = made(target)
    assert tool.call(tool.validate({"a": 1})) == (1, True, 3, 4, 5, {})
    given = tool.validate({"a": 1, "b": 2, "c": 6, "json": 7, "d": 8, "more": CANARY})
    assert tool.call(given) == (1, False, 6, 7, 8, {"more": CANARY})


async def test_a_coroutine_function_gives_an_awaitable() -> None:
    async def target(amount: int) -> int:
        return amount + 1

    tool = made(target)
    outcome = tool.call(tool.validate({"amount": "4"}))
    assert inspect.isawaitable(outcome)
    assert await outcome == 5


def test_a_pydantic_tool_is_its_own_result() -> None:
    tool = made(Order, final_tool=True)
    validated = tool.validate({"item": "x", "card": "4242"})
    assert tool.is_model
    assert tool.final
    assert tool.call(validated) == Order(item="x", cardNumber="4242")
    assert tool.validate({"item": "x", "cardNumber": "4242"}) == validated


@pytest.mark.parametrize(
    ("arguments", "problems"),
    [
        ({}, (("item", "missing"), ("cardNumber", "missing"))),
        ({"item": 5, "cardNumber": CANARY}, (("item", "string_type"),)),
        (
            {"item": "x", "cardNumber": "1", "lines": [{"sku": "s", "price": CANARY}]},
            (("lines.0.price", "float_parsing"),),
        ),
        ({"item": "x", "cardNumber": "1", "labels": {CANARY: CANARY}}, (("labels.*", "int_parsing"),)),
        ({"item": "refused", "cardNumber": "1"}, (("item", "value_error"),)),
        ({"item": "crash", "cardNumber": "1"}, (("*", "RuntimeError"),)),
        ({"item": "custom", "cardNumber": "1"}, (("item", "custom"),)),
    ],
)
def test_what_does_not_fit_is_told_by_place_and_rule(arguments: dict[str, Any], problems: object) -> None:
    with pytest.raises(InvalidArguments) as refused:
        made(Order).validate(arguments)
    assert refused.value.problems == problems
    assert refused.value.tool == "tool"
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None


def test_an_unknown_argument_is_not_named() -> None:
    with pytest.raises(InvalidArguments) as refused:
        made(order).validate({"item": "x", "lines": [], CANARY: 1})
    assert refused.value.problems == (("*", "extra_forbidden"),)


def test_problems_are_bounded() -> None:
    with pytest.raises(InvalidArguments) as refused:
        made(order).validate({"item": "x", "lines": [{}] * 500})
    assert len(refused.value.problems) == MAX_PROBLEMS


@pytest.mark.parametrize("item", ["crash", "refused", "custom", CANARY])
def test_no_value_is_in_the_error_or_its_frames(item: str) -> None:
    shown = ""
    try:
        made(Order).validate({"item": item, "lines": CANARY, "cardNumber": CANARY})
    except InvalidArguments as error:
        told = traceback.TracebackException.from_exception(error, capture_locals=True)
        own = [frame for frame in told.stack if frame.name in ("validate", "_problems")]
        shown = "".join((repr(error), *traceback.format_exception(error), *(repr(frame.locals) for frame in own)))
        shown = shown.replace(f'"{CANARY}"', "").replace("CANARY", "")
    assert shown
    assert CANARY not in shown


def test_hidden_arguments_and_their_aliases() -> None:
    @depends_on_interrupt("item", lambda prompt: prompt)
    @depends_on_private_data("card", "card")
    @depends_on_tool("other", "labels")
    class Target(Order): ...

    toolkit = Toolkit()
    toolkit.toolify(name="tool")(Target)
    toolkit.toolify(name="other")(lambda: None)
    tool = toolkit.get("tool")
    assert tool.filled() == {"item", "card", "labels"}
    assert tool.hidden() == {"item", "card", "cardNumber", "labels"}
    assert list(tool.spec.parameters["properties"]) == ["lines"]
    assert tool.private_data == (("card", "card"),)
    assert tool.requires == (("other", "labels"),)
    assert [type(question) for question in tool.questions] == [Question]


@pytest.mark.parametrize(
    ("decorate", "options", "risk"),
    [
        (lambda target: target, {}, "medium"),
        (lambda target: target, {"risk": "low"}, "low"),
        (lambda target: target, {"accepts": {"item": Accepts("PERSON")}}, "high"),
        (depends_on_private_data("card", "card"), {}, "high"),
        (depends_on_interrupt("card", sensitive="CREDIT_CARD"), {}, "high"),
        (depends_on_interrupt("card"), {}, "medium"),
        (depends_on_interrupt("card", sensitive=True), {"risk": "low"}, "low"),
    ],
)
def test_risk(decorate: Callable[[Any], Any], options: dict[str, Any], risk: str) -> None:
    def target(item: str, card: str) -> None: ...

    assert made(decorate(target), **options).risk_level == risk


def test_the_result_of_another_tool_may_hold_secrets() -> None:
    toolkit = Toolkit()
    toolkit.toolify(name="other")(lambda: "labels")

    @toolkit.toolify(name="tool")
    @depends_on_tool("other", "card")
    def target(card: str) -> None: ...

    assert toolkit.get("tool").receives_secrets
