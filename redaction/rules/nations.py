"""How a national identifier becomes rules: one where a cue names it, one where its checksum or shape speaks alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ..validators import stdnum_valid
from .rule import Rule


@dataclass(frozen=True, slots=True)
class Nation:
    """An identifier of one country.

    ``pattern`` is its shape; ``cues`` are words (lower case) that name it, one of which near the value makes it count
    without a checksum. ``check`` is the name of a module of python-stdnum, or a function; with ``strong`` the shape and
    the checksum are enough in any text, else only in a text that is nothing but values.
    """

    name: str
    entity_type: str
    pattern: str
    cues: tuple[str, ...]
    examples: tuple[str, ...]
    check: str | Callable[[str], bool] | None = None
    strong: bool = False
    alone: tuple[str, ...] = field(default=())

    def rules(self) -> tuple[Rule, ...]:
        """The rules of this identifier; ``examples`` are those of the cue, ``alone`` those without."""
        shape = rf"(?<![A-Za-z0-9])(?<![0-9][.-])(?P<value>{self.pattern})(?![A-Za-z0-9])(?!-[0-9])"
        cue = "|".join(re.escape(word).replace(r"\ ", r"[ _-]?") for word in self.cues)
        named = rf"(?<![A-Za-z])(?:{cue})(?![A-Za-z])" if cue.isascii() else f"(?:{cue})"
        found: list[Rule] = []
        if self.cues:
            found.append(
                Rule(
                    f"{self.name}-with-cue",
                    self.entity_type,
                    shape,
                    0.8,
                    self.examples,
                    gates=("digit",),
                    words=self.cues,
                    before=named,
                    after=named,
                )
            )
        if self.alone:
            found.append(
                Rule(
                    self.name,
                    self.entity_type,
                    shape,
                    0.9 if self.check else 0.5,
                    self.alone,
                    gates=("digit",),
                    valid=_validator(self.check),
                    alone=not self.strong,
                )
            )
        return tuple(found)


def _validator(check: str | Callable[[str], bool] | None) -> Callable[[str], bool] | None:
    return _StdnumCheck(check) if isinstance(check, str) else check


class _StdnumCheck:
    """A checksum of python-stdnum, which is imported when it is first asked for."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __call__(self, value: str) -> bool:
        return stdnum_valid(self._module)(value)


def luhn_valid(value: str) -> bool:
    """Whether the digits of a value have a Luhn checksum."""
    return stdnum_valid("luhn")(re.sub(r"\D", "", value))
