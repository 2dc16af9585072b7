"""Reading a policy file: TOML or YAML, strict, with the line and the key of what is wrong and never a value."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import yaml
from pydantic import ValidationError

from sealgate.models.errors import InvalidPolicy
from sealgate.models.policy import Policy

MAX_BYTES: Final = 4 * 1024 * 1024
"""Bytes of the largest policy file."""

Location: TypeAlias = Sequence[int | str]
Lines: TypeAlias = Callable[[Location], int]
"""The line (from 1) on which a place of the document stands, or the nearest one around it."""

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


def _read_yaml(name: str, text: str) -> tuple[object, Lines]:
    try:
        aliased = next(
            (event for event in yaml.parse(text, yaml.SafeLoader) if isinstance(event, yaml.AliasEvent)), None
        )
        root = yaml.compose(text, yaml.SafeLoader)
        line = aliased.start_mark.line + 1 if aliased is not None else _repeated(root)
        if not line:
            return yaml.safe_load(text), lambda place: _yaml_line(root, place)
        wrong = "a YAML alias" if aliased is not None else "a key that stands twice"
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line, wrong = (mark.line + 1 if mark is not None else 1), "not YAML"
    raise InvalidPolicy(f"{name}, line {line}: {wrong}")


def _repeated(node: Any) -> int:
    """The line of the first key that stands twice in its mapping; 0 if none does."""
    seen: set[str] = set()
    for child in getattr(node, "value", None) or () if isinstance(node, yaml.CollectionNode) else ():
        key, value = child if isinstance(child, tuple) else (None, child)
        if key is not None:
            if str(key.value) in seen:
                return int(key.start_mark.line) + 1
            seen.add(str(key.value))
        line = _repeated(value)
        if line:
            return line
    return 0


def _yaml_line(node: Any, place: Location) -> int:
    line = node.start_mark.line if node is not None else 0
    for step in place:
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == step), None)
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line
        else:
            break
    return int(line) + 1
