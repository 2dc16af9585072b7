"""How a pause ended, as the audit chain keeps it; and the pauses that a turn leaves behind when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sealgate.models.errors import InterruptNotPending
from sealgate.models.receipts import InterruptDecisionRecord, Verdict

from .record import InterruptRecord
from .table import InterruptTable


def decision_record(record: InterruptRecord, pseudonym: Callable[[str], str]) -> InterruptDecisionRecord:
    """The value-free record of a pause that has ended. ``pseudonym`` is what stands there for an approver's name."""
    return InterruptDecisionRecord(
        interrupt_id=record.id,
        kind=record.kind,
        state=record.state,
        tool=record.tool or None,
        verdict=_verdict(record),
        approver=pseudonym(record.approver) if record.approver else None,
    )


def audit_fields(record: InterruptDecisionRecord) -> dict[str, object]:
    """A record in the words of the audit chain."""
    named = {
        "interrupt": record.interrupt_id,
        "kind": record.kind,
        "status": record.state,
        "tool": record.tool,
        "decision": record.verdict,
        "approver": record.approver,
    }
    return {name: value for name, value in named.items() if value is not None}


def cancel_left(table: InterruptTable, interrupt_ids: list[str]) -> Iterator[InterruptRecord]:
    """Cancel those of a turn's pauses that still wait: nobody is left who would use an answer."""
    for interrupt_id in interrupt_ids:
        record = table.get(interrupt_id)
        if record is None or record.state != "pending":
            continue
        try:
            yield table.settle(interrupt_id, lambda pending: pending.but(state="cancelled"), late=True)
        except InterruptNotPending:
            continue


def _verdict(record: InterruptRecord) -> Verdict | None:
    if record.kind != "approve" or record.state != "resolved":
        return None
    decision = record.decision or {}
    if not decision.get("approved"):
        return "denied"
    return "edited" if "modifiedArguments" in decision else "approved"
