"""What a turn asks of a language model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from sealgate.models.messages import AIMessage, SealedMessage
from sealgate.models.tools import ToolSpec


@runtime_checkable
class Model(Protocol):
    """**Protocol:** answers a conversation. It gets placeholders, and whatever it raises is a ``ModelFailed``."""

    def complete(
        self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]
    ) -> AIMessage | Awaitable[AIMessage]:
        """The next message, or an awaitable of it; ``tool_calls`` names tools of ``tools`` only."""
        ...


PieceIterator: TypeAlias = Iterator[str | AIMessage] | AsyncIterator[str | AIMessage]
"""Pieces of a text as they come, then the whole message as the last item."""


@runtime_checkable
class StreamingModel(Model, Protocol):
    """**Protocol:** a model that also answers piece by piece. ``session.stream`` and ``astream`` ask it that way."""

    def stream(
        self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]
    ) -> PieceIterator | Awaitable[PieceIterator]:
        """Pieces of the text as they come, then the whole message as the last item.

        An iterator is advanced in one thread at a time, an asynchronous one in tasks of one event loop; a generator is
        closed when its turn ends early.
        """
        ...
