"""Requests, answers, timeouts, cancels, crashes and duplicates in any interleaving: each pause ends exactly once, and
no value that was refused is kept."""

from __future__ import annotations

import gc
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sealgate.gateway import (
    Gateway,
    HumanMessage,
    InterruptConfig,
    InterruptNotPending,
    InvalidAnswer,
    Limits,
    Session,
    SessionBusy,
    ToolCall,
    depends_on_interrupt,
    interrupt,
)
from sealgate.gateway.testing import FakeClock, ScriptedModel
from sealgate.redaction import Detector

TOOLS = ("pay", "book", "send")


class Interleaving(RuleBasedStateMachine):
    """One session, seen by one process after another."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.gateway = Gateway.open(
            ":memory:",
            detector=Detector(names=False),
            clock=self.clock,
            limits=Limits(secret_asks_open=100, secret_asks_hour=1000),
            interrupt=InterruptConfig(interrupt_before=["send"], default_timeout=1000.0),
        )
        self.ran: Counter[str] = Counter()
        self.started = 0
        self.secrets = 0
        self.accepted: set[str] = set()
        self.refused: set[str] = set()
        self.seen: dict[str, None] = {}
        self._tools()
        self.session: Session = self.gateway.session("s1")

    def _tools(self) -> None:
        @self.gateway.toolify()
        @depends_on_interrupt("code", sensitive="OTP_CODE", timeout=500.0)
        def pay(code: str) -> str:
            self.ran[code] += 1
            return "paid"

        @self.gateway.toolify()
        def book() -> str:
            self.ran[interrupt("Name?")] += 1
            return "booked"

        @self.gateway.toolify()
        def send(number: int) -> str:
            self.ran[f"send {number}"] += 1
            return "sent"

    def _secret(self, kind: str) -> str:
        self.secrets += 1
        return f"{self.secrets:06d}" if kind == "code" else f"Quillfeather {self.secrets:06d}"

    @rule(tools=st.lists(st.sampled_from(TOOLS), min_size=1, max_size=3))
    def begin(self, tools: list[str]) -> None:
        self.started += 1
        calls = [
            ToolCall(
                id=f"c{place}", name=name, arguments={"number": self.started * 10 + place} if name == "send" else {}
            )
            for place, name in enumerate(tools)
        ]
        refusal = self._refusal(calls)
        assert refusal is None or self._waiting() or "resume the turn first" in refusal

    def _refusal(self, calls: list[ToolCall]) -> str | None:
        try:
            self.session.invoke([HumanMessage("Go.")], model=ScriptedModel([calls, "Done."]))
        except SessionBusy as busy:
            return str(busy)
        return None

    def _waiting(self) -> list[Any]:
        found = self.session.interrupts.pending()
        self.seen |= {one.id: None for one in found}
        return found

    def _drawn(self, data: st.DataObject) -> Any:
        """One that waits, by its place: ids differ from run to run."""
        waiting = self._waiting()
        return waiting[data.draw(st.integers(0, len(waiting) - 1))]

    @precondition(lambda self: self._waiting())
    @rule(data=st.data(), fits=st.booleans())
    def answer(self, data: st.DataObject, fits: bool) -> None:
        one = self._drawn(data)
        if one.kind == "approve":
            assert self.session.interrupts.resolve(one.id, {"approved": fits}).handled
            return
        secret = self._secret("code" if one.arg_name else "name")
        if fits:
            assert self.session.interrupts.answer(one.id, secret).handled
            self.accepted.add(secret)
        elif one.arg_name:
            self.refused.add(secret)
            try:
                self.session.interrupts.answer(one.id, f"{secret} or 991{self.secrets:03d}")
            except InvalidAnswer:
                return
            raise AssertionError("two codes are no answer")

    @precondition(lambda self: self.seen)
    @rule(data=st.data())
    def answer_again(self, data: st.DataObject) -> None:
        waiting = {one.id for one in self._waiting()}
        over = [one for one in self.seen if one not in waiting] or ["0" * 32]
        one, secret = over[data.draw(st.integers(0, len(over) - 1))], self._secret("name")
        self.refused.add(secret)
        assert not self.session.interrupts.answer(one, secret).handled
        assert not self.session.interrupts.resolve(one, {"approved": True, "note": secret}).handled
        assert not self.session.interrupts.cancel(one).cancelled

    @precondition(lambda self: self._waiting())
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        one = self._drawn(data)
        assert self.session.interrupts.cancel(one.id).state == "cancelled"

    @rule()
    def destroy(self) -> None:
        waiting = {one.id for one in self._waiting()}
        assert set(self.session.interrupts.destroy().cancelled_ids) == waiting

    @rule(seconds=st.sampled_from([1, 300, 501, 1001]))
    def time_passes(self, seconds: int) -> None:
        self._waiting()
        self.clock.advance(seconds)

    @rule()
    def crash(self) -> None:
        """Another process: nothing that the first one held in memory is known to it."""
        del self.session
        gc.collect()
        self.session = self.gateway.session("s1")

    @rule()
    def resume(self) -> None:
        try:
            response = self.session.resume(model=ScriptedModel(["Done."]))
        except InterruptNotPending:
            return
        assert response.status in ("completed", "failed", "interrupted")
        if response.status != "interrupted":
            assert self._waiting() == []

    @invariant()
    def every_pause_ends_once(self) -> None:
        waiting = {one.id for one in self._waiting()}
        ends = Counter(
            str(row.fields["interrupt"]) for row in self.gateway.audit.rows() if row.action.startswith("interrupt.")
        )
        assert all(times == 1 for times in ends.values())
        assert not waiting & set(ends)

    @invariant()
    def nothing_runs_twice(self) -> None:
        assert all(times == 1 for times in self.ran.values())
        assert {name for name in self.ran if not name.startswith("send")} <= self.accepted

    @invariant()
    def no_refused_value_is_kept(self) -> None:
        live = self.session._services.vault.match(lambda values: [value.value.text() for value in values])
        assert not [value for value in live if any(secret in value for secret in self.refused)]

    @invariant()
    def the_log_adds_up_to_the_state(self) -> None:
        log = self.session._services.log
        assert log.replay() == log.last()

    def teardown(self) -> None:
        self.gateway.audit.verify()
        self.gateway.close()


TestInterleaving = Interleaving.TestCase
TestInterleaving.settings = settings(
    max_examples=6, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)
