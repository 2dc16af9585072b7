"""Streams: text that arrives in chunks and leaves as if it had come whole.

How much is held back depends on the text's shape alone, never on what is sealed, so that a pause tells nothing.
"""

from __future__ import annotations

import re
from typing import Final

from sealgate.models.errors import TextTooLong

from .redactor import Redactor
from .reply import closed_ranges
from .restorer import Restorer

MAX_HELD: Final = 1_000_000
"""Code points that a stream may hold; beyond, ``TextTooLong``."""


class _Stream:
    """Holds text until it can be treated whole. ``feed`` returns what is ready, ``flush`` the rest."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, chunk: str) -> str:
        """What is ready after this chunk; may be empty."""
        self._held += chunk
        if len(self._held) > MAX_HELD:
            raise TextTooLong("a stream without a place to cut it is held up to 1,000,000 code points", MAX_HELD)
        cut = self._cut(self._held)
        ready, self._held = self._held[:cut], self._held[cut:]
        return self._treated(ready) if ready else ""

    def flush(self) -> str:
        """What was held. The stream can be used again."""
        ready, self._held = self._held, ""
        return self._treated(ready) if ready else ""

    def _cut(self, text: str) -> int:
        raise NotImplementedError

    def _treated(self, text: str) -> str:
        raise NotImplementedError


_INLINE: Final = frozenset("`<>[]&\\_*~")
"""Marks of code, tags, links and placeholders; a line without them may be cut at any space."""

_EAGER: Final = 8192
"""Code points up to which each chunk is looked at for a place to cut. Of a longer text without one an eighth more has
to come first, or a long block of code would be read as often as it has words."""

_UNFINISHED: Final = re.compile(r"(?:_|&#95;|&#x5f;|&lowbar;)[ \t]{0,4}\n[ \t]{0,4}\Z", re.IGNORECASE)
"""A placeholder may go on after a line break that follows an underscore."""


class StreamRestorer(_Stream):
    """Restores a reply in chunks. Plain words leave one by one; a line with marks leaves when it is complete, and what
    is in an open code fence or HTML tag when that is closed, so that every way to cut a reply gives the same text."""

    def __init__(self, restorer: Restorer) -> None:
        super().__init__()
        self._restorer = restorer
        self._again = 0

    def _cut(self, text: str) -> int:
        if len(text) < self._again:
            return 0
        cut = self._line_cut(text)
        self._again = len(text) + len(text) // 8 if cut == 0 and len(text) > _EAGER else 0
        return cut

    def flush(self) -> str:
        """See ``_Stream.flush``."""
        self._again = 0
        return super().flush()

    def _line_cut(self, text: str) -> int:
        line = text.rfind("\n") + 1
        if _INLINE.isdisjoint(text):
            space = max(text.rfind(" "), line - 1)
            return space + 1
        closed = closed_ranges(text) if line > 0 else []
        while line > 0:
            open_range = next((start for start, end in closed if start < line <= end), None)
            if open_range is not None:
                line = text.rfind("\n", 0, open_range) + 1
            elif _UNFINISHED.search(text, max(0, line - 24), line):
                line = text.rfind("\n", 0, line - 1) + 1
            else:
                return line
        return 0

    def _treated(self, text: str) -> str:
        return str(self._restorer.restore_reply(text))


class StreamRedactor(_Stream):
    """Redacts text in chunks. Nothing leaves before the text has ended, because a value may
    be split at any place and a cue may stand after it."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def _cut(self, text: str) -> int:
        return 0

    def _treated(self, text: str) -> str:
        return self._redactor.redact(text).text
