"""``sealgate restore``: standard input with the values back in place of their placeholders."""

from __future__ import annotations

from pathlib import Path

import click

from sealgate.models.errors import VaultMissing
from sealgate.vault.engines import is_url

from ..gateway import Gateway
from .streams import read_text, write_json, write_text
from .vaultanchor import anchor_at, anchor_option
from .vaultoption import json_option, session_option, tenant_option, vault_option, vault_place


@click.command()
@vault_option
@anchor_option
@session_option
@tenant_option
@json_option
def restore(vault: str | None, anchor: str | None, session: str, tenant: str, as_json: bool) -> None:
    """Put the values back in place of the placeholders in standard input.

    Placeholders that this session did not issue, or whose value has expired, stay as they are; --json lists them.
    """
    # The input ends when `sealgate redact` in front of the pipe has ended, and only then is the session there.
    text = read_text()
    place = vault_place(vault)
    if not is_url(place) and not Path(place).exists():
        raise VaultMissing("there is no vault at this place")  # Opening it would make an empty one.
    with Gateway.open(place, anchor=anchor_at(anchor)) as gateway:
        restored = gateway.session(session, tenant=tenant, create=False).restore(text)
    if as_json:
        write_json({"session": session, "text": restored, "unresolved": list(restored.unresolved)})
    else:
        write_text(restored)
