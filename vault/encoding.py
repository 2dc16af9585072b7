"""Injective encodings: fields with their lengths, padding that hides lengths, numbers as symbols.

Everything here is part of the stored format; ``tests/vectors`` freezes it.
"""

from __future__ import annotations

from typing import Final

from sealgate.models.errors import TamperDetected
from sealgate.models.placeholder import ALPHABET

LENGTH_BYTES: Final = 4
_END: Final = b"\x80"
_SHORT: Final = 64
_SHORT_LENGTHS: Final = tuple(length.to_bytes(LENGTH_BYTES, "big") for length in range(_SHORT))
_EIGHT: Final = _SHORT_LENGTHS[8]
_MIN_PADDED: Final = 32
_FINE_STEP: Final = 16
_FINE_LIMIT: Final = 256


def text_bytes(text: str) -> bytes:
    """UTF-8 with ``surrogatepass``: every ``str`` has bytes, lone surrogates included."""
    return text.encode("utf-8", "surrogatepass")


def bytes_text(data: bytes) -> str:
    """The inverse of ``text_bytes``. Raises ``TamperDetected`` for bytes that no ``str`` has."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise TamperDetected(AUTHENTICATION) from None


AUTHENTICATION: Final = "stored data does not authenticate"
"""The one text of every ``TamperDetected``: which check failed is nobody's business."""


def lp(*fields: bytes | str | int) -> bytes:
    """The fields one after another, each behind its length in bytes (4 bytes, big-endian).

    Injective for a fixed sequence of field types: integers are 8 bytes, big-endian, signed; text is ``text_bytes``.
    """
    parts: list[bytes] = []
    for field in fields:
        kind = type(field)
        if kind is bytes:
            data: bytes = field  # type: ignore[assignment]  # mypy does not follow the type through the variable.
        elif kind is int:
            parts.append(_EIGHT + field.to_bytes(8, "big", signed=True))  # type: ignore[union-attr]
            continue
        else:
            data = field if isinstance(field, bytes) else text_bytes(str(field))
        length = len(data)
        parts.append(_SHORT_LENGTHS[length] if length < _SHORT else length.to_bytes(LENGTH_BYTES, "big"))
        parts.append(data)
    return b"".join(parts)


def padded_length(length: int) -> int:
    """Bytes that ``pad`` makes of ``length`` bytes: 32, then steps of 16 to 256, then steps of about an eighth."""
    needed = length + 1
    if needed <= _MIN_PADDED:
        return _MIN_PADDED
    step = _FINE_STEP if needed <= _FINE_LIMIT else 1 << (needed.bit_length() - 4)
    return -(-needed // step) * step


def pad(data: bytes) -> bytes:
    """``data``, the byte 0x80, and zeros up to ``padded_length`` (ISO/IEC 7816-4)."""
    return (data + _END).ljust(padded_length(len(data)), b"\0")


def unpad(padded: bytes) -> bytes:
    """The inverse of ``pad``, on exactly what it makes; ``TamperDetected`` for anything else."""
    return padded[: text_end(padded)]


def text_end(padded: bytes | bytearray) -> int:
    """Where the padding begins; raises what ``unpad`` raises."""
    end = padded.rfind(_END)
    if end < 0 or len(padded) != padded_length(end) or padded.count(b"\0", end) != len(padded) - end - 1:
        raise TamperDetected(AUTHENTICATION)
    return end


def symbols(number: int, count: int) -> str:
    """The last ``count`` digits of a number in base 30, in the symbols of a placeholder."""
    digits = []
    number %= len(ALPHABET) ** count  # Small numbers divide faster.
    for _ in range(count):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
