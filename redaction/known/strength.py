"""How much a value can be guessed: its rough number of bits, and whether it is an everyday word."""

from __future__ import annotations

import math
from typing import Final

from sealgate.models.canonical import card_digits

from ..words import is_word

LONG_SYMBOLS: Final = 8
"""Symbols from which a value is looked for anywhere, not only as a whole token."""

LONG_BITS: Final = 26.0
"""Bits that it needs besides: eight decimal digits have 26.6."""

WEAK_BITS: Final = 20.0
"""Bits under which a found name, place or answer is hidden where it stands and looked for nowhere else."""


def bits(text: str) -> float:
    """An upper estimate of the guess space of ``text`` in bits: its length by the size of the alphabets it uses; one
    bit a symbol where it repeats one or two symbols."""
    distinct = set(text)
    if len(distinct) <= 2:
        return float(len(text))
    pool = 10 * any(char.isdigit() for char in distinct)
    pool += 26 * any(char.isalpha() for char in distinct)
    pool += 20 * any(not char.isalnum() for char in distinct)
    return len(text) * math.log2(max(pool, 2))


def is_long(symbols: str) -> bool:
    """Whether a value of these symbols (separators left out) may be looked for anywhere in a text. A card number may,
    however few its digits differ: the well-known 4242 4242 4242 4242 stands nowhere by chance, a row of zeros does."""
    if len(symbols) < LONG_SYMBOLS:
        return False
    return bits(symbols) >= LONG_BITS or (len(set(symbols)) > 1 and card_digits(symbols) is not None)


def is_weak(value: str) -> bool:
    """Whether a value says too little to be looked for elsewhere: an everyday word, or under 20 bits."""
    return is_word(value) or bits(value) < WEAK_BITS


def is_searchable(value: str) -> bool:
    """Whether an answer may be looked for outside of where it stands: not an everyday word, and 20 bits or more."""
    return not is_weak(value)
