"""A session's conversation: what was said so far, and the state that the next turn starts from."""

from __future__ import annotations

from collections.abc import Sequence

from sealgate.models.errors import InterruptNotPending, InvalidInput, SessionBusy
from sealgate.models.messages import RawMessage, SealedMessage, SystemMessage

from .interrupts.ending import cancel_left
from .services import Services
from .turn.changes import TurnFailed
from .turn.hold_step import TIMED_OUT, pauses_of, waits_for
from .turn.state import TurnState


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
        """Everything said so far, with what has become known since hidden in it; the calls of a turn that failed
        half-way are left out, as no model accepts them unanswered.
        """
        state = self.last()
        if state is None:
            return ()
        said = state.messages[:-1] if state.calls else state.messages
        return tuple(map(self._services.redactor.rescrub, said))

    def begin(
        self, messages: Sequence[RawMessage | SealedMessage], *, agent: str, system_prompt: str | None
    ) -> TurnState:
        """The state of a new turn: history, then what is new in ``messages``.

        A caller that resends the conversation is recognised: messages that begin with the whole history replace it.
        A turn that a crash left is over then. Raises ``SessionBusy`` while the last turn waits for a person.
        """
        state = self.last()
        if state is not None and state.status in ("interrupted", "running"):
            self._end_left(state)
        system = [SystemMessage(system_prompt)] if system_prompt and state is None else []
        said = redact_messages(self._services, [*system, *_checked(messages)])
        history = self.messages()
        messages = (*history, *said[_resent(said, history) :])
        return TurnState(turn_id=self._services.new_id(), agent=agent, messages=messages, start=len(history))

    def unfinished(self) -> TurnState:
        """The state of the turn that waits, or that a crash left. Raises ``InterruptNotPending`` when there is none."""
        state = self.last()
        if state is None or state.status not in ("interrupted", "running"):
            raise InterruptNotPending("no turn of this session waits to go on")
        return state

    def _end_left(self, state: TurnState) -> None:
        """End a turn whose pauses are all over, or that nobody runs any more. Raises ``SessionBusy``, naming it, while
        one still waits.
        """
        table = self._services.interrupts
        waits = [interrupt for call in state.calls if (interrupt := waits_for(call)) is not None]
        records = [record for record in map(table.get, waits) if record is not None]
        waiting = next((record for record in records if record.state in ("pending", "resolved")), None)
        if waiting is not None and state.status == "interrupted":
            to_do = "answer or cancel it first" if waiting.state == "pending" else "resume the turn first"
            raise SessionBusy(f"the session waits for the interrupt {waiting.id}; {to_do}")
        code = TIMED_OUT if state.status == "interrupted" else "turn_cancelled"
        message = "nobody answered in time" if state.status == "interrupted" else "the turn was left unfinished"
        self._services.log.advance(state, TurnFailed(code=code, message=message))
        for _cancelled in cancel_left(table, pauses_of(state)):
            pass


def _resent(said: Sequence[SealedMessage], history: tuple[SealedMessage, ...]) -> int:
    """How many of the messages are the history again, with or without the system prompt that began it."""
    rest = history[1:] if history and history[0].role == "system" else history
    again = list(map(_wording, said))
    return next((len(known) for known in (history, rest) if again[: len(known)] == list(map(_wording, known))), 0)


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
