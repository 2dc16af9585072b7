from __future__ import annotations

from typing import Any

import pytest

from sealgate.gateway.interrupts.config import InterruptConfig
from sealgate.models.approvals import PerToolDispatchConfig
from sealgate.models.errors import InvalidInput
from sealgate.models.messages import SealedCall


def call(name: str = "pay", **arguments: Any) -> SealedCall:
    return SealedCall(id="c1", name=name, arguments=arguments)


def raising(call: SealedCall) -> bool:
    raise LookupError


@pytest.mark.parametrize(
    ("options", "demanded", "expected"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"interrupt_before": ["pay"]}, False, True),
        ({"interrupt_before": ["other"]}, False, False),
        ({"interrupt_after": ["pay"]}, False, False),
        ({"interrupt_on": lambda call: call.name.startswith("p")}, False, True),
        ({"interrupt_on": lambda call: call.arguments["to"] == "x"}, False, True),
        ({"interrupt_on": lambda call: False}, False, False),
        ({"interrupt_on": lambda call: None}, False, False),
        ({"interrupt_on": raising}, False, True),
        ({"dispatch": {"always_interrupt": ["pay"]}}, False, True),
        ({"dispatch": {"never_interrupt": ["pay"]}, "interrupt_before": ["pay"]}, False, False),
        ({"dispatch": {"never_interrupt": ["pay"]}, "interrupt_on": lambda call: True}, False, False),
        ({"dispatch": {"never_interrupt": ["pay"], "always_interrupt": ["pay"]}}, False, False),
        ({"dispatch": {"never_interrupt": ["pay"]}}, True, True),
        ({"dispatch": {"default_behavior": "interrupt"}}, False, True),
        ({"dispatch": {"default_behavior": "interrupt", "never_interrupt": ["pay"]}}, False, False),
        ({"dispatch": {"default_behavior": "auto-approve"}}, False, False),
    ],
)
def test_precedence(options: dict[str, Any], demanded: bool, expected: bool) -> None:
    dispatch = options.pop("dispatch", None)
    config = InterruptConfig(**options, dispatch=dispatch and PerToolDispatchConfig(**dispatch))
    assert config.before(call(to="x"), demanded=demanded) is expected
    if dispatch is not None:
        options["dispatch"] = dispatch


def test_after() -> None:
    config = InterruptConfig(
        interrupt_after=["migrate", "quiet"], dispatch=PerToolDispatchConfig(never_interrupt=["quiet"])
    )
    assert [config.after(call(name)) for name in ("migrate", "quiet", "pay")] == [True, False, False]
    assert [config.is_static(name) for name in ("migrate", "pay")] == [True, False]
    assert InterruptConfig(["pay"]).is_static("pay")


def test_a_predicate_cannot_change_the_call() -> None:
    def writing(call: SealedCall) -> bool:
        call.arguments["to"] = "elsewhere"
        return False

    asked = call(to="here")
    InterruptConfig(interrupt_on=writing).before(asked)
    assert asked.arguments == {"to": "here"}


@pytest.mark.parametrize(
    "options",
    [
        {"interrupt_before": "pay"},
        {"interrupt_after": ["no good"]},
        {"interrupt_on": "pay"},
        {"default_timeout": 0},
        {"default_timeout": float("inf")},
        {"default_timeout": float("nan")},
    ],
)
def test_what_cannot_work(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        InterruptConfig(**options)
