"""The command ``sealgate``: its subcommands, its exit codes and its one line for an error.

==== =====================================================================
code meaning
==== =====================================================================
0    done
1    ``demo`` found a leak, or its tool did not get what the person typed
2    wrong usage, or input that is not what it must be
3    the vault or its key
4    anything else: a limit, a detector that failed, the operating system
130  interrupted by Ctrl-C
141  whoever read the output has gone
==== =====================================================================
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from sealgate.models.errors import InvalidInput, SealgateError, VaultError

LEAK: Final = 1
BAD_INPUT: Final = 2
VAULT: Final = 3
FAILED: Final = 4
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141

_COMMANDS: Final = {
    "demo": "Run a turn in which a person answers and only the tool learns the answer.",
    "policy": "Check a grant policy and list what each tool can ever receive.",
    "redact": "Replace private values in standard input by placeholders.",
    "restore": "Put the values back in place of the placeholders in standard input.",
    "vault": "Make, look at, re-key, empty, back up and check a vault.",
}
"""Each subcommand with its line of help. The module of the same name is imported when it is called."""


class _ReaderGone(Exception):
    """Whoever read the output has gone. click would end the process with 1, which here says that something leaked."""


class _Interrupted(Exception):
    """Ctrl-C. click would print an empty line."""


class _Commands(click.Group):
    """A group that imports a command when it runs, so that ``--help`` and ``--version`` do not wait for any."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = getattr(importlib.import_module(f".{cmd_name}", __package__), cmd_name)
        assert isinstance(command, click.Command)  # noqa: S101  # The table above names our own modules.
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _ReaderGone from None
        except KeyboardInterrupt:
            raise _Interrupted from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


_STATUS: Final = (
    "The exit status is 0 when it is done, 1 when the demo found a leak, 2 for wrong usage or input, 3 for the vault or"
    " its key, 4 for anything else."
)


@click.group(cls=_Commands, epilog=_STATUS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="sealgate", message="sealgate %(version)s")
def sealgate() -> None:
    """Ask a person for a secret mid-turn and give it to one tool: not to the model, a log or the browser."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with ``arguments`` (those of the process by default) and end the process.

    An error is one line on standard error without any value, not even one that was wrongly given as an argument.
    """
    try:
        code = sealgate.main(arguments, prog_name="sealgate", standalone_mode=False)
        sys.stdout.flush()
    except (_ReaderGone, BrokenPipeError):
        # Python flushes standard output at its end, which would complain a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BROKEN_PIPE)
    except (_Interrupted, KeyboardInterrupt, click.Abort):
        _complain("interrupted")
        sys.exit(INTERRUPTED)
    except Exception as error:  # The text of an unforeseen error may hold a value, so only its type is said.
        _complain(_sentence(error))
        sys.exit(_code(error))
    sys.exit(code)


def _complain(sentence: str) -> None:
    print(f"sealgate: {sentence}", file=sys.stderr)


def _code(error: Exception) -> int:
    if isinstance(error, click.ClickException | InvalidInput):
        return BAD_INPUT
    return VAULT if isinstance(error, VaultError) else FAILED


def _sentence(error: Exception) -> str:
    if isinstance(error, SealgateError):
        return " ".join(str(error).split())
    if isinstance(error, click.UsageError):
        return _usage(error)
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return f"unexpected {type(error).__name__}"


def _usage(error: click.UsageError) -> str:
    """What is wrong with the arguments, without quoting one: somebody may have put a secret there."""
    command = error.ctx.command_path if error.ctx else "sealgate"
    if isinstance(error, NoArgsIsHelpError):
        wrong = "a command is missing"
    elif isinstance(error, click.NoSuchOption):
        wrong = "there is no such option"
    elif isinstance(error, click.BadParameter) and error.param:
        wrong = f"the value of {'/'.join(error.param.opts)} cannot be used"
    elif isinstance(error, click.BadOptionUsage):
        wrong = f"{error.option_name} is not used like this"
    elif error.ctx and isinstance(error.ctx.command, click.Group):
        wrong = "there is no such command"
    else:
        wrong = "unexpected argument; text is read from standard input and never from the command line"
    return f"{wrong} (see {command} --help)"
