"""Ids of calls are the model's own: the same in each step, or a value; nothing is used, approved or shown by one."""

from __future__ import annotations

from typing import Annotated

import pytest

from sealgate.gateway import (
    Accepts,
    Agent,
    Gateway,
    HumanMessage,
    InterruptConfig,
    LeakPrevented,
    Policy,
    PrivateData,
    Rule,
    Session,
    ToolCall,
    interrupt,
)
from sealgate.gateway.testing import ScriptedModel
from sealgate.redaction import Detector

PASSWORD = "tr0ub4dor-zebra-quartz-77"


def twice(name: str, *arguments: dict[str, object]) -> ScriptedModel:
    """A model that calls one tool in two steps, both times as ``c``."""
    return ScriptedModel([*(ToolCall(id="c", name=name, arguments=given) for given in arguments), "Done."])


def test_a_one_time_value_is_used_once(gateway: Gateway, session: Session) -> None:
    ran: list[int] = []

    @gateway.toolify()
    def login(password: Annotated[str, Accepts("PASSWORD")], number: int) -> str:
        ran.append(number)
        return "in"

    held = session.private_data.put(PrivateData(PASSWORD, name="password", pii_type="PASSWORD", uses=1))
    model = twice("login", {"password": held, "number": 1}, {"password": held, "number": 2})
    response = session.invoke([HumanMessage("Go.")], model=model)
    assert ran == [1]
    assert response.messages[-2].text().startswith("ValueGone")


def test_the_uses_of_a_policy_are_counted(detector: Detector) -> None:
    ran: list[int] = []
    policy = Policy(version=1, rules=(Rule(tool="login", argument="password", types=("PASSWORD",), uses=1),))
    with Gateway.open(":memory:", detector=detector, policy=policy) as gateway:

        @gateway.toolify()
        def login(password: Annotated[str, Accepts("PASSWORD")], number: int) -> str:
            ran.append(number)
            return "in"

        session = gateway.session("s1")
        held = session.private_data.put(PrivateData(PASSWORD, name="password", pii_type="PASSWORD"))
        session.invoke(
            [HumanMessage("Go.")],
            model=twice("login", {"password": held, "number": 1}, {"password": held, "number": 2}),
        )
    assert ran == [1]


@pytest.mark.parametrize("stage", ["before", "after"])
def test_an_approval_is_asked_for_again(gateway: Gateway, session: Session, stage: str) -> None:
    ran: list[int] = []
    config = InterruptConfig(**{f"interrupt_{stage}": ["pay"]})  # type: ignore[arg-type]

    @gateway.toolify()
    def pay(amount: int) -> str:
        ran.append(amount)
        return f"paid {amount}"

    agent = Agent("payer", model=twice("pay", {"amount": 1}, {"amount": 1_000_000}), gateway=gateway, interrupt=config)
    first = agent.invoke([HumanMessage("Go.")], session=session)
    second = agent.resume(first.interrupts[0].id, True, session=session)
    assert second.status == "interrupted"
    assert second.interrupts[0].id != first.interrupts[0].id
    assert ran == ([1] if stage == "before" else [1, 1_000_000])
    agent.resume(second.interrupts[0].id, False, session=session)
    assert ran == ([1] if stage == "before" else [1, 1_000_000])
    assert "1000000" not in session.history()[-2].text()


def test_a_pause_of_a_body_is_asked_again(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    def delete(path: str) -> str:
        return f"{path}: {interrupt('Delete it?')}"

    model = twice("delete", {"path": "a"}, {"path": "b"})
    first = session.invoke([HumanMessage("Go.")], model=model)
    second = session.resume(first.interrupts[0].id, "yes")
    assert second.status == "interrupted"
    last = session.resume(second.interrupts[0].id, "no")
    read = [message.text() for message in last.messages if message.role == "tool"]
    assert [text[:2] for text in read] == ["a:", "b:"]


def test_an_effect_is_remembered_for_one_call(gateway: Gateway, session: Session) -> None:
    ran: list[str] = []

    @gateway.toolify()
    def send(to: str) -> str:
        return str(session.cache.once("send", lambda: ran.append(to)))

    session.invoke([HumanMessage("Go.")], model=twice("send", {"to": "a"}, {"to": "b"}))
    assert ran == ["a", "b"]


def test_a_value_in_an_id_or_a_made_up_name_goes_nowhere(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    def look() -> None: ...

    session.private_data.put(PrivateData(PASSWORD, name="password"))
    for call in (ToolCall(id=PASSWORD, name="look"), ToolCall(id="c", name=PASSWORD)):
        with pytest.raises(LeakPrevented):
            session.invoke([HumanMessage("Go.")], model=ScriptedModel([call]))
    assert PASSWORD not in repr((session.history(), session.events(audience="internal").history()))
    assert session.invoke([HumanMessage("Go.")], model=ScriptedModel(["Done."])).status == "completed"


def test_an_id_that_becomes_known_later_is_hidden_in_what_the_model_reads(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    def look() -> None: ...

    session.invoke([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id=PASSWORD, name="look"), "Done."]))
    session.private_data.put(PrivateData(PASSWORD, name="password"))
    model = ScriptedModel(["Done."])
    assert session.invoke([HumanMessage("Go on.")], model=model).status == "completed"
    ((messages, _tools),) = model.seen
    assert messages[2].tool_call_id == messages[1].tool_calls[0].id != PASSWORD
