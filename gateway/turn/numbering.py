"""Which of how many: the place of a pause among those that the calls of one answer of the model lead to."""

from __future__ import annotations

from .state import CallState, Stage, TurnState


def numbered(calls: tuple[CallState, ...]) -> tuple[CallState, ...]:
    """The calls with the place of each question: in the order of the calls, a call's questions before its approvals."""
    total = sum(map(_pauses, calls))
    before, placed = 0, []
    for call in calls:
        asks = tuple(ask.but(number=before + index, total=total) for index, ask in enumerate(call.asks, start=1))
        placed.append(call.but(asks=asks))
        before += _pauses(call)
    return tuple(placed)


def place_of_approval(state: TurnState, call_id: str, stage: Stage) -> tuple[int, int]:
    """The number of an approval, and of how many."""
    earlier = 0
    for call in state.calls:
        if call.id == call_id:
            return earlier + len(call.asks) + call.gates.index(stage) + 1, sum(map(_pauses, state.calls))
        earlier += _pauses(call)
    return 1, 1


def _pauses(call: CallState) -> int:
    return len(call.asks) + len(call.gates)
