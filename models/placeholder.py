"""The placeholder: what stands in a text for a sealed value."""

from __future__ import annotations

import re
from typing import Final, Self

from .entities import MAX_TYPE_LENGTH
from .errors import MalformedPlaceholder

ALPHABET: Final = "0123456789BCDFGHJKMNPQRSTVWXYZ"
"""Thirty symbols without vowels or look-alikes, so that a code never spells a word."""

_BODY: Final = rf"(?P<type>[A-Z][A-Z0-9_]{{0,{MAX_TYPE_LENGTH - 1}}})_(?P<code>[{ALPHABET}]{{13}}|[{ALPHABET}]{{8}})"
_SUFFIX: Final = rf"(?:\.(?P<form>[{ALPHABET}]{{5}}|[{ALPHABET}]{{3}}))?"

STRICT: Final = re.compile(rf"\[{_BODY}{_SUFFIX}\]")
"""The one exact spelling. At most 62 code points long, one ``[`` and one ``]``, so two tokens never overlap."""

MAX_LENGTH: Final = 2 + MAX_TYPE_LENGTH + 1 + 13 + 1 + 5
"""Code points of the longest placeholder."""


class Placeholder(str):
    """``[ENTITY_TYPE_CODE]``, or ``[ENTITY_TYPE_CODE.FORM]`` for another spelling of the same value: a ``str`` that
    knows its parts.

    ``Placeholder("PIN", "K7Q2MXB4")`` makes one of its parts. ``entity_type`` is not looked up here: only the vault
    knows whether a placeholder was ever issued.
    """

    __slots__ = ("code", "entity_type", "form")

    entity_type: str
    code: str
    form: str

    def __new__(cls, entity_type: str, code: str, form: str = "") -> Self:
        """The placeholder of these parts."""
        placeholder = super().__new__(cls, f"[{entity_type}_{code}.{form}]" if form else f"[{entity_type}_{code}]")
        placeholder.entity_type = entity_type
        placeholder.code = code
        placeholder.form = form
        return placeholder

    def __getnewargs__(self) -> tuple[str, str, str]:  # type: ignore[override]
        return self.entity_type, self.code, self.form


def parse(text: str) -> Placeholder:
    """The placeholder that ``text`` is, exactly. The inverse of ``str(placeholder)``.

    Raises ``MalformedPlaceholder`` for anything else; the message does not quote the text.
    """
    found = STRICT.fullmatch(text)
    if found is None:
        raise MalformedPlaceholder("not a placeholder")
    return from_match(found)


def from_match(found: re.Match[str]) -> Placeholder:
    """The placeholder of a match of ``STRICT``."""
    return Placeholder(found["type"], found["code"], found["form"] or "")


def find_all(text: str) -> list[tuple[int, int, Placeholder]]:
    """Every strict placeholder of ``text`` with its span (code points), left to right."""
    return [(found.start(), found.end(), from_match(found)) for found in STRICT.finditer(text)]
