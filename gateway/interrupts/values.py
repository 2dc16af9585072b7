"""What an approver is told of the values in a call, in place of the values: so that an account number that a page
brought does not look like the person's own."""

from __future__ import annotations

from collections.abc import Mapping

from sealgate.models.interrupts import InterruptDescriptor
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import EntryFacts
from sealgate.vault import VaultSession

from ..events.masks import build_masks
from ..tools.injection import placeholders_in

VALUES = "values"
"""Where the envelope of an approval tells of its values, beside ``approvals``."""


def values_of(vault: VaultSession, *payloads: JsonValue) -> dict[str, JsonValue]:
    """Each placeholder in the payloads, with the entity types and the origins of its value.

    ``shown`` is the placeholder itself, in whose place ``with_masks`` puts the last symbols for whoever may see them. A
    placeholder that this session did not issue has no types and no origins.
    """
    found = sorted(placeholders_in(list(payloads)))
    facts = vault.facts(found) if found else {}
    return {str(one): _told(one, facts.get(one)) for one in found}


def still_true(values: Mapping[str, JsonValue], now: Mapping[str, JsonValue]) -> bool:
    """Whether what was told of values is true of the same ones ``now``. More may have become known of them since."""
    return values.keys() == now.keys() and all(_within(values[key], now[key]) for key in values)


def for_approver(descriptor: InterruptDescriptor, vault: VaultSession) -> InterruptDescriptor:
    """The pause as its approver reads it: ``shown`` is ``•••• 9012`` for the types whose owner is shown as much."""
    human = descriptor.human
    values = human.action_request.args.get(VALUES) if human is not None else None
    if human is None or not isinstance(values, dict):
        return descriptor
    masks = vault.match(build_masks)
    masked = {key: {**told, "shown": masks.get(key, key)} for key, told in values.items() if isinstance(told, dict)}
    request = human.action_request.model_copy(update={"args": {**human.action_request.args, VALUES: masked}})
    return descriptor.model_copy(update={"human": human.model_copy(update={"action_request": request})})


def _told(placeholder: Placeholder, facts: EntryFacts | None) -> JsonValue:
    types, origins = (sorted(facts.entity_types), sorted(facts.origins)) if facts is not None else ([], [])
    return {"shown": str(placeholder), "entity_types": [*types], "origins": [*origins]}


def _within(told: JsonValue, now: JsonValue) -> bool:
    if not isinstance(told, dict) or not isinstance(now, dict):
        return False
    lists = [(told.get(name), now.get(name)) for name in ("entity_types", "origins")]
    return all(isinstance(old, list) and isinstance(new, list) and all(one in new for one in old) for old, new in lists)
