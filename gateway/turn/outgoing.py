"""The last check on the way to a model: independent of detection, it fails closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from sealgate.models.errors import LeakPrevented
from sealgate.models.messages import SealedMessage
from sealgate.models.tools import ToolSpec
from sealgate.redaction import KnownValues

from .specs import own_words_of, prose_of, samples_of, strings_of

_SHORTEST: Final = 6
"""Letters and digits of the shortest value that a program's own words are refused for."""


def check_outgoing(known: KnownValues, messages: Iterable[SealedMessage], tools: Iterable[ToolSpec]) -> None:
    """Nothing, if no text of the payload holds a sealed value. Raises ``LeakPrevented`` naming the place, never the
    value.

    Of tools everything that a model reads is looked at. Names, keys, enum members and bounds are the program's own and
    cannot be changed, so there a value has to be one that no word or small number is by chance: six letters and digits
    or more, with a digit or an ``@`` among them. The ids of calls and the names of tools that nobody registered are
    looked at like any text: a model made them up.
    """
    tools = list(tools)
    texts = list(_texts(messages, tools))
    if known.suspects("\n".join(text for _where, text in texts)):
        for where, text in texts:
            if known.appears_in(text):
                raise LeakPrevented(where)
    for position, tool in enumerate(tools):
        own = [tool.name, *own_words_of(tool.parameters)]
        if known.suspects("\n".join(own)) and any(_is_told(known, text) for text in own):
            raise LeakPrevented(f"a name, key, enum member or bound of tool {position}")


def _is_told(known: KnownValues, text: str) -> bool:
    return any(_is_no_word(text[hit.start : hit.end]) for hit in known.outside(text))


def _is_no_word(found: str) -> bool:
    symbols = [char for char in found if char.isalnum()]
    return len(symbols) >= _SHORTEST and ("@" in found or any(map(str.isdigit, symbols)))


def may_hold(known: KnownValues, messages: Iterable[SealedMessage]) -> bool:
    """Whether a message may hold a sealed value. False is certain, and costs one pass over all of them."""
    return known.suspects("\n".join(text for _where, text in _texts(messages, ())))


def _texts(messages: Iterable[SealedMessage], tools: Iterable[ToolSpec]) -> Iterator[tuple[str, str]]:
    tools = list(tools)
    registered = {tool.name for tool in tools}
    for position, message in enumerate(messages):
        where = f"message {position} ({message.role})"
        yield from ((where, text) for text in strings_of(message.content))
        labels = (
            message.name,
            message.tool_call_id,
            *(text for call in message.tool_calls for text in (call.id, call.name)),
        )
        yield from ((f"{where}, its labels", text) for text in labels if text and text not in registered)
        for call in message.tool_calls:
            yield from ((f"{where}, arguments of a call", text) for text in strings_of(call.arguments))
    for position, tool in enumerate(tools):
        for text in (tool.description, *prose_of(tool.parameters)):
            yield f"description of tool {position}", text
        yield from ((f"a default or an example of tool {position}", text) for text in samples_of(tool.parameters))
