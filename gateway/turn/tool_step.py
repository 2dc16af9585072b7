"""The step that runs a tool: recorded as started, injected, called once, and redacted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pydantic import BaseModel

from sealgate.models.errors import (
    AuditUnavailable,
    GrantRefused,
    InvalidInput,
    LimitExceeded,
    MalformedPlaceholder,
    SealgateError,
    StoreFull,
    StoreUnavailable,
    ToolFailed,
    TooManyRefusals,
    UnknownPlaceholder,
    ValueGone,
)
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.origins import tool_origin
from sealgate.redaction import build_known_values

from ..events.scrub import scrub_text
from ..interrupts.scratchpad import InterruptScratchpad
from ..tools.injection import Injection, inject, placeholders_in
from ..tools.outcome import as_text, hide_split, redact_error, redact_result, to_json
from ..tools.tool import Tool
from .approve_step import is_bound, is_late
from .arguments import complete_arguments, kept_closed
from .body import PAUSED, filed_pause, pause_body, paused_at, running, scratchpad_of
from .changes import CallReturned, CallStarted, CallSucceeded
from .closing import UNKNOWN, denial
from .context import TurnContext
from .failure import fail_call
from .hold_step import too_late
from .hook_step import run_hook_of
from .state import CallState, TurnState
from .steps import RunTool
from .waits import Effects, Wait, is_coroutine

UNGRANTED: Final = (GrantRefused, UnknownPlaceholder, ValueGone, MalformedPlaceholder)
"""What is said of a placeholder that has no right to be where it is."""

UNREAD: Final = "; the tool has run, and only its result is missing"
"""What the model reads besides where the result of a call could not be shown: the call need not be made again."""

REFUSALS: Final = (*UNGRANTED, InvalidInput, ToolFailed)
"""What goes wrong before a tool's body starts and says so without a value; the model reads it as it is."""


def run_tool(context: TurnContext, state: TurnState, step: RunTool) -> Effects[TurnState]:
    """The state after a call ended, well or badly.

    A call that is found started ended in another process, nobody knows how; it is not run again unless it is
    idempotent. One that filed a pause before it ended is known to have paused.
    """
    call = state.call(step.call_id)
    tool = context.toolkit.get(call.tool)
    paused = filed_pause(context, state, call) if call.phase == "started" else None
    if paused is not None:
        return context.advance(state, paused_at(call, paused))
    if call.phase == "started" and not call.idempotent:
        return (yield from fail_call(context, state, call.id, UNKNOWN))
    decided = call.approval("before")
    if decided is not None and decided.decided == "denied":
        return (yield from fail_call(context, state, call.id, denial(decided.note)))
    if is_late(context, call):
        _audit_refusal(context, tool.name, "InterruptTimeout")
        return (yield from too_late(context, state, call))
    return (yield from _run(context, state, call, tool))


def _run(context: TurnContext, state: TurnState, call: CallState, tool: Tool) -> Effects[TurnState]:
    if "before" in call.gates and call.approval("before") is None:
        return (yield from _unapproved(context, state, tool, call.id))
    started = _started(context, state, call.id)
    yield context.event("tool.started", tool=described(call, "started"))
    yield from run_hook_of(context, tool, call, "before")
    try:
        # What the approval is compared with is what is injected: a hook may have changed where arguments come from.
        injection = complete_arguments(context, tool, call, started)
        if not is_bound(context, tool, call, injection):
            return (yield from _unapproved(context, started, tool, call.id))
        pad = scratchpad_of(context, state, call)
        bound = bind(context, tool, injection, pad)
    except REFUSALS as refused:
        return (yield from _refused(context, started, call.id, refused))
    return (yield from _called(context, tool, call, injection, started, bound, pad))


def _unapproved(context: TurnContext, state: TurnState, tool: Tool, call_id: str) -> Effects[TurnState]:
    _audit_refusal(context, tool.name, "ApprovalMismatch")
    return (yield from fail_call(context, state, call_id, "ApprovalMismatch: nobody approved exactly this call"))


def _started(context: TurnContext, state: TurnState, call_id: str) -> TurnState:
    """The state once the start is on the store. A store that takes no record takes no audit row either."""
    try:
        return context.advance(state, CallStarted(call_id=call_id))
    except (StoreFull, StoreUnavailable):
        pass
    raise AuditUnavailable("the start of the call could not be recorded, so it was not run")


def _refused(context: TurnContext, state: TurnState, call_id: str, refused: SealgateError) -> Effects[TurnState]:
    """The state after a call that did not start. Raises ``TooManyRefusals`` for a model that does not stop asking for
    values where they have no right to be.
    """
    counts = isinstance(refused, UNGRANTED)
    if isinstance(refused, MalformedPlaceholder):  # The others were refused by the vault, which wrote it down.
        _audit_refusal(context, state.call(call_id).tool, type(refused).__name__)
    content = f"{type(refused).__name__}: {refused}"
    after = yield from fail_call(context, state, call_id, content, refused=counts)
    most = context.services.limits.refusals
    if counts and after.refusals >= most:
        raise TooManyRefusals(f"{most} calls of the turn were refused for values that have no right to be there", most)
    return after


def _audit_refusal(context: TurnContext, tool: str, cause: str) -> None:
    context.services.audit("refused", {"kind": "inject", "tool": tool, "cause": cause})


def bind(context: TurnContext, tool: Tool, injection: Injection, pad: InterruptScratchpad) -> Callable[[], object]:
    """The call with the real values in it."""
    return running(
        tool, tool.validate(inject(context.services.vault, injection, context.services.policy)), pad, injection.call_id
    )


def described(call: CallState, status: str, result: JsonValue = None) -> dict[str, object]:
    """A call as an event shows it."""
    return {"id": call.id, "name": call.tool, "status": status, "args": call.arguments, "result": result}


def _called(
    context: TurnContext,
    tool: Tool,
    call: CallState,
    injection: Injection,
    state: TurnState,
    bound: Callable[[], object],
    pad: InterruptScratchpad,
) -> Effects[TurnState]:
    services, ran = context.services, ""
    try:
        returned = yield Wait("tool", bound, inline=is_coroutine(tool.target))
        if returned is PAUSED and pad.pending is not None:
            return (yield from pause_body(context, state, call, pad.pending))
        pad.finish()
        ran = UNREAD
        content, sealed = _sealed_result(context, tool, injection, returned)
    except LimitExceeded as beyond:
        return (yield from fail_call(context, state, call.id, f"{type(beyond).__name__}: {beyond}{ran}"))
    except (Exception, SystemExit) as error:
        text = redact_error(services.redactor, tool.name, error, services.limits.new_values)
        return (yield from fail_call(context, state, call.id, text + ran))
    finally:
        if pad.pending is None:
            _end_call(context, injection)
    yield context.event("tool.completed", tool=described(call, "completed", sealed))
    yield from run_hook_of(context, tool, call, "after", result=sealed)
    services.emitted.remember("tool", content, content)
    done = CallReturned if "after" in call.gates else CallSucceeded
    return context.advance(state, done(call_id=call.id, content=content, result=sealed))


def _end_call(context: TurnContext, injection: Injection) -> None:
    """A card's security code is destroyed once its call is over and what came back is redacted (PCI DSS 3.3.1)."""
    used = [one for one in placeholders_in(list(injection.arguments.values())) if one.entity_type == "CVV"]
    if used:
        context.services.vault.retire(used)


def _sealed_result(context: TurnContext, tool: Tool, injection: Injection, returned: object) -> tuple[str, JsonValue]:
    """What the model reads and the sealed result.

    The fields of a typed object keep the placeholders that filled them.
    """
    services = context.services
    kept, limits = kept_closed(injection), services.limits
    result = to_json(returned)
    redacted = redact_result(services.redactor, tool.name, result, kept, limits.new_values, limits.result_size)
    pieces = services.redactor.joined(tool_origin(tool.name), limits.new_values)
    sealed = hide_split(redacted, services.vault.match(build_known_values), pieces)
    if isinstance(returned, BaseModel) and type(returned) is tool.target and isinstance(sealed, dict):
        sealed.update({name: value for name, value in injection.arguments.items() if placeholders_in(value)})
    if isinstance(sealed, str):
        return sealed, sealed
    # As printed, the items of a list stand beside each other once more, and may spell what they do not spell alone.
    return scrub_text(as_text(sealed), pieces), sealed
