"""A session: redaction both ways, history, run_tool, shred."""

from __future__ import annotations

import copy
import json
import pickle
import pydoc
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway import (
    Accepts,
    AIMessage,
    Expectation,
    Gateway,
    HumanMessage,
    PrivateData,
    RedactedMessage,
    Session,
    ToolCall,
    depends_on_interrupt,
)
from sealgate.gateway.testing import ScriptedModel
from sealgate.models.errors import InvalidInput, NotJson, TextTooLong, ToolFailed, UnknownTool
from sealgate.models.placeholder import find_all
from sealgate.redaction import Detector

SURROGATES = st.text(st.characters(codec=None), max_size=60)
PIECES = st.sampled_from(
    [
        "jane.roe@example.com", "GB82 WEST 1234 5698 7654 32", "4111-1111-1111-1111", "[EMAIL_ADDRESS_K7Q2MXB4]",
        "[LITERAL_00000000]", "**[pin_k7q2mxb4]**", "your code is 482913", "\ud800", "\x00", "\\[", "１２３４５６７８",
    ]
)  # fmt: skip
TEXTS = st.lists(st.one_of(SURROGATES, PIECES), max_size=5).map(" ".join)
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**18), 10**18),
        st.floats(allow_nan=False, allow_infinity=False),
        TEXTS,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(text=TEXTS)
def test_redact_and_restore_are_inverses_through_a_real_vault(shared_gateway: Gateway, text: str) -> None:
    session = shared_gateway.session("round trip")
    once = session.redact(text).text
    twice = session.redact(once).text
    assert session.restore(twice) == once
    assert session.restore(once) == text
    assert session.redact(text).text == once


@settings(max_examples=40, deadline=None)
@given(value=JSON)
def test_redact_json_and_restore_json_are_inverses_with_types(shared_gateway: Gateway, value: object) -> None:
    session = shared_gateway.session("round trip")
    restored = session.restore_json(session.redact_json(value))  # type: ignore[arg-type]
    assert json.dumps(restored) == json.dumps(value)


@pytest.mark.parametrize("name", ["interrupts", "cache", "private_data", "name", "subject"])
def test_what_a_session_has_stands_in_its_help(name: str) -> None:
    assert f"{name}\n" in pydoc.plain(pydoc.render_doc(Session))
    assert getattr(Session, name).__doc__


def test_a_number_comes_back_as_that_number(session: Session) -> None:
    sealed = session.redact_json({"card": 4111111111111111, "note": "4111 1111 1111 1111"})
    assert isinstance(sealed, dict)
    codes = {find_all(str(sealed[key]))[0][2].code for key in sealed}
    assert len(codes) == 1
    assert session.restore_json(sealed) == {"card": 4111111111111111, "note": "4111 1111 1111 1111"}


def test_another_spelling_is_visibly_the_same_value(session: Session) -> None:
    first = session.redact("4111-1111-1111-1111").text
    second = session.redact("4111 1111 1111 1111").text
    assert first != second
    assert find_all(first)[0][2].code == find_all(second)[0][2].code
    assert session.restore(second) == "4111 1111 1111 1111"


def test_findings_say_what_was_found_and_where(session: Session) -> None:
    redaction = session.redact("Mail jane.roe@example.com now.")
    (found,) = redaction.findings
    assert (found.entity_type, found.start, found.end) == ("EMAIL_ADDRESS", 5, 25)
    assert str(found.placeholder) in redaction.text


def test_known_and_expected_values_are_hidden(session: Session) -> None:
    assert "Zebra" not in session.redact("It is Zebra Nine.", known=["Zebra Nine"]).text
    expected = session.redact("uh 4 8 2 9 1 3", expect=Expectation(kind="otp", digits=6)).text
    assert "[OTP_CODE_" in expected
    assert "9 1 3" not in expected


@pytest.mark.parametrize("origin", ["somebody", "", "tool:", "Person"])
def test_an_unknown_origin_is_refused(session: Session, origin: str) -> None:
    with pytest.raises(InvalidInput):
        session.redact("text", origin=origin)


def test_a_text_beyond_the_bound_stores_nothing(session: Session, gateway: Gateway) -> None:
    rows = gateway.audit.verify()
    with pytest.raises(TextTooLong):
        session.redact("jane.roe@example.com " * 60_000)
    assert gateway.audit.verify() == rows


def test_a_value_that_is_not_json_says_where(session: Session) -> None:
    with pytest.raises(NotJson) as refused:
        session.redact_json({"a": [1, {"jane.roe@example.com": {1, 2}}]})  # type: ignore[dict-item]
    assert refused.value.path == "${0}[1]{0}"
    assert refused.value.found == "set"
    assert "jane" not in str(refused.value)


def test_a_reply_is_read_leniently_and_never_guessed(session: Session) -> None:
    text = session.redact("Mail jane.roe@example.com.").text
    shown = str(find_all(text)[0][2])
    assert session.restore_reply(f"I wrote to **{shown.lower()}**.") == "I wrote to **jane.roe@example.com**."
    closed = session.restore_reply(f"See http://x.example/?q={shown}")
    assert "jane" not in closed
    assert closed.unresolved != ()
    assert session.restore(shown.lower()) == shown.lower()


def test_a_delivered_reply_is_recognised_when_it_comes_back(session: Session) -> None:
    session.redact("Mail jane.roe@example.com.")
    shown = session.redact("jane.roe@example.com").text
    session.invoke([HumanMessage("Who?")], model=ScriptedModel([f"I wrote to {shown}."]))
    delivered = session.restore_reply(f"I wrote to {shown}.")
    assert delivered == "I wrote to jane.roe@example.com."
    (sealed,) = session.redact_messages([AIMessage(str(delivered))])
    assert sealed.content == f"I wrote to {shown}."


def test_streams_give_the_same_in_any_pieces(session: Session) -> None:
    text = "Mail jane.roe@example.com or GB82 WEST 1234 5698 7654 32, please."
    redactor = session.stream_redactor()
    sealed = "".join([*map(redactor.feed, text), redactor.flush()])
    assert "jane" not in sealed
    restorer = session.stream_restorer()
    assert "".join([*map(restorer.feed, sealed), restorer.flush()]) == text


def test_messages_said_before_a_value_was_known_are_hidden_too(session: Session) -> None:
    early = HumanMessage("The word is zebra-quartz-7731.")
    late = RedactedMessage("Yes, that one.", known_pii_values=[PrivateData("zebra-quartz-7731", name="code_word")])
    sealed = session.redact_messages([early, late])
    assert "zebra" not in sealed[0].text()
    assert "[CUSTOM_CODE_WORD_" in sealed[0].text()


def test_history_hides_what_became_known_after_it_was_said(session: Session) -> None:
    session.invoke([HumanMessage("The word is zebra-quartz-7731.")], model=ScriptedModel(["Noted."]))
    session.private_data.put(PrivateData("zebra-quartz-7731", name="code_word"))
    assert "zebra" not in session.history()[0].text()


def test_the_events_are_one_bridge_an_audience(session: Session) -> None:
    assert session.events() is session.events()
    assert session.events(audience="internal") is not session.events()
    assert session.events(owner="jane") is not session.events()
    with pytest.raises(InvalidInput):
        session.events(audience="public")  # type: ignore[arg-type]


def test_run_tool_injects_runs_and_redacts(gateway: Gateway, session: Session) -> None:
    received: list[str] = []

    @gateway.toolify()
    def mail(to: Annotated[str, Accepts("EMAIL_ADDRESS")]) -> str:
        received.append(to)
        return f"sent to {to}"

    shown = session.redact("jane.roe@example.com").text
    message = session.run_tool(ToolCall(id="c1", name="mail", arguments={"to": shown}))
    assert received == ["jane.roe@example.com"]
    assert (message.content, message.status, message.tool_call_id) == (f"sent to {shown}", "success", "c1")


def test_run_tool_leaves_the_history_alone(gateway: Gateway, session: Session) -> None:
    gateway.toolify(name="echo")(lambda: "echo")
    session.invoke([HumanMessage("Hello.")], model=ScriptedModel(["Good day."]))
    before = session.history()
    session.run_tool(ToolCall(id="c1", name="echo"))
    assert session.history() == before


def test_run_tool_tells_of_an_unregistered_tool(session: Session) -> None:
    message = session.run_tool(ToolCall(id="c1", name="nothing"))
    assert message.status == "error"
    assert str(message.content).startswith("UnknownTool")


def test_run_tool_does_not_wait_for_an_answer_from_outside(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    @depends_on_interrupt("pin", sensitive="PIN")
    def enter(pin: str) -> str:
        return pin

    with pytest.raises(ToolFailed):
        session.run_tool(ToolCall(id="c1", name="enter"))


async def test_run_tool_has_an_async_twin(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    async def echo(text: str) -> str:
        return text

    message = await session.arun_tool(ToolCall(id="c1", name="echo", arguments={"text": "jane.roe@example.com"}))
    assert message.content == session.redact("jane.roe@example.com").text


def test_a_session_is_not_shown_copied_or_pickled(session: Session) -> None:
    session.redact("jane.roe@example.com")
    assert repr(session) == "Session('s1')"
    for keep in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            keep(session)


def test_a_one_time_code_gets_a_new_placeholder_once_it_is_gone(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    def enter(code: Annotated[str, Accepts("OTP_CODE")]) -> str:
        return "entered"

    first = session.redact("Your code is 482913").text
    shown = str(find_all(first)[0][2])
    assert session.redact("Your code is 482913").text == first
    session.run_tool(ToolCall(id="c1", name="enter", arguments={"code": shown}))
    assert session.redact("Your code is 482913").text != first


CHILD = """
import sys
from sealgate.gateway import Gateway
from sealgate.redaction import Detector
with Gateway.open(sys.argv[1], key=bytes.fromhex(sys.stdin.readline()), detector=Detector(names=False)) as gateway:
    session = gateway.session("order", create=False)
    print(session.redact(sys.stdin.read()).text, end="")
"""


def test_another_process_gives_the_same_placeholders(tmp_path: Path, detector: Detector) -> None:
    path, key = tmp_path / "vault.db", b"\x07" * 32
    text = "Mail jane.roe@example.com, card 4111 1111 1111 1111, code is 482913."
    with Gateway.open(path, key=key, detector=detector) as gateway:
        here = gateway.session("order").redact(text).text
        there = subprocess.run(
            [sys.executable, "-c", CHILD, str(path)],
            input=f"{key.hex()}\n{text}".encode(), capture_output=True, check=True, timeout=60,
        )  # fmt: skip
        assert there.stdout.decode() == here
        assert gateway.session("order").redact(text).text == here


def test_a_shred_says_whether_the_disk_is_clean(tmp_path: Path, detector: Detector) -> None:
    with Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector) as gateway:
        session = gateway.session("s1")
        session.redact("Mail ada@example.org")
        with gateway._vault._shared.store.read() as transaction:
            (row,) = transaction.sessions.page(0, 10)
            assert session.shred() is False
        assert gateway.purge() is True
        assert row.wrapped is not None
        assert not any(row.wrapped in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("text", [None, b"bytes", 5, ["list"]])
def test_what_is_no_text_is_refused(session: Session, text: Any) -> None:
    for method in (session.redact, session.restore, session.restore_reply, session.explain):
        with pytest.raises(InvalidInput):
            method(text)


def test_nothing_is_filed_in_a_process_that_lacks_the_tool(tmp_path: Path, detector: Detector) -> None:
    model = ScriptedModel([ToolCall(id="c1", name="pay", arguments={}), "Done."])

    @depends_on_interrupt("code", prompt="Code?", sensitive="OTP_CODE")
    def pay(code: str) -> str:
        return "paid"

    with Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector) as gateway:
        gateway.toolify()(pay)
        waiting = gateway.session("s1").invoke([HumanMessage("pay")], model=model).interrupts[0]
    with Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector) as gateway:
        session = gateway.session("s1")
        with pytest.raises(UnknownTool):
            session.resume(waiting.id, "482913", model=model)
        gateway.toolify()(pay)
        assert session.resume(waiting.id, "482913", model=model).status == "completed"
