"""Filing whatever a person said about a pause, whichever kind it is: for ``session.resume``."""

from __future__ import annotations

from typing import cast

from sealgate.models.errors import AuditUnavailable, InterruptNotPending, StoreFull, StoreUnavailable
from sealgate.models.receipts import InterruptResolveReceipt

from .manager import Decision, InterruptManager


def file_answer(
    manager: InterruptManager, interrupt_id: str, answer: object, again: object = None
) -> InterruptResolveReceipt:
    """The receipt of an answer or a decision that was filed; ``again`` is the second typing of an answer.

    A decision is what ``InterruptManager.resolve`` takes. Raises ``InterruptNotPending`` with the receipt when it was
    not filed, ``InvalidAnswer`` when it does not fit, ``AuditUnavailable`` when nothing can be written.
    """
    try:
        receipt = _filed(manager, interrupt_id, answer, again)
    except (StoreFull, StoreUnavailable):
        raise AuditUnavailable("the answer could not be recorded, so nothing was done with it") from None
    if not receipt.handled:
        raise InterruptNotPending("no pending interrupt of this session takes this answer", receipt)
    return receipt


def _filed(manager: InterruptManager, interrupt_id: str, answer: object, again: object) -> InterruptResolveReceipt:
    waiting = manager.get(interrupt_id)
    if waiting is not None and waiting.kind == "approve":
        return manager.resolve(interrupt_id, cast("Decision", answer))  # it reads anything, and refuses what is none
    return manager.answer(interrupt_id, answer, again=again)
