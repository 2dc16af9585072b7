"""``sealgate vault anchor``, and the option ``--anchor`` of the commands that open a vault."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Final, TypeAlias

import click

from sealgate.models.errors import AnchorRefused, InvalidInput
from sealgate.vault import Anchor, FileAnchor, Vault, reanchor

from .confirm import confirm, yes_option
from .streams import write_report
from .vaultoption import json_option, vault_option, vault_place

_Option: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]

_KEYRING: Final = "keyring:"

anchor_option: Final[_Option] = click.option(
    "--anchor", metavar="PLACE", help="The vault's anchor against older copies: a file elsewhere, or keyring:NAME."
)


def anchor_at(given: str | None) -> Anchor | None:
    """The anchor that ``--anchor`` names. Raises ``AnchorRefused``, also where the extra ``keyring`` is missing."""
    if given is None:
        return None
    if not given.startswith(_KEYRING):
        return FileAnchor(given)
    try:
        keyring = importlib.import_module("sealgate.vault.anchors.keyring")
    except ImportError:
        raise AnchorRefused("an anchor in the key store needs its client library: install sealgate[keyring]") from None
    made: Anchor = keyring.KeyringAnchor(given.removeprefix(_KEYRING))
    return made


@click.command()
@vault_option
@anchor_option
@click.option("--give-up", is_flag=True, help="The vault has no anchor any more.")
@yes_option
@json_option
def anchor(vault: str | None, anchor: str | None, give_up: bool, yes: bool, as_json: bool) -> None:
    """Accept the vault's present state as its newest: after an older copy was put back on purpose.

    From now on the vault opens with this --anchor only, and an older copy than the one it saw last is refused.
    """
    place, kept = vault_place(vault), anchor_at(anchor)
    if (kept is None) != give_up:
        raise InvalidInput("say --anchor PLACE, or --give-up")
    confirm("The vault may be an older copy, and nobody would be told any more. Go on?", yes=yes)
    reanchor(place, kept)
    with Vault.open(place, anchor=kept) as opened:
        facts = opened.status()
    said = "has no anchor" if give_up else f"is anchored at {facts.audit} audit rows"
    write_report(as_json, {**facts._asdict(), "anchored": not give_up}, f"vault {facts.vault} {said}")
