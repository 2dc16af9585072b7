"""``sealgate vault backup`` and ``restore``: a vault as one encrypted file, and back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

import click

from sealgate.models.errors import InvalidInput, NotAVault
from sealgate.vault import Vault, restore_backup

from .streams import write_report
from .vaultanchor import anchor_at, anchor_option
from .vaultfacts import counted, facts_of
from .vaultoption import json_option, vault_option, vault_place


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@vault_option
@anchor_option
@json_option
def backup(file: Path, vault: str | None, anchor: str | None, as_json: bool) -> None:
    """Write an encrypted copy of the whole vault to FILE, which must not be there yet.

    The copy opens with the vault's key, which is not in it: keep a copy of the key elsewhere.
    """
    place = vault_place(vault)
    if not Vault.is_at(place):
        raise NotAVault("there is no vault at this place: see `sealgate vault init`")
    with Vault.open(place, anchor=anchor_at(anchor)) as opened:
        descriptor = _made(file)
        try:
            with os.fdopen(descriptor, "wb") as target:
                size = opened.backup(target)
                target.flush()
                os.fsync(target.fileno())
        except BaseException:
            file.unlink()
            raise
    write_report(as_json, {"bytes": size}, f"{size:,} bytes written")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@vault_option
@anchor_option
@json_option
def restore(file: Path, vault: str | None, anchor: str | None, as_json: bool) -> None:
    """Make a vault of the backup FILE where nothing is; all of FILE is checked before the vault appears.

    A backup is an older copy: with --anchor the vault's anchor begins anew with it.
    """
    place, kept = vault_place(vault), anchor_at(anchor)
    with _opened(file) as source:
        restore_backup(source, place, anchor=kept)
    with Vault.open(place, anchor=kept) as opened:
        facts = opened.status()
    said = f"restored vault {facts.vault} with {counted(facts.sessions, 'session')}"
    write_report(as_json, facts_of(place, facts), said)


def _made(file: Path) -> int:
    try:
        return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise InvalidInput("FILE is there already, and a backup overwrites nothing") from None
    except OSError as error:
        raise InvalidInput(f"FILE cannot be written: {_reason(error)}") from None


def _opened(file: Path) -> BinaryIO:
    try:
        return file.open("rb")
    except OSError as error:
        raise InvalidInput(f"FILE cannot be read: {_reason(error)}") from None


def _reason(error: OSError) -> str:
    """What the operating system says, without the path that it was told."""
    return (error.strerror or type(error).__name__).lower()
