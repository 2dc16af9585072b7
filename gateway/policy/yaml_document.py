"""A policy as YAML: without aliases and repeated keys, with the lines of its keys."""

from __future__ import annotations

from typing import Any

import yaml

from sealgate.models.errors import InvalidPolicy

from .places import Lines, Location


def read_yaml(name: str, text: str) -> tuple[object, Lines]:
    """The document and its lines. Raises ``InvalidPolicy`` with the file's ``name`` and the line of what is wrong."""
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
