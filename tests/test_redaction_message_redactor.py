"""The redactor of messages."""

from __future__ import annotations

from typing import Any

import pytest

from sealgate.models.errors import InvalidInput, TooManyValues
from sealgate.models.messages import (
    AIMessage,
    HumanMessage,
    RedactedMessage,
    Role,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from sealgate.models.placeholder import STRICT
from sealgate.redaction import Detector, Redactor, canonical_json

MAIL = "ada@tallowbrook.net"


@pytest.fixture
def redactor(memory_sealer: Any) -> Redactor:
    """A redactor without models."""
    return Redactor(Detector(names=False), memory_sealer)


@pytest.mark.parametrize(
    ("message", "origin"),
    [
        (HumanMessage(f"mail {MAIL}"), "person"),
        (SystemMessage(f"mail {MAIL}"), "application"),
        (AIMessage(f"mail {MAIL}"), "model"),
        (ToolMessage(f"mail {MAIL}", tool_call_id="c1", name="lookup"), "tool:lookup"),
    ],
    ids=lambda value: getattr(value, "role", ""),
)
def test_every_role_is_redacted_with_its_origin(
    redactor: Redactor, memory_sealer: Any, message: Any, origin: str
) -> None:
    sealed = redactor.redact_message(message)
    assert sealed.role == message.role
    assert MAIL not in sealed.text()
    assert {request.origin for request in memory_sealer.entries.values()} == {origin}


def test_parts_and_arguments_are_redacted_in_place(redactor: Redactor) -> None:
    call = ToolCall(id="c1", name="send_mail", arguments={"to": MAIL, "cc": [MAIL], "n": 1})
    message = AIMessage([{"type": "text", "text": f"to {MAIL}", "note": MAIL}], tool_calls=[call])
    sealed = redactor.redact_message(message)
    assert MAIL not in sealed.model_dump_json()
    assert sealed.tool_calls[0].name == "send_mail"
    assert sealed.tool_calls[0].arguments["n"] == 1
    assert STRICT.fullmatch(str(sealed.tool_calls[0].arguments["to"]))
    assert isinstance(sealed.content, list)
    assert list(sealed.content[0]) == ["type", "text", "note"]


def test_other_parts_are_refused_unless_allowed(redactor: Redactor) -> None:
    message = HumanMessage([{"type": "image", "url": f"https://x.test/{MAIL}"}])
    with pytest.raises(InvalidInput, match="part 0"):
        redactor.redact_message(message)
    sealed = redactor.redact_message(message, allowed_parts=frozenset({"image"}))
    assert MAIL not in sealed.model_dump_json()


def test_known_values_and_whitelist_travel_with_the_message(redactor: Redactor) -> None:
    message = RedactedMessage(f"Blue Heron {MAIL}", known_pii_values=["Blue Heron"], pii_whitelist=["EMAIL_ADDRESS"])
    text = redactor.redact_message(message).text()
    assert "Blue Heron" not in text
    assert MAIL in text


def test_new_values_are_counted_over_the_whole_message(redactor: Redactor, memory_sealer: Any) -> None:
    call = ToolCall(id="c1", name="t", arguments={"a": "b@x.io"})
    with pytest.raises(TooManyValues):
        redactor.redact_message(AIMessage("a@x.io", tool_calls=[call]), max_new=1)
    assert memory_sealer.entries == {}


def test_what_the_model_has_just_said_keeps_its_placeholders(redactor: Redactor) -> None:
    token = str(redactor.redact(MAIL).findings[0].placeholder)
    said = AIMessage(f"I write to {token}", tool_calls=[ToolCall(id="c1", name="t", arguments={"to": token})])
    sealed = redactor.redact_message(said)
    assert sealed.text() == f"I write to {token}"
    assert sealed.tool_calls[0].arguments == {"to": token}


@pytest.mark.parametrize("kind", [HumanMessage, SystemMessage])
def test_placeholders_of_others_are_look_alikes(redactor: Redactor, kind: Any) -> None:
    token = str(redactor.redact(MAIL).findings[0].placeholder)
    assert "[LITERAL_" in redactor.redact_message(kind(f"use {token}")).text()


def test_a_recognised_text_is_replaced_by_what_was_emitted(redactor: Redactor) -> None:
    token = str(redactor.redact(MAIL).findings[0].placeholder)
    asked: list[tuple[Role, str]] = []

    def recognise(role: Role, text: str) -> str | None:
        asked.append((role, text))
        return f"sealed {token} and {MAIL}" if text == "delivered" else None

    sealed = redactor.redact_message(AIMessage("delivered"), recognise=recognise)
    assert sealed.text() == f"sealed {token} and {token}"
    assert asked == [("assistant", "delivered")]
    forged = redactor.redact_message(AIMessage(f"open {token}"), recognise=recognise)
    assert "[LITERAL_" in forged.text()


def test_recognised_arguments_are_asked_for_as_canonical_json(redactor: Redactor) -> None:
    asked: list[str] = []

    def recognise(role: Role, text: str) -> str | None:
        asked.append(text)
        return '{"a":"emitted"}' if text.startswith("{") else None

    call = ToolCall(id="c1", name="t", arguments={"b": 1, "a": "x"})
    sealed = redactor.redact_message(AIMessage("", tool_calls=[call]), recognise=recognise)
    assert '{"a":"x","b":1}' in asked
    assert sealed.tool_calls[0].arguments == {"a": "emitted"}
    assert canonical_json({"b": "ö", "a": [1]}) == '{"a":[1],"b":"ö"}'


def test_an_early_message_is_searched_for_what_a_later_one_makes_known(redactor: Redactor) -> None:
    first, second = redactor.redact_messages(
        [HumanMessage("blue heron flies"), RedactedMessage("x", known_pii_values=["Blue Heron"])]
    )
    assert "heron" not in first.text()
    assert second.text() == "x"


def test_rescrub_hides_what_has_become_known(redactor: Redactor) -> None:
    call = ToolCall(id="c1", name="t", arguments={"bird": "blue heron", "n": 12345678})
    early = redactor.redact_message(AIMessage("blue heron", tool_calls=[call]))
    assert early.text() == "blue heron"
    redactor.redact("x", known=["Blue Heron", "12345678"])
    later = redactor.rescrub(early)
    assert "heron" not in later.model_dump_json()
    assert "12345678" not in later.model_dump_json()
    assert redactor.rescrub(later) == later
