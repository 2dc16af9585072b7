"""The turn as a pure function: which step follows which state."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealgate.gateway.turn.state import AskState, CallState, TurnState
from sealgate.gateway.turn.steps import (
    Ask,
    CallModel,
    RunTool,
    Stop,
    after_attempt,
    after_error,
    after_failure,
    after_model,
    after_pause,
    after_resume,
    after_start,
    after_success,
    next_step,
)
from sealgate.models.messages import SealedMessage, sealing


def said(text: str) -> SealedMessage:
    with sealing():
        return SealedMessage(role="assistant", content=text)


def state(**fields: object) -> TurnState:
    return TurnState.model_validate({"turn_id": "t1", **fields})


def asking(name: str, **fields: object) -> AskState:
    return AskState.model_validate({"interrupt_id": f"i-{name}", "arg_name": name, "prompt": "?", **fields})


def test_a_new_turn_calls_the_model() -> None:
    assert next_step(state()) == CallModel()


def test_an_answer_without_calls_completes_the_turn() -> None:
    done = after_model(state(), said("hello"), ())
    assert (done.status, done.response, done.model_steps) == ("completed", "hello", 1)
    assert next_step(done) == Stop()


def test_questions_come_in_order_and_before_the_tool() -> None:
    call = CallState(id="c1", tool="pay", asks=(asking("account"), asking("otp")))
    current = after_model(state(), said(""), (call,))
    assert next_step(current) == Ask("c1", call.asks[0])
    current = after_attempt(current, "c1", asking("account", answered=True, answer="[X]"))
    assert next_step(current) == Ask("c1", call.asks[1])
    current = after_attempt(current, "c1", asking("otp", answered=True, answer="[Y]"))
    assert next_step(current) == RunTool("c1")


def test_a_started_call_asks_nothing_more() -> None:
    call = CallState(id="c1", tool="pay", asks=(asking("account"),))
    current = after_start(after_model(state(), said(""), (call,)), "c1")
    assert next_step(current) == RunTool("c1")


def test_results_become_messages_in_the_order_of_the_calls_when_all_are_done() -> None:
    calls = (CallState(id="c1", tool="a"), CallState(id="c2", tool="b"))
    current = after_failure(after_model(state(), said(""), calls), "c1", "ToolFailed: no")
    assert len(current.messages) == 1
    current = after_success(current, "c2", "fine", {"ok": True})
    assert [(m.tool_call_id, m.status, m.content) for m in current.messages[1:]] == [
        ("c1", "error", "ToolFailed: no"),
        ("c2", "success", "fine"),
    ]
    assert next_step(current) == CallModel()
    assert current.results == {"b": {"ok": True}}


def test_a_dependency_leaves_no_message_of_its_own() -> None:
    calls = (CallState(id="c1/a", tool="a", parent="c1"), CallState(id="c1", tool="b", requires=(("a", "x"),)))
    current = after_success(after_model(state(), said(""), calls), "c1/a", "7", 7)
    assert next_step(current) == RunTool("c1")
    current = after_success(current, "c1", "8", 8)
    assert [message.tool_call_id for message in current.messages[1:]] == ["c1"]


@pytest.mark.parametrize(("failed", "status"), [(False, "completed"), (True, "running")])
def test_a_final_tool_completes_the_turn_only_when_it_succeeds(*, failed: bool, status: str) -> None:
    current = after_model(state(), said(""), (CallState(id="c1", tool="order", final=True),))
    current = after_failure(current, "c1", "no") if failed else after_success(current, "c1", "{}", {"item": "x"})
    assert current.status == status
    assert (current.result_tool, current.result) == ((None, None) if failed else ("order", {"item": "x"}))


def test_a_pause_stops_and_a_resume_goes_on_where_it_was() -> None:
    call = CallState(id="c1", tool="pay", asks=(asking("otp"),))
    current = after_model(state(), said(""), (call,))
    paused = after_pause(current)
    assert next_step(paused) == Stop()
    assert after_resume(paused) == current


def test_an_error_stops_with_its_code() -> None:
    failed = after_error(state(), "model_failed", "the model failed")
    assert next_step(failed) == Stop()
    assert failed.error is not None
    assert (failed.status, failed.error.code) == ("failed", "model_failed")


@given(text=st.text(), answer=st.text(), arguments=st.dictionaries(st.text(), st.text(), max_size=3))
def test_a_recorded_state_is_the_state(text: str, answer: str, arguments: dict[str, str]) -> None:
    call = CallState(id="c1", tool="pay", arguments=dict(arguments), asks=(asking("otp", answer=answer),))
    current = after_model(state(), said(text), (call,))
    assert TurnState.from_json(current.to_json()) == current


def test_a_state_of_another_version_is_refused() -> None:
    recorded = state().to_json().replace(b'"version": 1', b'"version": 2')
    with pytest.raises(ValueError, match="version"):
        TurnState.from_json(recorded)
