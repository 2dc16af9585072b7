"""Approving calls at the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from sealgate.models.approvals import ApprovalDecision, InterruptRequest
from sealgate.models.interrupts import InterruptDescriptor

from .terminal import default_terminal_interrupt
from .values import VALUES

if TYPE_CHECKING:
    from ..session import Session

_YES: Final = ("y", "yes")


def terminal_approvals(session: Session) -> Callable[[InterruptRequest], None]:
    """An observer for ``session.on_interrupt`` that asks about each call at the terminal, and files the answer.

    It shows tool, risk and arguments with placeholders, and what is known of their values: the last symbols where the
    owner is shown as much, the entity types and the origins. ``y`` and ``yes`` approve; anything else denies. Where
    there is no more input the pause stays pending. Not protected: who sits at the terminal.
    """

    def ask(request: InterruptRequest) -> None:
        pending = session.interrupts.get(request.interrupt_id)
        if pending is None or pending.kind != "approve":
            return
        answer = default_terminal_interrupt(f"{approval_text(pending, request.risk_level)}\n{pending.prompt} [y/N] ")
        decision = ApprovalDecision(approved=answer.strip().lower() in _YES)
        session.interrupts.resolve(request.interrupt_id, decision)

    return ask


def approval_text(pending: InterruptDescriptor, risk: str) -> str:
    """An approval as lines for a person, without the question."""
    args = pending.human.action_request.args if pending.human is not None else {}
    listed, values, result = args.get("approvals"), args.get(VALUES), args.get("result")
    calls = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    lines = [f"{pending.tool_name} ({risk} risk)"]
    for call in calls:
        given = call.get("args")
        pairs = given.items() if isinstance(given, dict) else ()
        lines += [f"  {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in pairs]
    if result is not None:
        lines.append(f"  result: {json.dumps(result, ensure_ascii=False)}")
    known = values.items() if isinstance(values, dict) else ()
    return "\n".join([*lines, *(_value_line(key, told) for key, told in known if isinstance(told, dict))])


def _value_line(placeholder: str, told: Mapping[str, object]) -> str:
    """One value: its placeholder, its last symbols if they may be shown, what it is, and where it came from."""
    shown = "" if told.get("shown") in (placeholder, None) else f" {told['shown']}"
    types, origins = (_listed(told.get(name)) for name in ("entity_types", "origins"))
    return f"  {placeholder} ={shown} {types or 'unknown'}, from {origins or 'nowhere in this session'}"


def _listed(names: object) -> str:
    return ", ".join(map(str, names)) if isinstance(names, list) else ""
