"""Operators: what is done with a detected value of a type, in Presidio's terms. ``seal`` is the default and the only
one that can be undone; what a session knows, what was asked for and look-alikes are always sealed."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

from sealgate.models.entities import entity_info
from sealgate.models.errors import InvalidPolicy

from .placeholders import find_lenient

OperatorName = Literal["seal", "keep", "mask", "redact", "replace", "hash"]

_SHORTEST_KEY: Final = 16
"""Bytes of the shortest key of ``hash``."""


@dataclass(frozen=True, slots=True)
class Operator:
    """``Operator("mask", chars_to_mask=12)``.

    ``mask`` puts ``masking_char`` over ``chars_to_mask`` code points (all without it), from the end with ``from_end``;
    ``replace`` puts ``new_value``, or ``<ENTITY_TYPE>``; ``redact`` leaves nothing; ``hash`` puts an HMAC-SHA256 in
    hex, under the redactor's ``hash_key``; ``keep`` leaves the value. A JSON number is sealed by all but ``keep``.
    Raises ``InvalidPolicy`` for anything else.
    """

    name: OperatorName = "seal"
    masking_char: str = "*"
    chars_to_mask: int | None = None
    from_end: bool = False
    new_value: str | None = None

    def __post_init__(self) -> None:
        if self.name not in get_args(OperatorName):
            raise InvalidPolicy("an operator is seal, keep, mask, redact, replace or hash")
        if len(self.masking_char) != 1 or self.masking_char.isalnum():
            raise InvalidPolicy("a masking character is one character and no letter or digit")
        if self.chars_to_mask is not None and self.chars_to_mask < 1:
            raise InvalidPolicy("at least one character is masked")
        if self.new_value is not None and find_lenient(self.new_value):
            raise InvalidPolicy("a replacement must not read as a placeholder")

    def applied(self, value: str, entity_type: str, hash_key: bytes) -> str:
        """What stands in a text for ``value``; not for ``seal``, which the vault does."""
        if self.name == "mask":
            return self._masked(value)
        if self.name == "replace":
            return f"<{entity_type}>" if self.new_value is None else self.new_value
        if self.name == "hash":
            return hmac.new(hash_key, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return value if self.name == "keep" else ""

    def _masked(self, value: str) -> str:
        count = len(value) if self.chars_to_mask is None else min(self.chars_to_mask, len(value))
        mask = self.masking_char * count
        return value[: len(value) - count] + mask if self.from_end else mask + value[count:]


_SEAL: Final = Operator()


@dataclass(frozen=True, slots=True)
class Policy:
    """The operator of each entity type, ``seal`` for all others."""

    operators: Mapping[str, Operator]
    hash_key: bytes

    @classmethod
    def of(cls, operators: Mapping[str, Operator] | None, hash_key: bytes | None) -> Policy:
        """The policy. Raises ``UnknownEntityType`` for a type that is not in the table, and ``InvalidPolicy`` for a
        ``hash`` without a key of at least 16 bytes."""
        given = dict(operators or {})
        for entity_type in given:
            entity_info(entity_type)
        if any(operator.name == "hash" for operator in given.values()) and len(hash_key or b"") < _SHORTEST_KEY:
            raise InvalidPolicy("the hash operator needs a key of at least 16 bytes")
        return cls(MappingProxyType(given), hash_key or b"")

    def operator(self, entity_type: str) -> Operator:
        """The operator of an entity type."""
        return self.operators.get(entity_type, _SEAL)
