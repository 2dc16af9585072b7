"""The manager of one session's pauses: a view of their one table, and the only way to settle one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from sealgate.models.approvals import ApprovalDecision, InterruptDecision, InterruptToolCall
from sealgate.models.errors import InterruptNotPending, InvalidAnswer, InvalidInput, LimitExceeded
from sealgate.models.interrupts import HumanResponse, InterruptDescriptor
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.messages import SealedCall, ToolCall
from sealgate.models.receipts import InterruptCancelReceipt, InterruptDestroyReceipt, InterruptResolveReceipt

from ..frames import without_locals
from ..given import an
from ..services import Services
from .answer import take_answer
from .approving import Approvals
from .config import InterruptConfig
from .decisions import Disallowed, as_decision, read_decision
from .ending import cancel_left
from .pause_answer import take_pause_answer
from .question import Question
from .record import InterruptRecord
from .values import for_approver

Decision: TypeAlias = ApprovalDecision | InterruptDecision | HumanResponse | Mapping[str, Any] | bool
"""A decision in any of its shapes."""


@without_locals
class InterruptManager:
    """``session.interrupts``. ``answer`` and ``resolve`` file what a person said and return a receipt; they do not go
    on with the turn.

    Works in any process that has the session: what is filed is redacted, sealed and stored, and of two who answer at
    once one wins.
    """

    def __init__(self, services: Services, config: InterruptConfig) -> None:
        self._services = services
        self._question_of: Callable[[str, str], Question | None] = lambda _tool, _argument: None
        self._table = services.interrupts
        self._config = config
        self._approvals = Approvals(services, config)

    def know(self, question_of: Callable[[str, str], Question | None]) -> None:
        """Whom to ask what a tool asks for an argument, so that an answer from outside is read as that; the session
        says so itself.
        """
        self._question_of = question_of

    @property
    def manager(self) -> InterruptManager:
        """Itself, under the name that the facet of other runtimes has."""
        return self

    def pending(self) -> list[InterruptDescriptor]:
        """Every pause that waits, oldest first.

        This is the approver's view: of the values in a call it shows the last symbols that their owner may see.
        """
        return [for_approver(record.descriptor(), self._services.vault) for record in self._table.pending()]

    def get(self, interrupt_id: str) -> InterruptDescriptor | None:
        """The pause with this id while it waits, else ``None``; the approver's view, as ``pending`` gives it."""
        record = self._pending(an(str, interrupt_id, "interrupt_id"))
        return None if record is None else for_approver(record.descriptor(), self._services.vault)

    def answer(self, interrupt_id: str, value: object, *, again: object = None) -> InterruptResolveReceipt:
        """File the answer to an ask, sealed. ``handled`` is false for a pause that is unknown, over, settled or no
        ask; the value is dropped then, unread. Raises ``InvalidAnswer`` for one that does not fit; the pause stays
        pending until its attempts are used up. The answer to a form is an object with its fields; ``again`` is the
        second typing of what is to be typed twice.
        """
        record = self._pending(an(str, interrupt_id, "interrupt_id"))
        if record is None or record.kind == "approve":
            return InterruptResolveReceipt(handled=False, interrupt_id=interrupt_id)
        try:
            self._table.take(interrupt_id, lambda claimed: {"answer": self._read(claimed, value, again)})
        except InterruptNotPending:
            return InterruptResolveReceipt(handled=False, interrupt_id=interrupt_id)
        except InvalidAnswer:
            self._count_attempt(interrupt_id)
            raise
        return InterruptResolveReceipt(handled=True, interrupt_id=interrupt_id)

    def resolve(self, interrupt_id: str, decision: Decision, *, approver: str | None = None) -> InterruptResolveReceipt:
        """File the decision about a call, redacted. A payload without ``approved`` is a rejection. ``handled`` is
        false for a pause that is unknown, over or settled, and for a response that it does not allow; it stays
        pending then. ``approver`` is whoever decided; the audit chain has a pseudonym for it. Raises
        ``InvalidAnswer`` for what is no decision: a text, nothing, an ``approved`` that is no boolean. It stays
        pending then too.
        """
        asked = self._pending(an(str, interrupt_id, "interrupt_id"))
        if asked is None or asked.kind != "approve":
            return InterruptResolveReceipt(handled=False, interrupt_id=interrupt_id)
        filed: InterruptRecord | None = None
        with suppress(InterruptNotPending, Disallowed, LimitExceeded):
            read = as_decision(decision, asked)
            filed = self._table.take(
                interrupt_id,
                lambda claimed: {"decision": self._decision(claimed, read), "approver": approver},
            )
        if filed is None:
            return InterruptResolveReceipt(handled=False, interrupt_id=interrupt_id)
        kept = ApprovalDecision.model_validate(filed.decision)
        self._approvals.decided(filed, kept)
        return InterruptResolveReceipt(handled=True, resolved_decision=kept, interrupt_id=interrupt_id)

    def cancel(self, interrupt_id: str) -> InterruptCancelReceipt:
        """Cancel a pause: whoever waits for it is told ``Interrupt cancelled``.

        The receipt has the state in which it was found.
        """
        record = self._table.get(an(str, interrupt_id, "interrupt_id"))
        if record is None:
            return InterruptCancelReceipt(cancelled=False, interrupt_id=interrupt_id, state="unknown")
        filed = self._cancel(interrupt_id)
        call = InterruptToolCall(id=record.call_id, name=record.tool, arguments=record.arguments)
        state = "cancelled" if filed is not None else (self._table.get(interrupt_id) or record).state
        return InterruptCancelReceipt(
            cancelled=filed is not None,
            interrupt_id=interrupt_id,
            tool_call=call,
            session_id=self._services.vault.name,
            state=state,
        )

    def extend(self, interrupt_id: str, seconds: float) -> InterruptDescriptor:
        """Give a pause that many more seconds, as often as is wanted. An ask for a secret ends when its limit after it
        was asked is over, whatever is wanted. Raises ``InterruptNotPending``, and ``InvalidInput`` unless ``seconds``
        is a finite number above 0.
        """
        an(str, interrupt_id, "interrupt_id")
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
            raise InvalidInput("a pause is extended by a finite number of seconds above 0")
        limit = self._services.limits.secret_ask_timeout

        def later(pending: InterruptRecord) -> InterruptRecord:
            if pending.expires_at is None:
                return pending
            until = pending.expires_at + seconds
            return pending.but(expires_at=min(until, pending.created_at + limit) if pending.secret else until)

        return self._table.settle(interrupt_id, later).descriptor()

    def destroy(self) -> InterruptDestroyReceipt:
        """Cancel every pause that waits."""
        ids = [record.id for record in self._table.pending() if self.cancel(record.id).cancelled]
        return InterruptDestroyReceipt(cancelled_count=len(ids), cancelled_ids=ids)

    def should_interrupt_before(self, call: ToolCall | SealedCall) -> bool:
        """Whether a call pauses before it runs, by the configuration alone."""
        return self._config.before(self._sealed(call))

    def should_interrupt_after(self, call: ToolCall | SealedCall) -> bool:
        """Whether a call pauses after it ran."""
        return self._config.after(self._sealed(call))

    def request_approval(
        self, session_id: str, call: ToolCall | SealedCall, timeout: float | None = None
    ) -> ApprovalDecision:
        """Ask for a decision about a call outside of a turn, and wait for it.

        ``timeout`` is in seconds, else the configuration's. Raises ``InterruptTimeout``, ``InterruptCancelled``
        (``Interrupt cancelled``), and ``InterruptNotPending`` for another session's name.
        """
        self._check_session(session_id)
        return self._approvals.request(self._sealed(call), timeout)

    async def arequest_approval(
        self,
        session_id: str,
        call: ToolCall | SealedCall,
        timeout: float | None = None,  # noqa: ASYNC109 - it is filed with the pause
    ) -> ApprovalDecision:
        """``request_approval`` for an event loop."""
        self._check_session(session_id)
        return await self._approvals.arequest(self._sealed(call), timeout)

    resume = resolve
    get_pending_interrupts = pending
    get_pending_interrupt = get

    def _pending(self, interrupt_id: str) -> InterruptRecord | None:
        record = self._table.get(interrupt_id)
        return record if record is not None and record.state == "pending" else None

    def _decision(self, claimed: InterruptRecord, decision: ApprovalDecision) -> dict[str, Any]:
        return read_decision(self._services.redactor, claimed, decision).wire()

    def _cancel(self, interrupt_id: str) -> InterruptRecord | None:
        return next(cancel_left(self._table, [interrupt_id]), None)

    def _read(self, record: InterruptRecord, value: object, again: object) -> JsonValue:
        if record.kind == "pause":
            return take_pause_answer(self._services.vault, record.response_schema, value)
        return take_answer(self._services.redactor, self._services.vault, self._question(record), value, again)

    def _question(self, record: InterruptRecord) -> Question:
        """The question that was asked, with its argument's type where its tool is known here and still asks it."""
        asked, known = record.question(), self._question_of(record.tool, record.arg_name)
        return known if known is not None and known.asks_as(asked) else asked

    def _count_attempt(self, interrupt_id: str) -> None:
        """One more answer did not fit; when that was the last attempt, the pause is over."""

        def counted(pending: InterruptRecord) -> InterruptRecord:
            asked = pending.asked + 1
            return pending.but(asked=asked, state="cancelled" if asked >= pending.attempts else "pending")

        with suppress(InterruptNotPending):
            self._table.settle(interrupt_id, counted)

    def _sealed(self, call: ToolCall | SealedCall) -> SealedCall:
        if isinstance(call, SealedCall):
            return call
        arguments = self._services.redactor.redact_json(dict(call.arguments), origin="model", keep=lambda _one: True)
        return SealedCall(id=call.id, name=call.name, arguments=dict(arguments) if isinstance(arguments, dict) else {})

    def _check_session(self, session_id: str) -> None:
        if session_id != self._services.vault.name:
            raise InterruptNotPending("this manager is of another session")
