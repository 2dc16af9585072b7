"""What the next turn's model reads of the calls that a turn left behind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sealgate.gateway import (
    Gateway,
    HumanMessage,
    SealedMessage,
    Session,
    ToolCall,
    depends_on_interrupt,
    depends_on_tool,
    interrupt,
)
from sealgate.gateway.testing import ScriptedModel
from sealgate.gateway.turn.closing import NOT_RUN, TOO_LATE, UNKNOWN, WITHHELD, answered, closed
from sealgate.gateway.turn.state import ApprovalState, CallState, PauseState, TurnState
from sealgate.models.events import ErrorDescriptor
from sealgate.models.messages import SealedCall, sealing

PAUSE = PauseState(interrupt_id="p")
DENIED = ApprovalState(interrupt_id="i", stage="before", decided="denied", note="Too much.")
APPROVED = ApprovalState(interrupt_id="i", stage="before", decided="approved")


def unanswered(messages: tuple[SealedMessage, ...]) -> list[str]:
    """The ids of calls that no message right after them answers, and of messages that answer no call: what
    OpenAI-compatible endpoints refuse.
    """
    wrong: list[str] = []
    open_calls: list[str] = []
    for message in messages:
        if message.role == "tool":
            wrong += [] if message.tool_call_id in open_calls else [f"stray {message.tool_call_id}"]
            open_calls = [one for one in open_calls if one != message.tool_call_id]
            continue
        wrong += open_calls
        open_calls = [call.id for call in message.tool_calls]
    return wrong + open_calls


def left(*calls: CallState, code: str = "turn_cancelled") -> TurnState:
    """A turn that failed while these calls were under way."""
    with sealing():
        asked = tuple(SealedCall(id=call.id, name=call.tool) for call in calls if call.parent is None)
        said = (SealedMessage(role="user", content="Go."), SealedMessage(role="assistant", tool_calls=asked))
    return TurnState(turn_id="t", status="failed", messages=said, calls=calls, error=ErrorDescriptor(code=code))


@pytest.mark.parametrize(
    ("call", "code", "read"),
    [
        ({"phase": "waiting"}, "turn_cancelled", NOT_RUN),
        ({"phase": "waiting", "held": True}, "turn_cancelled", NOT_RUN),
        ({"phase": "waiting", "held": True}, "interrupt_timeout", TOO_LATE),
        ({"phase": "waiting"}, "interrupt_timeout", NOT_RUN),
        ({"phase": "waiting", "approvals": (APPROVED,)}, "turn_cancelled", NOT_RUN),
        (
            {"phase": "waiting", "approvals": (DENIED,)},
            "turn_cancelled",
            "Denied: the call was not approved: Too much.",
        ),
        ({"phase": "waiting", "pauses": (PAUSE,), "held": True}, "interrupt_timeout", UNKNOWN),
        ({"phase": "started"}, "turn_cancelled", UNKNOWN),
        ({"phase": "started", "idempotent": True}, "turn_cancelled", UNKNOWN),
        ({"phase": "returned", "content": "paid"}, "turn_cancelled", WITHHELD),
        ({"phase": "done", "content": "paid"}, "turn_cancelled", "paid"),
        ({"phase": "done", "content": "ToolFailed: no", "status": "error"}, "model_failed", "ToolFailed: no"),
    ],
)
def test_what_is_known_of_a_call(call: dict[str, Any], code: str, read: str) -> None:
    state = left(CallState(id="c1", tool="pay", **call), CallState(id="c2", tool="look"), code=code)
    messages = closed(state)
    assert unanswered(messages) == []
    first, second = messages[2:]
    assert (first.content, first.tool_call_id, first.name) == (read, "c1", "pay")
    assert first.status == ("success" if read == "paid" else "error")
    assert second.content == NOT_RUN


@pytest.mark.parametrize(
    ("dependency", "told"),
    [
        ({"phase": "waiting"}, ""),
        ({"phase": "started"}, f"; 'login', which it depends on: {UNKNOWN}"),
        ({"phase": "waiting", "pauses": (PAUSE,)}, f"; 'login', which it depends on: {UNKNOWN}"),
        ({"phase": "done", "content": "secret-ish"}, "; 'login', which it depends on: was run"),
        ({"phase": "done", "content": "E: x", "status": "error"}, "; 'login', which it depends on: E: x"),
    ],
)
def test_what_ran_first_is_told_with_the_call_that_needed_it(dependency: dict[str, Any], told: str) -> None:
    inner = CallState(id="c1/login", tool="login", parent="c1", **dependency)
    (message,) = closed(left(inner, CallState(id="c1", tool="pay")))[2:]
    assert message.content == NOT_RUN + told


@pytest.mark.parametrize(
    ("given", "roles"),
    [
        ("u", "u"),
        ("ua", "ua"),
        ("u2", "u2tt"),
        ("u2t", "u2tt"),
        ("u2tt", "u2tt"),
        ("u2u", "u2ttu"),
        ("u2tu2", "u2ttu2tt"),
        ("22", "2tt2tt"),
    ],
)
def test_a_conversation_that_somebody_gave_is_made_whole(given: str, roles: str) -> None:
    """``u`` a person, ``a`` an answer, ``2`` two calls, ``t`` the result of the next of them."""

    def said(kind: str, results: int) -> SealedMessage:
        calls = tuple(SealedCall(id=f"c{number}", name="pay") for number in range(2 * (kind == "2")))
        if kind == "t":
            return SealedMessage(role="tool", content="paid", tool_call_id=f"c{results}")
        return SealedMessage(role="user" if kind == "u" else "assistant", tool_calls=calls)

    with sealing():
        whole = answered(said(kind, given[:at].rpartition("2")[2].count("t")) for at, kind in enumerate(given))
    assert unanswered(whole) == []
    told = "".join({"user": "u", "tool": "t"}.get(one.role, "2" if one.tool_calls else "a") for one in whole)
    assert told == roles
    assert [one.text() for one in whole if one.role == "tool"].count("paid") == given.count("t")


def test_a_turn_whose_calls_had_ended_is_as_it_was() -> None:
    state = left()
    assert closed(state) == state.messages


def test_the_next_turns_model_reads_what_was_done_what_may_have_been_and_what_was_not(
    gateway: Gateway, session: Session
) -> None:
    gateway.toolify(name="pay")(lambda: "paid 4111 1111 1111 1111")
    gateway.toolify(name="leave")(lambda: (_ for _ in ()).throw(KeyboardInterrupt()))
    gateway.toolify(name="look")(lambda: "never")
    calls = [ToolCall(id=f"c{number}", name=name) for number, name in enumerate(("pay", "leave", "look"))]
    with pytest.raises(KeyboardInterrupt):
        session.invoke([HumanMessage("Go.")], model=ScriptedModel([calls]))
    ended = [(event.type, event.tool.name) for event in session.events().history() if event.tool]
    assert ended[-2:] == [("tool.started", "leave"), ("tool.failed", "leave")]
    model = ScriptedModel(["I see.", "And again."])
    session.invoke([HumanMessage("What happened?")], model=model)
    session.invoke([HumanMessage("And now?")], model=model)
    for seen, _tools in model.seen:
        assert unanswered(seen) == []
        read = [message.text() for message in seen if message.role == "tool"]
        assert read[0].startswith("paid [CREDIT_CARD_")
        assert read[1:] == [UNKNOWN, NOT_RUN]
    assert "4111" not in json.dumps([message.model_dump(mode="json") for message in session.history()])


def test_a_caller_who_resends_what_was_said_gets_the_calls_that_were_left_behind(
    gateway: Gateway, session: Session
) -> None:
    gateway.toolify(name="leave")(lambda: (_ for _ in ()).throw(KeyboardInterrupt()))
    model = ScriptedModel(["Hello.", ToolCall(id="c1", name="leave"), "I see.", "Yes."])
    session.invoke([HumanMessage("Hi.")], model=model)
    with pytest.raises(KeyboardInterrupt):
        session.invoke([HumanMessage("Go.")], model=model)
    resent: list[SealedMessage | HumanMessage] = [*session.history()[:-1], HumanMessage("What happened?")]
    assert [message.role for message in resent] == ["user", "assistant", "user", "assistant", "user"]
    session.invoke(resent, model=model)
    assert [message.role for message in model.seen[2][0]] == ["user", "assistant", "user", "assistant", "tool", "user"]
    texts_alone = [message for message in session.history() if message.text() and message.role != "tool"]
    session.invoke([*texts_alone, HumanMessage("Sure?")], model=model)
    assert [message.text() for message in model.seen[3][0]] == [
        *("Hi.", "Hello.", "Go.", "", UNKNOWN, "What happened?", "I see.", "Sure?")
    ]


@pytest.mark.parametrize("touch", ["cancel", "expire"])
def test_a_turn_that_waited_for_somebody_is_told_to_the_next_one(
    gateway: Gateway, session: Session, touch: str
) -> None:
    """Also what the tool's body did before it paused."""

    @gateway.toolify()
    def book() -> str:
        return str(interrupt("In whose name?"))

    response = session.invoke([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id="c1", name="book")]))
    (asked,) = response.interrupts
    if touch == "cancel":
        session.interrupts.cancel(asked.id)
    else:
        session._services.interrupts.settle(asked.id, lambda one: one.but(state="timed_out"), late=True)
    model = ScriptedModel(["I see."])
    session.invoke([HumanMessage("And?")], model=model)
    assert unanswered(model.seen[0][0]) == []
    assert [message.text() for message in model.seen[0][0] if message.role == "tool"] == [UNKNOWN]
    events = session.events().history()
    failed = [event.tool.name for event in events if event.type == "tool.failed" and event.tool]
    assert failed == ["book"]
    over = "interrupt.cancelled" if touch == "cancel" else "interrupt.timeout"
    assert [event.type for event in events if event.type in (over, "interrupt.cancelled")] == [over]


def test_the_message_of_a_response_that_failed_is_whole(gateway: Gateway, session: Session) -> None:
    """A response that says that nobody answered in time can be sent to a model as it is."""

    @gateway.toolify()
    @depends_on_interrupt("code", prompt="Code?", sensitive="OTP_CODE")
    def pay(code: str) -> str:
        return code

    response = session.invoke([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id="c1", name="pay")]))
    session._services.interrupts.settle(response.interrupts[0].id, lambda one: one.but(state="timed_out"), late=True)
    response = session.resume()
    assert response.status == "failed"
    assert unanswered(tuple(response.messages)) == []
    assert response.messages[-1].text() == TOO_LATE
    assert session.replay() == response


def test_what_a_dependency_left_is_told_with_the_failure_of_what_needed_it(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    def login() -> str:
        raise ValueError("locked for jane.roe@example.com")

    @gateway.toolify()
    @depends_on_tool(login, "token")
    def pay(token: str) -> str:
        return token

    session.invoke([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id="c1", name="pay"), "Done."]))
    (read,) = [message.text() for message in session.history() if message.role == "tool"]
    assert read.startswith(
        "ToolFailed: the tool 'login', which this one depends on, gave no result: ValueError: locked"
    )
    assert "jane.roe" not in read
