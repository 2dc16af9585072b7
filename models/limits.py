"""The bounds of a gateway. Beyond one of them there is a typed error, never a silent cut."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from .refusals import InvalidInput


@dataclass(frozen=True, slots=True)
class Limits:
    """What a turn may use.

    ``model_steps`` counts the calls of the model in one turn, ``new_values`` the new distinct values that one message
    of a turn may bring, ``calls_a_step`` the tool calls of one model answer. ``model_timeout`` is in seconds; a
    handler has its own timeout, and a tool runs as long as it runs: it is trusted code in this process.
    ``result_size`` is the longest text of one tool result, in code points. ``refusals`` is how many calls of a turn may
    be refused for a value that has no right to be there.

    ``secret_asks_open`` asks for a secret may wait at once and ``secret_asks_hour`` be made within an hour, in one
    session; each expires after ``secret_ask_timeout`` seconds at the latest.

    Raises ``InvalidInput``, naming it, for one that is no number of 0 or more, or no whole number where it counts.
    """

    model_steps: int = 32
    calls_a_step: int = 64
    new_values: int = 256
    result_size: int = 1_000_000
    refusals: int = 8
    model_timeout: float = 300.0
    secret_asks_open: int = 3
    secret_asks_hour: int = 10
    secret_ask_timeout: float = 600.0

    def __post_init__(self) -> None:
        for field in fields(self):
            given, seconds = getattr(self, field.name), isinstance(field.default, float)
            if isinstance(given, bool) or not isinstance(given, (int, float) if seconds else int):
                raise InvalidInput(f"{field.name} is {'a number of seconds' if seconds else 'a whole number'}")
            if not 0 <= given < math.inf:
                raise InvalidInput(f"{field.name} is 0 or more, and finite")
