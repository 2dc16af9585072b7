"""A session's conversation: what was said so far, and the state that the next turn starts from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sealgate.models.errors import InterruptNotPending, InvalidInput, SessionBusy
from sealgate.models.messages import RawMessage, SealedMessage, SystemMessage

from .interrupts.approving import ENDED_AS
from .services import Services
from .turn.changes import TurnFailed
from .turn.closing import TIMED_OUT, answered, closed
from .turn.hold_step import end_left, event, waits_for
from .turn.state import TurnState

LEFT: Final = "the turn was left unfinished"
"""Why a turn has ended that nobody goes on with."""


class Conversation:
    """The recorded turns of one session, read from its store each time, so that another process goes on from the
    same place.
    """

    def __init__(self, services: Services) -> None:
        self._services = services

    def last(self) -> TurnState | None:
        """The state that was recorded last, or ``None`` before the first turn."""
        return self._services.log.last()

    def messages(self) -> tuple[SealedMessage, ...]:
        """Everything said so far, with what has become known since hidden in it.

        The calls of a turn that failed half-way are there, each with what is known of its end; those of a turn that may
        still go on are left out, as no model accepts them unanswered.
        """
        state = self.last()
        if state is None:
            return ()
        said = state.messages[:-1] if state.calls else state.messages
        return tuple(map(self._services.redactor.rescrub, closed(state) if state.status == "failed" else said))

    def begin(
        self, messages: Sequence[RawMessage | SealedMessage], *, agent: str, system_prompt: str | None
    ) -> TurnState:
        """The state of a new turn: history, then what is new in ``messages``.

        A caller that resends the conversation is recognised: messages that begin with the whole history replace it,
        with or without its calls. A turn that a crash left is over then. Raises ``SessionBusy`` while the last turn
        waits for a person.
        """
        state = self.last()
        if state is not None and state.status in ("interrupted", "running"):
            state = self._end_left(state)
        for left in closed(state)[len(state.messages) :] if state is not None else ():
            self._services.emitted.remember_message(left)
        system = [SystemMessage(system_prompt)] if system_prompt and state is None else []
        said = redact_messages(self._services, [*system, *_checked(messages)])
        history = self.messages()
        messages = answered((*history, *said[_resent(said, history) :]))
        return TurnState(turn_id=self._services.new_id(), agent=agent, messages=messages, start=len(history))

    def unfinished(self) -> TurnState:
        """The state of the turn that waits, or that a crash left. Raises ``InterruptNotPending`` when there is none."""
        state = self.last()
        if state is None or state.status not in ("interrupted", "running"):
            raise InterruptNotPending("no turn of this session waits to go on")
        return state

    def _end_left(self, state: TurnState) -> TurnState:
        """The end of a turn whose pauses are all over, or that nobody runs any more. Raises ``SessionBusy``, naming it,
        while one still waits.
        """
        table = self._services.interrupts
        waits = [interrupt for call in state.calls if (interrupt := waits_for(call)) is not None]
        records = [record for record in map(table.get, waits) if record is not None]
        waiting = next((record for record in records if record.state in ("pending", "resolved")), None)
        if waiting is not None and state.status == "interrupted":
            to_do = "answer or cancel it first" if waiting.state == "pending" else "resume the turn first"
            raise SessionBusy(f"the session waits for the interrupt {waiting.id}; {to_do}")
        late = any(record.state == "timed_out" for record in records)
        code, message = (TIMED_OUT, "nobody answered in time") if late else ("turn_cancelled", LEFT)
        ended = self._services.log.advance(state, TurnFailed(code=code, message=message))
        for record in records:
            if record.state in ("timed_out", "cancelled"):
                event(self._services, state, ENDED_AS[record.state], interrupt=record.descriptor())
        end_left(self._services, ended)
        self._services.vault.end_turn()
        return ended


def _resent(said: Sequence[SealedMessage], history: tuple[SealedMessage, ...]) -> int:
    """How many of the messages are the history again, with or without the system prompt that began it."""
    rest = history[1:] if history and history[0].role == "system" else history
    again = list(map(_wording, said))
    return next((count for known in (history, rest) if (count := _covered(again, known))), 0)


def _covered(again: Sequence[object], history: tuple[SealedMessage, ...]) -> int:
    """How many messages say the whole history. A caller may leave out its calls, of which some frontends know nothing,
    and the results of the last ones, which a turn that failed half-way got only at its end.
    """
    count = 0
    for position, message in enumerate(history):
        if count < len(again) and again[count] == _wording(message):
            count += 1
        elif not (message.tool_calls and _is_followed(history[position:])) and message.role != "tool":
            return 0
    return count


def _is_followed(left: tuple[SealedMessage, ...]) -> bool:
    """Whether more was said after a message that asks for calls."""
    return any(not message.tool_calls and message.role != "tool" for message in left)


def _wording(message: SealedMessage) -> tuple[object, ...]:
    """A message as chat APIs carry it: they have no place for the name of a call's tool, nor for its status."""
    return message.role, message.content, message.tool_calls, message.tool_call_id


def redact_messages(services: Services, messages: Sequence[RawMessage | SealedMessage]) -> list[SealedMessage]:
    """The messages with placeholders; what this gateway emitted is recognised.

    All get the known-value pass at the end: an early one may hold what a later one made known. Raises ``InvalidInput``
    for what is no message, before anything is sealed.
    """
    given = _checked(messages)
    sealed = [message if isinstance(message, SealedMessage) else _redacted(services, message) for message in given]
    return [services.redactor.rescrub(message) for message in sealed]


def _redacted(services: Services, message: RawMessage) -> SealedMessage:
    return services.redactor.redact_message(
        message, recognise=services.emitted.recognise, max_new=services.limits.new_values
    )


def _checked(messages: object) -> list[RawMessage | SealedMessage]:
    if not isinstance(messages, Sequence) or isinstance(messages, (str, bytes)):
        raise InvalidInput("messages are a list of messages")
    for position, message in enumerate(messages):
        if not isinstance(message, (RawMessage, SealedMessage)):
            raise InvalidInput(f"message {position} is a {type(message).__name__}, which is no message of sealgate")
    return list(messages)
