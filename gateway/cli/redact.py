"""``sealgate redact``: standard input with placeholders in place of private values."""

from __future__ import annotations

from typing import Any

import click

from sealgate.models.findings import Finding, Redaction

from ..gateway import Gateway
from .explanations import write_explanations
from .streams import read_text, write_json, write_text
from .vaultanchor import anchor_at, anchor_option
from .vaultoption import json_option, session_option, tenant_option, vault_option, vault_place


@click.command()
@vault_option
@anchor_option
@session_option
@tenant_option
@json_option
@click.option(
    "--explain",
    is_flag=True,
    help="Say what would be found, by which recognizer and why, with * before what counts; store nothing new.",
)
def redact(vault: str | None, anchor: str | None, session: str, tenant: str, as_json: bool, explain: bool) -> None:
    """Replace private values in standard input by placeholders.

    The values are kept, encrypted, in the vault, and `sealgate restore` with the same session puts them back, byte for
    byte. With --json the output also says what was found and where; it never holds a value.
    """
    text = read_text()
    with Gateway.open(vault_place(vault), anchor=anchor_at(anchor)) as gateway:
        if explain:
            write_explanations(gateway.session(session, tenant=tenant).explain(text), as_json=as_json)
            return
        redaction = gateway.session(session, tenant=tenant).redact(text)
    if as_json:
        write_json(described(session, redaction))
    else:
        write_text(redaction.text)


def described(session: str, redaction: Redaction) -> dict[str, Any]:
    """A redaction as JSON, value-free. Starts and ends are code points of the input decoded as UTF-8."""
    return {
        "session": session,
        "text": redaction.text,
        "findings": [_described(finding) for finding in redaction.findings],
    }


def _described(finding: Finding) -> dict[str, Any]:
    return {
        "entity_type": finding.entity_type,
        "start": finding.start,
        "end": finding.end,
        "score": finding.score,
        "recognizer": finding.recognizer,
        "placeholder": str(finding.placeholder),
    }
