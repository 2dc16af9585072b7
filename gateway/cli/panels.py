"""Columns of wrapped text side by side, for a plain terminal of 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

WIDTH: Final = 100
"""Columns of the terminal that everything fits."""

_BETWEEN: Final = " | "


@dataclass(frozen=True, slots=True)
class Panel:
    """One column: its title, its width in characters, and its paragraphs, each of which may have several lines."""

    title: str
    width: int
    paragraphs: Sequence[str]

    def lines(self) -> list[str]:
        """Title, rule and wrapped text; the lines of a paragraph after its first are indented."""
        wrapped = [line for paragraph in self.paragraphs for line in _wrapped(paragraph, self.width)]
        return [self.title, "-" * self.width, *wrapped]


def side_by_side(panels: Sequence[Panel]) -> str:
    """The panels beside each other, without trailing spaces."""
    rows = zip_longest(*(panel.lines() for panel in panels), fillvalue="")
    return "\n".join(
        _BETWEEN.join(cell.ljust(panel.width) for cell, panel in zip(row, panels, strict=True)).rstrip() for row in rows
    )


def _wrapped(paragraph: str, width: int) -> list[str]:
    lines = []
    for number, line in enumerate(_printable(paragraph).splitlines()):
        first = "" if number == 0 else "  "
        lines.extend(
            textwrap.wrap(line, width, initial_indent=first, subsequent_indent="  ", break_on_hyphens=False) or [""]
        )
    return lines


def _printable(text: str) -> str:
    """The text without control characters that could steer a terminal."""
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)
