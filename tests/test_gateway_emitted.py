"""What the gateway emitted is recognised by a record, never by its look."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway import Gateway, Session
from sealgate.gateway.emitted import EmittedTexts
from sealgate.models.messages import SealedCall, SealedMessage, sealing
from sealgate.redaction import canonical_json


@pytest.fixture
def emitted(session: Session) -> EmittedTexts:
    return session._services.emitted


def test_a_text_is_recognised_in_its_own_role(emitted: EmittedTexts) -> None:
    emitted.remember("assistant", "Mail jane.", "Mail [PERSON_00000000].")
    assert emitted.recognise("assistant", "Mail jane.") == "Mail [PERSON_00000000]."
    assert emitted.recognise("user", "Mail jane.") is None
    assert emitted.recognise("assistant", "Mail Jane.") is None


@pytest.mark.parametrize("around", ["{}\n", "  {}", "\t{}\r\n"])
def test_space_around_a_text_does_not_count(emitted: EmittedTexts, around: str) -> None:
    emitted.remember("assistant", "Mail jane.", "sealed")
    assert emitted.recognise("assistant", around.format("Mail jane.")) == "sealed"


def test_the_last_record_of_a_text_counts(emitted: EmittedTexts) -> None:
    emitted.remember("assistant", "Mail jane.", "first")
    emitted.remember("assistant", "Mail jane.", "second")
    assert emitted.recognise("assistant", "Mail jane.") == "second"


def test_a_role_and_a_text_are_not_run_together(emitted: EmittedTexts) -> None:
    emitted.remember("tool", "x", "sealed")
    assert emitted.recognise("too", "lx") is None
    assert emitted.recognise("tool\x00x", "") is None


def test_a_message_is_remembered_with_its_parts_and_arguments(emitted: EmittedTexts) -> None:
    with sealing():
        call = SealedCall(id="c1", name="mail", arguments={"to": "[EMAIL_ADDRESS_00000000]", "n": 1})
        parts = SealedMessage(role="assistant", content=[{"type": "text", "text": "one"}, {"type": "image"}])
        whole = SealedMessage(role="assistant", content="two", tool_calls=(call,))
    emitted.remember_message(parts)
    emitted.remember_message(whole)
    arguments = canonical_json({"n": 1, "to": "[EMAIL_ADDRESS_00000000]"})
    assert [emitted.recognise("assistant", said) for said in ("one", "two", arguments)] == ["one", "two", arguments]


def test_another_session_recognises_nothing(gateway: Gateway, emitted: EmittedTexts) -> None:
    emitted.remember("assistant", "Mail jane.", "sealed")
    assert gateway.session("another")._services.emitted.recognise("assistant", "Mail jane.") is None


@settings(max_examples=40, deadline=None)
@given(said=st.text(st.characters(codec=None)), sealed=st.text(st.characters(codec=None)))
def test_any_text_comes_back_exactly(shared_gateway: Gateway, said: str, sealed: str) -> None:
    emitted = shared_gateway.session("any")._services.emitted
    emitted.remember("assistant", said, sealed)
    assert emitted.recognise("assistant", said) == sealed
