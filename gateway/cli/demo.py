"""``sealgate demo``: one turn, everybody's view of it, and a leak check over all of them."""

from __future__ import annotations

import secrets
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click

from ..gateway import Gateway
from .answers import ACCOUNT, MADE_UP, OTP, Answers, has_terminal, read_answers, scripted_answers, terminal_answers
from .evidence import debug_logs, live_evidence, stored_evidence
from .leakcheck import MIN_LENGTH, LeakReport, find_leaks
from .panels import terminal_width
from .picture import picture
from .scenario import EMAIL, REQUEST, Witnesses, browser_events, play
from .streams import write_json, write_text
from .vaultoption import json_option

_SCENE: Final = (
    f"You told the assistant: {REQUEST}\nIts tool needs two answers. Make up some digits, such as {MADE_UP[ACCOUNT]}."
)


@dataclass(slots=True)
class Demo:
    """One run: who saw what, what was found, and how many rows the audit chain had."""

    answers: Answers
    witnesses: Witnesses
    reply: str = field(repr=False)
    report: LeakReport
    audited: int

    @property
    def delivered(self) -> bool:
        """Whether the tool got the digits that the person typed last for each of its questions."""
        typed = {name: _digits(answer) for name, answer in self.answers.typed}
        paid = [arguments for tool, arguments in self.witnesses.tools if tool == "pay"]
        return any(all(_digits(arguments[name]) == typed.get(name) for name in (ACCOUNT, OTP)) for arguments in paid)

    @property
    def passed(self) -> bool:
        """Whether the tool got everything and nobody else got anything."""
        return self.delivered and not self.report.leaks


@click.command()
@click.option(
    "--answers",
    "answers_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help=f"A JSON or TOML file with {ACCOUNT} and {OTP}, instead of asking.",
)
@json_option
@click.pass_context
def demo(context: click.Context, answers_file: Path | None, as_json: bool) -> None:
    """Run a turn in which a person answers and only the tool learns the answer.

    A scripted model plays a bank assistant. Type made-up values: they are shown at the end, beside what the model saw,
    what the tool received and what a browser would get. With --json, or without a terminal, made-up answers are taken.
    The vault lies in a temporary directory and is gone afterwards. Exit status 1 if anything leaked.
    """
    run = run_demo(Answers(_source(answers_file, as_json)))
    if as_json:
        write_json(as_data(run))
    else:
        write_text(as_text(run))
    context.exit(0 if run.passed else 1)


def run_demo(answers: Answers) -> Demo:
    """The turn and the check, in a fresh vault with a key of its own."""
    witnesses, key = Witnesses(), secrets.token_bytes(32)
    with tempfile.TemporaryDirectory(prefix="sealgate-demo-") as directory:
        path = Path(directory) / "demo.db"
        with debug_logs() as log, Gateway.open(path, key=key) as gateway:
            gateway.session("demo").events(audience="internal")
            session, response = play(gateway, answers, witnesses)
            places = live_evidence(gateway, session, response, witnesses)
            places |= stored_evidence(path, key)
            audited = gateway.audit.verify()
            reply = session.restore_reply(response.response or "")
        places["log at DEBUG"] = "\n".join(log)
    return Demo(answers, witnesses, reply, find_leaks(_values(answers), places), audited)


def as_text(run: Demo) -> str:
    """The picture and the verdict, for people."""
    lines = [
        "",
        picture(run.answers, run.witnesses, terminal_width()),
        "",
        f"The person reads: {run.reply}",
        "",
        f"Audit chain: {run.audited} rows, verified.",
        *(f"LEAK: {leak}" for leak in run.report.leaks),
        *([] if run.delivered else [_undelivered(run.answers)]),
        f"Leak check: {run.report}",
    ]
    return "\n".join(lines) + "\n"


def as_data(run: Demo) -> dict[str, Any]:
    """The same for machines."""
    return {
        "typed": dict(run.answers.typed),
        "model": run.witnesses.model,
        "tool": [{"tool": tool, "arguments": arguments} for tool, arguments in run.witnesses.tools],
        "browser": browser_events(run.witnesses.browser),
        "reply": run.reply,
        "audit_rows": run.audited,
        "delivered": run.delivered,
        "places": list(run.report.places),
        "leaks": [{"place": leak.place, "name": leak.name, "how": leak.how} for leak in run.report.leaks],
        "summary": str(run.report),
    }


def _source(answers_file: Path | None, as_json: bool) -> Any:
    if answers_file is not None:
        return scripted_answers(read_answers(answers_file))
    if as_json or not has_terminal():
        return scripted_answers(MADE_UP)
    click.echo(_SCENE, err=True)
    return terminal_answers


def _values(answers: Answers) -> dict[str, str]:
    """What must not be found: every answer that is long enough to be told from chance, and the person's e-mail."""
    long_enough = {name: value for name, value in answers.values().items() if len(_digits(value)) >= MIN_LENGTH}
    return {**long_enough, "email": EMAIL}


def _undelivered(answers: Answers) -> str:
    return "The tool did not receive what the person typed." if answers.typed else "Nobody answered, so nobody paid."


def _digits(text: object) -> str:
    return "".join(char for char in str(text) if char.isdigit())
