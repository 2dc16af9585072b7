"""Reading a policy file: TOML or YAML, strict, with the line and the key of what is wrong and never a value."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from sealgate.models.errors import InvalidPolicy
from sealgate.models.policy import Policy
from sealgate.models.processlock import unforked

from .places import Lines, Location

MAX_BYTES: Final = 4 * 1024 * 1024
"""Bytes of the largest policy file."""

_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")
_AT_LINE: Final = re.compile(r"at line ([0-9]+)")


def load_policy(path: str | Path) -> Policy:
    """The policy in a file whose name ends in ``.toml``, ``.yaml`` or ``.yml``.

    Raises ``InvalidPolicy`` naming the file, the line and the key: for what cannot be read or parsed, for unknown keys,
    types, origins and hosts, for a key that stands twice, and for YAML aliases.
    """
    file = Path(path)
    readers = {".toml": _read_toml, ".yaml": _read_yaml, ".yml": _read_yaml}
    if file.suffix not in readers:
        raise InvalidPolicy("a policy is a .toml, .yaml or .yml file")
    document, lines = readers[file.suffix](file.name, _text_of(file))
    try:
        return Policy.model_validate(document)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
    first = problems[0]
    place, wrong = first["loc"], first["msg"].removeprefix("Value error, ")
    # A list that loses an item is also reported as too short: that is the same problem.
    others = sum(place[: len(problem["loc"])] != problem["loc"] for problem in problems[1:])
    more = f" (and {others} more)" if others else ""
    raise InvalidPolicy(f"{file.name}, line {lines(place)}, {_spelled(place)}: {wrong}{more}")


def _read_yaml(name: str, text: str) -> tuple[object, Lines]:
    with unforked():
        from .yaml_document import read_yaml  # noqa: PLC0415  # its parser loads when there is something to parse

    return read_yaml(name, text)


def _text_of(file: Path) -> str:
    try:
        raw = file.read_bytes() if file.stat().st_size <= MAX_BYTES else None
        if raw is not None:
            return raw.decode("utf-8")
        wrong = "is larger than 4 MiB"
    except OSError as error:
        wrong = f"cannot be read ({type(error).__name__})"
    except UnicodeDecodeError:
        wrong = "is not UTF-8"
    raise InvalidPolicy(f"{file.name} {wrong}")


def _spelled(place: Location) -> str:
    spelled = ""
    for step in place:
        if isinstance(step, int):
            spelled += f"[{step}]"
        else:
            spelled += f".{step}" if _KEY.match(step) else ".?"
    return spelled.removeprefix(".") or "the document"


def _read_toml(name: str, text: str) -> tuple[object, Lines]:
    try:
        return tomllib.loads(text), lambda place: _toml_line(text.split("\n"), place)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        at = _AT_LINE.search(str(error))
    raise InvalidPolicy(f"{name}, line {at[1] if at else text.count(chr(10)) + 1}: not TOML")


def _toml_line(lines: list[str], place: Location) -> int:
    """Found by its table headers and its key. Headers inside multi-line texts are taken for real ones."""
    keys = [step for step in place if isinstance(step, str)]
    number = next((step for step in place if isinstance(step, int)), 0)
    starts = [at for at, line in enumerate(lines) if re.match(r"\s*\[\[\s*rules\s*\]\]", line)]
    first = starts[number] if keys[:1] == ["rules"] and number < len(starts) else 0
    last = starts[number + 1] if keys[:1] == ["rules"] and number + 1 < len(starts) else len(lines)
    for key in reversed(keys):
        pattern = re.compile(rf"(?:.*[{{,]|\s*\[[^]]*\.|)\s*[\"']?{re.escape(key)}[\"']?\s*[=\]]")
        found = next((at for at in range(first, last) if pattern.match(lines[at])), None)
        if found is not None:
            return found + 1
    return first + 1
