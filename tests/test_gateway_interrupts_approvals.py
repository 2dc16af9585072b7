"""Approvals in a turn: what pauses, what a decision does, what it is bound to, and what a refused one leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sealgate.gateway import (
    Agent,
    ApprovalDecision,
    Gateway,
    HumanMessage,
    HumanResponse,
    InterruptCancelled,
    InterruptConfig,
    InterruptDecision,
    InterruptNotPending,
    InterruptRequest,
    InterruptTimeout,
    InvalidAnswer,
    PerToolDispatchConfig,
    PrivateData,
    SealedMessage,
    Session,
    SessionBusy,
    SessionResponse,
    ToolCall,
    depends_on_interrupt,
    depends_on_private_data,
    depends_on_tool,
    interrupt,
)
from sealgate.gateway.testing import FakeClock, ScriptedModel
from sealgate.models.interrupts import ActionRequest
from sealgate.redaction import Detector

CARD = "4111 1111 1111 1111"
ALWAYS = {"approved": True, "note": "always_allow"}


class Bank:
    """A gateway whose tools record what they got."""

    def __init__(self, detector: Detector, clock: FakeClock | None = None, **config: Any) -> None:
        self.ran: list[tuple[Any, ...]] = []
        self.clock = clock or FakeClock()
        self.gateway = Gateway.open(
            ":memory:", detector=detector, clock=self.clock, interrupt=InterruptConfig(**config)
        )
        self.gateway.toolify()(self.pay)
        self.gateway.toolify()(self.look)
        self.session = self.gateway.session("s1", subject="jane")

    def pay(self, amount: int, to: str = "bob") -> str:
        """Pays."""
        self.ran.append(("pay", amount, to))
        return f"paid {amount} to {to}"

    def look(self, what: str = "x") -> str:
        """Looks."""
        self.ran.append(("look", what))
        return f"the card is {CARD}"

    def run(self, *calls: ToolCall, then: str = "Done.") -> SessionResponse:
        return self.session.invoke([HumanMessage("Go.")], model=ScriptedModel([list(calls), then, then]))

    def read(self) -> list[str]:
        """What the model read of the calls of the last turn."""
        return [message.text() for message in self.session.history() if message.role == "tool"]


@pytest.fixture
def bank(detector: Detector) -> Any:
    """Makes banks; closes them."""
    made: list[Bank] = []

    def make(**config: Any) -> Bank:
        made.append(Bank(detector, **config))
        return made[-1]

    yield make
    for one in made:
        one.gateway.close()


PAY = ToolCall(id="c1", name="pay", arguments={"amount": 5})
LOOK = ToolCall(id="c2", name="look", arguments={})


@pytest.mark.parametrize(
    ("decision", "ran", "read"),
    [
        ({"approved": True}, [("pay", 5, "bob")], "paid 5 to bob"),
        ({"approved": True, "modifiedArguments": {"amount": 7}}, [("pay", 7, "bob")], "paid 7 to bob"),
        ({"approved": True, "modifiedArguments": {"amount": 5, "to": "eve"}}, [("pay", 5, "eve")], "paid 5 to eve"),
        ({"approved": False}, [], "Denied: the call was not approved"),
        ({"approved": False, "note": "Too much."}, [], "Denied: the call was not approved: Too much."),
        ({"type": "edit", "args": {"amount": 1}}, [], "Denied: the call was not approved"),
        ({}, [], "Denied: the call was not approved"),
    ],
)
def test_a_decision_and_its_effect(bank: Callable[..., Bank], decision: Any, ran: list[Any], read: str) -> None:
    one = bank(interrupt_before=["pay"])
    response = one.run(PAY)
    assert (response.status, one.ran) == ("interrupted", [])
    (pending,) = one.session.interrupts.pending()
    receipt = one.session.interrupts.resolve(pending.id, decision)
    assert receipt.handled
    assert receipt.interrupt_id == pending.id
    assert receipt.resolved_decision is not None
    assert receipt.resolved_decision.approved is bool(decision.get("approved"))
    assert one.session.resume().status == "completed"
    assert one.ran == ran
    assert one.read() == [read]


def test_the_envelope_of_an_approval(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay"])
    (asked,) = one.run(PAY).interrupts
    assert asked.human is not None
    assert asked.human.wire() == {
        "action_request": {
            "action": "approve_tool_call",
            "args": {
                "approvals": [
                    {"toolCallId": "c1", "toolName": "pay", "args": {"amount": 5}, "decision": "pending"},
                ]
            },
        },
        "config": {"allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True},
    }
    assert (asked.kind, asked.tool_name, asked.number, asked.total) == ("approve", "pay", 1, 1)


@pytest.mark.parametrize(
    ("response", "ran"),
    [
        (HumanResponse(type="accept"), [("pay", 5, "bob")]),
        (HumanResponse(type="ignore"), []),
        (HumanResponse(type="response", args="No."), []),
        (HumanResponse(type="edit", args=ActionRequest(action="pay", args={"amount": 9})), [("pay", 9, "bob")]),
        (
            HumanResponse(
                type="edit",
                args=ActionRequest(
                    action="approve_tool_call",
                    args={
                        "approvals": [
                            {
                                "toolCallId": "c1",
                                "toolName": "pay",
                                "args": {"amount": 5},
                                "decision": "edited",
                                "editedArgs": {"amount": 8},
                            }
                        ]
                    },
                ),
            ),
            [("pay", 8, "bob")],
        ),
        (True, [("pay", 5, "bob")]),
        (False, []),
        ({"approved": True, "approver": "jane"}, [("pay", 5, "bob")]),
        ([HumanResponse(type="accept")], [("pay", 5, "bob")]),
    ],
)
def test_what_resume_takes_for_an_approval(bank: Callable[..., Bank], response: object, ran: list[Any]) -> None:
    one = bank(interrupt_before=["pay"])
    (asked,) = one.run(PAY).interrupts
    assert one.session.resume(asked.id, response).status == "completed"
    assert one.ran == ran


@pytest.mark.parametrize(
    "decision",
    [
        *("yes", "no", "true", "", "approved", CARD, b"yes", None, 1, 0, 1.0),
        *([], [True, True], [{"approved": True}] * 2, ["yes"], [None], (True,), {"approved"}, object(), Bank),
        *[{"approved": given} for given in ("yes", "true", 1, 0, None, (), [True], CARD)],
        *[{"approved": True, name: {"amount": 1}} for name in ("args", "editedArgs", "modified_args", "edited_action")],
        {"approved": True, "modified_args": [{"amount": 1}]},
        {"approved": True, "edited_args": '{"amount": 1}'},
        {"approved": True, "modifiedArguments": {"amount": 1}, "modified_arguments": {"amount": 2}},
        {"approved": True, "type": "ignore"},
        {"approved": True, "decision": "Rejected"},
        InterruptDecision.model_validate({"approved": True, "modified_args": {"amount": 1}}),
        {"approved": True, "note": 5},
        {"approved": False, "note": [CARD]},
        {"approved": True, "modifiedArguments": [CARD]},
        {"approved": True, "modifiedArguments": {"amount": object()}},
        {"approved": True, "modifiedArguments": {"amount": float("nan")}},
        {"approved": True, "modifiedArguments": {5: 5}},
        {1: True},
        HumanResponse(
            type="edit", args=ActionRequest(action="approve_tool_call", args={"approvals": [{"toolCallId": CARD}]})
        ),
    ],
)
def test_what_is_no_decision_is_refused_and_nobody_is_taken_to_have_said_no(
    bank: Callable[..., Bank], decision: Any
) -> None:
    one = bank(interrupt_before=["pay"])
    (asked,) = one.run(PAY).interrupts
    for decide in (one.session.interrupts.resolve, one.session.resume):
        with pytest.raises(InvalidAnswer) as refused:
            decide(asked.id, decision)
        assert "4111" not in repr(refused.value) + str(refused.value)
        assert refused.value.__context__ is None
    assert one.session.interrupts.pending() == [asked]
    assert one.ran == []
    assert one.session.resume(asked.id, {"approved": True}).status == "completed"
    assert one.ran == [("pay", 5, "bob")]


def test_what_is_no_decision_does_not_tell_whether_a_pause_is_there(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay"])
    (asked,) = one.run(PAY).interrupts
    one.session.resume(asked.id, True)
    for interrupt_id in (asked.id, "unknown"):
        assert not one.session.interrupts.resolve(interrupt_id, "yes").handled  # type: ignore[arg-type]
        with pytest.raises(InterruptNotPending):
            one.session.resume(interrupt_id, "yes")


@pytest.mark.parametrize(
    "decision",
    [
        HumanResponse(type="edit", args=ActionRequest(action="wire", args={"amount": 1})),
        {"approved": True, "modifiedArguments": {"amount": 5, "destination": "eve"}},
        HumanResponse(type="edit", args=ActionRequest(action="approve_tool_call", args={"approvals": []})),
        {"approved": False, "note": "x" * 4001},
    ],
)
def test_what_a_pause_does_not_allow_leaves_it_pending(bank: Callable[..., Bank], decision: Any) -> None:
    one = bank(interrupt_before=["pay"])
    (asked,) = one.run(PAY).interrupts
    receipt = one.session.interrupts.resolve(asked.id, decision)
    assert (receipt.handled, receipt.resolved_decision, receipt.interrupt_id) == (False, None, asked.id)
    assert one.session.interrupts.get(asked.id) == asked
    assert one.session.resume().status == "interrupted"
    assert one.ran == []


def test_edited_arguments_that_do_not_fit_the_schema_fail_the_call(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay"])
    (asked,) = one.run(PAY).interrupts
    one.session.resume(asked.id, {"approved": True, "modifiedArguments": {"amount": "many"}})
    assert one.ran == []
    assert one.read()[0].startswith("InvalidArguments:")
    assert "many" not in one.read()[0]


def test_edited_values_are_hidden_everywhere_and_reach_the_tool(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay"])
    (asked,) = one.run(PAY).interrupts
    receipt = one.session.interrupts.resolve(
        asked.id, {"approved": True, "modifiedArguments": {"amount": 5, "to": CARD}}
    )
    one.session.resume()
    assert one.ran == [("pay", 5, CARD.replace(" ", ""))]
    seen = repr((receipt.wire(), one.read(), one.session.events().history(), one.session.history()))
    assert CARD not in seen
    assert "[CREDIT_CARD_" in seen


def test_the_model_reads_the_call_that_was_made_and_not_the_one_that_it_asked_for(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay", "look", "sign"])

    @one.gateway.toolify()
    @depends_on_interrupt("code", prompt="Code?", sensitive="OTP_CODE")
    def sign(text: str, code: str) -> str:
        return "signed"

    model = ScriptedModel([[PAY, LOOK, ToolCall(id="c4", name="sign", arguments={"text": "a"})], "Done.", "Yes."])
    response = one.session.invoke([HumanMessage("Go.")], model=model)
    (ask,) = (asked for asked in response.interrupts if asked.kind == "ask")
    one.session.resume(ask.id, "482913")
    edits = {"pay": {"amount": 5, "to": CARD}, "look": None, "sign": {"text": "b"}}
    for asked in one.session.interrupts.pending():
        assert asked.human is not None
        shown = asked.human.approvals()[0].args
        edit = edits[asked.tool_name]
        decision = {"approved": True, **({} if edit is None else {"modifiedArguments": {**shown, **edit}})}
        assert one.session.interrupts.resolve(asked.id, decision).handled
    response = one.session.resume()
    assert response.status == "completed"
    called = {call.name: call.arguments for call in model.seen[-1][0][1].tool_calls}
    assert str(called["pay"]["to"]).startswith("[CREDIT_CARD_")
    assert (called["pay"]["amount"], called["look"], called["sign"]) == (5, {}, {"text": "b"})
    assert one.session.replay() == response
    resent: list[SealedMessage | HumanMessage] = [*one.session.history(), HumanMessage("Sure?")]
    one.session.invoke(resent, model=model)
    assert [message.role for message in model.seen[-1][0]].count("user") == 2


def test_a_note_is_hidden_too(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay"])
    (asked,) = one.run(PAY).interrupts
    one.session.resume(asked.id, {"approved": False, "note": f"use {CARD}"})
    assert CARD not in one.read()[0]
    assert one.read()[0].startswith("Denied: the call was not approved: use [CREDIT_CARD_")


@pytest.mark.parametrize(
    ("decision", "read"),
    [({"approved": True}, "the card is [CREDIT_CARD_"), ({"approved": False}, "result withheld")],
)
def test_a_review_of_a_result(bank: Callable[..., Bank], decision: Any, read: str) -> None:
    one = bank(interrupt_after=["look"])
    (asked,) = one.run(LOOK).interrupts
    assert one.ran == [("look", "x")]
    assert asked.human is not None
    assert asked.human.action_request.action == "review_tool_result"
    assert CARD not in repr(asked.human.wire())
    edit = {"approved": True, "modifiedArguments": {"what": "y"}}
    assert not one.session.interrupts.resolve(asked.id, edit).handled
    assert one.session.resume(asked.id, decision).status == "completed"
    assert one.ran == [("look", "x")]
    assert one.read()[0].startswith(read)


def test_one_denied_call_does_not_stop_the_others_and_results_keep_their_order(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay"])
    second = ToolCall(id="c3", name="pay", arguments={"amount": 6})
    response = one.run(PAY, LOOK, second)
    assert one.ran == [("look", "x")]
    assert [(i.number, i.total) for i in response.interrupts] == [(1, 2), (2, 2)]
    first, third = response.interrupts
    one.session.interrupts.resolve(third.id, {"approved": True})
    one.session.interrupts.resolve(first.id, {"approved": False})
    one.session.resume()
    assert one.ran == [("look", "x"), ("pay", 6, "bob")]
    assert [text.split(":")[0].split(" ")[0] for text in one.read()] == ["Denied", "the", "paid"]


@pytest.mark.parametrize(
    ("dispatch", "calls", "paused"),
    [
        ({"default_behavior": "interrupt"}, [PAY], 0),
        ({"default_behavior": "interrupt"}, [PAY, LOOK], 2),
        ({"default_behavior": "interrupt", "never_interrupt": ["look"]}, [PAY, LOOK], 1),
        ({"always_interrupt": ["pay"]}, [PAY], 1),
        ({"always_interrupt": ["pay"], "never_interrupt": ["pay"]}, [PAY, LOOK], 0),
        ({"default_behavior": "auto-approve"}, [PAY, LOOK], 0),
    ],
)
def test_dispatch(bank: Callable[..., Bank], dispatch: dict[str, Any], calls: list[ToolCall], paused: int) -> None:
    response = bank(dispatch=PerToolDispatchConfig(**dispatch)).run(*calls)
    assert len(response.interrupts) == paused


def test_a_predicate_sees_placeholders_and_the_manager_says_what_pauses(bank: Callable[..., Bank]) -> None:
    seen: list[object] = []

    def big(call: Any) -> bool:
        seen.append(call.arguments)
        return bool(call.arguments.get("amount", 0) > 100)

    one = bank(interrupt_on=big, interrupt_after=["look"])
    manager = one.session.interrupts
    assert manager.should_interrupt_before(ToolCall(id="a", name="pay", arguments={"amount": 101, "to": CARD}))
    assert not manager.should_interrupt_before(PAY)
    assert manager.should_interrupt_after(LOOK)
    assert not manager.should_interrupt_after(PAY)
    assert CARD not in repr(seen)


def test_a_callback_that_decides_at_once_needs_no_pause(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay"])
    requests: list[InterruptRequest] = []

    @one.session.on_interrupt
    def decide(request: InterruptRequest) -> None:
        requests.append(request)
        one.session.interrupts.resolve(request.interrupt_id, {"approved": True})

    call = ToolCall(id="c1", name="pay", arguments={"amount": 5, "to": CARD})
    assert one.run(call).status == "completed"
    assert one.ran == [("pay", 5, CARD)]
    assert [request.risk_level for request in requests] == ["medium"]
    assert requests[0].tool_call.name == "pay"
    assert CARD not in repr(requests[0].wire())


@pytest.mark.parametrize("error", [RuntimeError, SystemExit])
def test_an_observer_that_raises_harms_nothing(bank: Callable[..., Bank], error: type[BaseException]) -> None:
    one = bank(interrupt_before=["pay"])

    @one.session.on_interrupt
    def broken(_request: InterruptRequest) -> None:
        raise error(CARD)

    assert one.run(PAY).status == "interrupted"


def test_an_approval_of_all_further_calls(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay", "look"])
    (asked,) = one.run(PAY).interrupts
    one.session.resume(asked.id, {"approved": True, "note": "always_allow"})
    assert one.run(PAY).status == "completed"
    assert one.run(LOOK).status == "interrupted"
    other = one.gateway.session("s2")
    again = other.invoke([HumanMessage("Go.")], model=ScriptedModel([PAY, "Done."]))
    assert again.status == "interrupted"


@pytest.mark.parametrize(("approver", "stands"), [(None, True), ("jane", True), ("boss", False)])
def test_whose_approval_stands_for_further_calls(
    bank: Callable[..., Bank], approver: str | None, *, stands: bool
) -> None:
    one = bank(interrupt_before=["pay"])
    (asked,) = one.run(PAY).interrupts
    one.session.interrupts.resolve(asked.id, {"approved": True, "note": "always_allow"}, approver=approver)
    one.session.resume()
    assert (one.run(PAY).status == "completed") is stands


def test_a_tool_that_receives_secrets_is_approved_each_time(detector: Detector) -> None:
    config = InterruptConfig(interrupt_before=["pay"])
    with Gateway.open(":memory:", detector=detector, interrupt=config) as gateway:
        session = gateway.session("s1")

        @gateway.toolify()
        @depends_on_interrupt("pin", lambda _prompt: "4821", sensitive="PIN")
        def pay(pin: str) -> str:
            return "paid"

        for _ in range(2):
            model = ScriptedModel([ToolCall(id="c1", name="pay"), "Done."])
            (asked,) = session.invoke([HumanMessage("Go.")], model=model).interrupts
            assert session.interrupts.get(asked.id) is not None
            session.resume(asked.id, {"approved": True, "note": "always_allow"})


def test_a_result_that_was_let_through_allows_no_further_calls(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["look"], interrupt_after=["look"])
    (asked,) = one.run(LOOK).interrupts
    (shown,) = one.session.resume(asked.id, True).interrupts
    one.session.resume(shown.id, {"approved": True, "note": "always_allow"})
    assert one.run(LOOK).status == "interrupted"
    assert one.ran == [("look", "x")]


def test_what_was_allowed_before_a_tool_received_secrets(detector: Detector) -> None:
    config = InterruptConfig(interrupt_before=["pay"])
    with Gateway.open(":memory:", detector=detector, interrupt=config) as gateway:
        session = gateway.session("s1")
        session.on_interrupt(lambda request: session.interrupts.resolve(request.interrupt_id, ALWAYS))
        assert session.interrupts.request_approval("s1", ToolCall(id="c1", name="pay")).approved

        @gateway.toolify()
        @depends_on_interrupt("pin", lambda _prompt: "4821", sensitive="PIN")
        def pay(pin: str) -> str:
            return "paid"

        seen: list[str] = []
        session.on_interrupt(lambda request: seen.append(request.tool_call.name))
        session.invoke([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id="c1", name="pay"), "Done."]))
        assert seen == ["pay", "pay"]


def test_nobody_is_asked_about_a_call_that_cannot_run(detector: Detector) -> None:
    config = InterruptConfig(interrupt_before=["login", "count"])
    with Gateway.open(":memory:", detector=detector, interrupt=config) as gateway:

        @gateway.toolify()
        @depends_on_private_data("password", "password")
        def login(password: str) -> None: ...

        @gateway.toolify()
        def fails() -> None:
            raise ValueError

        @gateway.toolify()
        @depends_on_tool("fails", "items")
        def count(items: list[str]) -> None: ...

        calls = [ToolCall(id="c1", name="login"), ToolCall(id="c2", name="count")]
        response = gateway.session("s1").invoke([HumanMessage("Go.")], model=ScriptedModel([calls, "Done."]))
        assert response.status == "completed"
        read = [message.text() for message in response.messages if message.role == "tool"]
        assert [text.split(":")[0] for text in read] == ["ToolFailed", "ToolFailed"]


def test_an_edit_sends_no_answer_and_no_private_data_elsewhere(detector: Detector) -> None:
    ran: list[str] = []
    config = InterruptConfig(interrupt_before=["login"])
    with Gateway.open(":memory:", detector=detector, interrupt=config) as gateway:

        @gateway.toolify()
        @depends_on_private_data("password", "password")
        @depends_on_interrupt("code", lambda _prompt: "482913", "Code: ", sensitive="OTP_CODE")
        def login(password: str, code: str, note: str = "") -> None:
            ran.append(note)

        session = gateway.session("s1")
        session.private_data.put(PrivateData("tr0ub4dor-zebra-quartz-77", name="password"))
        for name in ("password", "code"):
            model = ScriptedModel([ToolCall(id="c1", name="login"), "Done."])
            (asked,) = session.invoke([HumanMessage("Go.")], model=model).interrupts
            assert asked.human is not None
            shown = asked.human.approvals()[0].args[name]
            edited = session.resume(asked.id, ApprovalDecision(approved=True, modified_arguments={"note": shown}))
            assert edited.messages[-2].text().startswith("GrantRefused")
    assert ran == []


def test_nobody_decides_in_time(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay", "look"], default_timeout=300)
    asked, other = one.run(PAY, LOOK).interrupts
    assert asked.expires_at == one.clock.now() + 300
    one.clock.advance(301)
    assert not one.session.interrupts.resolve(asked.id, {"approved": True}).handled
    response = one.session.resume()
    assert (response.status, one.ran) == ("failed", [])
    assert response.error is not None
    assert response.error.code == "interrupt_timeout"
    kinds = [event.type for event in one.session.events().history()]
    assert "interrupt.timeout" in kinds
    assert "interrupt.resolved" not in kinds
    assert one.session.interrupts.pending() == []
    assert one.session.interrupts.cancel(other.id).state in ("timed_out", "cancelled")


@pytest.mark.parametrize(("after", "status"), [(299, "completed"), (300, "failed"), (100_000, "failed")])
@pytest.mark.parametrize("decision", [{"approved": True}, {"approved": True, "modifiedArguments": {"amount": 7}}])
def test_an_approval_whose_time_is_over_when_the_turn_goes_on(
    bank: Callable[..., Bank], decision: Any, after: float, status: str
) -> None:
    one = bank(interrupt_before=["pay", "look"], default_timeout=300)
    asked, other = one.run(PAY, LOOK).interrupts
    for pending in (asked, other):
        assert one.session.interrupts.resolve(pending.id, decision if pending == asked else {"approved": True}).handled
    one.clock.advance(after)
    response = one.session.resume()
    assert (response.status, len(one.ran)) == (status, 2 if status == "completed" else 0)
    kinds = [event.type for event in one.session.events().history()]
    assert ("interrupt.timeout" in kinds) is (status == "failed")
    if status == "failed":
        assert response.error is not None
        assert response.error.code == "interrupt_timeout"
        refused = [row for row in one.gateway.audit.rows() if row.action == "refused"]
        assert refused[-1].fields["cause"] == "InterruptTimeout"
    assert one.run(ToolCall(id="c9", name="nobody")).status == "completed"


def test_a_denial_stands_however_late_it_is_read(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay"], default_timeout=300)
    (asked,) = one.run(PAY).interrupts
    one.session.interrupts.resolve(asked.id, {"approved": False})
    one.clock.advance(1000)
    assert (one.session.resume().status, one.read()) == ("completed", ["Denied: the call was not approved"])


def test_a_body_that_began_in_time_may_pause_for_longer(bank: Callable[..., Bank]) -> None:
    dispatch = PerToolDispatchConfig(always_interrupt=["ask"])
    one = bank(dispatch=dispatch, default_timeout=300)
    one.gateway.toolify(name="ask")(lambda: str(interrupt("And?")))
    (asked,) = one.run(ToolCall(id="c1", name="ask")).interrupts
    one.clock.advance(200)
    (pause,) = one.session.resume(asked.id, {"approved": True}).interrupts
    one.clock.advance(200)
    assert one.session.resume(pause.id, "yes").status == "completed"


def test_a_new_message_while_somebody_is_asked(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay"])
    (asked,) = one.run(PAY).interrupts
    with pytest.raises(SessionBusy, match=asked.id):
        one.run(LOOK)
    cancelled = one.session.interrupts.cancel(asked.id)
    assert (cancelled.cancelled, cancelled.state, cancelled.session_id) == (True, "cancelled", "s1")
    assert cancelled.tool_call is not None
    assert (cancelled.tool_call.id, cancelled.tool_call.name) == ("c1", "pay")
    assert one.run(LOOK).status == "completed"


def test_a_cancelled_approval_is_told_to_the_model(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay"])
    (asked,) = one.run(PAY).interrupts
    one.session.interrupts.cancel(asked.id)
    assert one.session.resume().status == "completed"
    assert one.read() == ["InterruptCancelled: Interrupt cancelled"]
    with pytest.raises(InterruptNotPending) as late:
        one.session.resume(asked.id, {"approved": True})
    assert late.value.receipt.handled is False  # type: ignore[attr-defined]


def test_destroying_the_manager_cancels_everything(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay", "look"])
    ids = [asked.id for asked in one.run(PAY, LOOK).interrupts]
    receipt = one.session.interrupts.destroy()
    assert (receipt.cancelled_count, receipt.cancelled_ids) == (2, ids)
    assert bool(one.session.interrupts.destroy())
    assert one.session.interrupts.destroy().cancelled_count == 0


def test_a_stream_waits_and_goes_on(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay"])
    kinds = []
    for event in one.session.stream([HumanMessage("Go.")], model=ScriptedModel([PAY, "Done."])):
        kinds.append(event.type)
        if event.type == "interrupt.requested":
            assert event.interrupt is not None
            assert one.session.interrupts.resolve(event.interrupt.id, ApprovalDecision(approved=True)).handled
    after = kinds.index("interrupt.requested")
    assert kinds[after : after + 3] == ["interrupt.requested", "interrupt.resolved", "tool.started"]
    assert one.ran == [("pay", 5, "bob")]


def test_asking_outside_of_a_turn(bank: Callable[..., Bank]) -> None:
    one = bank(default_timeout=60)
    manager = one.session.interrupts

    @one.session.on_interrupt
    def decide(request: InterruptRequest) -> None:
        name = request.tool_call.name
        if name == "pay":
            manager.resume(request.interrupt_id, {"approved": True, "note": "fine"})
        elif name == "cancel":
            manager.cancel(request.interrupt_id)
        else:
            one.clock.advance(61)

    decision = manager.request_approval("s1", PAY)
    assert (decision.approved, decision.note) == (True, "fine")
    with pytest.raises(InterruptCancelled, match=r"^Interrupt cancelled$"):
        manager.request_approval("s1", ToolCall(id="x", name="cancel", arguments={}))
    with pytest.raises(InterruptTimeout):
        manager.request_approval("s1", LOOK)
    with pytest.raises(InterruptNotPending):
        manager.request_approval("another", LOOK)
    kinds = [event.type for event in one.session.events().history()]
    assert kinds == [
        *("interrupt.requested", "interrupt.resolved"),
        *("interrupt.requested", "interrupt.cancelled"),
        *("interrupt.requested", "interrupt.timeout"),
    ]


def test_every_end_is_in_the_audit_chain_without_values(bank: Callable[..., Bank]) -> None:
    one = bank(interrupt_before=["pay", "look"])
    first, second = one.run(PAY, LOOK).interrupts
    one.session.interrupts.resolve(first.id, {"approved": True, "modifiedArguments": {"amount": 7}}, approver="boss")
    one.session.interrupts.cancel(second.id)
    one.session.resume()
    ends = [entry for entry in one.gateway.audit.rows() if entry.action.startswith("interrupt.")]
    assert [(end.action, end.fields.get("decision")) for end in ends] == [
        ("interrupt.resolved", "edited"),
        ("interrupt.cancelled", None),
    ]
    assert "boss" not in repr(ends)
    one.gateway.audit.verify()


def test_an_agent_has_a_configuration_of_its_own(gateway: Gateway, session: Session) -> None:
    ran: list[int] = []
    agent = Agent("clerk", gateway=gateway, interrupt=InterruptConfig(interrupt_before=["pay"]))

    @agent.toolify()
    def pay(amount: int) -> str:
        ran.append(amount)
        return "paid"

    model = ScriptedModel([PAY, "Done."])
    (asked,) = agent.invoke([HumanMessage("Go.")], session=session, model=model).interrupts
    assert agent.resume(asked.id, {"approved": True}, session=session, model=model).status == "completed"
    assert ran == [5]
