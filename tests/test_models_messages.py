"""Carriers of values: what they refuse is told by place and rule, and never shown."""

from __future__ import annotations

import traceback
from collections.abc import Callable

import pytest
from pydantic import TypeAdapter, ValidationError, create_model

from sealgate.gateway import (
    AIMessage,
    HumanMessage,
    PrivateData,
    RedactedMessage,
    SealedMessage,
    Session,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from sealgate.models.errors import InvalidInput

SECRET = "zebra-quartz-7731"

WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: HumanMessage(5), "not a HumanMessage: content: string_type or list_type"),  # type: ignore[arg-type]
    (lambda: HumanMessage(None), "not a HumanMessage: content: string_type or list_type"),  # type: ignore[arg-type]
    (lambda: HumanMessage({SECRET: 1}), "not a HumanMessage: content: string_type or list_type"),  # type: ignore[arg-type]
    (lambda: HumanMessage([SECRET]), "content.0: dict_type"),  # type: ignore[list-item]
    (lambda: HumanMessage("x", **{SECRET: 1}), "not a HumanMessage: *: extra_forbidden"),
    (lambda: HumanMessage("x", role=SECRET), "role: literal_error"),
    (lambda: SystemMessage(b"\xff" + SECRET.encode()), "not a SystemMessage: content: string_unicode"),  # type: ignore[arg-type]
    (lambda: AIMessage("x", tool_calls=SECRET), "not an AIMessage: tool_calls: list_type"),
    (lambda: AIMessage("x", tool_calls=[SECRET]), "not an AIMessage: tool_calls.0: "),
    (lambda: AIMessage("x", tool_calls=[{"id": "", "name": SECRET}]), "not an AIMessage: tool_calls.0: "),
    (lambda: ToolMessage("x"), "not a ToolMessage: tool_call_id: missing"),
    (lambda: ToolMessage("x", tool_call_id="c", status=SECRET), "status: literal_error"),
    (lambda: ToolCall(id="", name="pay", arguments={"a": SECRET}), "not a ToolCall: id: string_too_short"),
    (lambda: ToolCall(id="c", name="pay", arguments=[SECRET]), "not a ToolCall: arguments: dict_type"),
    (lambda: RedactedMessage("x", known_pii_values=[[SECRET]]), "known_pii_values.0: "),  # type: ignore[list-item]
    (lambda: PrivateData([SECRET]), "not a PrivateData: value: "),  # type: ignore[arg-type]
    (lambda: PrivateData(SECRET, ttl=-1), "not a PrivateData: ttl: greater_than"),
    (lambda: PrivateData(SECRET, uses="many"), "not a PrivateData: uses: int_parsing"),
    (lambda: PrivateData(SECRET, labl="x"), "not a PrivateData: *: extra_forbidden"),
]


@pytest.mark.parametrize(("make", "told"), WRONG, ids=range(len(WRONG)))
def test_what_is_no_carrier_is_told_by_place_and_rule(make: Callable[[], object], told: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        make()
    assert told in str(refused.value)
    assert not isinstance(refused.value, ValidationError)
    assert refused.value.__context__ is None
    assert SECRET not in "".join(traceback.format_exception_only(refused.value))


@pytest.mark.parametrize("wrong", [{"value": SECRET, "ttl": -1}, {"value": [SECRET]}, {"value": SECRET, SECRET: 1}])
def test_inside_of_another_model_it_is_pydantics_own_error_without_the_value(wrong: dict[str, object]) -> None:
    """Whichever of the two is built first: the outer one says whether inputs are shown."""
    outer = create_model("Outer", data=(PrivateData, ...))
    for validate in (TypeAdapter(PrivateData).validate_python, lambda part: outer.model_validate({"data": part})):
        with pytest.raises(ValidationError) as refused:
            validate(wrong)
        assert SECRET not in str(refused.value) + repr(refused.value.errors())
        assert refused.value.__context__ is None


def test_a_session_takes_messages_alone_and_says_so(session: Session) -> None:
    with pytest.raises(InvalidInput, match="message 0 is a str"):
        session.redact_messages([SECRET])  # type: ignore[list-item]


def test_a_sealed_message_is_made_by_nobody_else_and_not_changed(session: Session) -> None:
    (sealed,) = session.redact_messages([HumanMessage("Mail jane.roe@example.com.")])
    forgeries: list[Callable[[], object]] = [
        lambda: SealedMessage(role="user", content=SECRET),
        lambda: SealedMessage.model_construct(role="user", content=SECRET),
        lambda: SealedMessage.model_validate({"role": "user", "content": SECRET}),
        lambda: SealedMessage.model_validate_json(f'{{"role": "user", "content": "{SECRET}"}}'),
        lambda: sealed.model_copy(update={"content": f"{sealed.text()} {SECRET}"}),
    ]
    for forge in forgeries:
        with pytest.raises((TypeError, ValidationError)) as refused:
            forge()
        assert SECRET not in str(refused.value)
    assert sealed.model_copy() == sealed
