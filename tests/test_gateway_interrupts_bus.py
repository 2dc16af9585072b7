"""The guest bus: published here, decided there, redacted in between, and over after ten minutes at most."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sealgate.gateway import (
    Aborted,
    Decided,
    Gateway,
    GuestInterruptStore,
    HumanMessage,
    InterruptBus,
    InterruptConfig,
    InterruptDecision,
    InterruptRequest,
    InterruptToolCall,
    InvalidEnvelope,
    InvalidInput,
    InvalidPolicy,
    MemoryGuestStore,
    NotJson,
    TimedOut,
    ToolCall,
    TooManyInterrupts,
    VaultGuestStore,
    await_interrupt_decision,
    new_interrupt_id,
    pop_interrupt_request,
    publish_interrupt_request,
    record_interrupt_decision,
    set_guest_interrupt_store,
    wait_for_interrupt_decision,
)
from sealgate.gateway.interrupts.guest_store import MAX_QUEUED
from sealgate.gateway.testing import FakeClock, ScriptedModel
from sealgate.redaction import Detector

CARD = "4111 1111 1111 1111"


class Plain:
    """A store with the six operations and nothing else, as a server's client would be; it answers in bytes."""

    def __init__(self) -> None:
        self.inner = MemoryGuestStore()
        self.written: list[str] = []

    def get(self, key: str) -> bytes | None:
        found = self.inner.get(key)
        return None if found is None else found.encode()

    def setex(self, key: str, seconds: int, value: str) -> None:
        self.written.append(value)
        self.inner.setex(key, seconds, value)

    def delete(self, key: str) -> None:
        self.inner.delete(key)

    def lpush(self, key: str, value: str) -> None:
        self.written.append(value)
        self.inner.lpush(key, value)

    def rpop(self, key: str) -> bytes | None:
        found = self.inner.rpop(key)
        return None if found is None else found.encode()

    def expire(self, key: str, seconds: int) -> None:
        self.inner.expire(key, seconds)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["memory", "vault", "plain"])
def store(request: pytest.FixtureRequest, gateway: Gateway, clock: FakeClock) -> Any:
    if request.param == "memory":
        return MemoryGuestStore(clock.now)
    if request.param == "vault":
        return VaultGuestStore(gateway.session("store")._services.vault, clock.now)
    return Plain()


@pytest.fixture
def bus(store: GuestInterruptStore, gateway: Gateway) -> InterruptBus:
    session = gateway.session("chat")
    return InterruptBus(store, lambda _chat, value: session.redact_json(value))


def request_for(**arguments: Any) -> InterruptRequest:
    call = InterruptToolCall(id="c1", name="pay", arguments=arguments)
    return InterruptRequest(interrupt_id=new_interrupt_id(), tool_call=call, risk_level="high")


def test_a_request_goes_to_its_chat_once_in_order(bus: InterruptBus) -> None:
    first, second = request_for(amount=1), request_for(amount=2)
    bus.publish("chat", first)
    bus.publish("chat", second)
    assert bus.pop("other") is None
    assert [bus.pop("chat"), bus.pop("chat"), bus.pop("chat")] == [first, second, None]


def test_a_decision_reaches_whoever_waits_and_the_first_counts(bus: InterruptBus) -> None:
    request = request_for(amount=1)
    bus.publish("chat", request)
    first = bus.record(request.interrupt_id, {"approved": True, "modifiedArguments": {"amount": 2}, "by": "web"})
    second = bus.record(request.interrupt_id, {"approved": False})
    assert (first.handled, second.handled, second.resolved_decision) == (True, False, None)
    found = bus.wait(request.interrupt_id, timeout=5)
    assert isinstance(found, Decided)
    assert found.decision.wire() == {"approved": True, "modifiedArguments": {"amount": 2}, "by": "web"}
    assert isinstance(bus.wait(request.interrupt_id, timeout=0), TimedOut)


def test_nothing_is_written_in_the_clear(gateway: Gateway) -> None:
    store, session = Plain(), gateway.session("chat")
    bus = InterruptBus(store, lambda _chat, value: session.redact_json(value))
    request = request_for(card=CARD)
    bus.publish("chat", request)
    popped = bus.pop("chat")
    assert popped is not None
    assert popped.interrupt_id == request.interrupt_id
    assert (popped.tool_call.id, popped.tool_call.name) == ("c1", "pay")
    decision = {"approved": True, "note": f"use {CARD}", "modifiedArguments": {"card": CARD}, "why": CARD}
    receipt = bus.record(request.interrupt_id, decision)
    assert CARD not in repr((store.written, popped.wire(), receipt.wire()))
    assert "[CREDIT_CARD_" in "".join(store.written)


def test_the_standing_approval_keeps_its_note(bus: InterruptBus) -> None:
    request = request_for()
    bus.publish("chat", request)
    bus.record(request.interrupt_id, InterruptDecision(approved=True, note="always_allow"))
    found = bus.wait(request.interrupt_id, timeout=1)
    assert isinstance(found, Decided)
    assert found.decision.always_allow


def test_nobody_decides_in_time_and_what_comes_later_is_late(bus: InterruptBus) -> None:
    request = request_for()
    bus.publish("chat", request)
    assert bus.wait(request.interrupt_id, timeout=0.01, interval=0.005) == TimedOut()
    assert not bus.record(request.interrupt_id, {"approved": True}).handled


def test_an_abort_is_not_a_denial(bus: InterruptBus) -> None:
    request, abort = request_for(), threading.Event()
    bus.publish("chat", request)
    abort.set()
    assert bus.wait(request.interrupt_id, abort=abort) == Aborted()
    assert not bus.record(request.interrupt_id, {"approved": True}).handled


def test_a_wait_is_woken_by_another_thread(bus: InterruptBus) -> None:
    request = request_for()
    bus.publish("chat", request)
    later = threading.Timer(0.05, lambda: bus.record(request.interrupt_id, {"approved": True}))
    later.start()
    assert isinstance(bus.wait(request.interrupt_id, timeout=30, interval=0.02), Decided)
    later.join()


async def test_a_wait_in_a_loop(bus: InterruptBus) -> None:
    request, other = request_for(), request_for()
    bus.publish("chat", request)
    bus.publish("chat", other)
    waiting = asyncio.create_task(bus.await_(request.interrupt_id, timeout=30, interval=0.01))
    await asyncio.sleep(0.02)
    assert bus.record(request.interrupt_id, {"approved": True}).handled
    assert isinstance(await waiting, Decided)
    cancelled = asyncio.create_task(bus.await_(other.interrupt_id, timeout=30, interval=0.01))
    await asyncio.sleep(0.02)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    assert not bus.record(other.interrupt_id, {"approved": True}).handled


@pytest.mark.parametrize("interrupt_id", ["", "1", "x" * 21, "x" * 129, "a b" * 10, "\n" * 30])
def test_ids_hold_128_bits(bus: InterruptBus, interrupt_id: str) -> None:
    call = InterruptToolCall(id="c1", name="pay")
    with pytest.raises(InvalidInput):
        bus.publish("chat", InterruptRequest(interrupt_id=interrupt_id, tool_call=call, risk_level="low"))
    with pytest.raises(InvalidInput):
        bus.record(interrupt_id, {"approved": True})
    with pytest.raises(InvalidInput):
        bus.wait(interrupt_id, timeout=0)


def test_new_ids_differ() -> None:
    assert len({new_interrupt_id() for _ in range(100)}) == 100


@pytest.mark.parametrize("given", [{"approved": "yes"}, "yes", True, None, [], [("approved", True)], 5, b"yes"])
def test_something_else_than_a_decision_is_refused_and_the_request_waits_on(bus: InterruptBus, given: Any) -> None:
    request = request_for()
    bus.publish("chat", request)
    with pytest.raises((InvalidEnvelope, NotJson)):
        bus.record(request.interrupt_id, given)
    assert bus.record(request.interrupt_id, {"approved": True}).handled


@pytest.mark.parametrize("kind", ["memory", "vault"])
def test_everything_expires_after_ten_minutes(gateway: Gateway, clock: FakeClock, kind: str) -> None:
    session = gateway.session("chat")
    store = MemoryGuestStore(clock.now) if kind == "memory" else VaultGuestStore(session._services.vault, clock.now)
    bus = InterruptBus(store, lambda _chat, value: value)
    early, late = request_for(), request_for()
    bus.publish("chat", early)
    bus.record(early.interrupt_id, {"approved": True})
    clock.advance(599)
    bus.publish("chat", late)
    clock.advance(2)
    assert bus.wait(early.interrupt_id, timeout=0) == TimedOut()
    popped = bus.pop("chat")
    assert popped is not None
    clock.advance(600)
    assert bus.pop("chat") is None
    assert not bus.record(late.interrupt_id, {"approved": True}).handled


@pytest.mark.parametrize("make", [MemoryGuestStore])
def test_a_queue_is_bounded(make: Callable[[], MemoryGuestStore]) -> None:
    store = make()
    for number in range(MAX_QUEUED):
        store.lpush("k", str(number))
    with pytest.raises(TooManyInterrupts):
        store.lpush("k", "one more")
    assert store.rpop("k") == "0"


def test_a_session_publishes_its_pauses_and_takes_decisions(detector: Detector) -> None:
    ran: list[tuple[int, str]] = []
    with Gateway.open(":memory:", detector=detector, interrupt=InterruptConfig(interrupt_before=["pay"])) as gateway:

        @gateway.toolify()
        def pay(amount: int, to: str) -> str:
            ran.append((amount, to))
            return "paid"

        session = gateway.session("chat")
        bus = session.interrupt_bus()
        call = ToolCall(id="c1", name="pay", arguments={"amount": 5, "to": CARD})
        assert session.invoke([HumanMessage("Go.")], model=ScriptedModel([call, "Done."])).status == "interrupted"
        request = bus.pop("chat")
        assert request is not None
        assert request.tool_call.arguments is not None
        assert CARD not in repr(request.wire())
        assert [asked.id for asked in session.interrupts.pending()] == [request.interrupt_id]
        refused = {"approved": True, "modifiedArguments": {"other": 1}}
        assert not bus.record(request.interrupt_id, refused).handled
        edited = {**request.tool_call.arguments, "amount": 7}
        assert bus.record(request.interrupt_id, {"approved": True, "modifiedArguments": edited}).handled
        assert session.interrupts.pending() == []
        assert session.resume().status == "completed"
        assert ran == [(7, CARD)]


@pytest.fixture
def functions() -> Iterator[MemoryGuestStore]:
    """The functions over a store of this test."""
    store = MemoryGuestStore()
    set_guest_interrupt_store(store)
    yield store
    set_guest_interrupt_store(None)


async def test_the_functions(functions: MemoryGuestStore) -> None:
    request = request_for(card=CARD)
    publish_interrupt_request("chat-1", request.wire())
    popped = pop_interrupt_request("chat-1")
    assert popped is not None
    assert popped.interrupt_id == request.interrupt_id
    assert CARD not in repr(popped.wire())
    assert record_interrupt_decision(request.interrupt_id, {"approved": False, "note": "no"}).handled
    found = wait_for_interrupt_decision(request.interrupt_id, timeout=5, interval=0.01)
    assert isinstance(found, Decided)
    assert (found.decision.approved, found.decision.note) == (False, "no")
    assert await await_interrupt_decision(request.interrupt_id, timeout=0) == TimedOut()


def test_without_a_store_the_functions_say_so() -> None:
    set_guest_interrupt_store(None)
    for use in (
        lambda: pop_interrupt_request("c"),
        lambda: publish_interrupt_request("c", request_for()),
        lambda: record_interrupt_decision(new_interrupt_id(), {"approved": True}),
        lambda: wait_for_interrupt_decision(new_interrupt_id()),
    ):
        with pytest.raises(InvalidPolicy):
            use()
