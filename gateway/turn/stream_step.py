"""The part of the model's step that shows its answer while it comes."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable
from contextlib import suppress

from sealgate.models.errors import ModelFailed, SealgateError, TextTooLong
from sealgate.models.events import AppEvent
from sealgate.models.origins import MODEL
from sealgate.redaction.bounds import MAX_TEXT

from ..events.holdback import CHUNK
from .answer_stream import AnswerStream, Shown, Span
from .context import TurnContext
from .pieces import END, Pieces


class ShownAnswer:
    """One answer as browsers are told of it: ``assistant.chunk`` events that share its ``message_id``.

    One without text that says ``discard: true`` takes back what was shown until then; the texts after the last of
    these, one after the other, are the text of the ``assistant.message`` with that ``message_id``. An answer that never
    becomes a message, whatever ended it, ends with ``discard: true``: nothing of it is to be shown, and state and
    history know nothing of it. What was found in parts stays sealed in the vault. So a message that was streamed may
    hide what one that came whole would not, where a recognizer saw a name in a part and none in the whole.
    """

    def __init__(self, context: TurnContext, message_id: str) -> None:
        self.message_id = message_id
        self.new_values = 0
        self._context = context
        self._length = 0
        self._stream = AnswerStream(self._redacted, self._found)

    def feed(self, piece: str) -> list[AppEvent]:
        """The events of what may be shown after a piece. Raises as the redaction of the whole answer would:
        ``TextTooLong``, ``TooManyValues``, ``DetectionFailed``, ``VaultError``.
        """
        self._length += len(piece)
        if self._length > MAX_TEXT:
            raise TextTooLong("a text of more than 1,000,000 code points is not redacted", MAX_TEXT)
        return self._told(self._stream.feed(piece))

    def finish(self, sealed: str) -> list[AppEvent]:
        """The events that complete what was shown to the text of the whole message; none if nothing was streamed."""
        return self._told(self._stream.finish(sealed)) if self._length else []

    def discard(self) -> None:
        """Tell that the answer came to nothing. It is published without being yielded: its turn may go no further."""
        if self._stream.shown:
            with suppress(SealgateError):  # a vault that is gone has ended the subscriptions as well
                self._told(Shown(discard=True))

    def _told(self, shown: Shown) -> list[AppEvent]:
        event, data = self._context.event, {"message_id": self.message_id}
        discarded = [event(CHUNK, text="", data={**data, "discard": True})] if shown.discard else []
        return [*discarded, event(CHUNK, text=shown.text, data=data)] if shown.text else discarded

    def _redacted(self, raw: str) -> str:
        """A part of the answer, redacted as the whole will be; what it brings counts for the whole."""
        services = self._context.services
        left = max(0, services.limits.new_values - self.new_values)
        held = services.vault.match(len)
        text = services.redactor.redact(raw, origin=MODEL, keep=lambda _placeholder: True, max_new=left).text
        self.new_values += max(0, services.vault.match(len) - held)
        return text

    def _found(self, raw: str) -> list[Span]:
        """What the redaction of a part would hide, without hiding it."""
        explained = self._context.services.redactor.explain(raw, origin=MODEL)
        chosen = [one.finding for one in explained if one.chosen]
        return [Span(one.start, one.end, one.entity_type) for one in chosen]


def pieces_of(given: object) -> Pieces:
    """The pieces that a model gives. Raises ``ModelFailed`` for what cannot be iterated."""
    if isinstance(given, (str, bytes)) or not isinstance(given, (Iterable, AsyncIterable)):
        raise ModelFailed("the model's stream is no iterator", type(given).__name__)
    return Pieces(given)


def text_of(piece: object) -> str:
    """A piece that is a text. Raises ``ModelFailed`` for anything else but the whole message, which ends a stream."""
    if piece is END:
        raise ModelFailed("the model's stream ended without its message")
    if not isinstance(piece, str):
        raise ModelFailed("the model's stream gave something that is no text", type(piece).__name__)
    return piece
