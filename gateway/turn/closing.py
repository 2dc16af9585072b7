"""A turn that has ended before its calls had: what the next turn's model reads of each of them.

Every call of the model gets its message, as chat APIs want it, so that the model neither takes a call that may have
happened for one that did not, nor asks again for one that did.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sealgate.models.messages import SealedCall, SealedMessage

from .state import CallState, TurnState
from .steps import tool_message

UNKNOWN: Final = "ToolOutcomeUnknown: the call was started and never reported back"
"""What the model reads of a call that may have happened. It is not run again."""

NOT_RUN: Final = "TurnCancelled: the turn ended before the call was run"
"""What the model reads of a call whose tool's body never began."""

TOO_LATE: Final = "InterruptTimeout: nobody answered in time, and the call was not run"
"""What the model reads of a call that waited for a person."""

WITHHELD: Final = "result withheld"
"""What the model reads of a result that a person did not let through."""

TIMED_OUT: Final = "interrupt_timeout"
"""The code of a turn that ended because nobody answered or decided in time."""


def closed(state: TurnState) -> tuple[SealedMessage, ...]:
    """The conversation at the end of a turn, with a message for each call that the turn left behind."""
    asked = (call for call in state.calls if call.parent is None)
    return (*state.messages, *(tool_message(_ended(state, call)) for call in asked))


def answered(messages: Iterable[SealedMessage]) -> tuple[SealedMessage, ...]:
    """A conversation as somebody gave it, with a message for each call in it that none answers."""
    said: list[SealedMessage] = []
    left: list[SealedCall] = []
    for message in messages:
        if message.role == "tool":
            left = [call for call in left if call.id != message.tool_call_id]
        else:
            said += map(_unanswered, left)
            left = list(message.tool_calls)
        said.append(message)
    return (*said, *map(_unanswered, left))


def may_have_run(call: CallState) -> bool:
    """Whether a call's body began, and nobody knows how it ended."""
    return call.phase == "started" or (call.phase == "waiting" and bool(call.pauses))


def lost(call: CallState) -> dict[str, object]:
    """A call that may have run, as an event tells of its end."""
    return {"id": call.id, "name": call.tool, "status": "failed", "args": call.arguments, "error": UNKNOWN}


def denial(note: str | None) -> str:
    """What the model reads of a call that a person did not approve."""
    return "Denied: the call was not approved" + (f": {note}" if note else "")


def _ended(state: TurnState, call: CallState) -> CallState:
    if call.phase == "done":
        return call
    return call.but(phase="done", status="error", content=_told(state, call) + _told_of_dependencies(state, call))


def _unanswered(call: SealedCall) -> SealedMessage:
    return tool_message(CallState(id=call.id, tool=call.name, phase="done", status="error", content=UNKNOWN))


def _told(state: TurnState, call: CallState) -> str:
    if may_have_run(call):
        return UNKNOWN
    if call.phase == "returned":
        return WITHHELD
    decided = call.approval("before")
    if decided is not None and decided.decided == "denied":
        return denial(decided.note)
    late = call.held and state.error is not None and state.error.code == TIMED_OUT
    return TOO_LATE if late else NOT_RUN


def _told_of_dependencies(state: TurnState, call: CallState) -> str:
    """What became of the tools that were run for a call, of which the model reads nowhere else."""
    begun = [one for one in state.calls if one.parent == call.id and (one.phase != "waiting" or one.pauses)]
    told = (f"; {one.tool!r}, which it depends on: {UNKNOWN if may_have_run(one) else _run(one)}" for one in begun)
    return "".join(told)


def _run(call: CallState) -> str:
    return call.content if call.status == "error" else "was run"
