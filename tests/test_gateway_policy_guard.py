"""The policy in a session: lifetime, approval, restoring and revealing, and what is said about it beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from sealgate.gateway import (
    Accepts,
    Gateway,
    GrantRefused,
    HumanMessage,
    Policy,
    PrivateData,
    Rule,
    Session,
    ToolCall,
    ToolFailed,
    UnknownTool,
    depends_on_private_data,
)
from sealgate.gateway.testing import FakeClock, ScriptedModel
from sealgate.models.approvals import ApprovalDecision
from sealgate.models.placeholder import find_all
from sealgate.redaction import Detector

CARD = "4111 1111 1111 1111"
POLICY = Policy(
    version=1,
    rules=(
        Rule(tool="young", argument="card", types=("CREDIT_CARD",), lifetime=60.0),
        Rule(tool="approved", argument="card", types=("CREDIT_CARD",), approval=True),
        Rule(purpose="restore", types=("EMAIL_ADDRESS",)),
        Rule(purpose="reveal", types=("CREDIT_CARD",), lifetime=60.0),
        Rule(tool="Order", argument="card", types=("CREDIT_CARD",)),
    ),
)


class Order(BaseModel):
    """A final result."""

    card: Annotated[str, Accepts("CREDIT_CARD")]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def got() -> list[str]:
    return []


@pytest.fixture
def strict(detector: Detector, clock: FakeClock, got: list[str]) -> Iterator[Session]:
    with Gateway.open(":memory:", detector=detector, clock=clock, policy=POLICY) as gateway:

        @gateway.toolify()
        def young(card: Annotated[str, Accepts("CREDIT_CARD")]) -> str:
            got.append(card)
            return "done"

        @gateway.toolify()
        def approved(card: Annotated[str, Accepts("CREDIT_CARD")]) -> str:
            got.append(card)
            return "done"

        @gateway.toolify()
        @depends_on_private_data("token", "token")
        def private(token: str) -> str:
            got.append(token)
            return "done"

        gateway.toolify(final_tool=True)(Order)
        yield gateway.session("s")


def card_of(session: Session) -> str:
    return str(find_all(session.redact(f"My card is {CARD}").text)[0][2])


def run(session: Session, tool: str, **arguments: Any) -> str:
    return str(session.run_tool(ToolCall(id="c", name=tool, arguments=arguments)).content)


def test_a_lifetime_ends(strict: Session, clock: FakeClock, got: list[str]) -> None:
    card = card_of(strict)
    clock.advance(59.0)
    assert run(strict, "young", card=card) == "done"
    clock.advance(2.0)
    assert run(strict, "young", card=card).endswith("missing a value that is younger, by the policy")
    assert got == ["4111111111111111"]


def test_an_approval_beats_every_configuration_of_interrupts(strict: Session, got: list[str]) -> None:
    card = card_of(strict)
    with pytest.raises(ToolFailed):
        run(strict, "approved", card=card)
    model = ScriptedModel([ToolCall(id="a", name="approved", arguments={"card": card}), "done"])
    paused = strict.invoke([HumanMessage("Pay.")], model=model)
    assert (paused.status, got) == ("interrupted", [])
    strict.resume(paused.interrupts[0].id, ApprovalDecision(approved=True))
    assert got == ["4111111111111111"]


def test_a_call_without_a_value_needs_no_approval(strict: Session, got: list[str]) -> None:
    assert run(strict, "approved", card="none") == "done"


def test_private_data_needs_a_rule_too(strict: Session, got: list[str]) -> None:
    strict.private_data.put(PrivateData("zebra-quartz-77", name="token"))
    assert "GrantRefused: argument 'token'" in run(strict, "private")
    assert got == []


def test_restoring_leaves_what_no_rule_allows(strict: Session) -> None:
    text = strict.redact(f"I am a.b@example.com, my card is {CARD}, see [PIN_K7Q2MXB4]").text
    card = str(find_all(text)[1][2])
    restored = strict.restore(text)
    assert restored == f"I am a.b@example.com, my card is {card}, see [PIN_K7Q2MXB4]"
    assert restored.unresolved == (card,)
    assert strict.restore_json({"card": card}) == {"card": card}


def test_revealing_is_refused_by_the_policy(strict: Session, clock: FakeClock) -> None:
    model = ScriptedModel([ToolCall(id="o", name="Order", arguments={"card": card_of(strict)})])
    result = strict.invoke([HumanMessage("Order.")], model=model).result
    with strict.reveal(result) as order:
        assert order.card == CARD
    clock.advance(61.0)
    with pytest.raises(GrantRefused) as refused, strict.reveal(result):
        pass
    assert refused.value.missing == "a policy rule with purpose 'reveal'"


@pytest.mark.parametrize(
    ("tool", "place", "opens", "said"),
    [
        ("young", "card", True, "within 60 s of sealing"),
        ("approved", "card", True, "after an approval of the very call"),
        ("private", "token", False, "Accepts('CREDIT_CARD')"),
        ("Order", "card", True, "rule 5 allows it"),
        ("young", "other", False, "missing a policy rule for CREDIT_CARD"),
    ],
)
def test_it_is_explained(
    strict: Session, got: list[str], tool: str, place: str, opens: bool, said: str, request: pytest.FixtureRequest
) -> None:
    gateway_policy = strict_policy(strict)
    explanation = gateway_policy.explain(tool, place, card_of(strict), session=strict)
    assert explanation.opens is opens
    assert said in str(explanation)
    assert got == []


def strict_policy(session: Session) -> Any:
    """The policy of the gateway that the session belongs to."""
    from sealgate.gateway.policy.explain import policy_of  # noqa: PLC0415
    from sealgate.gateway.tools.granted import grant_at  # noqa: PLC0415

    toolkit = session._nobody.toolkit
    return policy_of(POLICY, lambda tool, place: grant_at(toolkit.get(tool).shape, place), session._services.now)


def test_what_cannot_be_explained(strict: Session, clock: FakeClock) -> None:
    policy = strict_policy(strict)
    card = card_of(strict)
    with pytest.raises(UnknownTool):
        policy.explain("nothing", "card", card, session=strict)
    foreign = policy.explain("young", "card", "[CREDIT_CARD_00000000]", session=strict)
    assert not foreign.opens
    clock.advance(61.0)
    assert not policy.explain("young", "card", card, session=strict).opens


def test_without_a_policy_the_annotations_decide(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    def pay(card: Annotated[str, Accepts("CREDIT_CARD")], note: str = "") -> str:
        return "paid"

    card = card_of(session)
    assert gateway.policy.explain("pay", "card", card, session=session).opens
    assert not gateway.policy.explain("pay", "note", card, session=session).opens
    assert gateway.policy.receivable() == ()
    assert run(session, "pay", card=card) == "paid"
