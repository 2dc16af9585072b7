"""The redactor of one session: texts, JSON, messages, and answers to what was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sealgate.models.expectation import Expectation
from sealgate.models.findings import Redaction
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.messages import PrivateData, RawMessage, SealedMessage
from sealgate.models.origins import PERSON
from sealgate.models.sealing import Sealer

from .bounds import check_length
from .detector import Detector
from .expectation import AnswerHit, read_answer
from .explain import Explanation, explained
from .json_redactor import redact_json
from .known.guarded import GuardedValues, guarded
from .message_redactor import Recognise, redact_message, redact_messages, rescrub
from .operators import Operator, Policy
from .plan import commit
from .planner import Keep, Planner


class Redactor:
    """Redacts for one session. Thread-safe where its detector and its sealer are.

    ``operators`` says per entity type what is done with a detected value; without it all are sealed, and only sealed
    ones can be restored. ``hash_key`` (16 bytes or more) is for the ``hash`` operator. Raises ``UnknownEntityType`` and
    ``InvalidPolicy``.
    """

    def __init__(
        self,
        detector: Detector,
        sealer: Sealer,
        *,
        operators: Mapping[str, Operator] | None = None,
        hash_key: bytes | None = None,
    ) -> None:
        self._planner = Planner(detector, sealer, Policy.of(operators, hash_key))

    def redact(
        self,
        text: str,
        *,
        origin: str = PERSON,
        known: Sequence[str | PrivateData] = (),
        expect: Expectation | None = None,
        whitelist: Sequence[str] = (),
        max_new: int | None = None,
        keep: Keep | None = None,
    ) -> Redaction:
        """``text`` with a placeholder for every known, expected and detected value and every look-alike.

        ``known`` is sealed whether or not it occurs; ``whitelist`` (entity types or exact texts) silences detection
        only; strict placeholders for which ``keep`` is true stay. Raises ``TextTooLong`` (1,000,000 code points),
        ``TooManyValues`` (more than ``max_new`` distinct new values), ``DetectionFailed`` and what the sealer raises;
        then nothing was stored.
        """
        scope = self._planner.scope(origin=origin, known=known, expect=expect, whitelist=whitelist, keep=keep)
        plan = self._planner.plan(text, scope)
        return commit(self._planner.sealer, [plan], also=scope.requests, max_new=max_new)[0]

    def redact_json(
        self,
        value: JsonValue,
        *,
        origin: str = PERSON,
        known: Sequence[str | PrivateData] = (),
        whitelist: Sequence[str] = (),
        max_new: int | None = None,
        keep: Keep | None = None,
        fixed: frozenset[str] = frozenset(),
    ) -> JsonValue:
        """A copy of ``value`` with placeholders in its strings and keys; a number that is hit becomes one placeholder.
        Raises ``NotJson``, ``LimitExceeded``, and what ``redact`` raises; then nothing was stored."""
        scope = self._planner.scope(origin=origin, known=known, whitelist=whitelist, keep=keep, fixed=fixed)
        return redact_json(self._planner, value, scope, max_new=max_new)

    def redact_message(
        self,
        message: RawMessage,
        *,
        recognise: Recognise | None = None,
        max_new: int | None = None,
        known: Sequence[str | PrivateData] = (),
        whitelist: Sequence[str] = (),
        keep: Keep | None = None,
        fixed: frozenset[str] = frozenset(),
        allowed_parts: frozenset[str] = frozenset(),
    ) -> SealedMessage:
        """The message with placeholders; see ``message_redactor.redact_message``."""
        return redact_message(
            self._planner,
            message,
            recognise=recognise,
            max_new=max_new,
            known=known,
            whitelist=whitelist,
            keep=keep,
            fixed=fixed,
            allowed_parts=allowed_parts,
        )

    def redact_messages(self, messages: Iterable[RawMessage], **options: Any) -> list[SealedMessage]:
        """All messages, with ``options`` of ``redact_message``; an early one may hold what a later one made known, so
        the known-value pass runs over all of them at the end."""
        return redact_messages(self._planner, messages, **options)

    def rescrub(self, message: SealedMessage) -> SealedMessage:
        """A message said earlier, with what has become known since hidden outside of its placeholders."""
        return rescrub(self._planner, message)

    def joined(self, origin: str, max_new: int) -> GuardedValues:
        """What finds the session's values in the pieces of one result run together; see ``guarded``."""
        return guarded(self._planner, origin, max_new)

    def explain(
        self,
        text: str,
        *,
        origin: str = PERSON,
        known: Sequence[str | PrivateData] = (),
        expect: Expectation | None = None,
        whitelist: Sequence[str] = (),
    ) -> list[Explanation]:
        """All that would be found in ``text``, which of it would count, and why. Nothing is stored. Raises what
        ``redact`` raises while it looks."""
        check_length(text)
        scope = self._planner.scope(origin=origin, known=known, expect=expect, whitelist=whitelist)
        return explained(*self._planner.found(text, scope))

    def answer(self, text: str, expect: Expectation) -> list[AnswerHit]:
        """What an answer to an interrupt holds. Exactly one hit is the answer, and the caller seals its value; none or
        several is a failed attempt. Nothing is stored here. Raises ``TextTooLong``."""
        check_length(text)
        return read_answer(text, expect)
