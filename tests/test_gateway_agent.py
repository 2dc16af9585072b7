"""An agent: its own tools over the gateway's, its prompt, and typed results."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from sealgate.gateway import Agent, Gateway, HumanMessage, ToolCall, depends_on_private_data
from sealgate.gateway.testing import ScriptedModel
from sealgate.models.errors import StoreUnavailable
from sealgate.models.messages import PrivateData


class Order(BaseModel):
    item: str
    quantity: int
    email: str


class PrivateOrder(Order):
    """One whose e-mail the application fills."""


def ordering(email: str) -> ScriptedModel:
    return ScriptedModel([ToolCall(id="c1", name="Order", arguments={"item": "roses", "quantity": 3, "email": email})])


def test_an_agents_tools_are_its_own(gateway: Gateway) -> None:
    gateway.toolify(name="shared")(lambda: "of the gateway")
    agent = Agent("checkout", gateway=gateway, model=ScriptedModel(["hi"]))
    agent.toolify(name="own")(lambda: "of the agent")
    agent.invoke([HumanMessage("Hello.")])
    model = ScriptedModel(["hi"])
    gateway.session("plain").invoke([HumanMessage("Hello.")], model=model)
    assert [spec.name for spec in agent.tools.specs()] == ["own", "shared"]
    assert [spec.name for spec in model.seen[0][1]] == ["shared"]


def test_the_system_prompt_comes_first_redacted_and_once(gateway: Gateway) -> None:
    model = ScriptedModel(["one", "two"])
    agent = Agent("checkout", gateway=gateway, model=model, system_prompt="Never mail jane.roe@example.com.")
    session = gateway.session("s1")
    agent.invoke([HumanMessage("Hello.")], session=session)
    agent.invoke([HumanMessage("Again.")], session=session)
    assert [message.role for message in model.seen[1][0]] == ["system", "user", "assistant", "user"]
    assert "jane" not in model.seen[0][0][0].text()


def test_without_a_session_each_turn_is_a_conversation_of_its_own(gateway: Gateway) -> None:
    model = ScriptedModel(["one", "two"])
    agent = Agent("checkout", gateway=gateway, model=model)
    first, second = agent.invoke([HumanMessage("Hello.")]), agent.invoke([HumanMessage("Again.")])
    assert first.session_id != second.session_id
    assert len(model.seen[1][0]) == 1


def test_a_model_given_with_the_turn_wins(gateway: Gateway) -> None:
    agent = Agent("checkout", gateway=gateway, model=ScriptedModel([]))
    assert agent.invoke([HumanMessage("Hello.")], model=ScriptedModel(["given"])).response == "given"


async def test_every_way_to_run_a_turn_ends_the_same(gateway: Gateway) -> None:
    def agent() -> Agent:
        return Agent("checkout", gateway=gateway, model=ScriptedModel(["done"]))

    awaited = await agent().ainvoke([HumanMessage("Hello.")])
    streamed = [event.type async for event in agent().astream([HumanMessage("Hello.")])]
    assert awaited.response == "done"
    assert (streamed[0], streamed[-1]) == ("session.started", "final")


def test_a_blocking_stream_ends_the_same(gateway: Gateway) -> None:
    agent = Agent("checkout", gateway=gateway, model=ScriptedModel(["done"]))
    assert [event.type for event in agent.stream([HumanMessage("Hello.")])][-1] == "final"


def test_structured_output_ends_the_turn_with_an_object(gateway: Gateway) -> None:
    session = gateway.session("s1")
    shown = session.redact("jane.roe@example.com").text
    agent = Agent("checkout", gateway=gateway, system_prompt="Be brief.")
    typed = agent.structured_output(Order)
    agent_names = [spec.name for spec in agent.tools.specs()]
    response = typed.invoke([HumanMessage("Three roses.")], session=session, model=ordering("jane@elsewhere.example"))
    assert agent_names == []
    assert response.status == "completed"
    assert isinstance(response.result, Order)
    assert response.result.email != "jane@elsewhere.example"
    with session.reveal(response.result) as order:
        assert order == Order(item="roses", quantity=3, email="jane@elsewhere.example")
    ungranted = ToolCall(id="c1", name="Order", arguments={"item": "roses", "quantity": 3, "email": shown})
    again = ScriptedModel([ungranted, "no"])
    refused = typed.invoke([HumanMessage("Three roses.")], session=session, model=again)
    assert (refused.result, refused.response) == (None, "no")


def test_a_final_tool_takes_private_data(gateway: Gateway) -> None:
    agent = Agent("checkout", gateway=gateway)
    typed = agent.structured_output(depends_on_private_data("email", "email")(PrivateOrder))
    session = gateway.session("s1")
    shown = session.private_data.put(PrivateData("jane.roe@example.com", name="email", pii_type="EMAIL_ADDRESS"))
    model = ScriptedModel([ToolCall(id="c1", name="PrivateOrder", arguments={"item": "roses", "quantity": 3})])
    response = typed.invoke([HumanMessage("Three roses.")], session=session, model=model)
    assert response.result.email == shown
    assert "email" not in model.seen[0][1][0].parameters["properties"]


def test_an_agent_without_a_gateway_owns_one_and_closes_it() -> None:
    with Agent("checkout", model=ScriptedModel(["done"])) as agent:
        gateway = agent.gateway
        assert agent.invoke([HumanMessage("Hello.")]).response == "done"
        assert repr(agent) == "Agent('checkout')"
    with pytest.raises(StoreUnavailable):
        gateway.session("late")


def test_closing_an_agent_leaves_a_gateway_that_it_was_given(gateway: Gateway) -> None:
    with Agent("checkout", gateway=gateway):
        pass
    assert gateway.session("late").redact("x").text == "x"
