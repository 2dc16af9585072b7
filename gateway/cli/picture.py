"""The demo's picture: who saw what, in four columns."""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

from .answers import Answers
from .panels import WIDTH, Panel, fitted
from .scenario import REQUEST, Witnesses, browser_events


def picture(answers: Answers, witnesses: Witnesses, width: int = WIDTH) -> str:
    """The four views side by side in ``width`` columns, or below each other where these are few."""
    return fitted(
        [
            Panel("PERSON TYPED", 18, [REQUEST, *(f"{name}:\n{typed}" for name, typed in answers.typed)]),
            Panel("MODEL SAW", 28, _model_lines(witnesses.model)),
            Panel("TOOL RECEIVED", 17, [_call(name, arguments) for name, arguments in witnesses.tools]),
            Panel("BROWSER WOULD GET", 28, _event_lines(browser_events(witnesses.browser))),
        ],
        width,
    )


def _model_lines(payloads: list[str]) -> list[str]:
    """The conversation of the last payload, which repeats all before it."""
    return [_message(message) for message in json.loads(payloads[-1])["messages"]] if payloads else []


def _message(message: dict[str, Any]) -> str:
    calls = [f"calls {call['name']}\n{_pairs(call['arguments'])}" for call in message.get("tool_calls", ())]
    text = [f"{message['role']}: {message['content']}"] if message.get("content") else []
    return "\n".join([*text, *calls])


def _call(name: str, arguments: dict[str, Any]) -> str:
    return f"{name}\n{_pairs(arguments)}"


def _pairs(arguments: dict[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in arguments.items())


def _event_lines(events: list[dict[str, Any]]) -> list[str]:
    """A paragraph for each event that says something; those between that do not share one."""
    paragraphs: list[str] = []
    for bare, group in groupby(events, key=lambda event: not _detail(event)):
        if bare:
            paragraphs.append(", ".join(event["type"] for event in group))
        else:
            paragraphs += [f"{event['type']}\n{_detail(event)}" for event in group]
    return paragraphs


def _detail(event: dict[str, Any]) -> str:
    """What an event is about, in one or a few short lines."""
    tool, interrupt = event.get("tool"), event.get("interrupt")
    if interrupt:
        return str(interrupt["prompt"] if event["type"] == "interrupt.requested" else interrupt["arg_name"])
    if tool:
        outcome = tool.get("error") or tool.get("result")
        return f"{tool['name']}: {outcome}" if outcome else str(tool["name"])
    return str(event.get("data", {}).get("status") or event.get("text") or "")
