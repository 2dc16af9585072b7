"""A sealed value as a row: what is encrypted with it, and what the encryption is bound to."""

from __future__ import annotations

from typing import Final, NamedTuple

from sealgate.models.errors import TamperDetected, TextTooLong
from sealgate.models.placeholder import Placeholder
from sealgate.models.secretvalue import SecretValue

from .encoding import AUTHENTICATION, bytes_text, lp, pad, text_bytes, text_end, unpad
from .facts import Facts, decode_facts, encode_facts, facts_end
from .rows import EntryRow
from .secretbytes import SecretBytes
from .sessionkeys import SessionKeys

MAX_VALUE_BYTES: Final = 65_536
"""Bytes (UTF-8) of the longest value."""

_MAX_UTF8: Final = 4


class Opened(NamedTuple):
    """A decrypted row. ``facts`` is ``None`` for forms other than the first."""

    row: EntryRow
    facts: Facts | None
    secret: SecretValue


def close_row(keys: SessionKeys, row: EntryRow, facts: Facts | None, secret: SecretValue) -> EntryRow:
    """The row with its ciphertext."""
    plain = encode_facts(facts, secret.json_type) + text_bytes(secret.text())
    return row._replace(ct=keys.entries.encrypt(pad(plain), _associated(keys, row)))


def open_row(keys: SessionKeys, row: EntryRow) -> Opened:
    """The decrypted row. Raises ``TamperDetected`` when any column was changed, or the row comes from elsewhere.

    Identity and form are associated data, so a ciphertext opens only where the value it holds belongs.
    """
    opened = _decoded(row, keys.entries.decrypt(row.ct, _associated(keys, row)))
    if opened is None:
        raise TamperDetected(AUTHENTICATION)
    return opened


def _decoded(row: EntryRow, padded: bytes) -> Opened | None:
    """``None`` for bytes that no row has: an error from here would show them to whoever prints frames with locals."""
    try:
        plain = unpad(padded)
        end = facts_end(plain)
        facts, json_type = decode_facts(plain[:end])
        return Opened(row, facts, SecretValue(bytes_text(plain[end:]), json_type))
    except TamperDetected:
        return None


def open_into(keys: SessionKeys, row: EntryRow) -> tuple[Facts | None, SecretBytes]:
    """``open_row`` into a buffer that can be overwritten; only the facts are copied out of it."""
    opened = _decoded_in_place(keys.entries.decrypt_into(row.ct, _associated(keys, row)))
    if opened is None:
        raise TamperDetected(AUTHENTICATION)
    return opened


def _decoded_in_place(buffer: bytearray) -> tuple[Facts | None, SecretBytes] | None:
    try:
        end = facts_end(buffer)
        facts, _json_type = decode_facts(bytes(buffer[:end]))
        return facts, SecretBytes(buffer, end, text_end(buffer))
    except TamperDetected:
        return None


def _associated(keys: SessionKeys, row: EntryRow) -> bytes:
    return keys.entry_aad + lp(
        row.dek_ver, row.identity, row.form, row.code, row.suffix, row.indirect, row.life, row.expires
    )


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
