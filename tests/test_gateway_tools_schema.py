from __future__ import annotations

import json
import keyword
import warnings
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from sealgate.gateway.tools.schema import (
    accepted,
    arguments_model,
    field_name,
    parameters_schema,
    property_names,
    spellings,
)
from sealgate.models.errors import InvalidPolicy
from sealgate.models.grants import Accepts

IBAN = Accepts("IBAN_CODE")
Iban = Annotated[str, IBAN]


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Address(BaseModel):
    street: str
    title: str | None = None


class Secret(BaseModel):
    value: str


class Order(BaseModel):
    """An order."""

    model_config = ConfigDict(title="The order")

    item: str = Field(description="What is bought", examples=["SKU-1"])
    ship_to: Address
    size: Size = Size.SMALL
    card: Secret = Field(alias="cardData")
    account: Iban | None = None


class Opaque: ...


def schema_of(target: Callable[..., Any], *hidden: str) -> dict[str, Any]:
    return parameters_schema("tool", arguments_model("tool", target), frozenset(hidden))


def everything(
    amount: Annotated[float, Field(description="In euros", gt=0)],
    to: Iban,
    kind: Literal["a", "b"] = "a",
    size: Size = Size.LARGE,
    tags: list[str] | None = None,
    *,
    otp: str,
    title: str = "Invoice",
) -> None: ...


def test_names_defaults_and_enums_are_as_declared() -> None:
    assert schema_of(everything, "otp") == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "amount": {"description": "In euros", "exclusiveMinimum": 0, "type": "number"},
            "to": {"type": "string"},
            "kind": {"default": "a", "enum": ["a", "b"], "type": "string"},
            "size": {"$ref": "#/$defs/Size", "default": "large"},
            "tags": {"anyOf": [{"items": {"type": "string"}, "type": "array"}, {"type": "null"}], "default": None},
            "title": {"default": "Invoice", "type": "string"},
        },
        "required": ["amount", "to"],
        "$defs": {"Size": {"enum": ["small", "large"], "title": "Size", "type": "string"}},
    }


def test_hidden_fields_of_a_model_go_with_their_definitions() -> None:
    schema = schema_of(Order, "card", "cardData")
    assert list(schema["properties"]) == ["item", "ship_to", "size", "account"]
    assert schema["properties"]["item"] == {"description": "What is bought", "examples": ["SKU-1"], "type": "string"}
    assert schema["required"] == ["item", "ship_to"]
    assert set(schema["$defs"]) == {"Address", "Size"}
    assert "title" in schema["$defs"]["Address"]["properties"]
    assert "title" not in schema
    assert "Secret" not in json.dumps(schema)


def test_no_arguments_at_all() -> None:
    assert schema_of(lambda: None) == {"type": "object", "properties": {}, "additionalProperties": False}
    assert schema_of(everything, "amount", "to", "kind", "size", "tags", "otp", "title").get("required") is None


def test_names_that_pydantic_keeps_for_itself() -> None:
    def target(json: int, copy: int = 2, _private: int = 3, model_config: int = 4, schema: int = 5) -> None: ...

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = schema_of(target)
    assert list(schema["properties"]) == ["json", "copy", "_private", "model_config", "schema"]
    assert schema["required"] == ["json"]
    assert field_name("json") != "json"
    assert field_name("amount") == "amount"


def test_defaults_that_json_cannot_carry_are_left_out_quietly() -> None:
    def target(value: Any = object(), amount: Decimal = Decimal("1.5")) -> None: ...  # noqa: B008

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = schema_of(target)
    assert schema["properties"]["value"] == {}
    assert schema["properties"]["amount"]["default"] == "1.5"


def test_types_that_json_cannot_describe() -> None:
    def target(thing: Opaque, amount: int) -> None: ...

    with pytest.raises(InvalidPolicy, match="cannot fill"):
        schema_of(target)
    assert list(schema_of(target, "thing")["properties"]) == ["amount"]


def test_fields_that_cannot_be_made() -> None:
    def target(value: Annotated[int, Field(discriminator="x")]) -> None: ...

    class Later(BaseModel):
        value: Nowhere  # type: ignore[name-defined]  # noqa: F821 - it is what is tested

    for broken in (target, Later):
        with pytest.raises(InvalidPolicy) as refused:
            arguments_model("tool", broken)
        assert refused.value.__context__ is None


def test_spellings() -> None:
    class Aliased(BaseModel):
        one: str = Field(alias="One")
        two: str = Field(validation_alias=AliasChoices("Two", "zwei"))

    def target(json: str, amount: int) -> None: ...

    assert spellings(Aliased, "one") == {"one", "One"}
    assert spellings(Aliased, "two") == {"two", "Two", "zwei"}
    arguments = arguments_model("tool", target)
    assert spellings(arguments, "json") == {"json", field_name("json")}
    assert spellings(arguments, "amount") == {"amount"}


def test_property_names_at_any_depth() -> None:
    assert property_names(schema_of(Order)) >= {"item", "ship_to", "street", "title", "value", "cardData"}


@pytest.mark.parametrize(
    "annotation",
    [
        Iban,
        Iban | None,
        Optional[Iban],  # noqa: UP045 - the old spelling is what is tested
        Annotated[str | None, IBAN],
        list[Iban],
        dict[str, list[Iban | None]],
        Annotated[Iban, Field(max_length=40)],
    ],
)
def test_grants_are_found_in_annotations(annotation: object) -> None:
    def target(account: object, other: str) -> None: ...

    target.__annotations__["account"] = annotation
    assert accepted(target, None) == {"account": IBAN}


def test_grants_of_a_model_and_of_accepts() -> None:
    assert accepted(Order, {"item": Accepts("PERSON")}) == {"account": IBAN, "item": Accepts("PERSON")}
    assert accepted(everything, {"to": Accepts("IBAN_CODE")}) == {"to": IBAN}
    with pytest.raises(InvalidPolicy):
        accepted(everything, {"to": Accepts("IBAN_CODE", origins=("person",))})


identifiers = st.from_regex(r"[a-z_][a-z0-9_]{0,12}", fullmatch=True)


@settings(max_examples=60)
@given(st.lists(identifiers, min_size=1, max_size=6, unique=True), st.data())
def test_hidden_arguments_are_nowhere_in_the_schema(names: list[str], data: st.DataObject) -> None:
    names = [name for name in names if not keyword.iskeyword(name)]
    hidden = data.draw(st.sets(st.sampled_from(names)) if names else st.just(set[str]()))
    scope: dict[str, Any] = {}
    exec(f"def target({', '.join(f'{name}: str' for name in names)}): ...", scope)
    arguments = arguments_model("tool", scope["target"])
    keys = frozenset().union(*(spellings(arguments, name) for name in hidden))
    schema = parameters_schema("tool", arguments, keys)
    visible = [name for name in names if name not in hidden]
    assert list(schema["properties"]) == visible
    assert schema.get("required", []) == visible
