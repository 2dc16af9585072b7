"""Where nothing opens in a model's reply: URLs, link targets, HTML tags and code.

A value that is restored inside a link leaves the page as soon as somebody, or a preview, follows it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

_CLOSED: Final = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)"  # fenced code, closed or not
    r"|``[^\n]*?(?:``|$)|`[^`\n]*(?:`|$)"  # inline code
    r"|\]\([^()\n]*(?:\)|$)|\]:[^\n]*"  # link targets
    r"|<[A-Za-z!/][^<>]*>?"  # HTML tags with their attributes
    r"|[A-Za-z][A-Za-z0-9+.-]{1,30}:/{0,2}[^\s<>\"]+|//[^\s<>\"]+|(?:www\.|[\w-]{1,63}\.[A-Za-z]{2,24}[/?])[^\s<>\"]*",
    re.DOTALL | re.MULTILINE,
)


def closed_ranges(text: str) -> list[tuple[int, int]]:
    """The ranges of ``text`` (code points) in which no placeholder opens, sorted and without overlaps."""
    return [found.span() for found in _CLOSED.finditer(text)]


def is_closed(ranges: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether ``start`` to ``end`` touches a closed range."""
    at = bisect_right(ranges, (end, -1)) - 1
    return at >= 0 and ranges[at][1] > start and ranges[at][0] < end
