"""What a caller gives is checked where it comes in: a typed error names it, shows nothing, and changes nothing."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from sealgate.gateway import (
    Agent,
    Expectation,
    Gateway,
    InvalidInput,
    InvalidName,
    InvalidPolicy,
    Limits,
    NotAVault,
    Operator,
    SealgateError,
    Session,
    StoreUnavailable,
    UnknownEntityType,
)
from sealgate.gateway.testing import ScriptedModel

SECRET = "jane.roe@example.com"
KEY = b"\x01" * 32


def told(error: BaseException) -> str:
    """Everything that a log would show of an error."""
    return "".join(traceback.format_exception(error)) + repr(vars(error))


GIVEN: dict[str, tuple[Callable[[Session], object], type[SealgateError], str]] = {
    "private data that is none": (lambda s: s.private_data.put(SECRET), InvalidInput, "data is a str"),  # type: ignore[arg-type]
    "no private data": (lambda s: s.private_data.put(None), InvalidInput, "data is a NoneType"),  # type: ignore[arg-type]
    "a name that is none": (lambda s: s.private_data.placeholder(5), InvalidName, "needs a name"),  # type: ignore[arg-type]
    "an expectation that is none": (lambda s: s.redact("x", expect=SECRET), InvalidInput, "expect is a str"),  # type: ignore[arg-type]
    "one to explain with": (lambda s: s.explain("x", expect=SECRET), InvalidInput, "expect is a str"),  # type: ignore[arg-type]
    "a known number": (lambda s: s.redact("x", known=[5]), InvalidInput, r"known\[0\] is an int"),  # type: ignore[list-item]
    "a later one": (lambda s: s.redact("x", known=[SECRET, b"x"]), InvalidInput, r"known\[1\] is a bytes"),  # type: ignore[list-item]
    "letters as known values": (lambda s: s.redact("x", known=SECRET), InvalidInput, "known is a str"),
    "a number as known values": (lambda s: s.redact("x", known=5), InvalidInput, "known is an int"),  # type: ignore[arg-type]
    "known in JSON": (lambda s: s.redact_json({}, known=[None]), InvalidInput, r"known\[0\] is a NoneType"),  # type: ignore[list-item]
    "known to explain": (lambda s: s.explain("x", known=[{}]), InvalidInput, r"known\[0\] is a dict"),  # type: ignore[list-item]
    "an origin": (lambda s: s.redact("x", origin=5), InvalidInput, "origin is an int"),  # type: ignore[arg-type]
    "an origin of JSON": (lambda s: s.redact_json("x", origin=None), InvalidInput, "origin is a NoneType"),  # type: ignore[arg-type]
    "a text as a placeholder": (lambda s: s.entry_facts(SECRET), InvalidInput, "placeholder is a str"),  # type: ignore[arg-type]
    "no text as a placeholder": (lambda s: s.sealed_facts(5), InvalidInput, "placeholder is an int"),  # type: ignore[arg-type]
    "a text as a call": (lambda s: s.run_tool(SECRET), InvalidInput, "call is a str"),  # type: ignore[arg-type]
    "a number as an interrupt": (lambda s: _resumed(s, 5), InvalidInput, "interrupt_id is an int"),
    "a type that is none": (lambda _s: Expectation(entity_type=SECRET), UnknownEntityType, "not an entity type"),
    "a type of another type": (lambda _s: Expectation(entity_type=5), InvalidInput, "entity_type: "),
    "a kind that is none": (lambda _s: Expectation(kind=SECRET), InvalidInput, "kind: "),
    "digits that are none": (lambda _s: Expectation(kind="otp", digits=SECRET), InvalidInput, "digits: "),
    "no digits": (lambda _s: Expectation(kind="otp", digits=0), InvalidInput, "digits: "),
    "a field that is none": (lambda _s: Expectation(**{SECRET: 1}), InvalidInput, "no such field"),
    "a prompt too long": (lambda _s: Expectation(prompt=SECRET * 200), InvalidInput, "prompt: "),
    "a type by name": (lambda _s: Expectation.of_type(SECRET), UnknownEntityType, "not an entity type"),
}


def _resumed(session: Session, interrupt_id: Any) -> object:
    return session.resume(interrupt_id, "x", model=ScriptedModel([]))


@pytest.mark.parametrize("name", GIVEN)
def test_what_a_session_is_given_wrong_is_named_and_not_shown(session: Session, name: str) -> None:
    use, error, said = GIVEN[name]
    with pytest.raises(error, match=said) as refused:
        use(session)
    assert SECRET not in told(refused.value)
    assert not session.redact("nothing").findings


OPENED: dict[str, tuple[Callable[[Path], object], type[SealgateError], str]] = {
    "a directory": (lambda folder: Gateway.open(folder, key=KEY), NotAVault, "no regular file"),
    "in a folder that is not there": (
        lambda folder: Gateway.open(folder / "a" / "b", key=KEY),
        StoreUnavailable,
        "folder",
    ),
    "in a file": (lambda folder: Gateway.open(_file(folder) / "b", key=KEY), NotAVault, "no regular file"),
    "bytes": (lambda folder: Gateway.open(os.fsencode(folder / "x"), key=KEY), InvalidInput, "is a bytes"),  # type: ignore[arg-type]
    "a path of bytes": (lambda folder: Gateway.open(_BytesPath(), key=KEY), InvalidInput, "is a _BytesPath"),  # type: ignore[arg-type]
    "a number": (lambda _folder: Gateway.open(5, key=KEY), InvalidInput, "is an int"),  # type: ignore[arg-type]
    "nothing": (lambda _folder: Gateway.open(None, key=KEY), InvalidInput, "is a NoneType"),  # type: ignore[arg-type]
    "empty": (lambda _folder: Gateway.open("", key=KEY), InvalidInput, "path or a URL"),
    "limits": (lambda folder: _opened(folder, limits=3), InvalidInput, "limits is an int, not a Limits"),
    "a detector": (lambda folder: _opened(folder, detector="x"), InvalidInput, "detector is a str, not a Detector"),
    "an interrupt": (lambda folder: _opened(folder, interrupt=[]), InvalidInput, "interrupt is a list"),
    "a clock": (lambda folder: _opened(folder, clock=3), InvalidInput, r"clock is an int, which has no method now\(\)"),
    "a policy": (lambda folder: _opened(folder, policy=3), InvalidInput, "policy is an int"),
    "operators": (lambda folder: _opened(folder, operators="mask"), InvalidInput, "operators is a str"),
    "an operator": (
        lambda folder: _opened(folder, operators={"PIN": "mask"}),
        InvalidInput,
        r"operators\[0\] is a str",
    ),
    "an operator for no type": (
        lambda folder: _opened(folder, operators={"EMAIL": Operator("mask")}),
        UnknownEntityType,
        "not an entity type",
    ),
    "an operator for what nothing finds": (
        lambda folder: _opened(folder, operators={"ORGANIZATION": Operator("mask")}),
        InvalidPolicy,
        "ORGANIZATION, which no recognizer here finds",
    ),
    "an operator's type": (lambda folder: _opened(folder, operators={5: None}), InvalidInput, "key 0 of operators"),
    "a key": (lambda folder: _opened(folder, key="x" * 32), SealgateError, "a key is 32 bytes"),
}


class _BytesPath(os.PathLike[bytes]):
    def __fspath__(self) -> bytes:
        return b"x"


def _file(folder: Path) -> Path:
    (folder / "file").touch()
    return folder / "file"


def _opened(folder: Path, **options: Any) -> object:
    return Gateway.open(folder / "vault.db", **{"key": KEY, **options})


@pytest.mark.parametrize("name", OPENED)
def test_what_a_gateway_is_opened_with_is_checked_first(tmp_path: Path, name: str) -> None:
    use, error, said = OPENED[name]
    with pytest.raises(error, match=said):
        use(tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.name != "file"]


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"model_steps": "8"}, "model_steps is a whole number"), ({"new_values": 2.5}, "new_values is a whole number"),
        ({"refusals": True}, "refusals is a whole number"), ({"model_timeout": None}, "is a number of sec"),
        ({"model_steps": -1}, "model_steps is 0 or more"), ({"model_timeout": float("nan")}, "is 0 or more"),
        ({"model_timeout": float("inf")}, "finite"),
    ],
)  # fmt: skip
def test_limits_are_numbers(limit: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        Limits(**limit)
    assert Limits(model_timeout=5).model_timeout == 5


@pytest.mark.parametrize("owner", ["gateway", "agent"])
def test_toolify_needs_no_parentheses(gateway: Gateway, owner: str) -> None:
    registrar: Any = gateway if owner == "gateway" else Agent("a", gateway=gateway)

    class Here(BaseModel):
        x: int

    decorate: Callable[[Any], Any] = registrar.toolify

    @decorate
    def pay(order: Here) -> str:
        """Pays."""
        return str(order.x)

    decorate = registrar.toolify()

    @decorate
    def look(order: Here) -> str:
        return str(order.x)

    @registrar.toolify
    class Order(BaseModel):
        """An order."""

        item: str

    assert [tool.name for tool in registrar.tools.tools()] == ["pay", "look", "Order"]
    assert (
        registrar.tools.get("pay").spec.parameters["properties"]
        == registrar.tools.get("look").spec.parameters["properties"]
    )
    assert (pay(Here(x=5)), isinstance(Order, type)) == ("5", True)


@pytest.mark.parametrize("target", ["pay", 5, ["x"]])
@pytest.mark.parametrize("owner", ["gateway", "agent", "decorator"])
def test_what_cannot_be_a_tool_is_told_how_to_write_it(gateway: Gateway, owner: str, target: Any) -> None:
    uses: dict[str, Callable[[Any], object]] = {
        "gateway": gateway.toolify,
        "agent": Agent("a", gateway=gateway).toolify,
        "decorator": gateway.toolify(name="x"),
    }
    with pytest.raises(InvalidInput, match=r"write @toolify\(\)"):
        uses[owner](target)
