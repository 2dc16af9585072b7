"""Opening a typed result: the real object, for a block, audited."""

from __future__ import annotations

import traceback
from typing import Annotated, Any, cast

import pytest
from pydantic import BaseModel, Field, field_validator

from sealgate.gateway import (
    Accepts,
    Agent,
    Gateway,
    HumanMessage,
    PrivateData,
    Session,
    ToolCall,
    ValueGone,
    depends_on_private_data,
)
from sealgate.gateway.testing import ScriptedModel
from sealgate.models.errors import InvalidInput

EMAIL = "jane.roe@example.com"
Mail = Annotated[str, Accepts("EMAIL_ADDRESS")]


class Line(BaseModel):
    item: str
    ship_to: str


class Order(BaseModel):
    email: Mail = Field(alias="eMail")
    lines: Annotated[list[Line], Accepts("EMAIL_ADDRESS")] = Field(default_factory=list)
    counts: dict[str, int] = Field(default_factory=dict)


def ordered(session: Session, gateway: Gateway, target: type[BaseModel], **arguments: Any) -> Any:
    agent = Agent("checkout", gateway=gateway).structured_output(target)
    model = ScriptedModel([ToolCall(id="c1", name=target.__name__, arguments=arguments), "no"])
    response = agent.invoke([HumanMessage("Order.")], session=session, model=model)
    assert response.response is None, response.messages[-2].text()
    return response.result


def test_the_real_object_behind_a_sealed_one(gateway: Gateway, session: Session) -> None:
    shown = session.redact(EMAIL).text
    line = {"item": "roses", "ship_to": shown}
    sealed = ordered(session, gateway, Order, eMail=shown, lines=[line])
    assert sealed.email == shown
    rows = gateway.audit.verify()
    with session.reveal(sealed) as order:
        assert order == Order(eMail=EMAIL, lines=[Line(item="roses", ship_to=EMAIL)])
        assert isinstance(order, Order)
    assert sealed.email == shown
    opened = list(gateway.audit.rows())[rows:]
    assert [(row.action, row.fields["kind"]) for row in opened] == [("opened", "reveal")]


def test_json_is_revealed_too(session: Session) -> None:
    sealed = session.redact_json({"to": EMAIL, "card": 4111111111111111})
    with session.reveal(sealed) as real:
        assert real == {"to": EMAIL, "card": 4111111111111111}


def test_a_burnt_value_is_said_to_be_gone(gateway: Gateway, session: Session) -> None:
    gateway.toolify(name="enter")(depends_on_private_data("code", "code")(lambda code: "ok"))
    shown = session.private_data.put(PrivateData("zebra-quartz-7731", name="code", uses=1))
    session.run_tool(ToolCall(id="c1", name="enter"))
    with pytest.raises(ValueGone), session.reveal({"code": shown}):
        pytest.fail("nothing is opened")


class Broken(BaseModel):
    """One that takes no real value, and says so with the value."""

    email: Mail
    counts: dict[str, int] = Field(default_factory=dict)

    @field_validator("email")
    @classmethod
    def _placeholder(cls, value: str) -> str:
        if "zebra" in value:
            raise RuntimeError(f"holds {value}")
        if "@" in value:
            raise ValueError(f"holds {value}")
        return value


@pytest.mark.parametrize("value", [EMAIL, "zebra@example.com"])
def test_values_that_do_not_fit_are_not_told(gateway: Gateway, session: Session, value: str) -> None:
    counts = cast("Any", {session.redact(EMAIL).text: "none"})
    sealed = Broken.model_construct(email=session.redact(value).text, counts=counts)
    with pytest.raises(InvalidInput) as refused, session.reveal(sealed):
        pytest.fail("nothing is opened")
    frames = traceback.walk_tb(refused.value.__traceback__)
    ours = [repr(frame.f_locals) for frame, _line in frames if "/gateway/" in frame.f_code.co_filename]
    assert ours
    assert not [shown for shown in (*ours, str(refused.value)) if value in shown or EMAIL in shown]
    assert "Broken" in str(refused.value)
    assert refused.value.__cause__ is refused.value.__context__ is None


def test_a_key_that_is_a_value_is_not_told(session: Session) -> None:
    sealed = Order.model_construct(email="x", counts=cast("Any", {session.redact(EMAIL).text: "none"}))
    with pytest.raises(InvalidInput, match=r"counts\.\*") as refused, session.reveal(sealed):
        pytest.fail("nothing is opened")
    assert EMAIL not in str(refused.value)
