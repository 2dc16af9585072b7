"""A question before what cannot be undone, and progress on what takes long; both on the terminal, not in the output."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import click

from sealgate.models.errors import InvalidInput

_Option: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]

yes_option: Final[_Option] = click.option("--yes", is_flag=True, help="Do not ask before what cannot be undone.")

_EVERY: Final = 1_000


def confirm(question: str, *, yes: bool) -> None:
    """Nothing once the person at the terminal agreed or ``--yes`` was given; ``click.Abort`` when they did not.

    Raises ``InvalidInput`` where nobody can be asked.
    """
    if yes:
        return
    if not _is_terminal(sys.stdin) or not _is_terminal(sys.stderr):
        raise InvalidInput("nobody is there to be asked, and this cannot be undone: say --yes")
    click.confirm(question, abort=True, err=True)


def progress(noun: str) -> Callable[[int], None]:
    """A function that is told how much is done and shows it on a terminal, now and then."""
    shown = 0

    def show(done: int) -> None:
        nonlocal shown
        if done - shown >= _EVERY and _is_terminal(sys.stderr):
            shown = done
            click.echo(f"\r{done:,} {noun}", nl=False, err=True)

    return show


def _is_terminal(stream: Any) -> bool:
    return stream is not None and bool(stream.isatty())
