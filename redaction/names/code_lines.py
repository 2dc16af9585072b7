"""What reads as code: there, models for prose see names in identifiers."""

from __future__ import annotations

import re
from typing import Final

_VALUE: Final = re.compile(
    r"[_{}<>=|\\;$`]|\w\(|\b(?!(?:Mc|Mac|De|Di|Du|La|Le|Van|Von|Fitz|O')[A-Z])\w*[a-z][A-Z]|[A-Za-z]{2,}\.[a-z]{2,}"
    r"|::|->|[A-Za-z]\d|\d[A-Za-z]"
)
_MARKS: Final = re.compile(
    r"[{}=\\]|;(?=\s*$|\S)|[<>|](?! )|(?<! )[<>|]|\w\(|\w\([^()]*\)\s{0,8}:?\s{0,8}$|^[^()]*\)\s{0,8}:?\s{0,8}$"
    r"|\b[a-z][a-z0-9]*_\w+|\b[a-z]+[A-Z]\w*|::|->|=>|\"\s{0,8}:|^\s*(?:#|//|/\*|\*|\"\"\"|''')|``|\w\[\w|\[\"|\"\]"
    r"|\b\w+\.\w+\("
)
_STATEMENT: Final = re.compile(
    r"\s*(?:def|class|import|from \S+ import|return|const|let|var|func|fn|pub|public|private|static"
    r"|if \(|for \(|while \(|#include|package|module"
    r"|@\w+|\w+:\s*$|\w+\s*=\s*\S|[\w.]+\(.*\)\s*[;:{]?\s*$|\"\w+\":\s|[}\])]+[,;]?\s*$)"
)
_ADDRESSES: Final = re.compile(r"(?<!\S)[^\s@]{1,256}@\S+|(?<!\w)\w{1,32}://\S+|www\.\S+|(?<![\w@#])[@#]\w+")
"""E-mail addresses and URLs, handles and hashtags."""

_FACES: Final = re.compile(
    r"(?<![^\s\w])[<>]?[:;=][-o^'’]?[)(\]\[/\\|*}{<>]{1,8}|(?<!\S)(?:[:;=8][-o^'’]?[DPpOo]|[(\[][-^]?[:;=])(?!\S)"
    r"|<[/\\]?3{1,8}|(?<!\S)(?:\^_{0,3}\^|>_{1,3}<|[Tt]_{1,3}[Tt]|-_{1,3}-|[Oo]_[Oo])(?!\S)"
)
"""Faces and hearts made of punctuation."""


def is_code_line(line: str) -> bool:
    """Whether a line has what prose has not: statements, calls, braces, assignments, identifiers; e-mail addresses,
    URLs, handles, hashtags and faces do not count."""
    bare = _FACES.sub("", _ADDRESSES.sub("", line))
    marks = len(_MARKS.findall(bare))
    return marks >= 2 or (marks >= 1 and len(bare) < 60) or (_STATEMENT.match(bare) is not None and marks >= 1)


def is_code_text(text: str) -> bool:
    """Whether at least a third of the lines of a text of several lines are code."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 3:
        return False
    return sum(is_code_line(line) for line in lines) * 3 >= len(lines)


def is_code_value(value: str) -> bool:
    """Whether a word or two read as an identifier, a call or a file name."""
    return _VALUE.search(value) is not None


def touches_code(text: str, start: int, end: int) -> bool:
    """Whether a span touches a character that only code puts beside a word."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if (before and before in "_.\\=$#@`<") or (after and after in "_(=\\[`>{"):
        return True
    if text[max(0, start - 2) : start] == "::" or text[end : end + 2] == "::":
        return True
    return (before == "/" and "/" in text[max(0, start - 30) : start - 1]) or (
        after == "." and text[end + 1 : end + 2].isalnum()
    )
