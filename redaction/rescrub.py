"""What was said earlier, with what has become known since hidden in it."""

from __future__ import annotations

from sealgate.models.jsonvalue import JsonValue

from .known.guesses import GuessShapes
from .known.known import KnownValues, build_known_values
from .plan import Plan, commit
from .planner import Planner, without_placeholders


def scrub_json(values: KnownValues, value: JsonValue) -> JsonValue:
    """JSON with each sealed value in its strings, keys and numbers replaced by its placeholder."""
    return Scrubber(values).json(value)


class Scrubber:
    """The known-value pass over text that is redacted already. Placeholders in it stay as they are."""

    def __init__(self, values: KnownValues) -> None:
        self._values = values

    def text(self, text: str) -> str:
        """``text`` with each sealed value outside of its placeholders replaced."""
        return self._values.scrub(text)

    def json(self, value: JsonValue) -> JsonValue:
        """The same for every string, key and number of a JSON value."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.json(item) for key, item in value.items()}
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            spelled = repr(value)
            scrubbed = self.text(spelled)
            return value if scrubbed == spelled else scrubbed
        return value


class GuessScrubber(Scrubber):
    """The pass over what a tool, a page or a model said: what could be a list of guesses is sealed unseen first, as it
    may have been said before the secret was there.
    """

    def __init__(self, values: KnownValues, planner: Planner, shapes: GuessShapes, origin: str) -> None:
        super().__init__(values)
        self._planner = planner
        self._shapes = shapes
        self._origin = origin

    def text(self, text: str) -> str:
        """See ``Scrubber.text``. Raises what the sealer raises."""
        guesses = self._planner.guessed(without_placeholders(text), self._shapes, self._origin, self._values)
        if guesses:
            text = commit(self._planner.sealer, [Plan(text, tuple(guesses))])[0].text
        return super().text(text)


def scrubber(planner: Planner, origin: str) -> Scrubber:
    """What hides in a text of this origin the values that are known now."""
    values, shapes = planner.sealer.match(build_known_values), planner.shapes(origin)
    return GuessScrubber(values, planner, shapes, origin) if shapes else Scrubber(values)
