"""A tool given by a JSON schema: shown as it is, called with what fits, granted by place."""

from __future__ import annotations

from typing import Any

import pytest

from sealgate.gateway import (
    Accepts,
    Gateway,
    InvalidPolicy,
    PrivateData,
    Session,
    ToolCall,
    depends_on_interrupt,
    depends_on_private_data,
    depends_on_tool,
)

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "call",
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Where."},
        "amount": {"type": "integer"},
        "rate": {"type": ["number", "null"]},
        "sure": {"type": "boolean"},
        "order": {"$ref": "#/$defs/Order"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "headers": {"type": "object", "additionalProperties": {"type": "string"}},
        "free": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    },
    "required": ["path"],
    "additionalProperties": False,
    "$defs": {
        "Order": {
            "type": "object",
            "properties": {
                "card": {"type": "string"}, "quantity": {"type": "integer"}, "next": {"$ref": "#/$defs/Order"},
            },
            "required": ["card"],
        }
    },
}  # fmt: skip

GRANTS = {
    "order.card": Accepts("CREDIT_CARD"),
    "amount": Accepts("ACCOUNT_NUMBER"),
    "tags[]": Accepts("EMAIL_ADDRESS"),
    "headers{}": Accepts("EMAIL_ADDRESS"),
}


@pytest.fixture
def got(gateway: Gateway) -> list[dict[str, Any]]:
    arrived: list[dict[str, Any]] = []

    @gateway.toolify(name="call", description="Call it.", schema=SCHEMA, accepts=GRANTS)
    def anything(**arguments: Any) -> str:
        arrived.append(arguments)
        return "done"

    return arrived


def run(session: Session, **arguments: Any) -> str:
    return str(session.run_tool(ToolCall(id="c", name="call", arguments=arguments)).content)


def sealed(session: Session) -> tuple[str, str, str]:
    card = session.redact("My card is 4111 1111 1111 1111").text.removeprefix("My card is ")
    mail = session.redact("Write to a.b@example.com").text.removeprefix("Write to ")
    number = session.redact("account number 12345678").text.removeprefix("account number ")
    return card, mail, number


def test_the_model_is_shown_the_schema(gateway: Gateway, got: list[dict[str, Any]]) -> None:
    [spec] = gateway.tools.specs()
    assert spec.parameters == {key: value for key, value in SCHEMA.items() if key not in ("$schema", "title")}


def test_values_open_by_place_and_are_coerced(session: Session, got: list[dict[str, Any]]) -> None:
    card, mail, number = sealed(session)
    assert run(
        session, path="/x", amount=number, rate="1.5", sure="true", order={"card": card, "quantity": "3"},
        tags=[mail], headers={"from": mail}, free=7,
    ) == "done"  # fmt: skip
    assert got == [
        {
            "path": "/x", "amount": 12345678, "rate": 1.5, "sure": True,
            "order": {"card": "4111111111111111", "quantity": 3}, "tags": ["a.b@example.com"],
            "headers": {"from": "a.b@example.com"}, "free": 7,
        }
    ]  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "{card}"},
        {"path": "x", "order": {"card": "1", "{card}": "x"}},
        {"path": "x", "order": {"card": "1", "next": {"card": "{card}"}}},
        {"path": "x", "headers": {"{mail}": "x"}},
        {"path": "x", "free": "{mail}"},
        {"path": "x", "unknown": "{card}"},
    ],
)
def test_everything_else_is_refused(session: Session, got: list[dict[str, Any]], arguments: dict[str, Any]) -> None:
    card, mail, _number = sealed(session)

    def spelled(value: Any) -> Any:
        if isinstance(value, dict):
            return {spelled(key): spelled(item) for key, item in value.items()}
        return value.replace("{card}", card).replace("{mail}", mail)

    assert run(session, **spelled(arguments)).startswith("GrantRefused")
    assert got == []


def test_what_does_not_fit_is_told_without_a_value(session: Session, got: list[dict[str, Any]]) -> None:
    assert run(session, order={"card": "x"}).endswith("path: missing")
    assert run(session, path="x", amount="hunter").endswith("amount: int_parsing")
    assert run(session, path="x", unknown="hunter").endswith("*: extra_forbidden")


async def test_a_coroutine_can_be_given(gateway: Gateway) -> None:
    @gateway.toolify(name="call", schema={"properties": {"a": {"type": "string"}}})
    async def anything(**arguments: Any) -> str:
        return f"{sorted(arguments)}"

    message = await gateway.session("s").arun_tool(ToolCall(id="c", name="call", arguments={"a": "x", "b": "y"}))
    assert message.content == "['a', 'b']"


@pytest.mark.parametrize("schema", [{"type": "array"}, {"properties": []}, {"properties": {"content-type": {}}}])
def test_a_schema_that_cannot_be_a_tools(gateway: Gateway, schema: dict[str, Any]) -> None:
    with pytest.raises(InvalidPolicy):
        gateway.toolify(name="call", schema=schema)(lambda **arguments: None)


@pytest.mark.parametrize("first", ["toolify", "dependencies"])
def test_what_the_callable_depends_on_is_asked_for_and_not_shown(
    gateway: Gateway, session: Session, first: str
) -> None:
    """In either order, as for any tool."""
    properties = {name: {"type": "string"} for name in ("to", "pin", "account", "rate")}
    schema = {"type": "object", "properties": properties, "required": ["to", "pin", "account"]}
    got: list[tuple[str, ...]] = []

    def pay(to: str, pin: str, account: str, rate: str) -> str:
        got.append((to, pin, account, rate))
        return "paid"

    def rate() -> str:
        return "1.5"

    def declare() -> None:
        depends_on_interrupt("pin", lambda _prompt: "0420", "PIN?", sensitive="PIN")(pay)
        depends_on_private_data("account", "account")(pay)
        depends_on_tool(rate, "rate")(pay)

    gateway.toolify()(rate)
    steps = [lambda: gateway.toolify(name="pay", schema=schema)(pay), declare]
    for step in steps if first == "toolify" else reversed(steps):
        step()
    session.private_data.put(PrivateData("1234-5678-9012", name="account"))
    message = session.run_tool(ToolCall(id="c1", name="pay", arguments={"to": "bob", "pin": "9999"}))
    assert (message.content, got) == ("paid", [("bob", "0420", "1234-5678-9012", "1.5")])
    shown = gateway.tools.get("pay").spec.parameters
    assert (list(shown["properties"]), shown["required"]) == (["to"], ["to"])


def test_a_dependency_needs_its_property(gateway: Gateway) -> None:
    def pay(to: str, pin: str) -> str:
        return to + pin

    gateway.toolify(name="pay", schema={"type": "object", "properties": {"to": {"type": "string"}}})(pay)
    depends_on_interrupt("pin", lambda _prompt: "0420")(pay)
    with pytest.raises(InvalidPolicy, match="'pin'"):
        gateway.tools.get("pay")
