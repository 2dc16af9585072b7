"""How a call fails: an event, its after-hook with the error, and text that the model reads on its next step."""

from __future__ import annotations

from ..tools.tool import Tool
from .changes import CallFailed
from .context import TurnContext
from .hook_step import run_hook_of
from .state import TurnState
from .waits import Effects


def fail_call(
    context: TurnContext, state: TurnState, call_id: str, content: str, *, refused: bool = False
) -> Effects[TurnState]:
    """The state after a call failed. ``content`` is redacted already; ``refused`` calls held a value that had no right
    to be there.
    """
    call = state.call(call_id)
    tool: Tool = context.toolkit.get(call.tool)
    descriptor = {"id": call.id, "name": call.tool, "status": "failed", "args": call.arguments, "error": content}
    yield context.event("tool.failed", tool=descriptor)
    yield from run_hook_of(context, tool, call, "after", error=content)
    context.services.emitted.remember("tool", content, content)
    return context.advance(state, CallFailed(call_id=call_id, content=content, refused=refused))
