"""Places in a policy file: a key's path in the document, and the line that it stands on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

Location: TypeAlias = Sequence[int | str]
Lines: TypeAlias = Callable[[Location], int]
"""The line (from 1) on which a place of the document stands, or the nearest one around it."""
