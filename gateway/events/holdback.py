"""Hold-back: how much of a streamed text waits, so that no value leaves in pieces.

What waits depends on the text's shape alone, never on what is sealed: the last 64 letters and digits, the word that is
not finished, an open placeholder and an open key block. So a pause tells nothing.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from .scrub import Edit, Known, edited

CHUNK: Final = "assistant.chunk"

PIECES: Final = (CHUNK, "status")
"""Types of events that may bring a text in pieces; a ``status`` does if its data says ``partial: true``."""

_WITHIN_A_BLOCK: Final = (*PIECES, "hook.fired", "redaction.applied")


class Stream(NamedTuple):
    """What tells one stream of a bridge from another: type, turn, and the identifiers that its pieces carry."""

    kind: str
    turn_id: str
    names: tuple[tuple[str, str | bool], ...]


WINDOW: Final = 64
"""Letters and digits that wait in any case; names, addresses, cards and IBANs have fewer."""

MAX_HELD: Final = 4096
"""Code points that wait at most; longer words are cut."""

MAX_BLOCK: Final = 16_384
"""Code points that wait at most when a key block is open."""

MAX_STREAMS: Final = 16
"""Streams of one bridge with something waiting; beyond, the oldest is let go."""

_CONTEXT: Final = 1024
"""Code points that are remembered of what has left, so that the rest of a longer value is recognised."""

_LONGEST_PLACEHOLDER: Final = 62
_SPACE: Final = re.compile(r"[\s\u3000-\u30ff\u3400-\u9fff\uff01\uff0c\uff1f](?=\S|\Z)")
"""Where a word can end: spaces, and the scripts that write without them."""
_BEGIN: Final = "-----BEGIN "
_END: Final = re.compile("-----END [A-Z0-9 ]{1,40}-----")


class HoldBack:
    """One stream of text. ``feed`` gives what may leave now, with placeholders for values, ``flush`` the rest."""

    def __init__(self) -> None:
        self._left = ""
        self._held = ""

    def feed(self, chunk: str, known: Known) -> str:
        """What may leave after this chunk; often nothing."""
        self._held += chunk
        return self._release(cut(self._held), known)

    def flush(self, known: Known) -> str:
        """Everything that waits. What comes later is still read together with it."""
        return self._release(len(self._held), known)

    def __bool__(self) -> bool:
        return bool(self._held)

    def _release(self, end: int, known: Known) -> str:
        """The first ``end`` code points that wait; further, where a value goes on beyond them."""
        if end == 0:
            return ""
        before = len(self._left)
        text = self._left + self._held
        edits: list[Edit] = []
        for hit in known.outside(text):
            if before < hit.end and hit.start < before + end:
                edits.append(Edit(max(hit.start - before, 0), hit.end - before, str(hit.placeholder)))
                end = max(end, hit.end - before)
        ready, self._held = self._held[:end], self._held[end:]
        self._left = text[: before + end][-_CONTEXT:]
        return edited(ready, edits)


class Streams:
    """The streams of one bridge, by whatever tells them apart."""

    def __init__(self) -> None:
        self._streams: OrderedDict[Stream, HoldBack] = OrderedDict()

    def feed(self, key: Stream, chunk: str, known: Known) -> str:
        """What of a stream may leave after a chunk."""
        stream = self._streams.setdefault(key, HoldBack())
        self._streams.move_to_end(key)
        return stream.feed(chunk, known)

    def overdue(self, known: Known) -> Iterator[tuple[Stream, str]]:
        """The rest of the streams that are too many, each ended by this."""
        while len(self._streams) > MAX_STREAMS:
            key, stream = self._streams.popitem(last=False)
            yield key, stream.flush(known)

    def flush(self, known: Known, kinds: tuple[str, ...]) -> Iterator[tuple[Stream, str]]:
        """What waits in every stream of these types. The streams may go on."""
        for key, stream in self._streams.items():
            if stream and key.kind in kinds:
                yield key, stream.flush(known)

    def drop(self, key: Stream) -> None:
        """Drop a stream, with what waits in it."""
        self._streams.pop(key, None)

    def clear(self) -> None:
        """Drop everything that waits."""
        self._streams.clear()


def is_piece(kind: str, data: Mapping[str, object]) -> bool:
    """Whether an event of this type and data brings its text in pieces."""
    if kind == CHUNK:
        return not discards(kind, data)
    return kind == "status" and data.get("partial") is True


def discards(kind: str, data: Mapping[str, object]) -> bool:
    """Whether an event replaces all pieces of its stream before it, with a text that is whole."""
    return kind == CHUNK and data.get("discard") is True


def ended_by(kind: str) -> tuple[str, ...]:
    """The types of the streams that a whole event of type ``kind`` ends: a whole status those of its own."""
    if kind in _WITHIN_A_BLOCK:
        return (kind,)
    return PIECES


def cut(text: str) -> int:
    """How many code points of a text may leave while more of it may come. Depends on nothing but the text."""
    found = _word_cut(text, WINDOW)
    block = open_block(text)
    if block >= 0 and len(text) <= MAX_BLOCK:
        return min(found, _word_cut(text[:block], 0))
    if found == 0 and len(text) > MAX_HELD:
        return _outside_token(text, _symbol_cut(text, WINDOW) or len(text) - MAX_HELD // 2)
    return found


def open_block(text: str) -> int:
    """Where a key block begins that has not ended; -1 if there is none."""
    if _BEGIN not in text:
        return -1
    ends = [found.end() for found in _END.finditer(text)]
    return text.find(_BEGIN, ends[-1] if ends else 0)


def _word_cut(text: str, window: int) -> int:
    """The last end of a word with ``window`` symbols or more after it."""
    limit = _symbol_cut(text, window)
    ends = [found.end() for found in _SPACE.finditer(text, 0, limit)]
    return ends[-1] if ends else 0


def _symbol_cut(text: str, window: int) -> int:
    """The last place with ``window`` letters and digits or more after it."""
    left = window
    for at in range(len(text) - 1, -1, -1):
        left -= text[at].isalnum()
        if left <= 0:
            return at
    return 0


def _outside_token(text: str, at: int) -> int:
    """The place itself, or the bracket before it that a placeholder may have opened."""
    opened = text.rfind("[", max(0, at - _LONGEST_PLACEHOLDER), at)
    return opened if opened > 0 and "]" not in text[opened:at] else at
