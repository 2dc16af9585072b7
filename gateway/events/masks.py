"""Masks: what the owner of a value may see in place of its placeholder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import JsonValue

from sealgate.models.entities import entity_info
from sealgate.models.placeholder import STRICT
from sealgate.models.sealing import LiveValue

MASKED_TYPES: Final = frozenset(
    ("CREDIT_CARD", "IBAN_CODE", "ACCOUNT_NUMBER", "US_BANK_NUMBER", "PHONE_NUMBER"),
)
"""Types whose owner may be shown their last symbols. Of secrets, names and addresses nothing is shown."""

LAST: Final = 4
"""Symbols that a mask shows at most (PCI DSS 3.4.1), and never more than a third of the value's."""

_HIDDEN: Final = "••••"


def build_masks(values: Sequence[LiveValue]) -> Mapping[str, str]:
    """The masks of a session's live values by placeholder; pass it to ``Sealer.match``.

    A value that is also stored as a secret has none.
    """
    masks = ((live, mask(live.value.text())) for live in values if _is_masked(live))
    return {str(live.placeholder): masked for live, masked in masks if masked}


def mask(value: str) -> str:
    """``•••• 9921``; empty for a value too short to show anything of."""
    symbols = "".join(char for char in value if char.isalnum())
    shown = min(LAST, len(symbols) // 3)
    return f"{_HIDDEN} {symbols[-shown:]}" if shown >= 2 else ""


def with_masks(value: JsonValue, masks: Mapping[str, str]) -> JsonValue:
    """Data with each placeholder that has a mask replaced by it; keys stay as they are."""
    if isinstance(value, str):
        return STRICT.sub(lambda found: masks.get(found.group(), found.group()), value) if "[" in value else value
    if isinstance(value, dict):
        return {key: with_masks(item, masks) for key, item in value.items()}
    return [with_masks(item, masks) for item in value] if isinstance(value, list) else value


def _is_masked(live: LiveValue) -> bool:
    families = {entity_info(name).family for name in live.entity_types}
    return "secret" not in families and not MASKED_TYPES.isdisjoint(live.entity_types)
