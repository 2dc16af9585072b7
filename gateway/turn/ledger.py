"""The log of a session's turns: append-only, encrypted, and enough to reach any state again without asking or
running.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sealgate.models.errors import ReplayDiverged
from sealgate.vault import VaultSession

from .changes import CallStarted, Change, TurnPaused, apply, decode, digest, encode
from .state import TurnState

_LOG: Final = "log"
_STATE: Final = "state"


class TurnLog:
    """Every change of every turn of one session, and the state after the last one.

    What starts a tool or waits for a person survives the loss of power, the other changes survive the death of the
    process.
    """

    def __init__(self, vault: VaultSession) -> None:
        self._records = vault.records

    def advance(self, state: TurnState | None, change: Change) -> TurnState:
        """The state after a change, once the change is on the store. Nothing goes on before."""
        after = apply(state, change)
        durable = isinstance(change, (CallStarted, TurnPaused))
        sequence = self._records.append(_LOG, encode(change, after), durable=durable)
        number = self._records.append(_STATE, str(sequence).encode() + b"\n" + after.to_json(), durable=False)
        self._records.drop_before(_STATE, number)
        return after

    def last(self) -> TurnState | None:
        """The state after the last change, or ``None`` before the first turn.

        A change that a crash kept from its state is applied.
        """
        record = self._records.latest(_STATE)
        sequence, state = _snapshot(record.payload) if record else (0, None)
        for _turn, change, _after in self._rows(sequence):
            state = apply(state, change)
        return state

    def replay(self) -> TurnState | None:
        """The state that the whole log adds up to. Nobody is asked, no tool runs, no model is called.

        Raises ``ReplayDiverged`` at the first row that does not lead to the state that was recorded after it, and
        ``SessionShredded`` after a shred.
        """
        state: TurnState | None = None
        for number, (turn, change, after) in enumerate(self._rows(0), 1):
            state = apply(state, change)
            if state.turn_id != turn or digest(state) != after:
                raise ReplayDiverged("the log does not lead to the state that was recorded", number)
        return state

    def _rows(self, after: int) -> Iterator[tuple[str, Change, str]]:
        yield from (decode(record.payload) for record in self._records.whole(_LOG, after))


def _snapshot(payload: bytes) -> tuple[int, TurnState]:
    sequence, _, state = payload.partition(b"\n")
    return int(sequence), TurnState.from_json(state)
