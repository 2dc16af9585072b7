"""An agent: a model with a system prompt and tools of its own, on top of a gateway."""

from __future__ import annotations

import secrets
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from types import TracebackType
from typing import Any, Self

from pydantic import BaseModel

from sealgate.models.events import AppEvent
from sealgate.models.response import SessionResponse

from .gateway import Gateway
from .interrupts.config import InterruptConfig
from .model import Model
from .session import Session
from .tools.toolkit import Toolkit
from .turns import Messages, Player


class Agent:
    """``Agent("checkout", model=model, system_prompt="…")``. Without a gateway it owns one in memory, closed with the
    agent.

    ``invoke`` without a session starts a new conversation each time; pass ``session=`` to go on with one.
    """

    def __init__(
        self,
        name: str,
        *,
        model: Model | None = None,
        gateway: Gateway | None = None,
        system_prompt: str | None = None,
        interrupt: InterruptConfig | None = None,
    ) -> None:
        self.name = name
        self.gateway = gateway or Gateway.open(":memory:")
        self._owned = gateway is None
        self._model = model
        self._system_prompt = system_prompt
        self._interrupt = interrupt or InterruptConfig()
        self.tools = Toolkit(self.gateway.tools)

    def toolify(self, target: Any = None, /, **options: Any) -> Callable[[Any], Any]:
        """Register a tool of this agent alone. The options are those of ``Gateway.toolify``."""
        decorate = self.tools.toolify(**options)
        return decorate if target is None else decorate.apply(target, sys._getframe(1).f_locals)

    def structured_output(self, model: type[BaseModel]) -> Agent:
        """An agent like this one whose turn ends with an object of ``model``, in ``response.result``."""
        agent = Agent(
            self.name,
            model=self._model,
            gateway=self.gateway,
            system_prompt=self._system_prompt,
            interrupt=self._interrupt,
        )
        agent.tools = Toolkit(self.tools)
        agent.tools.toolify(final_tool=True)(model)
        return agent

    def invoke(
        self, messages: Messages, *, session: Session | None = None, model: Model | None = None
    ) -> SessionResponse:
        """Run a turn to its end or to a pause. Raises as ``Session.invoke`` does."""
        return self._session(session).turns.invoke(messages, self._player(model))

    async def ainvoke(
        self, messages: Messages, *, session: Session | None = None, model: Model | None = None
    ) -> SessionResponse:
        """``invoke`` for an event loop."""
        return await self._session(session).turns.ainvoke(messages, self._player(model))

    def stream(
        self, messages: Messages, *, session: Session | None = None, model: Model | None = None
    ) -> Iterator[AppEvent]:
        """Run a turn and yield its events as they come, safe for a browser."""
        return self._session(session).turns.stream(messages, self._player(model))

    def astream(
        self, messages: Messages, *, session: Session | None = None, model: Model | None = None
    ) -> AsyncIterator[AppEvent]:
        """``stream`` for an event loop."""
        return self._session(session).turns.astream(messages, self._player(model))

    def resume(
        self,
        interrupt_id: str | None = None,
        answer: object = None,
        *,
        session: Session,
        again: object = None,
        model: Model | None = None,
    ) -> SessionResponse:
        """Go on with a turn of this agent that waits, as ``Session.resume`` does, with this agent's model and tools."""
        return session.turns.resume(interrupt_id, answer, self._player(model), again)

    async def aresume(
        self,
        interrupt_id: str | None = None,
        answer: object = None,
        *,
        session: Session,
        again: object = None,
        model: Model | None = None,
    ) -> SessionResponse:
        """``resume`` for an event loop."""
        return await session.turns.aresume(interrupt_id, answer, self._player(model), again)

    def close(self) -> None:
        """Close the gateway, if the agent made it."""
        if self._owned:
            self.gateway.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Agent({self.name!r})"

    def _session(self, session: Session | None) -> Session:
        return session or self.gateway.session(f"{self.name}-{secrets.token_hex(16)}")

    def _player(self, model: Model | None) -> Player:
        return Player(self.tools, model or self._model, self.name, self._system_prompt, self._interrupt)
