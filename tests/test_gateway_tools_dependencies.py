from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial, wraps
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from sealgate.gateway.tools.dependencies import (
    AskPerson,
    UsePrivateData,
    UseTool,
    dependencies_of,
    depends_on_interrupt,
    depends_on_private_data,
    depends_on_tool,
)
from sealgate.models.errors import InvalidInput, InvalidName, InvalidPolicy, UnknownEntityType


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Order(BaseModel):
    item: str
    size: Size = Size.SMALL


def pay(amount: float, otp: str, size: Literal["s", "l"] = "s", **rest: Any) -> str:
    return f"{amount}{otp}{size}{rest}"


def ask(prompt: str) -> str:
    return prompt


def gives(*_: object) -> Callable[..., Any]:
    return lambda: None


BAD = [
    (depends_on_interrupt, {"arg_name": "missing"}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "rest"}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "missing"}, Order, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "input_type": "choice"}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "input_type": "choice", "choices": []}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "input_type": "email"}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "choices": "abc"}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "choices": [1, 2]}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "choices": ["a", "a"]}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "choices": ["a\nb"]}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "choices": [""]}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "choices": [str(n) for n in range(1_001)]}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "choices": ["a"], "input_type": "text"}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "size", "choices": ["s", "xl"]}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "size", "choices": ["medium"]}, Order, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "sensitive": "NO_SUCH_TYPE"}, pay, UnknownEntityType),
    (depends_on_interrupt, {"arg_name": "otp", "sensitive": "otp_code"}, pay, UnknownEntityType),
    (depends_on_interrupt, {"arg_name": "otp", "sensitive": 1}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "attempts": 0}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "attempts": 101}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "attempts": True}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "attempts": 1.5}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "timeout": 0}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "timeout": -1}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "timeout": float("inf")}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "timeout": float("nan")}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "timeout": True}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "timeout": "5"}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "prompt": "x" * 2_001}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "prompt": None}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "input_handler": "ask"}, pay, InvalidPolicy),
    (depends_on_interrupt, {"arg_name": "otp", "input_handler": gives()}, pay, InvalidPolicy),
    (depends_on_private_data, {"data_key": "Card", "arg_name": "otp"}, pay, InvalidName),
    (depends_on_private_data, {"data_key": "", "arg_name": "otp"}, pay, InvalidName),
    (depends_on_private_data, {"data_key": "card", "arg_name": "missing"}, pay, InvalidPolicy),
    (depends_on_tool, {"tool": "no such name", "arg_name": "otp"}, pay, InvalidName),
    (depends_on_tool, {"tool": 5, "arg_name": "otp"}, pay, InvalidPolicy),
    (depends_on_tool, {"tool": ask, "arg_name": "missing"}, pay, InvalidPolicy),
    (depends_on_private_data, {"data_key": "card", "arg_name": "args"}, gives, InvalidPolicy),
    (depends_on_private_data, {"data_key": "card", "arg_name": "real"}, complex, InvalidPolicy),
    (depends_on_private_data, {"data_key": "card", "arg_name": "x"}, 5, InvalidPolicy),
]


@pytest.mark.parametrize(("decorator", "options", "target", "error"), BAD)
def test_what_cannot_work_fails_at_decoration(
    decorator: Callable[..., Any], options: dict[str, Any], target: Any, error: type[InvalidInput]
) -> None:
    before = dependencies_of(target)
    with pytest.raises(error) as refused:
        decorator(**options)(target)
    assert isinstance(refused.value, ValueError)
    assert dependencies_of(target) == before


@pytest.mark.parametrize("first", [depends_on_private_data("card", "otp"), depends_on_interrupt("otp")])
def test_one_argument_is_filled_once(first: Callable[[Any], Any]) -> None:
    def target(otp: str) -> None: ...

    first(target)
    with pytest.raises(InvalidPolicy, match="twice"):
        depends_on_tool("other", "otp")(target)


def test_decorators_are_read_top_to_bottom_and_change_nothing() -> None:
    def target(a: str, b: str, c: str, d: str) -> str:
        return a + b + c + d

    decorated = depends_on_interrupt("a", ask, "A?")(
        depends_on_private_data("key", "b")(depends_on_tool(pay, "c")(depends_on_interrupt("d")(target)))
    )
    assert decorated is target
    assert target("1", "2", "3", "4") == "1234"
    first, second, third, fourth = dependencies_of(target)
    assert isinstance(first, AskPerson)
    assert isinstance(fourth, AskPerson)
    assert (first.arg_name, fourth.arg_name) == ("a", "d")
    assert second == UsePrivateData("key", "b")
    assert third == UseTool(pay, "c")


def test_a_pydantic_model_and_its_subclass() -> None:
    @depends_on_interrupt("item", ask, "Item?")
    class Base(BaseModel):
        item: str

    @depends_on_interrupt("note")
    class Derived(Base):
        note: str

    assert [dependency.arg_name for dependency in dependencies_of(Base)] == ["item"]
    assert [dependency.arg_name for dependency in dependencies_of(Derived)] == ["note", "item"]
    assert Derived(item="i", note="n").model_dump() == {"item": "i", "note": "n"}


def test_what_wraps_a_function_keeps_its_dependencies() -> None:
    @depends_on_private_data("card", "otp")
    def target(otp: str) -> None: ...

    @wraps(target)
    def wrapper(otp: str) -> None: ...

    assert dependencies_of(wrapper) == dependencies_of(target)
    with pytest.raises(InvalidPolicy, match="bound method"):
        depends_on_private_data("card", "prompt")(Bound().method)
    assert dependencies_of(depends_on_private_data("card", "amount")(partial(pay, otp="1")))


class Bound:
    def method(self, prompt: str) -> None: ...


@pytest.mark.parametrize(
    ("options", "annotation", "input_type", "choices"),
    [
        ({}, bool, "boolean", ()),
        ({}, Literal["a", "b"], "choice", ("a", "b")),
        ({"input_type": "choice"}, Size, "choice", ("small", "large")),
        ({"choices": ["small"]}, Size, "choice", ("small",)),
        ({"choices": ["a", "b"]}, str, "choice", ("a", "b")),
        ({"choices": ("a", "b"), "input_type": "choice"}, bool, "choice", ("a", "b")),
        ({"input_type": "text"}, Literal["a"], "text", ()),
        ({"input_type": "password"}, int, "password", ()),
        ({"input_type": "number"}, str, "number", ()),
    ],
)
def test_explicit_wins_over_the_annotation(
    options: dict[str, Any], annotation: object, input_type: str, choices: tuple[str, ...]
) -> None:
    def target(value: object) -> None: ...

    target.__annotations__["value"] = annotation
    depends_on_interrupt("value", **options)(target)
    (declared,) = dependencies_of(target)
    assert isinstance(declared, AskPerson)
    question = declared.question(annotation, 2, 3)
    assert (question.input_type, question.choices) == (input_type, choices)
    assert (question.prompt, question.number, question.total) == ("value: ", 2, 3)
    assert question.annotation is annotation


def test_an_annotation_that_cannot_be_resolved_yet_is_not_judged_yet() -> None:
    @depends_on_interrupt("value")
    def target(value: Later) -> None: ...  # type: ignore[name-defined]  # noqa: F821 - it is what is tested

    assert dependencies_of(target)
