"""What reads as code: there, models for prose see names in identifiers."""

from __future__ import annotations

import re
from typing import Final

_CODE: Final = re.compile(
    r"[_{}<>=|\\;]|\(\)|\w\(|[a-z][A-Z]|\w\.[a-z]\w*\b(?![\s,])|::|->|=>|^\s*(?:def|class|import|from|return|const|let|var"
    r"|func|public|private|if \(|for \(|#include|//|/\*)"
)


def looks_like_code(text: str) -> bool:
    """Whether a word or line has what prose has not: underscores, braces, calls, camel case, operators."""
    return _CODE.search(text) is not None


def is_code_span(text: str, start: int, end: int) -> bool:
    """Whether a span reads as code, or touches a character that only code puts beside a word."""
    if looks_like_code(text[start:end]):
        return True
    before, after = text[start - 1 : start], text[end : end + 1]
    return (
        (before != "" and before in "_./\\=$#@")
        or (after != "" and after in "_(=/\\[")
        or (after == "." and text[end + 1 : end + 2].isalnum())
    )
