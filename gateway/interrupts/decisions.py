"""Reading a decision about a call: its shape first, then whether it is allowed, then redacted before it is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from sealgate.models.approvals import ALWAYS_ALLOW, ApprovalDecision, InterruptDecision
from sealgate.models.carrier import an_article
from sealgate.models.errors import InvalidAnswer, InvalidEnvelope, LimitExceeded, NotJson
from sealgate.models.interrupts import ActionRequest, HumanInterrupt, HumanInterruptConfig, HumanResponse
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


_FIELDS: Final = frozenset(
    spelled for name, info in ApprovalDecision.model_fields.items() for spelled in (name, info.alias or name)
)
_MODIFIED: Final = frozenset({"modified_arguments", "modifiedArguments"})
_EDIT: Final = re.compile(r"arg|edit|modif|param|input", re.IGNORECASE)
_NO: Final = frozenset({"ignore", "respond", "response", "reject", "rejected", "deny", "denied", "cancel", "cancelled"})
"""What other shapes of a decision say where they are no approval."""


class Disallowed(InvalidAnswer):
    """A decision that can be read, and that the pause does not take."""


def read_decision(redactor: Redactor, record: InterruptRecord, decision: ApprovalDecision) -> ApprovalDecision:
    """The decision as it is stored: redacted, with the placeholders of the call itself left in edited arguments.

    Raises ``Disallowed`` for one that the pause does not allow, and for edited arguments that the tool does not take
    from the model; the pause then stays pending.
    """
    allowed = record.human.config if record.human is not None else FULL
    if not _is_allowed(decision, allowed):
        raise Disallowed("the interrupt does not allow this kind of response")
    note, modified = decision.note, decision.modified_arguments
    if note is not None and len(note) > MAX_NOTE:
        raise LimitExceeded(f"a note is longer than {MAX_NOTE} characters", MAX_NOTE)
    fields: dict[str, object] = {"approved": decision.approved}
    if note is not None:
        fields["note"] = note if note == ALWAYS_ALLOW else redactor.redact(note, origin=INTERRUPT).text
    if decision.approved and modified is not None:
        _check_names(record, modified)
        fields["modified_arguments"] = _edited(redactor, record.arguments, modified)
    return ApprovalDecision.model_validate(fields)


def as_decision(answer: object, record: InterruptRecord) -> ApprovalDecision:
    """The decision in an answer about ``record``: an ``ApprovalDecision``, its JSON object (without ``approved`` a
    rejection), an ``InterruptDecision``, a ``HumanResponse`` or a list of one of these, ``True`` or ``False``.

    Raises ``InvalidAnswer`` for anything else, which nobody meant as a no, and ``Disallowed`` for an edit that names
    another tool.
    """
    if isinstance(answer, list) and len(answer) == 1:  # inspectors of LangGraph answer with a list of one response
        answer = answer[0]
    if isinstance(answer, bool):
        return ApprovalDecision(approved=answer)
    if isinstance(answer, ApprovalDecision):
        return answer
    if isinstance(answer, InterruptDecision):
        return _checked(answer.model_extra or {}, answer.decision())
    if isinstance(answer, Mapping):
        return _checked(answer, _read(lambda: ApprovalDecision.read(dict(answer))))
    if not isinstance(answer, HumanResponse):
        found = type(answer).__name__
        raise InvalidAnswer(f"a decision is True, False or an object with 'approved', not {an_article(found)}")
    if isinstance(answer.args, ActionRequest) and answer.type == "edit":
        request = answer.args
        return _read(lambda: _edit(request, record))
    return answer.decision()


def _checked(given: Mapping[str, object], decision: ApprovalDecision) -> ApprovalDecision:
    """The decision, unless it says yes and beside that has an edit that would be lost, or says no as well."""
    if not decision.approved:
        return decision
    others = {str(key): value for key, value in given.items() if key not in _FIELDS}
    lost = any(_EDIT.search(key) or isinstance(value, Mapping | list | tuple) for key, value in others.items())
    if lost or given.keys() >= _MODIFIED:
        raise InvalidAnswer("an approval has arguments that are none of its fields; an edit is modifiedArguments")
    if any(isinstance(value, str) and value.casefold() in _NO for value in others.values()):
        raise InvalidAnswer("an approval says no as well")
    return decision


def _read(read: Callable[[], ApprovalDecision]) -> ApprovalDecision:
    """A decision that came as JSON. Raises ``InvalidAnswer`` with places and rules for one of another shape."""
    try:
        return read()
    except (InvalidEnvelope, NotJson, LimitExceeded) as error:
        problem = str(error)
    raise InvalidAnswer(problem)


def _edit(request: ActionRequest, record: InterruptRecord) -> ApprovalDecision:
    """An edited request, in the call's own form or in that of the envelope with its approvals."""
    own = record.human.action_request.action if record.human is not None else ""
    if request.action not in (record.tool, own):
        raise Disallowed("an edit changes the arguments of a call, not its tool")
    if "approvals" not in request.args:
        return ApprovalDecision(approved=True, modified_arguments=request.args)
    listed = HumanInterrupt(action_request=request, config=FULL).approvals()
    about = [one for one in listed if one.tool_call_id == record.call_id]
    if len(about) != 1 or about[0].tool_name != record.tool:
        raise Disallowed("an edit holds the one call that is asked about")
    edited = about[0].edited_args if about[0].edited_args is not None else about[0].args
    return ApprovalDecision(approved=True, modified_arguments=edited)


def _is_allowed(decision: ApprovalDecision, allowed: HumanInterruptConfig) -> bool:
    if decision.approved:
        return allowed.allow_accept if decision.modified_arguments is None else allowed.allow_edit
    return allowed.allow_ignore if decision.note is None else allowed.allow_respond


def _check_names(record: InterruptRecord, modified: Mapping[str, JsonValue]) -> None:
    """Only the arguments that the model fills are edited; others, as they were, may stand beside them."""
    if record.editable is None:
        return
    for name, value in modified.items():
        unchanged = name in record.arguments and record.arguments[name] == value
        if name not in record.editable and not unchanged:
            raise Disallowed("an edit changes only arguments that the tool takes from the model")


def _edited(
    redactor: Redactor, before: Mapping[str, JsonValue], modified: dict[str, JsonValue]
) -> dict[str, JsonValue]:
    kept = placeholders_in(list(before.values()))
    edited = redactor.redact_json(
        dict(modified), origin=INTERRUPT, keep=kept.__contains__, fixed=frozenset((*before, *modified))
    )
    return dict(edited) if isinstance(edited, dict) else {}
