"""Which vault and which session a command works on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import click
from platformdirs import user_data_path

from sealgate.models.errors import InvalidInput
from sealgate.vault.engines import is_url, parts_of

_Option: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]

DEFAULT_SESSION: Final = "default"

vault_option: Final[_Option] = click.option(
    "--vault", metavar="PLACE", help="The vault's file or URL; by default a file in your data directory."
)
session_option: Final[_Option] = click.option(
    "--session", metavar="NAME", default=DEFAULT_SESSION, show_default=True, help="The conversation it belongs to."
)
tenant_option: Final[_Option] = click.option(
    "--tenant", metavar="NAME", default="default", show_default=True, help="Whose session."
)
json_option: Final[_Option] = click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")


def vault_path(given: str | None) -> Path:
    """The file that ``--vault`` names, or the default one, whose directory is made with mode 0700.

    Raises ``InvalidInput`` for a vault in memory, which would end with the command and lose what was sealed.
    """
    if given is None:
        directory = user_data_path("sealgate", appauthor=False)
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        return directory / "sealgate.db"
    if given in ("", ":memory:"):
        raise InvalidInput("--vault names a file; a vault in memory would end with this command")
    return Path(given)


def vault_place(given: str | None) -> str:
    """The file or URL that ``--vault`` names, or the default file. Raises ``InvalidInput`` for a URL with a password,
    which every process of the machine could read from the command line.
    """
    if given is None or not is_url(given):
        return str(vault_path(given))
    parts = parts_of(given)
    if parts is not None and (parts.password is not None or "password=" in given):
        raise InvalidInput("a password does not belong on a command line: use a service file, PGPASSFILE or a socket")
    return given
