"""Filing whatever a person said about a pause, whichever kind it is: for ``session.resume``."""

from __future__ import annotations

from collections.abc import Mapping

from sealgate.models.approvals import ApprovalDecision
from sealgate.models.errors import InterruptNotPending
from sealgate.models.interrupts import HumanResponse
from sealgate.models.receipts import InterruptResolveReceipt

from .manager import InterruptManager


def file_answer(manager: InterruptManager, interrupt_id: str, answer: object) -> InterruptResolveReceipt:
    """The receipt of an answer or a decision that was filed.

    A decision is an ``ApprovalDecision``, its JSON, a ``HumanResponse`` or a yes-or-no. Raises ``InterruptNotPending``
    with the receipt when it was not filed, ``InvalidAnswer`` when it does not fit.
    """
    waiting = manager.get(interrupt_id)
    if waiting is not None and waiting.kind == "approve":
        receipt = manager.resolve(interrupt_id, as_decision(answer))
    else:
        receipt = manager.answer(interrupt_id, answer)
    if not receipt.handled:
        raise InterruptNotPending("no pending interrupt of this session takes this answer", receipt)
    return receipt


def as_decision(answer: object) -> ApprovalDecision:
    """What somebody said about a call, as a decision. Anything that does not say yes is a rejection."""
    if isinstance(answer, ApprovalDecision):
        return answer
    if isinstance(answer, HumanResponse):
        return answer.decision()
    if isinstance(answer, Mapping):
        return ApprovalDecision.read(dict(answer))
    return ApprovalDecision(approved=answer is True)
