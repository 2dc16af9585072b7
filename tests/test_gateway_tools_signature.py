from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, RootModel

from sealgate.gateway.tools.signature import (
    annotation_of,
    annotations_of,
    argument_names,
    check_tool_name,
    is_model,
    parameters_of,
    resolve_here,
    takes_any_name,
)
from sealgate.models.errors import InvalidName, InvalidPolicy


class Order(BaseModel):
    item: str
    quantity: int = 1


class Wrapped(RootModel[list[str]]): ...


class Callable_:  # noqa: N801 - a class whose instances are tools
    def __call__(self, amount: int) -> None: ...

    def method(self, amount: int) -> None: ...


def plain(a: int, /, b: Annotated[str, "meta"], *, c: float = 0.5, **rest: object) -> None: ...


async def asynchronous(amount: int) -> None: ...


def generator(amount: int) -> Iterator[int]:
    yield amount


async def asynchronous_generator(amount: int) -> AsyncIterator[int]:
    yield amount


@pytest.mark.parametrize("name", ["a", "A1", "send_mail-2", "x" * 64])
def test_names_of_tools(name: str) -> None:
    assert check_tool_name(name) == name


@pytest.mark.parametrize("name", ["", "1a", "_a", "a b", "a.b", "ä", "x" * 65, "<lambda>", "a\n", None, 5, b"a"])
def test_names_that_chat_apis_refuse(name: object) -> None:
    with pytest.raises(InvalidName):
        check_tool_name(name)


@pytest.mark.parametrize(
    ("target", "names"),
    [
        (plain, ("a", "b", "c")),
        (asynchronous, ("amount",)),
        (Order, ("item", "quantity")),
        (Callable_(), ("amount",)),
        (Callable_().method, ("amount",)),
        (partial(plain, 1), ("b", "c")),
        (lambda: None, ()),
    ],
)
def test_argument_names(target: object, names: tuple[str, ...]) -> None:
    assert argument_names(target) == names


@pytest.mark.parametrize(
    "target", [5, "text", dict, Callable_, Wrapped, generator, asynchronous_generator, lambda *values: values]
)
def test_what_can_be_no_tool(target: Any) -> None:
    with pytest.raises(InvalidPolicy):
        argument_names(target)


def test_kinds_of_parameters() -> None:
    assert [parameter.name for parameter in parameters_of(plain)] == ["a", "b", "c"]
    assert takes_any_name(plain)
    assert not takes_any_name(asynchronous)
    assert is_model(Order)
    assert not is_model(plain)


@pytest.mark.parametrize("target", [Callable_(), Callable_().method, partial(asynchronous, amount=1), asynchronous])
def test_annotations_of_everything_that_is_called(target: Callable[..., Any]) -> None:
    assert annotations_of(target)["amount"] is int


def test_annotations_keep_their_metadata() -> None:
    assert annotations_of(plain)["b"] == Annotated[str, "meta"]
    assert annotation_of(Order, "quantity") is int
    assert annotation_of(lambda free: free, "free") is object


def test_an_annotation_that_names_nothing() -> None:
    def target(value: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821 - it is what is tested

    assert annotation_of(target, "value") is object
    with pytest.raises(InvalidPolicy) as refused:
        annotations_of(target)
    assert refused.value.__context__ is None


def test_types_of_the_function_around_are_found_where_the_tool_is_decorated() -> None:
    class Local(BaseModel):
        item: str

    def target(value: Local) -> None: ...

    with pytest.raises(InvalidPolicy):
        annotations_of(target)
    resolve_here(target, {"other": 1})
    with pytest.raises(InvalidPolicy):
        annotations_of(target)
    resolve_here(target, locals())
    assert annotations_of(target)["value"] is Local
