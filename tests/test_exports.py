"""The public surface: everything a user needs imports from ``sealgate.gateway``, and nothing else is promised."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest

import sealgate.gateway as gateway
import sealgate.gateway.testing as testing
from sealgate.models import errors

NAMES = {
    # objects
    *("Gateway", "Session", "Agent", "InterruptConfig", "EventBridge"),
    # messages and what they carry
    *("HumanMessage", "RedactedMessage", "SystemMessage", "AIMessage", "ToolMessage", "ToolCall", "PrivateData"),
    # tools and their dependencies
    *("Accepts", "depends_on_interrupt", "depends_on_private_data", "depends_on_tool", "default_terminal_interrupt"),
    # results
    *("Expectation", "Redaction", "Finding", "SealedMessage", "SessionResponse"),
    # events
    *("AppEvent", "InterruptDescriptor", "normalize_stream"),
}
"""The names that users and outside checks rely on, besides every error."""


def error_names() -> set[str]:
    return {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.SealgateError)
    }


def public(module: ModuleType) -> set[str]:
    """What a module offers: every name without an underscore that is no module."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
    }


def test_the_promised_names_are_there() -> None:
    assert set(gateway.__all__) >= NAMES
    assert set(gateway.__all__) >= error_names()


def test_the_list_is_exact() -> None:
    """Its order is the linter's (RUF022)."""
    assert len(gateway.__all__) == len(set(gateway.__all__))
    for name in gateway.__all__:
        assert getattr(gateway, name) is not None
    assert public(gateway) == set(gateway.__all__)
    assert set(dir(gateway)) >= set(gateway.__all__)


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Gatewya'"):
        _ = gateway.Gatewya  # type: ignore[attr-defined]


def test_every_exported_object_says_what_it_is() -> None:
    undocumented = [
        name for name in gateway.__all__ if callable(getattr(gateway, name)) and not getattr(gateway, name).__doc__
    ]
    assert not undocumented


def test_the_fakes_are_shipped() -> None:
    assert {"FakeClock", "ScriptedHuman", "ScriptedModel"} <= set(testing.__all__)
    assert public(testing) >= set(testing.__all__)
