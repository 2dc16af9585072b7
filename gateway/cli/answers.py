"""Where the demo's answers come from: a file, a terminal, or, where there is neither, made-up ones."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from sealgate.models.errors import InvalidInput

from ..interrupts.terminal import default_terminal_interrupt

ACCOUNT: Final = "account_number"
OTP: Final = "otp_code"

MADE_UP: Final = {ACCOUNT: "1234-5678-9012", OTP: "482913"}

MAX_FILE: Final = 64 * 1024
"""Bytes of the longest answers file."""

_DIGITS: Final = re.compile(r"\d(?:[ .-]?\d)+")


class Answering(Protocol):
    """**Protocol:** gives the answer to one named question."""

    def __call__(self, name: str, prompt: str) -> str:
        """The answer as typed."""
        ...


@dataclass(slots=True)
class Answers:
    """The person of the demo. Keeps what was typed, question by question, as the measure for the leak check."""

    source: Answering = field(repr=False)
    typed: list[tuple[str, str]] = field(default_factory=list, repr=False)

    def handler(self, name: str) -> Callable[[str], str]:
        """The input handler of the question of that name."""

        def ask(prompt: str) -> str:
            answer = self.source(name, prompt)
            self.typed.append((name, answer))
            return answer

        return ask

    def values(self) -> dict[str, str]:
        """What is to be kept from everybody else, by name: the digits within each answer as they were typed."""
        return {f"{name} #{number}": secret_part(answer) for number, (name, answer) in enumerate(self.typed, start=1)}


def secret_part(answer: str) -> str:
    """The longest run of digits with what separates them; the whole answer where it has none."""
    return max((run[0] for run in _DIGITS.finditer(answer)), key=len, default=answer.strip())


def terminal_answers(name: str, prompt: str) -> str:
    """Ask at the terminal; the code is typed without echo."""
    return default_terminal_interrupt(prompt, secret=name == OTP)


def scripted_answers(values: Mapping[str, str]) -> Answering:
    """The same answer each time its question is put."""

    def answer(name: str, prompt: str) -> str:
        return values[name]

    return answer


def has_terminal() -> bool:
    """Whether a person can be asked: standard input is a terminal, and so is the place to type a secret."""
    if sys.stdin is None or sys.stdin.closed or not sys.stdin.isatty():
        return False
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def read_answers(path: Path) -> dict[str, str]:
    """The answers of a TOML file (by its suffix) or a JSON file: texts by name.

    Raises ``InvalidInput`` for a file that cannot be read, is longer than 64 KiB, or lacks a name; never quotes it.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"the answers file cannot be read: {error.strerror}") from None
    if len(data) > MAX_FILE:
        raise InvalidInput(f"the answers file is longer than {MAX_FILE} bytes")
    answers = _parse(data, toml=path.suffix == ".toml")
    return {name: _answer(answers, name) for name in MADE_UP}


def _parse(data: bytes, *, toml: bool) -> object:
    try:
        text = data.decode("utf-8")
        return tomllib.loads(text) if toml else json.loads(text)
    except (ValueError, RecursionError):  # both parsers quote their input
        pass
    raise InvalidInput(f"the answers file is not {'TOML' if toml else 'JSON'}")


def _answer(answers: object, name: str) -> str:
    value = answers.get(name) if isinstance(answers, dict) else None
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"the answers file needs a text for {name!r}")
    return value
