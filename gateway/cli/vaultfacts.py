"""What ``sealgate vault`` says of a vault: what it holds, and where it and its key lie."""

from __future__ import annotations

import os
from typing import Any

from sealgate.vault import KeyDirectory
from sealgate.vault.engines import is_url
from sealgate.vault.status import Status


def facts_of(place: str, status: Status) -> dict[str, Any]:
    """The facts for machines. ``place`` is the vault's path or URL, ``key`` the path of its key file."""
    where = place if is_url(place) else os.path.abspath(place)
    return {**status._asdict(), "place": where, "key": KeyDirectory().path(status.vault)}


def lines_of(facts: dict[str, Any]) -> str:
    """The same for a person."""
    lines = [f"{name:<8}  {facts[name]}" for name in ("vault", "place", "key", "sessions", "keys")]
    lines.append(f"{'audit':<8}  {counted(facts['audit'], 'row')}")
    if facts["older"]:
        lines.append(f"{counted(facts['older'], 'session')} under an older key: rotate")
    return "\n".join(lines)


def counted(number: int, noun: str) -> str:
    """``1 session``, ``2 sessions``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
