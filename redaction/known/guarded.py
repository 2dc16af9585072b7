"""Known values in texts that were put together from the pieces of a result, where they could be used to guess.

A page that says ``[["0","0","0","0"], …]`` lists all PINs just as one that says ``0000 …`` does.
"""

from __future__ import annotations

from sealgate.models.errors import TooManyValues

from ..plan import Plan, commit
from ..planner import Planner, without_placeholders
from .guesses import GuessShapes
from .known import KnownHit, KnownValues, build_known_values


class GuardedValues:
    """Known values and guesses outside of placeholders, for texts of one origin. Thread-hostile, for one result.

    While a small secret lives, ``suspects`` is always true: whether there is one in the text must change nothing.
    """

    def __init__(self, planner: Planner, shapes: GuessShapes, known: KnownValues, origin: str, max_new: int) -> None:
        self._planner = planner
        self._shapes = shapes
        self._known = known
        self._origin = origin
        self._max_new = max_new
        self._left = max_new

    def suspects(self, text: str) -> bool:
        """See ``KnownValues.suspects``."""
        return bool(self._shapes) or self._known.suspects(text)

    def outside(self, text: str) -> list[KnownHit]:
        """See ``KnownValues.outside``; what might be a guess is sealed unseen. Raises ``TooManyValues`` for more of
        these than one message may bring, and what the sealer raises."""
        guesses = self._planner.guessed(without_placeholders(text), self._shapes, self._origin, self._known)
        if not guesses:
            return self._known.outside(text)
        self._left -= len(guesses)
        if self._left < 0:
            raise TooManyValues("more new values than one message may hold", self._max_new)
        sealed = commit(self._planner.sealer, [Plan(text, tuple(guesses))])[0].findings
        hits = [KnownHit(one.start, one.end, one.placeholder, False) for one in sealed if one.placeholder is not None]
        known = self._known.outside(text)
        return sorted([*hits, *(hit for hit in known if not any(_overlap(hit, one) for one in hits))])


def guarded(planner: Planner, origin: str, max_new: int) -> GuardedValues:
    """What looks for the session's values in the joined pieces of a result of this origin."""
    return GuardedValues(planner, planner.shapes(origin), planner.sealer.match(build_known_values), origin, max_new)


def _overlap(left: KnownHit, right: KnownHit) -> bool:
    return left.start < right.end and right.start < left.end
