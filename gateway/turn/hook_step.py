"""Running a tool's hooks. They get placeholders, and one that fails never fails the tool."""

from __future__ import annotations

from typing import Literal

from sealgate.models.jsonvalue import JsonValue

from ..tools.hooks import hook_payload
from ..tools.tool import Tool
from .context import TurnContext
from .state import CallState
from .waits import Effects, Wait, is_coroutine


def run_hook_of(
    context: TurnContext,
    tool: Tool,
    call: CallState,
    stage: Literal["before", "after"],
    result: JsonValue = None,
    error: str | None = None,
) -> Effects[None]:
    """Run the hook of a stage, if the tool has one, and tell that it ran."""
    hook = tool.before_execute if stage == "before" else tool.after_execute
    if hook is None:
        return
    payload = hook_payload(stage, tool.name, call.id, call.arguments, result, error)
    failed: str | None = None
    try:
        yield Wait("hook", lambda: hook(payload), inline=is_coroutine(hook))
    except (Exception, SystemExit) as raised:
        failed = type(raised).__name__
    yield context.hook_event(stage, tool.name, failed)
