"""Asking at the terminal.

The rules: an ordinary prompt goes to standard output and its answer is one line of standard input, so that scripts can
answer. A secret is asked for on the controlling terminal and read from it without echo, whatever standard input and
output are; where there is none, nothing is asked. One prompt at a time. No answer is kept in a line history, and what
was typed before a secret was asked for, or is left over after it, is dropped.
"""

from __future__ import annotations

import atexit
import os
import select
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Final, TextIO

from sealgate.models.errors import InterruptCancelled, InterruptTimeout, InvalidAnswer, NoTerminal

from .handlers import DEADLINE

try:
    import termios
except ImportError:  # Windows has no such module; secrets are refused there.
    termios = None  # type: ignore[assignment]

MAX_LINE: Final = 20_000
"""Code points of the longest line that is read from standard input."""

_LONGEST_REST: Final = 10_000
"""Pieces of ``MAX_LINE`` that are read to find the end of a line that is too long."""

MAX_SECRET: Final = 4094
"""Bytes of the longest secret. A terminal in line mode drops what goes beyond 4095 bytes (N_TTY of Linux)."""

_ONE_PROMPT: Final = threading.Lock()
_HIDDEN: Final[dict[int, list[Any]]] = {}
"""The terminals that do not echo now, with their settings from before; for a process that ends in the middle."""


def default_terminal_interrupt(
    prompt: str, input_type: str = "text", choices: Sequence[str] | None = None, secret: bool = False
) -> str:
    """The answer to ``prompt``, as typed, without its line break.

    Choices are listed with numbers; the number of one, or its text, gives its text. With ``secret``, or the input type
    ``password``, nothing is echoed. Raises ``InterruptCancelled`` when the input ends, ``InterruptTimeout`` past the
    question's deadline, ``InvalidAnswer`` for a line that is too long or no text, and ``NoTerminal`` where a secret
    could not be hidden. Ctrl-C is ``KeyboardInterrupt``. Not protected: the memory of this process, and whoever can
    read the terminal device.
    """
    shown = listed(prompt, choices or ())
    with _turn_to_ask():
        answer = _ask_hidden(shown) if secret or input_type == "password" else _ask_openly(shown)
    return chosen(answer, choices or ())


def listed(prompt: str, choices: Sequence[str]) -> str:
    """The prompt below its numbered choices, without control characters that could steer a terminal."""
    lines = [f"  {number}. {choice}\n" for number, choice in enumerate(choices, start=1)]
    text = "".join(lines) + prompt
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)


def chosen(answer: str, choices: Sequence[str]) -> str:
    """The choice that an answer names by its text or else by its number from 1; any other answer as it is."""
    number = answer.strip()
    if answer in choices or number in choices:
        return answer if answer in choices else number
    if number.isascii() and number.isdigit() and len(number) <= 6 and 1 <= int(number) <= len(choices):
        return choices[int(number) - 1]
    return answer


@contextmanager
def _turn_to_ask() -> Iterator[None]:
    """The terminal for this thread alone, until the deadline."""
    remaining = _remaining()
    if not _ONE_PROMPT.acquire(timeout=-1 if remaining is None else remaining):
        raise InterruptTimeout("another prompt held the terminal until the deadline")
    try:
        yield
    finally:
        _ONE_PROMPT.release()


def _remaining() -> float | None:
    deadline = DEADLINE.get()
    return None if deadline is None else max(0.0, deadline - monotonic())


def _ask_openly(prompt: str) -> str:
    source = sys.stdin
    if source is None or source.closed:
        raise InterruptCancelled("standard input is closed")
    _say(prompt)
    try:
        if source.isatty():
            _await_input(source.fileno())
        line = source.readline(MAX_LINE + 2)
        failure = "" if line else "standard input has ended"
    except (OSError, ValueError) as error:  # ValueError is also what undecodable bytes raise, and that holds them.
        line, failure = "", f"standard input could not be read ({type(error).__name__})"
    if failure:
        raise InterruptCancelled(failure)
    if line.endswith("\n"):
        return line[:-1].removesuffix("\r")
    if len(line) > MAX_LINE:
        del line
        _drop_line(source)
        raise InvalidAnswer(f"the answer is longer than {MAX_LINE} characters")
    return line


def _drop_line(source: TextIO) -> None:
    """Read the rest of a line, so that it answers no other prompt; an endless one is given up on."""
    for _ in range(_LONGEST_REST):
        if source.readline(MAX_LINE)[-1:] in ("", "\n"):
            return


def _say(prompt: str) -> None:
    """The prompt on standard output, in what its encoding can show. Without standard output the line is still read."""
    target = sys.stdout
    if target is None or target.closed:
        return
    encoding = target.encoding or "utf-8"
    target.write(prompt.encode(encoding, "replace").decode(encoding))
    target.flush()


def _ask_hidden(prompt: str) -> str:
    terminal = _open_terminal()
    try:
        with _without_echo(terminal):
            os.write(terminal, prompt.encode("utf-8", "replace"))
            typed = _read_line(terminal)
            os.write(terminal, b"\n")
    finally:
        os.close(terminal)
    if typed is None:
        raise InterruptCancelled("the terminal's input has ended")
    return _decoded(typed)


def _open_terminal() -> int:
    if termios is None:
        raise NoTerminal("this system has no terminal that can hide what is typed")
    try:
        return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        reason = "a secret is asked for on a terminal only, and this process has none"
    raise NoTerminal(reason)


@contextmanager
def _without_echo(terminal: int) -> Iterator[None]:
    """The terminal in line mode without echo. Its settings come back however the block ends, at exit of the process at
    the latest; input that nobody has read is dropped on both edges."""
    try:
        before = termios.tcgetattr(terminal)
        hidden = list(before)
        hidden[3] = (hidden[3] | termios.ICANON | termios.ISIG) & ~(termios.ECHO | termios.ECHONL)
        _HIDDEN[terminal] = before
        atexit.register(_show_again)
        termios.tcsetattr(terminal, termios.TCSAFLUSH, hidden)
        refused = bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
    except termios.error:
        refused = True
    try:
        if refused:
            raise NoTerminal("the terminal would not stop its echo")
        yield
    finally:
        _show_again()


def _show_again() -> None:
    """Give every terminal that is hidden now its settings back."""
    while _HIDDEN:
        terminal, before = _HIDDEN.popitem()
        with suppress(termios.error):
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
    atexit.unregister(_show_again)


def _read_line(terminal: int) -> bytes | None:
    """One line without its break; ``None`` at the end of input. Raises ``InterruptTimeout`` past the deadline."""
    typed = b""
    while not typed.endswith(b"\n"):
        _await_input(terminal)
        chunk = os.read(terminal, MAX_SECRET + 2)
        if not chunk:
            return typed or None
        typed += chunk
        if len(typed) > MAX_SECRET + 1:
            del typed, chunk
            raise InvalidAnswer(f"a secret typed at a terminal has at most {MAX_SECRET} bytes")
    return typed[:-1]


def _await_input(descriptor: int) -> None:
    remaining = _remaining()
    if remaining is not None and not select.select([descriptor], [], [], remaining)[0]:
        raise InterruptTimeout("nothing was typed before the deadline")


def _decoded(typed: bytes) -> str:
    try:
        return typed.decode("utf-8")
    except UnicodeDecodeError:
        pass
    del typed
    raise InvalidAnswer("what was typed is not UTF-8")
