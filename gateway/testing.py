"""Fakes for tests of agents and tools: a model, a person and a clock that do what a script says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import anyio.lowlevel

from sealgate.models.errors import InterruptCancelled, ModelFailed
from sealgate.models.messages import AIMessage, SealedMessage, ToolCall
from sealgate.models.tools import ToolSpec

from .adversary import Adversary

__all__ = ["FakeClock", "ScriptedHuman", "ScriptedModel", "StreamingScriptedModel"]

Said: TypeAlias = str | AIMessage | ToolCall | list[ToolCall] | BaseException | type[BaseException]
ModelItem: TypeAlias = Said | Callable[[Sequence[SealedMessage], Sequence[ToolSpec]], Said]
HumanItem: TypeAlias = object
"""An answer; an exception to raise; a function of the prompt that gives either; a list of these, one an attempt."""


class ScriptedModel:
    """A model that says one item of its script at each call.

    An item is a text, an ``AIMessage``, a ``ToolCall`` or a list of them, an exception to raise, or a function of
    ``(messages, tools)`` that gives one of these. ``seen`` holds what it was given at each call. A script that has
    ended raises ``ModelFailed``.
    """

    def __init__(self, script: Sequence[ModelItem]) -> None:
        self.seen: list[tuple[tuple[SealedMessage, ...], tuple[ToolSpec, ...]]] = []
        self._script: Iterator[ModelItem] = iter(list(script))

    @classmethod
    def adversarial(cls, *, seed: int, steps: int = 6) -> ScriptedModel:
        """A model that tries to get at values for ``steps`` calls, and then stops; the same for the same seed.

        It guesses, quotes and mangles placeholders, drops their suffixes, repeats what it read, and calls tools with
        placeholders that were never meant for them.
        """
        return cls([*(Adversary(seed, step).move for step in range(steps)), "I have nothing more to try."])

    def complete(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> AIMessage:
        """The next item of the script as a message."""
        said = self._said(messages, tools)
        if isinstance(said, (BaseException, type)):
            raise said
        if isinstance(said, AIMessage):
            return said
        calls = [said] if isinstance(said, ToolCall) else said if isinstance(said, list) else []
        return AIMessage(said if isinstance(said, str) else "", tool_calls=calls)

    def _said(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> Said:
        self.seen.append((tuple(messages), tuple(tools)))
        try:
            item = next(self._script)
        except StopIteration:
            raise ModelFailed("the script of the model has ended") from None
        return item(messages, tools) if callable(item) and not isinstance(item, type) else item


class StreamingScriptedModel(ScriptedModel):
    """A scripted model that can also stream: ``piece`` symbols of its text at a time, then the whole message.

    ``breaks`` is an exception that each stream raises after the text, in place of the message; ``complete`` raises it
    too. Raises ``ValueError`` for a piece of less than one symbol.
    """

    def __init__(self, script: Sequence[ModelItem], *, piece: int = 1, breaks: BaseException | None = None) -> None:
        super().__init__(script)
        if piece < 1:
            raise ValueError("a piece has at least one symbol")
        self._piece = piece
        self._breaks = breaks

    def complete(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> AIMessage:
        """The next item of the script as a message."""
        answer = super().complete(messages, tools)
        if self._breaks is not None:
            raise self._breaks
        return answer

    def stream(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> Iterator[str | AIMessage]:
        """The next item of the script in pieces, and then as a message."""
        answer = super().complete(messages, tools)
        parts = [answer.content] if isinstance(answer.content, str) else [part["text"] for part in answer.content]
        for part in parts:
            for at in range(0, len(part), self._piece):
                yield part[at : at + self._piece]
        if self._breaks is not None:
            raise self._breaks
        yield answer


class ScriptedHuman:
    """A person who answers as a script says: by the argument's name or the prompt's text, or in order.

    It is an ``input_handler`` itself, which knows the prompt alone; ``handler("otp")`` is one that knows its argument.
    ``asked`` holds the prompts in order. Where the script has no answer, the person does not answer
    (``InterruptCancelled``). It does not show its answers.
    """

    def __init__(self, answers: Mapping[str, HumanItem] | Sequence[HumanItem]) -> None:
        self.asked: list[str] = []
        named = isinstance(answers, Mapping)
        self._named = {key: _attempts(item) for key, item in answers.items()} if isinstance(answers, Mapping) else {}
        self._ordered = iter([] if named else list(answers))

    def __call__(self, prompt: str) -> object:
        """The answer to a prompt."""
        return self._answer(prompt, (prompt, prompt.strip(), prompt.strip().rstrip(":")))

    def handler(self, arg_name: str) -> Callable[[str], object]:
        """An ``input_handler`` for that argument; it falls back to the text of the prompt."""

        def answer(prompt: str) -> object:
            return self._answer(prompt, (arg_name, prompt, prompt.strip()))

        return answer

    def __repr__(self) -> str:
        return f"ScriptedHuman(asked={len(self.asked)})"

    def _answer(self, prompt: str, keys: tuple[str, ...]) -> object:
        self.asked.append(prompt)
        source = next((self._named[key] for key in keys if key in self._named), self._ordered)
        try:
            item = next(source)
        except StopIteration:
            raise InterruptCancelled("the script has no answer to this prompt") from None
        answer = item(prompt) if callable(item) and not isinstance(item, type) else item
        if isinstance(answer, BaseException) or (isinstance(answer, type) and issubclass(answer, BaseException)):
            raise answer
        return answer


class FakeClock:
    """A clock that stands still until it is told: ``now()`` in Unix seconds, ``monotonic()`` in seconds since it was
    made. ``sleep`` and ``asleep`` return at once and move it on."""

    def __init__(self, now: float = 1_750_000_000.0) -> None:
        self._start = now
        self._elapsed = 0.0
        self._turned = 0.0

    def now(self) -> float:
        """Unix time, in seconds."""
        return self._start + self._elapsed + self._turned

    def monotonic(self) -> float:
        """Seconds since the clock was made; ``turn`` does not move it."""
        return self._elapsed

    def advance(self, seconds: float) -> None:
        """Let time pass. Raises ``ValueError`` for a negative number: use ``turn`` to set the wall clock back."""
        if seconds < 0:
            raise ValueError("time passes forwards; turn() sets the wall clock back")
        self._elapsed += seconds

    def turn(self, seconds: float) -> None:
        """Set the wall clock forward or back by hand, as an administrator can."""
        self._turned += seconds

    def sleep(self, seconds: float) -> None:
        """Let that much time pass, at once."""
        self.advance(seconds)

    async def asleep(self, seconds: float) -> None:
        """``sleep`` that lets other tasks run."""
        await anyio.lowlevel.checkpoint()
        self.advance(seconds)


def _attempts(item: HumanItem) -> Iterator[HumanItem]:
    """One item for each attempt; a single one is given every time."""
    if isinstance(item, list):
        yield from item
        return
    while True:
        yield item
