"""What a call depends on runs first, once; what the model supplies for a hidden argument is ignored."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from sealgate.gateway import (
    Gateway,
    HumanMessage,
    PrivateData,
    Session,
    SessionResponse,
    ToolCall,
    depends_on_interrupt,
    depends_on_private_data,
    depends_on_tool,
)
from sealgate.gateway.testing import ScriptedHuman, ScriptedModel
from sealgate.gateway.tools.toolkit import Toolkit
from sealgate.gateway.turn.planning import plan_calls
from sealgate.gateway.turn.state import CallState
from sealgate.models.errors import InvalidPolicy, TurnError
from sealgate.models.messages import SealedCall, SealedMessage, sealing

EMAIL = "jane.roe@example.com"


class Kitchen:
    """Tools ``a``, ``b`` … by what each needs; ``ran`` has their names in order, with what they received."""

    def __init__(self, gateway: Gateway, **needs: str) -> None:
        self.ran: list[str] = []
        for name, needed in needs.items():
            gateway.toolify(name=name, description="")(self._tool(name, needed))

    def _tool(self, name: str, needed: str) -> Any:
        def run(x: str = "", y: str = "") -> str:
            self.ran.append(f"{name}({x}{y})")
            return f"{name}{x}{y}".upper()

        target: Any = run
        for other, argument in zip(needed, "xy", strict=False):
            target = depends_on_tool(other, argument)(target)
        return target


def turn(session: Session, *calls: ToolCall | list[ToolCall]) -> SessionResponse:
    return session.invoke([HumanMessage("Go.")], model=ScriptedModel([*calls, "Done."]))


def call(name: str, number: int = 1, **arguments: Any) -> ToolCall:
    return ToolCall(id=f"c{number}", name=name, arguments=arguments)


@pytest.mark.parametrize(
    ("needs", "asked", "ran"),
    [
        ({"a": ""}, "a", ["a()"]),
        ({"a": "", "b": "a"}, "b", ["a()", "b(A)"]),
        ({"c": "b", "b": "a", "a": ""}, "c", ["a()", "b(A)", "c(BA)"]),
        ({"a": "", "b": "a", "c": "a", "d": "bc"}, "d", ["a()", "c(A)", "b(A)", "d(BACA)"]),
        ({"a": "", "b": "a"}, "ab", ["a()", "b(A)"]),
        ({"a": "", "b": "a"}, "ba", ["a()", "b(A)", "a()"]),
        ({"a": "", "b": "a", "c": "a"}, "bc", ["a()", "b(A)", "c(A)"]),
    ],
)
def test_dependencies_run_first_and_once(
    gateway: Gateway, session: Session, needs: dict[str, str], asked: str, ran: list[str]
) -> None:
    kitchen = Kitchen(gateway, **needs)
    response = turn(session, [call(name, number) for number, name in enumerate(asked)])
    assert kitchen.ran == ran
    assert [message.tool_call_id for message in response.messages if message.role == "tool"] == [
        f"c{number}" for number in range(len(asked))
    ]


def test_a_dependency_of_an_earlier_step_is_not_run_again(gateway: Gateway, session: Session) -> None:
    kitchen = Kitchen(gateway, a="", b="a")
    turn(session, call("a"), call("b", 2))
    assert kitchen.ran == ["a()", "b(A)"]
    turn(session, call("b", 3))
    assert kitchen.ran == ["a()", "b(A)", "a()", "b(A)"]


def test_a_dependency_that_fails_fails_what_needs_it_and_is_tried_again(gateway: Gateway, session: Session) -> None:
    attempts = itertools.count()

    def shaky() -> str:
        if next(attempts) == 0:
            raise ValueError(f"not yet, {EMAIL}")
        return "ready"

    gateway.toolify()(shaky)
    gateway.toolify(name="needs")(depends_on_tool(shaky, "x")(lambda x: x))
    response = turn(session, call("needs"), call("needs", 2))
    first, second = [message for message in response.messages if message.role == "tool"]
    assert (first.status, second.status, second.content) == ("error", "success", "ready")
    assert "'shaky'" in first.text()
    assert EMAIL not in first.text()


def test_a_dependent_tool_gets_the_real_result_and_the_state_placeholders(gateway: Gateway, session: Session) -> None:
    received: list[object] = []

    def look() -> dict[str, Any]:
        return {"mail": EMAIL, "all": [EMAIL, {EMAIL: 4111111111111111}]}

    def use(found: dict[str, Any]) -> str:
        received.append(found)
        return "used"

    gateway.toolify()(look)
    gateway.toolify()(depends_on_tool(look, "found")(use))
    response = turn(session, call("use"))
    assert received == [look()]
    everything = repr((response, session.history(), session.events().history(), session.sent_to_model()))
    assert EMAIL not in everything
    assert "4111111111111111" not in everything


def test_a_result_is_a_grant_for_its_argument_alone(gateway: Gateway, session: Session) -> None:
    called: list[str] = []

    def look() -> str:
        return EMAIL

    def use(found: str, other: str) -> None:
        called.append(found)

    gateway.toolify()(look)
    gateway.toolify()(depends_on_tool(look, "found")(use))
    shown = turn(session, call("look")).messages[2].text()
    response = turn(session, call("use", 2, other=shown))
    assert called == []
    assert response.messages[2].text().startswith("GrantRefused: argument 'other'")


@pytest.mark.parametrize("key", ["account", "mail", "found"])
def test_what_the_model_supplies_for_a_hidden_argument_is_ignored(gateway: Gateway, session: Session, key: str) -> None:
    received: dict[str, str] = {}
    human = ScriptedHuman({"account": "1234-5678-9012"})

    def look() -> str:
        return "looked up"

    def use(account: str, mail: str, found: str, plain: str) -> str:
        received.update(account=account, mail=mail, found=found, plain=plain)
        return "used"

    gateway.toolify()(look)
    asking = depends_on_interrupt("account", human.handler("account"), sensitive="ACCOUNT_NUMBER")
    gateway.toolify()(asking(depends_on_private_data("mail", "mail")(depends_on_tool(look, "found")(use))))
    session.private_data.put(PrivateData(EMAIL, name="mail", pii_type="EMAIL_ADDRESS"))
    supplied = ToolCall(id="c1", name="use", arguments={"plain": "said", key: "from the model"})
    model = ScriptedModel([supplied, "Done."])
    session.invoke([HumanMessage("Go.")], model=model)
    assert received == {"account": "1234-5678-9012", "mail": EMAIL, "found": "looked up", "plain": "said"}
    (spec,) = [spec for spec in model.seen[0][1] if spec.name == "use"]
    assert list(spec.parameters["properties"]) == ["plain"]
    assert spec.parameters["required"] == ["plain"]


def test_a_key_that_no_argument_has_is_refused_before_anything_runs(gateway: Gateway, session: Session) -> None:
    kitchen = Kitchen(gateway, a="")
    response = turn(session, call("a", z="more"))
    assert kitchen.ran == []
    assert response.messages[2].text().startswith("InvalidArguments")


def test_an_unregistered_tool_fails_and_the_others_run(gateway: Gateway, session: Session) -> None:
    kitchen = Kitchen(gateway, a="")
    response = turn(session, [call("a", 1), call("nothing", 2), call("a", 3)])
    assert kitchen.ran == ["a()", "a()"]
    assert [message.status for message in response.messages if message.role == "tool"] == [
        "success",
        "error",
        "success",
    ]


def test_a_circle_of_dependencies_is_refused(gateway: Gateway, session: Session) -> None:
    Kitchen(gateway, a="b", b="a")
    with pytest.raises((InvalidPolicy, TurnError)):
        turn(session, call("a"))
    assert session.events().history()[-1].type == "error"


def planned(toolkit: Toolkit, *calls: tuple[str, str], done: tuple[str, ...] = ()) -> list[CallState]:
    with sealing():
        message = SealedMessage(
            role="assistant", tool_calls=tuple(SealedCall(id=name, name=tool) for name, tool in calls)
        )
    return list(plan_calls(message, {"c1": ("[PIN_00000000]",)}, toolkit, done, iter("123456789").__next__))


def test_a_plan_says_which_call_needed_which() -> None:
    toolkit = Toolkit()
    toolkit.toolify(name="a")(lambda: "")
    toolkit.toolify(name="b")(depends_on_tool("a", "x")(lambda x: x))
    states = planned(toolkit, ("c1", "b"), ("c2", "gone"))
    assert [(state.id, state.parent, state.phase, state.requires) for state in states] == [
        ("c1/a", "c1", "waiting", ()),
        ("c1", None, "waiting", (("a", "x"),)),
        ("c2", None, "done", ()),
    ]
    assert states[1].written == ("[PIN_00000000]",)
    assert [state.id for state in planned(toolkit, ("c1", "b"), done=("a",))] == ["c1"]


def test_questions_are_asked_top_to_bottom_each_with_an_id_of_its_own() -> None:
    toolkit = Toolkit()

    @toolkit.toolify()
    @depends_on_interrupt("first", prompt="One? ")
    @depends_on_interrupt("second", lambda prompt: "", "Two? ", attempts=2)
    def ask(second: str, first: str) -> str:
        return first + second

    (state,) = planned(toolkit, ("c1", "ask"))
    assert [(one.interrupt_id, one.arg_name, one.number, one.total, one.out_of_band) for one in state.asks] == [
        ("1", "first", 1, 2, True),
        ("2", "second", 2, 2, False),
    ]
