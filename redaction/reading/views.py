"""Views: a text with its encodings seen through, level by level.

Each view is tried beside the text itself, never instead of it: what looks like an encoding may be the value. A view of
a ``Projection`` leads back to the original; one of a plain ``str`` does not and costs a tenth.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Final, TypeVar
from urllib.parse import unquote_to_bytes

from .dumps import dumped
from .edits import Edit, edited, projected
from .encoded_words import SHORTEST_TOKEN, encoded_words
from .projection import Projection, project_text
from .spoken import said
from .wrappings import spelled, unwrapped

MAX_LEVELS: Final = 3
"""Encodings on top of each other that are undone."""

MAX_VIEWS: Final = 12
"""Views of one text; beyond, the deepest are not tried."""

_ESCAPE: Final = re.compile(
    r"&#(?:0{0,16}[0-9]{1,7}|[xX]0{0,16}[0-9a-fA-F]{1,6});?|&[A-Za-z][A-Za-z0-9]{1,31};|(?:%[0-9a-fA-F]{2})+|(?:\\u[0-9a-fA-F]{4})+"
    r"|(?:%u[0-9a-fA-F]{4})+|(?:\\x[0-9a-fA-F]{2})+|\\u\{[0-9a-fA-F]{1,6}\}|\\U[0-9a-fA-F]{8}|(?:\\[0-3][0-7]{2})+|\\[nrtbfv\"'/\\]"
)
_LOOSE: Final = re.compile(
    r"(?:=[0-9A-Fa-f]{2}|=\r?\n)+|\b0[xX][0-9a-fA-F]{2}(?:(?:,\s{0,16}|\s{1,16})0[xX][0-9a-fA-F]{2})*\b"
)
_CONTROLS: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}


Text = TypeVar("Text", str, Projection)


def text_views(text: str, shortest: int = SHORTEST_TOKEN) -> Iterator[str]:
    """The text, then each view of it. ``shortest`` is the number of symbols from which words are decoded."""
    return _views(text, lambda view: view, edited, lambda read: encoded_words(read, shortest))


def projection_views(projection: Projection) -> Iterator[Projection]:
    """The projection, then each view of it with the way back to the original. One decoded run leads back as a whole."""
    return _views(projection, lambda view: view.text, projected, lambda read: encoded_words(read, SHORTEST_TOKEN))


def _views(
    first: Text,
    text_of: Callable[[Text], str],
    apply: Callable[[Text, list[Edit]], Text],
    tokens: Callable[[str], list[Edit]],
) -> Iterator[Text]:
    yield first
    level, count = [first], 1
    for _ in range(MAX_LEVELS):
        deeper: list[Text] = []
        for view in level:
            text = text_of(view)
            for edits in _undone(text, tokens):
                if edits and count < MAX_VIEWS:
                    count += 1
                    deeper.append(apply(view, [_folded(edit) for edit in edits]))
                    yield deeper[-1]
        level = deeper


def _undone(text: str, tokens: Callable[[str], list[Edit]]) -> Iterator[list[Edit]]:
    """What each way to see through a text makes of it."""
    yield _escapes(text)
    yield _loose(text)
    yield tokens(text)
    yield from (undo(text) for undo in (unwrapped, spelled, dumped, said))


def _folded(edit: Edit) -> Edit:
    """What was encoded, read like a text that was not: digits of any script, nothing invisible."""
    return edit if edit.plain.isascii() else edit._replace(plain=project_text(edit.plain))


def _escapes(text: str) -> list[Edit]:
    if "%" not in text and "&" not in text and "\\" not in text:
        return []
    found = ((run.start(), run.end(), _unescaped(run.group())) for run in _ESCAPE.finditer(text))
    return [Edit(start, end, plain.replace("\0", " ")) for start, end, plain in found if plain is not None]


def _unescaped(run: str) -> str | None:
    """What a run of escapes stands for; ``None`` if for nothing."""
    if run[0] == "&":
        plain = html.unescape(run)
        return None if plain == run else plain
    if run[0] == "%":
        return _percent(run)
    if run[1] in _CONTROLS or not run[1].isalnum():
        return _CONTROLS.get(run[1], run[1])
    if run[1] in "01234567":
        return bytes(int(octal, 8) for octal in run.split("\\")[1:]).decode("utf-8", "ignore")
    if run[1] == "U" or run[2] == "{":
        point = int(run[2:].strip("{}"), 16)
        return chr(point) if point <= 0x10FFFF else None
    raw = bytes.fromhex(run.replace("\\u", "").replace("\\x", ""))
    return raw.decode("utf-16-be" if run[1] == "u" else "utf-8", "ignore")


def _percent(run: str) -> str:
    """``%34`` of RFC 3986, or ``%u0034`` of JavaScript's ``escape``."""
    if run[1] == "u":
        return bytes.fromhex(run.replace("%u", "")).decode("utf-16-be", "ignore")
    return unquote_to_bytes(run).decode("utf-8", "ignore")


def _loose(text: str) -> list[Edit]:
    """Runs that are as likely something else: ``=31`` and ``0x31``."""
    if "=" not in text and "0x" not in text and "0X" not in text:
        return []
    found = ((run.start(), run.end(), _loosened(run.group())) for run in _LOOSE.finditer(text))
    return [Edit(start, end, plain.replace("\0", " ")) for start, end, plain in found]


def _loosened(run: str) -> str:
    return bytes.fromhex("".join(re.findall(r"(?:=|0[xX])([0-9A-Fa-f]{2})", run))).decode("utf-8", "ignore")
