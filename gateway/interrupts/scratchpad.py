"""A pause inside a tool's body: it raises, and when it is resumed the body runs again from its top.

Answers are found by the order of the questions. So a body has to ask the same questions in the same order each time,
and what it does before its first question is done again at each resume.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from sealgate.models.errors import (
    InterruptDiverged,
    InterruptError,
    InterruptSwallowed,
    InvalidAnswer,
    InvalidPolicy,
    LimitExceeded,
)
from sealgate.models.jsonvalue import JsonValue, check_json
from sealgate.models.placeholder import STRICT

MAX_PAUSES: Final = 100
"""Pauses of one call of a body."""

_CURRENT: Final[ContextVar[InterruptScratchpad | None]] = ContextVar("sealgate_scratchpad", default=None)


class GraphInterrupt(BaseException):
    """Leaves a tool's body at a pause. No ``Exception``, so that a tool's own handling of errors does not catch it.

    ``ordinal`` (int) counts the pauses of the body from 0. It holds nothing of the payload.
    """

    def __init__(self, ordinal: int) -> None:
        super().__init__(f"pause {ordinal} of a tool's body")
        self.ordinal = ordinal


@dataclass(frozen=True, slots=True)
class Pause:
    """One pause as it is recorded: the redacted payload, the JSON schema of its answer, and the redacted answer."""

    payload: JsonValue = field(repr=False)
    schema: dict[str, Any] | None = None
    answer: JsonValue = field(default=None, repr=False)


def interrupt(payload: JsonValue, *, response_schema: Any = None) -> Any:
    """Pause the tool whose body calls this until a person answers; then the answer, in the body's next run.

    ``response_schema`` is a type that pydantic knows; the answer comes back as one. Raises ``NotJson`` with the path to
    what JSON cannot carry, ``InvalidAnswer``, ``InterruptDiverged`` when the body asked for something else before,
    ``InvalidPolicy`` for a ``response_schema`` that is none and for a tool that has static interrupt points too, and
    ``InterruptError`` outside of a tool.
    """
    scratchpad = _CURRENT.get()
    if scratchpad is None:
        raise InterruptError("interrupt() is called in the body of a tool that a session runs")
    return scratchpad.ask(payload, response_schema)


class InterruptScratchpad:
    """The pauses of one call, from its record, and the one at which it stops now.

    ``answered`` are the pauses so far, all with an answer. ``redact`` gives the form of a payload that may be recorded,
    ``restore`` the form of an answer that the body may see. ``static`` says that the tool has static interrupt points.
    """

    def __init__(
        self,
        answered: Sequence[Pause] = (),
        *,
        redact: Callable[[JsonValue], JsonValue] = lambda payload: payload,
        restore: Callable[[JsonValue], JsonValue] = lambda answer: answer,
        static: bool = False,
    ) -> None:
        self._answered = tuple(answered)
        self._redact = redact
        self._restore = restore
        self._static = static
        self._asked = 0
        self._lock = threading.Lock()
        self.pending: Pause | None = None
        self._asker: object = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """``interrupt()`` within this block asks here; also in tasks and threads that take the context along."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)

    def ask(self, payload: JsonValue, response_schema: Any = None) -> Any:
        """The answer to the body's next question; raises ``GraphInterrupt`` where there is none yet."""
        if self._static:
            raise InvalidPolicy("a tool has static interrupt points or calls interrupt(), not both")
        check_json(payload)
        adapter, schema = (None, None) if response_schema is None else _typed(response_schema)
        with self._lock:
            answer = self._next(Pause(self._redact(payload), schema))
        return answer if adapter is None else _fitted(adapter, answer)

    def finish(self) -> None:
        """Nothing, when a body that has returned asked everything that it asked before.

        Raises ``InterruptSwallowed`` when it went on after a pause, ``InterruptDiverged`` when it asked less.
        """
        if self.pending is not None:
            raise InterruptSwallowed("the tool caught its pause and went on; let GraphInterrupt through")
        if self._asked < len(self._answered):
            raise InterruptDiverged(f"the tool paused {len(self._answered)} times before, and {self._asked} times now")

    def _next(self, pause: Pause) -> JsonValue:
        if self.pending is not None and self._asker != _asker():
            raise GraphInterrupt(self._asked)  # another task of the body; it asks again when the body runs again
        if self.pending is not None:
            raise InterruptSwallowed("the tool caught its pause and went on; let GraphInterrupt through")
        ordinal = self._asked
        if ordinal >= MAX_PAUSES:
            raise LimitExceeded(f"a tool's body pauses at most {MAX_PAUSES} times", MAX_PAUSES)
        if ordinal == len(self._answered):
            self.pending, self._asker = pause, _asker()
            raise GraphInterrupt(ordinal)
        if _likeness(pause.payload) != _likeness(self._answered[ordinal].payload):
            raise InterruptDiverged(f"pause {ordinal} of the tool asks for something else than before it was resumed")
        self._asked += 1
        return self._restore(self._answered[ordinal].answer)


def _asker() -> object:
    """The task or the thread that asks."""
    try:
        return asyncio.current_task() or threading.get_ident()
    except RuntimeError:
        return threading.get_ident()


def _likeness(payload: JsonValue) -> str:
    """A payload but for the codes of its placeholders, which change when a value expires and is sealed anew."""
    return STRICT.sub(lambda found: f"[{found['type']}]", json.dumps(payload, sort_keys=True))


def _typed(response_schema: Any) -> tuple[TypeAdapter[Any], dict[str, Any]]:
    """What fits an answer to a type, and its JSON schema. Raises ``InvalidPolicy`` for a type that has none."""
    with suppress(Exception):  # pydantic's own errors, and whatever a type of the user's raises
        adapter = TypeAdapter(response_schema)
        return adapter, adapter.json_schema()
    raise InvalidPolicy("a response_schema is a type that pydantic can check and describe in JSON")


def _fitted(adapter: TypeAdapter[Any], answer: object) -> Any:
    try:
        return adapter.validate_python(answer)
    except ValidationError as error:
        rules = sorted({item["type"] for item in error.errors(include_input=False, include_context=False)})
    del answer
    raise InvalidAnswer(f"the answer does not fit the response schema: {', '.join(rules)}")
