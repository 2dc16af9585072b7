"""The envelopes of interrupts: what comes over a wire goes back over it unchanged, and nothing of it is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.models.approvals import (
    ApprovalDecision,
    InterruptDecision,
    InterruptRequest,
    InterruptToolCall,
    PerToolApproval,
    PerToolDispatchConfig,
)
from sealgate.models.envelope import Envelope
from sealgate.models.errors import InvalidEnvelope, InvalidInput, NotJson
from sealgate.models.interrupts import ActionRequest, HumanInterrupt, HumanInterruptConfig, HumanResponse
from sealgate.models.receipts import InterruptCancelReceipt, InterruptDestroyReceipt, InterruptResolveReceipt, Receipt

CANARY = "canary-7f3a91"

texts = st.text(max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
arguments = st.dictionaries(texts, values, max_size=3)
unknown = st.dictionaries(st.from_regex(r"x[a-z]{1,6}", fullmatch=True), values, max_size=2)


def objects(required: dict[str, Any], optional: dict[str, Any] | None = None) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional or {})


def with_unknown(known: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.tuples(known, unknown).map(lambda pair: {**pair[0], **pair[1]})


decision = {"note": texts, "modifiedArguments": arguments}
approval = objects({"approved": st.booleans()}, decision)
call = with_unknown(objects({"id": texts, "name": texts}, {"parameters": arguments, "arguments": arguments}))
request = objects({"action": texts, "args": arguments})
flags = objects({f"allow_{kind}": st.booleans() for kind in ("ignore", "respond", "edit", "accept")})
WIRES: list[tuple[type[Envelope], st.SearchStrategy[dict[str, Any]]]] = [
    (ActionRequest, request),
    (HumanInterruptConfig, flags),
    (HumanInterrupt, objects({"action_request": request, "config": flags}, {"description": texts | st.none()})),
    (
        HumanResponse,
        objects({"type": st.sampled_from(["accept", "ignore"])}, {"args": st.none()})
        | objects({"type": st.just("response"), "args": texts})
        | objects({"type": st.sampled_from(["edit", "accept"]), "args": request}),
    ),
    (ApprovalDecision, approval),
    (InterruptToolCall, call),
    (
        InterruptRequest,
        with_unknown(
            objects({"interruptId": texts, "toolCall": call, "riskLevel": st.sampled_from(["low", "medium", "high"])})
        ),
    ),
    (InterruptDecision, with_unknown(approval)),
    (
        PerToolApproval,
        objects(
            {
                "toolCallId": texts,
                "toolName": texts,
                "args": arguments,
                "decision": st.sampled_from(["pending", "approved", "rejected", "edited"]),
            },
            {"editedArgs": arguments},
        ),
    ),
    (
        PerToolDispatchConfig,
        objects(
            {
                "alwaysInterrupt": st.lists(texts, max_size=2),
                "neverInterrupt": st.lists(texts, max_size=2),
                "defaultBehavior": st.sampled_from(["interrupt", "auto-approve"]),
            }
        ),
    ),
    (
        InterruptResolveReceipt,
        objects({"handled": st.booleans(), "interruptId": texts}, {"resolvedDecision": approval}),
    ),
    (
        InterruptCancelReceipt,
        objects(
            {
                "cancelled": st.booleans(),
                "interruptId": texts,
                "state": st.sampled_from(["pending", "resolved", "timed_out", "cancelled", "unknown"]),
            },
            {"toolCall": call, "sessionId": texts},
        ),
    ),
    (InterruptDestroyReceipt, objects({"cancelledCount": st.integers(), "cancelledIds": st.lists(texts, max_size=2)})),
]


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


@pytest.mark.parametrize(("envelope", "wires"), WIRES, ids=lambda item: getattr(item, "__name__", ""))
@settings(max_examples=40)
@given(data=st.data())
def test_what_comes_over_the_wire_goes_back_unchanged(
    envelope: type[Envelope], wires: st.SearchStrategy[dict[str, Any]], data: st.DataObject
) -> None:
    wire = data.draw(wires)
    read = envelope.read(json.loads(canonical(wire)))
    assert canonical(read.wire()) == canonical(wire)
    assert envelope.read(read.wire()) == read


def test_attributes_are_snake_case_and_the_wire_is_as_published() -> None:
    asked = InterruptRequest(
        interrupt_id="i1", tool_call=InterruptToolCall(id="c1", name="pay", arguments={"to": "x"}), risk_level="high"
    )
    assert json.dumps(asked.wire()) == (
        '{"interruptId": "i1", "toolCall": {"id": "c1", "name": "pay", "arguments": {"to": "x"}}, "riskLevel": "high"}'
    )
    made = HumanInterrupt(
        action_request=ActionRequest(action="approve_tool_call", args={"approvals": []}),
        config=HumanInterruptConfig(allow_accept=True),
    )
    assert made.wire() == {
        "action_request": {"action": "approve_tool_call", "args": {"approvals": []}},
        "config": {"allow_ignore": False, "allow_respond": False, "allow_edit": False, "allow_accept": True},
    }
    assert ApprovalDecision(approved=True, modified_arguments={}).wire() == {"approved": True, "modifiedArguments": {}}
    assert PerToolDispatchConfig().wire() == {
        "alwaysInterrupt": [],
        "neverInterrupt": [],
        "defaultBehavior": "auto-approve",
    }


@pytest.mark.parametrize(
    ("response", "wire"),
    [
        ({"type": "accept"}, {"approved": True}),
        ({"type": "accept", "args": None}, {"approved": True}),
        ({"type": "accept", "args": {"action": "a", "args": {"x": 1}}}, {"approved": True}),
        ({"type": "ignore", "args": None}, {"approved": False}),
        ({"type": "response", "args": "why?"}, {"approved": False, "note": "why?"}),
        (
            {"type": "edit", "args": {"action": "a", "args": {"x": 1}}},
            {"approved": True, "modifiedArguments": {"x": 1}},
        ),
    ],
)
def test_responses_as_decisions(response: dict[str, Any], wire: dict[str, Any]) -> None:
    assert HumanResponse.read(response).decision().wire() == wire


@pytest.mark.parametrize("payload", [{}, {"type": "edit", "args": {"x": 1}}, {"note": "always_allow"}])
def test_a_decision_without_approved_is_a_rejection(payload: dict[str, Any]) -> None:
    assert ApprovalDecision.read(payload).approved is False
    assert InterruptDecision.read(payload).decision().approved is False
    assert InterruptDecision.read(payload).always_allow is False


def test_always_allow_is_a_note_of_an_approval() -> None:
    decided = InterruptDecision.read({"approved": True, "note": "always_allow", "surface": "web"})
    assert decided.always_allow
    assert decided.decision().wire() == {"approved": True, "note": "always_allow"}
    assert not InterruptDecision.read({"approved": False, "note": "always_allow"}).always_allow


@pytest.mark.parametrize(
    ("kind", "allowed"), [("accept", True), ("ignore", False), ("response", False), ("edit", True)]
)
def test_what_a_config_allows(kind: Any, allowed: bool) -> None:
    assert HumanInterruptConfig(allow_accept=True, allow_edit=True).allows(kind) is allowed


def test_the_approvals_of_an_interrupt() -> None:
    def interrupt(args: dict[str, Any]) -> HumanInterrupt:
        return HumanInterrupt(action_request=ActionRequest(action="a", args=args), config=HumanInterruptConfig())

    wire = {"toolCallId": "c1", "toolName": "pay", "args": {}, "decision": "pending"}
    (approval,) = interrupt({"approvals": [wire]}).approvals()
    assert approval == PerToolApproval(tool_call_id="c1", tool_name="pay", args={})
    assert interrupt({}).approvals() == interrupt({"approvals": "none"}).approvals() == ()
    with pytest.raises(InvalidEnvelope):
        interrupt({"approvals": [{}]}).approvals()


BAD: list[tuple[type[Envelope], object, type[InvalidInput]]] = [
    (ApprovalDecision, CANARY, InvalidEnvelope),
    (ApprovalDecision, {"approved": "yes"}, InvalidEnvelope),
    (ApprovalDecision, {"approved": 1}, InvalidEnvelope),
    (ApprovalDecision, {"approved": True, "modifiedArguments": [CANARY]}, InvalidEnvelope),
    (ApprovalDecision, {"approved": True, "note": {CANARY: 1}}, InvalidEnvelope),
    (ApprovalDecision, {"approved": True, "modifiedArguments": {CANARY: {1, 2}}}, NotJson),
    (ApprovalDecision, {"approved": True, "modifiedArguments": {CANARY: float("nan")}}, NotJson),
    (InterruptDecision, {CANARY: b"bytes"}, NotJson),
    (HumanInterrupt, {"action_request": {"action": "a", "args": {}}, "config": {}, CANARY: CANARY}, InvalidEnvelope),
    (HumanInterrupt, {"config": {}}, InvalidEnvelope),
    (HumanResponse, {"type": CANARY}, InvalidEnvelope),
    (HumanResponse, {"type": "response"}, InvalidEnvelope),
    (HumanResponse, {"type": "response", "args": {"action": "a", "args": {}}}, InvalidEnvelope),
    (HumanResponse, {"type": "edit", "args": CANARY}, InvalidEnvelope),
    (HumanResponse, {"type": "edit", "args": {CANARY: 1}}, InvalidEnvelope),
    (HumanResponse, {"type": "ignore", "args": CANARY}, InvalidEnvelope),
    (
        InterruptRequest,
        {"interruptId": "i", "toolCall": {"id": "c", "name": "n"}, "riskLevel": "huge"},
        InvalidEnvelope,
    ),
    (InterruptRequest, {"interruptId": 5, "toolCall": {"id": "c", "name": "n"}, "riskLevel": "low"}, InvalidEnvelope),
    (PerToolApproval, {"toolCallId": "c", "toolName": "n", "args": {}, "decision": "maybe"}, InvalidEnvelope),
    (PerToolDispatchConfig, {"defaultBehavior": "block"}, InvalidEnvelope),
    (PerToolDispatchConfig, {"alwaysInterrupt": "pay"}, InvalidEnvelope),
]


@pytest.mark.parametrize(("envelope", "payload", "error"), BAD)
def test_another_shape_is_refused_without_quoting_it(
    envelope: type[Envelope], payload: object, error: type[InvalidInput]
) -> None:
    with pytest.raises(error) as refused:
        envelope.read(payload)
    assert CANARY not in f"{refused.value!r}{vars(refused.value)}"
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None


def test_places_and_rules_are_told() -> None:
    with pytest.raises(InvalidEnvelope) as refused:
        ApprovalDecision.read({"approved": "yes", "modifiedArguments": CANARY})
    assert refused.value.envelope == "ApprovalDecision"
    assert refused.value.problems == (("approved", "bool_type"), ("modifiedArguments", "dict_type"))


@pytest.mark.parametrize(
    "made",
    [
        lambda: ApprovalDecision(approved=True, note=CANARY, modified_arguments={"a": CANARY}),
        lambda: InterruptDecision.read({"approved": True, "note": CANARY, CANARY: CANARY}),
        lambda: HumanResponse(type="response", args=CANARY),
        lambda: ActionRequest(action="a", args={CANARY: CANARY}),
        lambda: PerToolApproval(tool_call_id="c", tool_name="t", args={"a": CANARY}, edited_args={"a": CANARY}),
        lambda: InterruptResolveReceipt(
            handled=True, interrupt_id="i", resolved_decision=ApprovalDecision(approved=True, note=CANARY)
        ),
    ],
)
def test_what_a_person_wrote_is_in_no_repr(made: Callable[[], Envelope]) -> None:
    assert CANARY not in f"{made()!r}{made()}{made()!s}"


RECEIPTS: list[Receipt] = [
    InterruptResolveReceipt(handled=False, interrupt_id="i"),
    InterruptCancelReceipt(cancelled=False, interrupt_id="i", state="unknown"),
    InterruptDestroyReceipt(cancelled_count=0),
]


@pytest.mark.parametrize("receipt", RECEIPTS)
def test_receipts_are_true_whatever_they_say(receipt: Receipt) -> None:
    assert receipt
    assert bool(receipt) is True
