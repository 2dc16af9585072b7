"""How a value travels between redaction, vault and gateway: in objects that never show it."""

from __future__ import annotations

from typing import Literal, NoReturn

JsonType = Literal["string", "integer", "number"]
"""The JSON type of a sealed form; ``number`` is a float, spelled by ``repr``."""


class SecretValue:
    """A value and its JSON type, behind an object that refuses to be shown, formatted, pickled or copied into a dump.

    ``reveal()`` is the only way out, so a search for it finds every place where plaintext appears. Python cannot wipe
    a ``str``: this shortens who sees a value, not how long it stays in memory.
    """

    __slots__ = ("_json_type", "_text")

    def __init__(self, text: str, json_type: JsonType = "string") -> None:
        self._text = text
        self._json_type: JsonType = json_type

    @property
    def json_type(self) -> JsonType:
        """``string``, ``integer`` or ``number``."""
        return self._json_type

    def text(self) -> str:
        """The value as text, whatever its JSON type."""
        return self._text

    def reveal(self) -> str | int | float:
        """The value in its JSON type."""
        if self._json_type == "integer":
            return int(self._text)
        return float(self._text) if self._json_type == "number" else self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretValue) and (self._text, self._json_type) == (other._text, other._json_type)

    def __hash__(self) -> int:
        return hash((self._text, self._json_type))

    def __repr__(self) -> str:
        return "SecretValue(…)"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SecretValue cannot be pickled")


def secret_of(value: str | int | float) -> SecretValue:
    """The carrier of a JSON scalar; integers by their decimal digits, floats by ``repr``."""
    if isinstance(value, str):
        return SecretValue(value)
    return SecretValue(repr(value), "integer" if isinstance(value, int) else "number")
