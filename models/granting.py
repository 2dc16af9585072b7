"""The rule of annotations: whether what a tool's author wrote lets a value into one of its arguments. Pure."""

from __future__ import annotations

from collections.abc import Callable

from .entities import entity_info
from .errors import GrantRefused
from .grants import Inject
from .origins import INTERRUPT, MODEL
from .placeholder import Placeholder
from .sealing import EntryFacts


def refusal(purpose: Inject, facts: EntryFacts, valid: Callable[[str], bool]) -> GrantRefused | None:
    """Why an entry may not open for this argument; ``None`` if it may. ``valid(entity_type)`` tells the value's shape.

    It may if it was given for this very argument, if it stands only for itself (``LITERAL``), if the model wrote it
    into this very call and it comes from nowhere else, or if ``Accepts`` names one of its types and one of its origins,
    and the value is valid as that type, which is asked last. A one-time value that only an interrupt gave opens where
    it was given and nowhere else.
    """
    shown = facts.placeholder.entity_type
    if facts.placeholder in purpose.given or is_own(facts, purpose.written):
        return None
    if facts.uses_left is not None and facts.origins == (INTERRUPT,):
        return _refused(purpose, facts, "an interrupt that asks for it in this argument")
    granted = purpose.accepts
    accepted = [name for name in facts.entity_types if granted is not None and name in granted.entity_types]
    if granted is None or not accepted:
        return _refused(purpose, facts, f"Accepts({shown!r})")
    if not set(facts.origins) & set(granted.origins):
        origins = ", ".join(repr(origin) for origin in facts.origins[:3])
        return _refused(purpose, facts, f"Accepts({shown!r}, origins=({origins},))")
    if not any(valid(name) for name in accepted):
        return _refused(purpose, facts, "the form of that type: the sealed text holds more than it, or other text")
    return None


def facts_refusal(facts: EntryFacts) -> GrantRefused | None:
    """Why no facts of an entry are told: it is a secret, and every fact would help to guess it."""
    if any(entity_info(name).family == "secret" for name in facts.entity_types):
        return GrantRefused("sealed_facts", "placeholder", facts.placeholder.entity_type, "facts: a secret has none")
    return None


def is_own(facts: EntryFacts, written: frozenset[Placeholder]) -> bool:
    """Whether a value is no secret of anybody here: it stands for itself, or the model wrote it (``written``) into this
    very call and nobody else ever gave it."""
    return facts.entity_types == ("LITERAL",) or (facts.placeholder in written and facts.origins == (MODEL,))


def _refused(purpose: Inject, facts: EntryFacts, missing: str) -> GrantRefused:
    return GrantRefused(purpose.tool, purpose.argument, facts.placeholder.entity_type, missing)
