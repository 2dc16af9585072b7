from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from sealgate.gateway.tools.dependencies import depends_on_interrupt, depends_on_private_data, depends_on_tool
from sealgate.gateway.tools.toolkit import Toolkit, first_paragraph
from sealgate.models.errors import InvalidInput, InvalidName, InvalidPolicy, UnknownTool
from sealgate.models.grants import Accepts


def ask(prompt: str) -> str:
    return prompt


def pay(amount: float, otp: str, confirmed: bool = False) -> str:
    """Pay an amount
    in euros.

    The second paragraph is for people.
    """
    return f"{amount}{otp}{confirmed}"


@pytest.fixture
def toolkit() -> Toolkit:
    return Toolkit()


def test_what_is_made_of_a_function(toolkit: Toolkit) -> None:
    assert toolkit.toolify()(pay) is pay
    tool = toolkit.get("pay")
    assert (tool.name, tool.description, tool.final, tool.placeholders) == (
        "pay",
        "Pay an amount in euros.",
        False,
        "refuse",
    )
    assert tool.spec.name == "pay"
    assert tool.spec.description == tool.description
    assert tool is toolkit.get("pay")
    assert toolkit.specs() == (tool.spec,)


def asked_above(toolkit: Toolkit, target: Callable[..., Any]) -> None:
    depends_on_interrupt("confirmed", ask)(depends_on_interrupt("otp", ask)(toolkit.toolify(name="tool")(target)))


def asked_below(toolkit: Toolkit, target: Callable[..., Any]) -> None:
    toolkit.toolify(name="tool")(depends_on_interrupt("confirmed", ask)(depends_on_interrupt("otp", ask)(target)))


def asked_around(toolkit: Toolkit, target: Callable[..., Any]) -> None:
    depends_on_interrupt("confirmed", ask)(toolkit.toolify(name="tool")(depends_on_interrupt("otp", ask)(target)))


@pytest.mark.parametrize("stack", [asked_above, asked_below, asked_around])
@pytest.mark.parametrize("kind", ["function", "coroutine", "model"])
def test_decorators_stack_in_any_order(
    toolkit: Toolkit, stack: Callable[[Toolkit, Callable[..., Any]], None], kind: str
) -> None:
    def function(amount: float, otp: str, confirmed: bool) -> None: ...

    async def coroutine(amount: float, otp: str, confirmed: bool) -> None: ...

    class Model(BaseModel):
        amount: float
        otp: str
        confirmed: bool

    targets: dict[str, Callable[..., Any]] = {"function": function, "coroutine": coroutine, "model": Model}
    stack(toolkit, targets[kind])
    tool = toolkit.get("tool")
    numbered = [(question.arg_name, question.number, question.total) for question in tool.questions]
    assert numbered == [("confirmed", 1, 2), ("otp", 2, 2)]
    assert [question.input_type for question in tool.questions] == ["boolean", "text"]
    assert list(tool.spec.parameters["properties"]) == ["amount"]


def test_a_dependency_declared_after_first_use_is_seen(toolkit: Toolkit) -> None:
    def target(otp: str) -> None: ...

    toolkit.toolify(name="tool")(target)
    assert toolkit.get("tool").hidden() == frozenset()
    depends_on_interrupt("otp", ask)(target)
    assert toolkit.get("tool").hidden() == {"otp"}


@pytest.mark.parametrize(
    ("options", "target", "error"),
    [
        ({"name": "no good"}, pay, InvalidName),
        ({}, lambda: None, InvalidName),
        ({}, partial(pay, 1), InvalidName),
        ({"name": "t"}, dict, InvalidPolicy),
        ({"name": "t"}, 5, InvalidPolicy),
        ({"accepts": {"missing": Accepts("PERSON")}}, pay, InvalidPolicy),
        ({"accepts": {"otp": "OTP_CODE"}}, pay, InvalidPolicy),
        ({"placeholders": "open"}, pay, InvalidPolicy),
        ({"risk": "huge"}, pay, InvalidPolicy),
        ({"before_execute": "hook"}, pay, InvalidPolicy),
    ],
)
def test_what_cannot_be_registered(toolkit: Toolkit, options: Any, target: Any, error: type[InvalidInput]) -> None:
    with pytest.raises(error) as refused:
        toolkit.toolify(**options)(target)
    assert isinstance(refused.value, ValueError)
    assert toolkit.tools() == ()


def test_a_name_is_taken_once(toolkit: Toolkit) -> None:
    toolkit.toolify()(pay)
    with pytest.raises(InvalidPolicy, match="already"):
        toolkit.toolify(name="pay")(ask)
    assert toolkit.get("pay").target is pay


def test_a_child_looks_in_its_parent_and_may_cover_it() -> None:
    parent = Toolkit()
    child = Toolkit(parent)
    parent.toolify(name="shared")(pay)
    parent.toolify(name="covered")(pay)
    child.toolify(name="covered")(ask)
    child.toolify(name="own")(ask)
    assert [tool.name for tool in child.tools()] == ["covered", "own", "shared"]
    assert child.get("covered").target is ask
    assert parent.get("covered").target is pay
    with pytest.raises(UnknownTool):
        parent.get("own")
    with pytest.raises(UnknownTool) as unknown:
        child.get("canary-7f3a91")
    assert "canary" not in str(unknown.value)


def test_a_required_tool_by_name_and_by_object(toolkit: Toolkit) -> None:
    def first(value: str) -> None: ...
    def second(value: str) -> None: ...
    def third(value: str) -> None: ...

    parent = Toolkit()
    child = Toolkit(parent)
    parent.toolify(name="base")(first)
    child.toolify(name="by_object")(depends_on_tool(first, "value")(second))
    child.toolify(name="by_name")(depends_on_tool("by_object", "value")(third))
    assert child.get("by_object").requires == (("base", "value"),)
    assert child.get("by_name").requires == (("by_object", "value"),)


def test_a_required_tool_that_is_not_there(toolkit: Toolkit) -> None:
    def target(value: str) -> None: ...

    toolkit.toolify()(depends_on_tool("nowhere", "value")(target))
    with pytest.raises(InvalidPolicy):
        toolkit.get("target")
    toolkit.toolify(name="nowhere")(pay)
    assert toolkit.get("target").requires == (("nowhere", "value"),)


def chain(toolkit: Toolkit, *pairs: tuple[str, str]) -> None:
    for name, needed in pairs:

        def target(value: str = "") -> None: ...

        toolkit.toolify(name=name)(depends_on_tool(needed, "value")(target) if needed else target)


@pytest.mark.parametrize(
    "pairs", [[("a", "a")], [("a", "b"), ("b", "a")], [("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]]
)
def test_cycles_are_refused(toolkit: Toolkit, pairs: list[tuple[str, str]]) -> None:
    chain(toolkit, *pairs)
    with pytest.raises(InvalidPolicy, match="own result"):
        toolkit.get("a")
    with pytest.raises(InvalidPolicy):
        toolkit.specs()


def test_a_cycle_through_a_covered_name_is_refused() -> None:
    parent = Toolkit()
    child = Toolkit(parent)
    chain(parent, ("a", "b"), ("b", ""))
    chain(child, ("b", "a"))
    assert parent.get("a").requires
    with pytest.raises(InvalidPolicy, match="own result"):
        child.get("a")


def test_a_long_chain_and_a_diamond_are_no_cycle(toolkit: Toolkit) -> None:
    length = 300
    chain(toolkit, *((f"t{number}", f"t{number + 1}") for number in range(length)), (f"t{length}", ""))
    assert toolkit.get("t0").requires == (("t1", "value"),)

    def top(left: str, right: str) -> None: ...

    chain(toolkit, ("left", "t5"), ("right", "t5"))
    toolkit.toolify()(depends_on_tool("left", "left")(depends_on_tool("right", "right")(top)))
    assert len(toolkit.get("top").requires) == 2


def test_grants_and_choices_of_a_tool(toolkit: Toolkit) -> None:
    @toolkit.toolify(accepts={"name": Accepts("PERSON")}, placeholders="keep", idempotent=True)
    @depends_on_interrupt("speed", ask, "How fast?")
    @depends_on_private_data("card", "card")
    def send(
        to: Annotated[str, Accepts("IBAN_CODE")], name: str, speed: Literal["slow", "fast"], card: str
    ) -> None: ...

    tool = toolkit.get("send")
    assert tool.accepts == {"to": Accepts("IBAN_CODE"), "name": Accepts("PERSON")}
    assert tool.questions[0].choices == ("slow", "fast")
    assert (tool.placeholders, tool.idempotent) == ("keep", True)
    assert list(tool.spec.parameters["properties"]) == ["to", "name"]


class Undocumented(BaseModel): ...


@pytest.mark.parametrize(
    ("target", "text"),
    [(pay, "Pay an amount in euros."), (ask, ""), (partial(pay, 1), ""), (Undocumented, ""), (lambda: None, "")],
)
def test_first_paragraph(target: object, text: str) -> None:
    assert first_paragraph(target) == text


def test_one_tool_for_many_threads(toolkit: Toolkit) -> None:
    toolkit.toolify()(pay)
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(toolkit.get("pay"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1


def test_a_tool_may_name_types_of_the_function_around(toolkit: Toolkit) -> None:
    class Local(BaseModel):
        item: str

    Speed = Literal["slow", "fast"]  # noqa: N806 - an alias of a type

    @toolkit.toolify()
    @depends_on_interrupt("speed", ask)
    def order(what: Local, speed: Speed) -> None: ...

    tool = toolkit.get("order")
    assert tool.questions[0].choices == ("slow", "fast")
    assert tool.spec.parameters["properties"]["what"] == {"$ref": "#/$defs/Local"}


def test_a_grant_counts_for_an_alias_too(toolkit: Toolkit) -> None:
    @toolkit.toolify(final_tool=True)
    class Order(BaseModel):
        account: Annotated[str, Accepts("IBAN_CODE")] = Field(alias="accountNumber")

    assert set(toolkit.get("Order").accepts) == {"account", "accountNumber"}
