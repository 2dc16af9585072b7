"""The rule of guesses: how many tokens may be compared with a secret whose guess space could be tried out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MAX_GUESSES: Final = 3
"""Distinct tokens that are compared with such a secret over its whole life."""


def compare(compared: list[str], tokens: Sequence[str]) -> int:
    """How many of ``tokens``, from the first, may be compared; ``compared`` grows by the new ones among them.

    With the third distinct one it ends for good, so that a later list shows nothing by one of them that is missing.
    """
    for admitted, token in enumerate(tokens):
        if len(compared) >= MAX_GUESSES:
            return admitted
        if token not in compared:
            compared.append(token)
    return len(tokens)
