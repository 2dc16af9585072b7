"""The tables of rules. Each row is also its own test."""

from __future__ import annotations

from typing import Final

from .addresses import ADDRESSES
from .banking import BANKING
from .cards import CARDS
from .codes import CODES
from .contact import CONTACT
from .credentials import CREDENTIALS
from .european import EUROPEAN
from .identifiers import IDENTIFIERS
from .labels import LABELS
from .national import NATIONAL
from .network import NETWORK
from .people import PEOPLE
from .roles import ROLES
from .rule import Rule
from .scripts import SCRIPTS
from .secrets import SECRETS
from .streets import STREETS
from .tokens import TOKENS

ALL_RULES: Final[tuple[Rule, ...]] = (
    *CODES,
    *CARDS,
    *BANKING,
    *CONTACT,
    *NETWORK,
    *SECRETS,
    *CREDENTIALS,
    *TOKENS,
    *IDENTIFIERS,
    *LABELS,
    *NATIONAL,
    *EUROPEAN,
    *ADDRESSES,
    *STREETS,
    *PEOPLE,
    *ROLES,
    *SCRIPTS,
)
"""All rules, in no order that matters: the union decides."""
