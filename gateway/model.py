"""What a turn asks of a language model."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Sequence
from typing import Protocol, runtime_checkable

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


@runtime_checkable
class StreamingModel(Model, Protocol):
    """**Protocol:** a model that also answers piece by piece."""

    def stream(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> Iterator[str | AIMessage]:
        """Pieces of the text as they come, then the whole message as the last item."""
        ...
