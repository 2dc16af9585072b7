"""Reading a decision about a call: its shape first, then whether it is allowed, then redacted before it is stored."""

from __future__ import annotations

from collections.abc import Mapping

from sealgate.models.approvals import ALWAYS_ALLOW, ApprovalDecision
from sealgate.models.errors import InvalidAnswer, LimitExceeded
from sealgate.models.interrupts import HumanInterruptConfig
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.origins import INTERRUPT
from sealgate.redaction import Redactor

from ..tools.injection import placeholders_in
from .record import InterruptRecord

MAX_NOTE = 4000
"""Code points of the longest note."""

REVIEW = HumanInterruptConfig(allow_accept=True, allow_ignore=True, allow_respond=True)
"""What may be decided about a result: it is shown to the model, or withheld. There is nothing left to edit."""

FULL = HumanInterruptConfig(allow_accept=True, allow_edit=True, allow_ignore=True, allow_respond=True)
"""What may be decided about a call before it runs."""


def read_decision(redactor: Redactor, record: InterruptRecord, decision: ApprovalDecision) -> ApprovalDecision:
    """The decision as it is stored: redacted, with the placeholders of the call itself left in edited arguments.

    Raises ``InvalidAnswer`` for one that the pause does not allow; the pause then stays pending.
    """
    allowed = record.human.config if record.human is not None else FULL
    if not _is_allowed(decision, allowed):
        raise InvalidAnswer("the interrupt does not allow this kind of response")
    note, modified = decision.note, decision.modified_arguments
    if note is not None and len(note) > MAX_NOTE:
        raise LimitExceeded(f"a note is longer than {MAX_NOTE} characters", MAX_NOTE)
    fields: dict[str, object] = {"approved": decision.approved}
    if note is not None:
        fields["note"] = note if note == ALWAYS_ALLOW else redactor.redact(note, origin=INTERRUPT).text
    if decision.approved and modified is not None:
        fields["modified_arguments"] = _edited(redactor, record.arguments, modified)
    return ApprovalDecision.model_validate(fields)


def _is_allowed(decision: ApprovalDecision, allowed: HumanInterruptConfig) -> bool:
    if decision.approved:
        return allowed.allow_accept if decision.modified_arguments is None else allowed.allow_edit
    return allowed.allow_ignore if decision.note is None else allowed.allow_respond


def _edited(
    redactor: Redactor, before: Mapping[str, JsonValue], modified: dict[str, JsonValue]
) -> dict[str, JsonValue]:
    kept = placeholders_in(list(before.values()))
    edited = redactor.redact_json(
        dict(modified), origin=INTERRUPT, keep=kept.__contains__, fixed=frozenset((*before, *modified))
    )
    return dict(edited) if isinstance(edited, dict) else {}
