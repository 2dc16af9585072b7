"""Putting opened values into a copy of sealed arguments; it walks as ``places.leaves`` does."""

from __future__ import annotations

from collections.abc import Mapping

from sealgate.models.errors import ToolFailed
from sealgate.models.granting import is_own
from sealgate.models.grants import Accepts
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.placeholder import Placeholder, find_all
from sealgate.models.sealing import Candidate
from sealgate.redaction import is_valid, machine_form

from .contexts import fill
from .places import Shape


class Filler:
    """``opened`` holds, for each place, the values that may enter there; ``written`` what the model wrote into this
    very call.
    """

    def __init__(
        self, opened: Mapping[str, Mapping[Placeholder, Candidate]], written: frozenset[Placeholder] = frozenset()
    ) -> None:
        self._opened = opened
        self._written = written

    def value(self, sealed: JsonValue, place: str, shape: Shape) -> object:
        """A copy of one value of the arguments with what opened at each place in it.

        Raises ``Unfit`` for a value that may not stand where it does, ``ToolFailed`` when two keys become one.
        """
        if isinstance(sealed, str):
            return self._text(sealed, place, shape.grant)
        if isinstance(sealed, list):
            return [self.value(item, f"{place}[]", shape.items or shape.below()) for item in sealed]
        if isinstance(sealed, dict):
            filled = dict(self._member(key, item, place, shape) for key, item in sealed.items())
            if len(filled) != len(sealed):
                raise ToolFailed("two keys of an argument became one")
            return filled
        return sealed

    def _member(self, key: str, item: JsonValue, place: str, shape: Shape) -> tuple[str, object]:
        known = shape.fields.get(key)
        if known is not None:
            return key, self.value(item, f"{place}.{known[0]}", known[1])
        spelled = self._text(key, f"{place}{{key}}", (shape.keys or shape.below()).grant)
        return str(spelled), self.value(item, f"{place}{{}}", shape.values or shape.below())

    def _text(self, sealed: str, place: str, grant: Accepts | None) -> object:
        opened = self._opened.get(place, {})
        found = [one for one in find_all(sealed) if one[2] in opened] if opened else []
        if not found:
            return sealed
        if len(found) == 1 and found[0][:2] == (0, len(sealed)):
            return self._form(opened[found[0][2]], grant)
        forms = {one: str(self._form(opened[one], grant)) for _start, _end, one in found}
        return fill(sealed, forms, frozenset(one for one in forms if is_own(opened[one].facts, self._written)))

    def _form(self, candidate: Candidate, grant: Accepts | None) -> object:
        """The machine form of the granted type; without one, of the placeholder's own. A number stays a number, and
        what the model wrote itself stays as it is where nothing else is granted.
        """
        value = candidate.value
        if value.json_type != "string":
            return value.reveal()
        text = value.text()
        if grant is None and is_own(candidate.facts, self._written):
            return text
        granted = [name for name in (grant.entity_types if grant else ()) if is_valid(name, text)]
        own = candidate.facts.placeholder.entity_type
        return machine_form(own if own in granted or not granted else granted[0], text)
