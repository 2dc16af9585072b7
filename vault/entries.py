"""A sealed value as a row: what is encrypted with it, and what the encryption is bound to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from sealgate.models.errors import TamperDetected, TextTooLong
from sealgate.models.placeholder import Placeholder
from sealgate.models.secretvalue import JsonType, SecretValue

from .encoding import AUTHENTICATION, LENGTH_BYTES, bytes_text, lp, pad, text_bytes, unpad
from .rows import EntryRow
from .secretbytes import SecretBytes
from .sessionkeys import SessionKeys

MAX_VALUE_BYTES: Final = 65_536
"""Bytes (UTF-8) of the longest value."""

_JSON_TYPES: Final[dict[JsonType, bytes]] = {"string": b"s", "integer": b"i", "number": b"n"}
_JSON_NAMES: Final[dict[bytes, JsonType]] = {letter: name for name, letter in _JSON_TYPES.items()}
_FACTS_LENGTH: Final = 2
_MAX_UTF8: Final = 4
UNTIL_TURN_ENDS: Final = "t"
"""Facts flag: the entry is destroyed when the turn ends."""

SEARCHABLE: Final = "s"
"""Facts flag: the value is looked for in other texts."""

_SEALED_AT: Final = re.compile("@([0-9a-f]+)")


@dataclass(frozen=True, slots=True)
class Facts:
    """What an entry stores beside its value; held by the row with the empty suffix and encrypted with it."""

    entity_types: tuple[str, ...]
    origins: tuple[str, ...]
    uses: int | None = None
    flags: str = SEARCHABLE

    def encode(self) -> bytes:
        """``types;origins;uses;flags``, lists with commas. Neither grammar has a comma or semicolon."""
        uses = "" if self.uses is None else str(self.uses)
        return ";".join((",".join(self.entity_types), ",".join(self.origins), uses, self.flags)).encode("ascii")

    @classmethod
    def parse(cls, encoded: bytes) -> Facts:
        """The inverse of ``encode``, on authenticated bytes."""
        return _parsed(encoded)

    def widened(self, entity_type: str, origin: str, searchable: bool) -> Facts:
        """The facts with a further type and origin; itself when it has them."""
        wider = Facts(
            self.entity_types if entity_type in self.entity_types else (*self.entity_types, entity_type),
            self.origins if origin in self.origins else (*self.origins, origin),
            self.uses,
            self.flags + SEARCHABLE if searchable and SEARCHABLE not in self.flags else self.flags,
        )
        return self if wider == self else wider

    @property
    def sealed_at(self) -> float | None:
        """When the value was first sealed (Unix seconds), if the entry records it."""
        found = _SEALED_AT.search(self.flags)
        return float(int(found[1], 16)) if found else None


@lru_cache(maxsize=1024)
def _parsed(encoded: bytes) -> Facts:
    """Many entries share their facts, which hold no value."""
    types, origins, uses, flags = encoded.decode("ascii").split(";")
    return Facts(tuple(types.split(",")), tuple(origins.split(",")), int(uses) if uses else None, flags)


class Opened(NamedTuple):
    """A decrypted row. ``facts`` is ``None`` for forms other than the first."""

    row: EntryRow
    facts: Facts | None
    secret: SecretValue


def sealed_at(now: int) -> str:
    """Facts flag: ``@`` and the second (hexadecimal) at which the value was sealed; ``now`` in Unix milliseconds."""
    return f"@{now // 1000:x}"


def close_row(keys: SessionKeys, row: EntryRow, facts: Facts | None, secret: SecretValue) -> EntryRow:
    """The row with its ciphertext."""
    encoded = facts.encode() if facts is not None else b""
    lead = len(encoded).to_bytes(_FACTS_LENGTH, "big") + encoded + _JSON_TYPES[secret.json_type]
    return row._replace(ct=keys.entries.encrypt(pad(lead + text_bytes(secret.text())), _associated(keys, row)))


def open_row(keys: SessionKeys, row: EntryRow) -> Opened:
    """The decrypted row. Raises ``TamperDetected`` when any column was changed, or the row comes from elsewhere.

    Identity and form are associated data, so a ciphertext opens only where the value it holds belongs.
    """
    facts, secret = _decode(unpad(keys.entries.decrypt(row.ct, _associated(keys, row))))
    return Opened(row, facts, secret)


def open_into(keys: SessionKeys, row: EntryRow) -> tuple[Facts | None, SecretBytes]:
    """``open_row`` into a buffer that can be overwritten; only the facts are copied out of it."""
    buffer = keys.entries.decrypt_into(row.ct, _associated(keys, row))
    lead = LENGTH_BYTES + _FACTS_LENGTH
    end = lead + int.from_bytes(buffer[LENGTH_BYTES:lead], "big")
    facts = Facts.parse(bytes(buffer[lead:end])) if end > lead else None
    value_end = LENGTH_BYTES + int.from_bytes(buffer[:LENGTH_BYTES], "big")
    return facts, SecretBytes(buffer, end + 1, value_end)


def _associated(keys: SessionKeys, row: EntryRow) -> bytes:
    return keys.entry_aad + lp(row.dek_ver, row.identity, row.form, row.code, row.suffix, row.life, row.expires)


def _decode(plain: bytes) -> tuple[Facts | None, SecretValue]:
    end = _FACTS_LENGTH + int.from_bytes(plain[:_FACTS_LENGTH], "big")
    facts = Facts.parse(plain[_FACTS_LENGTH:end]) if end > _FACTS_LENGTH else None
    return facts, SecretValue(bytes_text(plain[end + 1 :]), _JSON_NAMES[plain[end : end + 1]])


def head_of(rows: list[EntryRow]) -> EntryRow | None:
    """The row with the empty suffix; ``None`` for no rows, ``TamperDetected`` for forms without their head."""
    for row in rows:
        if not row.suffix:
            return row
    if rows:
        raise TamperDetected(AUTHENTICATION)
    return None


def placeholder_of(row: EntryRow, facts: Facts) -> Placeholder:
    """The placeholder of a form, given the facts of its head."""
    return Placeholder(facts.entity_types[0], row.code, row.suffix)


def check_size(secret: SecretValue) -> None:
    """Nothing, or ``TextTooLong`` beyond 65,536 bytes."""
    text = secret.text()
    if len(text) * _MAX_UTF8 > MAX_VALUE_BYTES and len(text_bytes(text)) > MAX_VALUE_BYTES:
        del text  # A traceback that shows locals must not show it.
        raise TextTooLong("a value is longer than 65,536 bytes", MAX_VALUE_BYTES)
