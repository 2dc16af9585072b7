"""Effects that a tool's body does once, although the body runs again from its top after each pause."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from sealgate.models.errors import InterruptError, InvalidName, ToolOutcomeUnknown, ValueGone
from sealgate.models.jsonvalue import JsonValue, check_json
from sealgate.models.origins import APPLICATION
from sealgate.redaction import Redactor, Restorer
from sealgate.vault import VaultSession

from ..tools.injection import placeholders_in

_KIND: Final = "memo"

MAX_KEY: Final = 200
"""Code points of the longest key."""

MAX_MEMOS: Final = 10_000
"""Remembered effects of one session; of more, those that changed last."""

_CALL: Final[ContextVar[str | None]] = ContextVar("sealgate_memo_call", default=None)


@contextmanager
def within_call(call_id: str) -> Iterator[None]:
    """What is remembered in this block is remembered for that call."""
    token = _CALL.set(call_id)
    try:
        yield
    finally:
        _CALL.reset(token)


class EffectCache:
    """``session.cache``: what a body has done and what came of it, by a key of the body's choice, a call at a time.

    Outcomes are JSON. They are stored redacted, and restored for the body.
    """

    def __init__(self, vault: VaultSession, redactor: Redactor, restorer: Restorer) -> None:
        self._vault = vault
        self._redactor = redactor
        self._restorer = restorer

    def once(self, key: str, function: Callable[[], Any]) -> Any:
        """What ``function`` returned when it ran first in this call of the tool.

        It is recorded as started before it runs: one that a crash cut short is not run again. Raises
        ``ToolOutcomeUnknown`` for that one, ``ValueGone`` where the outcome held a value that is gone, ``NotJson`` for
        an outcome that is no JSON, ``InvalidName`` for a key that is no text of 1 to 200 characters,
        ``InterruptError`` outside of a tool's body, and what ``function`` raises; a function that raised runs again.
        """
        place = _place(key)
        before = self._claim(place)
        if before is not None:
            return self._outcome(before)
        with self._unless_it_fails(place):
            return self._keep(place, function())

    async def aonce(self, key: str, function: Callable[[], Awaitable[Any]]) -> Any:
        """``once`` for a coroutine function."""
        place = _place(key)
        before = self._claim(place)
        if before is not None:
            return self._outcome(before)
        with self._unless_it_fails(place):
            return self._keep(place, await function())

    def _claim(self, place: str) -> dict[str, JsonValue] | None:
        """What is recorded of an effect; ``None`` for whoever starts it now."""
        found: list[bytes] = []

        def claimed(stored: bytes | None) -> bytes | None:
            found.extend([] if stored is None else [stored])
            return b"{}" if stored is None else None

        self._vault.records.change(_KIND, place, claimed, newest=MAX_MEMOS)
        recorded: dict[str, JsonValue] | None = json.loads(found[0]) if found else None
        return recorded

    def _outcome(self, recorded: dict[str, JsonValue]) -> JsonValue:
        if "outcome" not in recorded:
            raise ToolOutcomeUnknown("this effect was started before a crash and never reported back")
        outcome = recorded["outcome"]
        wanted = placeholders_in(outcome)
        alive = self._vault.facts(wanted) if wanted else {}
        if any(one not in alive or alive[one].burnt for one in wanted):
            raise ValueGone("what this effect gave held a value that is gone")
        return self._restorer.restore_json(outcome)

    def _keep(self, place: str, outcome: JsonValue) -> JsonValue:
        check_json(outcome)
        recorded = json.dumps({"outcome": self._redactor.redact_json(outcome, origin=APPLICATION)}).encode()
        self._vault.records.replace(_KIND, place, recorded, newest=MAX_MEMOS)
        return outcome

    @contextmanager
    def _unless_it_fails(self, place: str) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._vault.records.discard(_KIND, place)
            raise


def _place(key: str) -> str:
    call = _CALL.get()
    if call is None:
        raise InterruptError("session.cache is used in the body of a tool that the session runs")
    if not isinstance(key, str) or not 1 <= len(key) <= MAX_KEY:
        raise InvalidName(f"the key of an effect is a text of 1 to {MAX_KEY} characters")
    return f"{call}\n{key}"
