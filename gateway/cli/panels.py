"""Columns of wrapped text side by side, as wide as the terminal; below each other where it is narrow."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

WIDTH: Final = 100
"""Columns where there is no terminal to ask."""

NARROW: Final = 80
"""Columns below which nothing stands side by side: a quarter would have no room for a word's parts."""

NARROWEST: Final = 20
"""Columns that are used in any case."""

_BETWEEN: Final = " | "

_INDENT: Final = "  "

_PARTS: Final = re.compile(r"[^_@.-]*[_@.-]+|[^_@.-]+")
"""A word's parts, each with what ends it: ``[EMAIL_``, ``ADDRESS_``, ``7351D9GT]``."""


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


def terminal_width() -> int:
    """The columns of the terminal that standard output goes to; 100 where it goes elsewhere."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or WIDTH
    except (OSError, ValueError, AttributeError):  # a file, a closed stream, none at all
        return WIDTH


def fitted(panels: Sequence[Panel], total: int) -> str:
    """The panels in ``total`` columns, their widths in the proportions that they have; below 80 one after the other."""
    if total < NARROW:
        stacked = [replace(panel, width=max(NARROWEST, total)) for panel in panels]
        return "\n\n".join(side_by_side([panel]) for panel in stacked)
    room = total - len(_BETWEEN) * (len(panels) - 1)
    wanted = sum(panel.width for panel in panels)
    ends = [sum(panel.width for panel in panels[: number + 1]) * room // wanted for number in range(len(panels))]
    return side_by_side(
        [replace(panel, width=end - before) for panel, before, end in zip(panels, [0, *ends[:-1]], ends, strict=True)]
    )


def side_by_side(panels: Sequence[Panel]) -> str:
    """The panels beside each other, without trailing spaces."""
    rows = zip_longest(*(panel.lines() for panel in panels), fillvalue="")
    return "\n".join(
        _BETWEEN.join(cell.ljust(panel.width) for cell, panel in zip(row, panels, strict=True)).rstrip() for row in rows
    )


class _Wrapper(textwrap.TextWrapper):
    """Breaks a word only where it is longer than a line, and then behind its ``_``, ``@``, ``.`` and ``-``."""

    def _split(self, text: str) -> list[str]:
        room = self.width - len(_INDENT)
        words = super()._split(text)
        return [part for word in words for part in (_PARTS.findall(word) if len(word) > room else [word])]


def _wrapped(paragraph: str, width: int) -> list[str]:
    lines = []
    for number, line in enumerate(_printable(paragraph).splitlines()):
        first = "" if number == 0 else _INDENT
        wrapper = _Wrapper(width, initial_indent=first, subsequent_indent=_INDENT, break_on_hyphens=False)
        lines.extend(wrapper.wrap(line) or [""])
    return lines


def _printable(text: str) -> str:
    """The text without control characters that could steer a terminal."""
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)
