"""``sealgate policy``: a policy file, checked and read out."""

from __future__ import annotations

from pathlib import Path

import click

from ..policy.listing import receives
from ..policy.loader import load_policy
from .streams import write_json
from .vaultoption import json_option


@click.group()
def policy() -> None:
    """Check a grant policy."""


@policy.command()
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def check(file: Path, as_json: bool) -> None:
    """Validate FILE and list what each tool can ever receive.

    What is not listed is refused. An error names the line and the key.
    """
    allowed = load_policy(file)
    lines = receives(allowed)
    if as_json:
        write_json({"rules": [line._asdict() for line in lines]})
        return
    for line in lines:
        click.echo(str(line))
    for purpose in ("restore", "reveal"):
        if not any(rule.purpose == purpose for rule in allowed.rules):
            click.echo(f"({purpose})  everything, as no rule names this purpose")
    click.echo("Everything else is refused.")
