"""``sealgate vault``: what an operator does with a vault. No command takes a value as an argument."""

from __future__ import annotations

from typing import Any, Final

import click

from sealgate.models.errors import InvalidInput, NotAVault
from sealgate.models.placeholder import Placeholder, find_all
from sealgate.vault import Vault
from sealgate.vault import sweep as sweep_vault

from .confirm import confirm, progress, yes_option
from .streams import read_text, write_report
from .vaultanchor import anchor, anchor_at, anchor_option
from .vaultcopies import backup, restore
from .vaultfacts import counted, facts_of, lines_of
from .vaultoption import json_option, session_option, tenant_option, vault_option, vault_place

_SENTENCE: Final = 120
"""Characters of the longest first sentence."""


class _Commands(click.Group):
    """A group whose list of commands has their first sentences whole."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, one.get_short_help_str(_SENTENCE)) for name, one in sorted(self.commands.items())]
            )


@click.group(cls=_Commands)
def vault() -> None:
    """Make, look at, re-key, empty, back up and check a vault."""


vault.add_command(anchor)
vault.add_command(backup)
vault.add_command(restore)


@vault.command()
@vault_option
@anchor_option
@json_option
def init(vault: str | None, anchor: str | None, as_json: bool) -> None:
    """Make a vault and its key.

    The key lies in your configuration directory, never beside the vault. Without it the vault is lost.
    """
    place = vault_place(vault)
    if Vault.is_at(place):
        raise InvalidInput("there is something at this place already")
    with Vault.open(place, anchor=anchor_at(anchor)) as made:
        facts = made.status()
    said = facts_of(place, facts)
    note = f"made vault {facts.vault}\nplace  {said['place']}\nkey    {said['key']}\nKeep a copy of the key elsewhere."
    write_report(as_json, {name: said[name] for name in ("vault", "place", "key")}, note)


@vault.command()
@vault_option
@anchor_option
@json_option
def status(vault: str | None, anchor: str | None, as_json: bool) -> None:
    """Say where a vault and its key lie, and how many sessions, keys and audit rows it has."""
    with _existing(vault, anchor) as opened:
        facts = facts_of(vault_place(vault), opened.status())
    write_report(as_json, facts, lines_of(facts))


@vault.command()
@vault_option
@anchor_option
@click.option("--destroy-old", is_flag=True, help="Then destroy all older keys: older backups become unreadable.")
@yes_option
@json_option
def rotate(vault: str | None, anchor: str | None, destroy_old: bool, yes: bool, as_json: bool) -> None:
    """Wrap all sessions under a new key. Values and placeholders stay as they are."""
    with _existing(vault, anchor) as opened:
        if destroy_old:
            confirm("Every backup from before now becomes unreadable for ever. Go on?", yes=yes)
        count = opened.rotate(progress=progress("sessions"))
        destroyed = opened.destroy_old_keys() if destroy_old else 0
    facts = {"sessions": count, "destroyed": destroyed}
    write_report(
        as_json, facts, f"{counted(count, 'session')} put under a new key; {counted(destroyed, 'old key')} destroyed"
    )


@vault.command()
@vault_option
@anchor_option
@session_option
@tenant_option
@click.option("--value", "is_value", is_flag=True, help="Standard input is one value instead of placeholders.")
@yes_option
@json_option
def forget(
    vault: str | None, anchor: str | None, session: str, tenant: str, is_value: bool, yes: bool, as_json: bool
) -> None:
    """Destroy the values whose placeholders stand in standard input. All other placeholders stay.

    With --value, standard input is the value itself, of which one line end is dropped.
    """
    text = read_text()
    with _existing(vault, anchor) as opened:
        known = opened.session(session, tenant=tenant, create=False)
        wanted = _of_value(known, text) if is_value else [one for _start, _end, one in find_all(text)]
        found = list(known.facts(wanted))
        if found:
            confirm(f"{counted(len(found), 'value')} cannot be restored afterwards. Go on?", yes=yes)
            known.forget(found)
    write_report(as_json, {"forgotten": [str(one) for one in found]}, f"{counted(len(found), 'value')} forgotten")


@vault.command()
@vault_option
@anchor_option
@session_option
@tenant_option
@yes_option
@json_option
def shred(vault: str | None, anchor: str | None, session: str, tenant: str, yes: bool, as_json: bool) -> None:
    """Destroy a session's keys, and with them everything that it stored. Its name is never used again."""
    with _existing(vault, anchor) as opened:
        doomed = opened.session(session, tenant=tenant, create=False)
        confirm("Nothing of this session can be restored afterwards. Go on?", yes=yes)
        clean = doomed.shred()
    note = "" if clean else "; a reader still holds deleted pages: run sweep until it says so no more"
    write_report(as_json, {"session": doomed.id, "purged": clean}, f"the session is shredded{note}")


@vault.command()
@vault_option
@json_option
def sweep(vault: str | None, as_json: bool) -> None:
    """Destroy sessions and values whose lifetime has ended. Needs no key."""
    swept = sweep_vault(vault_place(vault))
    note = "" if swept.purged else "; a reader still holds deleted pages"
    write_report(
        as_json,
        swept._asdict(),
        f"{counted(swept.sessions, 'session')} and {counted(swept.values, 'value')} destroyed{note}",
    )


@vault.command()
@vault_option
@anchor_option
@json_option
def verify(vault: str | None, anchor: str | None, as_json: bool) -> None:
    """Read everything that is stored and check it against its keys, and the audit chain against itself."""
    with _existing(vault, anchor) as opened:
        checked = opened.verify(progress=progress("values"))
    nouns = ("session", "value", "record", "audit row")
    said = ", ".join(counted(count, noun) for count, noun in zip(checked, nouns, strict=True))
    write_report(as_json, checked._asdict(), f"{said}: all in order")


def _existing(given: str | None, anchor: str | None) -> Vault:
    place = vault_place(given)
    if not Vault.is_at(place):
        raise NotAVault("there is no vault at this place: see `sealgate vault init`")
    return Vault.open(place, anchor=anchor_at(anchor))


def _of_value(session: Any, text: str) -> list[Placeholder]:
    value = text.removesuffix("\n").removesuffix("\r")
    found: list[Placeholder] = session.match(
        lambda live: [one.placeholder for one in live if one.value.text() == value]
    )
    return found
