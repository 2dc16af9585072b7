"""Messages. Raw ones come in and never show their content; sealed ones are what a model, a checkpoint or an event may
hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .carrier import Carrier
from .entities import entity_type_of
from .jsonvalue import JsonValue

Role = Literal["system", "user", "assistant", "tool"]

_SEALING: ContextVar[bool] = ContextVar("_SEALING", default=False)


class PrivateData(Carrier):
    """A value that the application knows to be private, with what may be said about it.

    ``name`` matches ``[a-z][a-z0-9_]{0,31}`` and is the key for ``depends_on_private_data``; ``pii_type`` is its entity
    type, such as ``IBAN_CODE``, without which it is ``CUSTOM_`` and the name, and opens for no ``Accepts`` of another
    type. ``uses`` and ``ttl`` (seconds) limit it. Before a person or a model, ``label`` is what it may be called,
    ``description`` what it is and what it is for, and ``format`` how it is written, in words or as in ``YYYY-MM-DD``
    (nothing checks the value against it). ``descriptor()`` has these and the type, never value, key or length. Raises
    ``InvalidName``, ``UnknownEntityType`` and ``InvalidInput``.
    """

    value: str | int | float = Field(repr=False, exclude=True)
    name: str | None = None
    label: str | None = None
    pii_type: str | None = None
    description: str | None = None
    format: str | None = None
    uses: int | None = Field(default=None, ge=1)
    ttl: float | None = Field(default=None, gt=0)

    def __init__(self, value: str | int | float, **fields: Any) -> None:
        # Before pydantic looks, which would wrap an error of the product in one of its own.
        name, pii_type = fields.get("name"), fields.get("pii_type")
        if isinstance(name, str | None) and isinstance(pii_type, str | None):
            entity_type_of(name, pii_type)
        super().__init__(**{"value": value, **fields})

    @model_validator(mode="after")
    def _known_type(self) -> PrivateData:
        entity_type_of(self.name, self.pii_type)
        return self

    @property
    def entity_type(self) -> str:
        """The entity type that the value is sealed as."""
        return entity_type_of(self.name, self.pii_type)

    def descriptor(self) -> dict[str, str]:
        """What a model or a browser may know. A label, description or format that has the value in it is left out."""
        given = {"label": self.label, "description": self.description, "format": self.format}
        told = {name: text for name, text in given.items() if text and not _shows(text, str(self.value).strip())}
        return {"label": self.name or "private data", "entity_type": self.entity_type, **told}


_TELLING: Final = 8
"""Letters and digits from which a value is found however they are parted, as where it is sealed."""


def _shows(text: str, value: str) -> bool:
    """Whether a value stands in a text: as it is in any case and not inside of a word, or by its letters and digits."""
    said, sought = text.casefold(), value.casefold()
    symbols = _symbols(sought)
    if len(symbols) >= _TELLING and symbols in _symbols(said):
        return True
    at = said.find(sought) if sought else -1
    while at >= 0:
        around = said[max(0, at - 1) : at] + said[at + len(sought) : at + len(sought) + 1]
        if not any(map(str.isalnum, around)):
            return True
        at = said.find(sought, at + 1)
    return False


def _symbols(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


class ToolCall(Carrier):
    """A call that a model asked for. ``arguments`` may hold values and are not shown."""

    id: str = Field(min_length=1, max_length=128)
    name: str = Field(min_length=1, max_length=64)
    arguments: dict[str, Any] = Field(default_factory=dict, repr=False, exclude=True)


class RawMessage(Carrier):
    """A message as somebody said it. Every one is redacted before anything else sees it.

    ``content`` may be positional: text, or typed parts (``{"type": "text", "text": …}``; other types are refused
    unless allowed).
    """

    role: Role
    content: str | list[dict[str, Any]] = Field(default="", repr=False, exclude=True)

    def __init__(self, content: str | list[dict[str, Any]] = "", **fields: Any) -> None:
        super().__init__(**{"content": content, **fields})


class HumanMessage(RawMessage):
    """What a person said."""

    role: Literal["user"] = "user"

    def __init__(self, content: str | list[dict[str, Any]] = "", **fields: Any) -> None:
        super().__init__(content, **fields)


class RedactedMessage(HumanMessage):
    """What a person said, with values that are known to be in it.

    ``known_pii_values`` are hidden wherever they stand; ``pii_whitelist`` lists entity types or exact texts that
    detection leaves alone. It silences detection only: it never releases a sealed, known or expected value.
    """

    known_pii_values: list[str | PrivateData] = Field(default_factory=list, repr=False, exclude=True)
    pii_whitelist: list[str] = Field(default_factory=list, repr=False, exclude=True)

    def __init__(
        self,
        content: str | list[dict[str, Any]] = "",
        known_pii_values: Sequence[str | PrivateData] | None = None,
        pii_whitelist: Sequence[str] | None = None,
        **fields: Any,
    ) -> None:
        known, allowed = list(known_pii_values or ()), list(pii_whitelist or ())
        super().__init__(content, known_pii_values=known, pii_whitelist=allowed, **fields)


class SystemMessage(RawMessage):
    """What the application tells the model."""

    role: Literal["system"] = "system"

    def __init__(self, content: str | list[dict[str, Any]] = "", **fields: Any) -> None:
        super().__init__(content, **fields)


class AIMessage(RawMessage):
    """What a model said; ``tool_calls`` is what it wants to be run."""

    role: Literal["assistant"] = "assistant"
    tool_calls: list[ToolCall] = Field(default_factory=list)

    def __init__(self, content: str | list[dict[str, Any]] = "", **fields: Any) -> None:
        super().__init__(content, **fields)


class ToolMessage(RawMessage):
    """What a tool returned, for the call ``tool_call_id`` of the tool ``name``. ``status`` tells a failure from a
    result."""

    role: Literal["tool"] = "tool"
    tool_call_id: str
    name: str = "unknown"
    status: Literal["success", "error"] = "success"

    def __init__(self, content: str | list[dict[str, Any]] = "", **fields: Any) -> None:
        super().__init__(content, **fields)


class SealedCall(BaseModel):
    """A tool call with placeholders in its arguments."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class SealedMessage(BaseModel):
    """A message with placeholders. Only the redactor constructs one; anybody may read and dump it.

    ``role`` is in the words of chat APIs: system, user, assistant, tool.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    role: Role
    content: str | list[dict[str, JsonValue]] = ""
    tool_calls: tuple[SealedCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    status: Literal["success", "error"] = "success"

    @model_validator(mode="before")
    @classmethod
    def _only_the_redactor(cls, data: object) -> object:
        if not isinstance(data, cls):
            _check_sealing()
        return data

    @classmethod
    def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Self:  # type: ignore[override]
        """Refused, as everything that would make a message of a text that nobody redacted."""
        _check_sealing()
        return super().model_construct(_fields_set, **values)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy. Refused with ``update``: give a raw message with the new text instead."""
        if update:
            _check_sealing()
        return super().model_copy(update=update, deep=deep)

    def text(self) -> str:
        """The text of the message; the texts of its parts joined by line breaks."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(str(part["text"]) for part in self.content if "text" in part)


def _check_sealing() -> None:
    if not _SEALING.get():
        raise TypeError("a SealedMessage comes from session.redact_messages, not from its class")


@contextmanager
def sealing() -> Iterator[None]:
    """Within this block ``SealedMessage`` may be constructed. For the redactor, and for reading a recorded state
    back."""
    token = _SEALING.set(True)
    try:
        yield
    finally:
        _SEALING.reset(token)
