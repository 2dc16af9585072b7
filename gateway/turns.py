"""Running the turns of one session: one at a time, blocking or not, to the end or as a stream."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sealgate.models.errors import InvalidInput, SessionBusy, UnknownTool
from sealgate.models.events import AppEvent
from sealgate.models.messages import RawMessage, SealedMessage, ToolCall, ToolMessage
from sealgate.models.processlock import ProcessLock
from sealgate.models.response import SessionResponse

from .conversation import Conversation
from .events.bridge import EventBridge
from .events.tail import Tail
from .frames import without_locals
from .given import an
from .interrupts.config import InterruptConfig
from .interrupts.filing import file_answer
from .interrupts.manager import InterruptManager
from .interrupts.question import Question
from .lease import TurnLease
from .logs.scope import log_scope
from .model import Model
from .services import Services
from .tools.toolkit import Toolkit
from .turn.changes import Change, TurnBegan, TurnResumed, apply
from .turn.context import TurnContext
from .turn.driver import Ended, adrive, drive, refuse_running_loop
from .turn.portal import Portal
from .turn.single import run_single
from .turn.state import TurnState
from .turn.turn import announce, response_of, run_turn
from .turn.waits import Effects

Messages = Sequence[RawMessage | SealedMessage]
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class Player:
    """Who runs a turn: an agent's name, model, tools, system prompt, and which of its calls pause."""

    toolkit: Toolkit = field(repr=False)
    model: Model | None = field(default=None, repr=False)
    agent: str = ""
    system_prompt: str | None = field(default=None, repr=False)
    config: InterruptConfig = field(default_factory=InterruptConfig)


@without_locals
class Turns:
    """The turns of one session. A second turn while one runs raises ``SessionBusy``, from whatever thread or task.

    ``bridge`` is the browser's: a streamed turn yields what it sends.
    """

    def __init__(
        self,
        services: Services,
        conversation: Conversation,
        portal: Portal,
        manager: InterruptManager,
        player: Player,
        bridge: EventBridge,
    ) -> None:
        self._services = services
        self._bridge = bridge
        self._manager = manager
        self._player = player
        self._conversation = conversation
        self._portal = portal
        self._lock = ProcessLock()
        self._lease = TurnLease(services.vault, services.now)
        manager.know(self.question_of)

    def invoke(self, messages: Messages, player: Player) -> SessionResponse:
        """A turn to its end, in the caller's thread."""
        refuse_running_loop("ainvoke")
        return self._outcome(self._begin(messages, player, followed=False))

    async def ainvoke(self, messages: Messages, player: Player) -> SessionResponse:
        """A turn to its end, in an event loop."""
        return await self._aoutcome(self._begin(messages, player, followed=False))

    def stream(self, messages: Messages, player: Player) -> Iterator[AppEvent]:
        """The events of a turn as they come."""
        refuse_running_loop("astream")
        tail = Tail(self._bridge)
        with self._alone(), closing(drive(self._begin(messages, player, followed=True), self._portal)) as items:
            for item in items:
                if isinstance(item, AppEvent):
                    yield from tail.upto(item)

    async def astream(self, messages: Messages, player: Player) -> AsyncIterator[AppEvent]:
        """The events of a turn as they come, in an event loop."""
        tail = Tail(self._bridge)
        with self._alone():
            async with aclosing(adrive(self._begin(messages, player, followed=True))) as items:
                async for item in items:
                    for event in tail.upto(item) if isinstance(item, AppEvent) else ():
                        yield event

    def resume(
        self, interrupt_id: str | None, answer: object, player: Player | None, again: object = None
    ) -> SessionResponse:
        """File an answer, if there is one, and go on with the turn that waits or that a crash left; as ``player``, or
        as whoever ran the last turn here.
        """
        refuse_running_loop("aresume")
        return self._outcome(self._go_on(interrupt_id, answer, player, again))

    async def aresume(
        self, interrupt_id: str | None, answer: object, player: Player | None, again: object = None
    ) -> SessionResponse:
        """``resume`` for an event loop."""
        return await self._aoutcome(self._go_on(interrupt_id, answer, player, again))

    def with_model(self, model: Model | None) -> Player:
        """Whoever ran the last turn here, with another model."""
        return replace(self._player, model=model or self._player.model)

    def at_rest(self, seconds: float) -> bool:
        """Whether no turn runs here, now or within so many seconds."""
        free = self._lock.acquire(timeout=max(0.0, seconds))
        if free:
            self._lock.release()
        return free

    def question_of(self, tool: str, arg_name: str) -> Question | None:
        """What a tool of whoever ran the last turn here asks for an argument; ``None`` where it is not known here."""
        toolkit = self._player.toolkit
        asked = toolkit.get(tool).questions if toolkit.has(tool) else ()
        return next((question for question in asked if question.arg_name == arg_name), None)

    def replay(self) -> SessionResponse | None:
        """What the whole log adds up to, as a response."""
        state = self._services.log.replay()
        return None if state is None else response_of(self._context(self._player, state.turn_id, followed=False), state)

    def run_tool(self, call: ToolCall, player: Player) -> ToolMessage:
        """One call outside of a turn."""
        refuse_running_loop("arun_tool")
        return self._outcome(run_single(self._alone_context(player), call))

    async def arun_tool(self, call: ToolCall, player: Player) -> ToolMessage:
        """One call outside of a turn, in an event loop."""
        return await self._aoutcome(run_single(self._alone_context(player), call))

    def _begin(self, messages: Messages, player: Player, *, followed: bool) -> Effects[SessionResponse]:
        self._player = player
        state = self._conversation.begin(messages, agent=player.agent, system_prompt=player.system_prompt)
        context = self._context(player, state.turn_id, followed=followed)
        context.advance(None, TurnBegan(state=state))
        yield from announce(context, state)
        return (yield from _answered(context, run_turn(context, state)))

    def _go_on(
        self, interrupt_id: str | None, answer: object, player: Player | None, again: object
    ) -> Effects[SessionResponse]:
        player = player or self._player
        if player.model is None:
            raise InvalidInput("this process has not run the turn: resume needs its model")
        if interrupt_id is not None:
            an(str, interrupt_id, "interrupt_id")
        if interrupt_id is None and answer is not None:
            raise InvalidInput("an answer needs the id of the interrupt that it answers")
        self._check_tools(player)
        if interrupt_id is not None:
            file_answer(self._manager, interrupt_id, answer, again)
        state = self._conversation.unfinished()
        self._player = player
        context = self._context(player, state.turn_id, followed=False)
        if state.status == "interrupted":
            state = context.advance(state, TurnResumed())
        return (yield from _answered(context, run_turn(context, state)))

    def _check_tools(self, player: Player) -> None:
        """Nothing is filed in a process that cannot go on: raises ``UnknownTool`` for a tool that it lacks or that does
        not ask here for what is waited for.
        """
        state = self._conversation.last()
        for call in state.calls if state is not None and state.status in ("interrupted", "running") else ():
            if call.phase != "done":
                asked = {question.arg_name for question in player.toolkit.get(call.tool).questions}
                if any(ask.arg_name not in asked for ask in call.asks if not ask.answered):
                    raise UnknownTool(f"the tool {call.tool!r} does not ask here for what the turn waits for")

    def _context(self, player: Player, turn_id: str, *, followed: bool) -> TurnContext:
        return TurnContext(
            self._services, player.toolkit, player.model, turn_id, player.config, followed, self._advance
        )

    def _advance(self, state: TurnState | None, change: Change) -> TurnState:
        self._lease.renew()
        return self._services.log.advance(state, change)

    def _alone_context(self, player: Player) -> TurnContext:
        """The context of a call outside of a turn: its changes are not the conversation's, so the log does not get
        them.
        """
        return TurnContext(
            self._services, player.toolkit, None, self._services.new_id(), InterruptConfig(), False, apply
        )

    def _outcome(self, turn: Effects[Outcome]) -> Outcome:
        with self._alone(), closing(drive(turn, self._portal)) as items:
            for item in items:
                if isinstance(item, Ended):
                    return item.outcome
        raise AssertionError("a turn ends with its outcome")

    async def _aoutcome(self, turn: Effects[Outcome]) -> Outcome:
        with self._alone():
            async with aclosing(adrive(turn)) as items:
                async for item in items:
                    if isinstance(item, Ended):
                        return item.outcome
        raise AssertionError("a turn ends with its outcome")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise SessionBusy("the session runs another turn")
        try:
            with self._lease.held(), log_scope(self._services.vault):
                yield
        finally:
            self._lock.release()


def _answered(context: TurnContext, turn: Effects[TurnState]) -> Effects[SessionResponse]:
    return response_of(context, (yield from turn))
