"""The tools as a model sees them: what people wrote about them redacted, what programs rely on untouched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sealgate.models.origins import tool_origin
from sealgate.models.tools import ToolSpec
from sealgate.redaction import Redactor

_PROSE: Final = frozenset(("description", "title", "$comment"))
"""The keywords of JSON Schema that hold text for readers. Names, keys and enums belong to the program."""

_SAMPLES: Final = frozenset(("default", "examples"))
"""The keywords that hold values: a model reads them, so they are redacted; the function keeps its own default."""


def sealed_specs(redactor: Redactor, specs: tuple[ToolSpec, ...]) -> list[ToolSpec]:
    """Each tool with its descriptions redacted, those of its arguments too."""

    return [_sealed_spec(redactor, spec) for spec in specs]


def _sealed_spec(redactor: Redactor, spec: ToolSpec) -> ToolSpec:
    """What stands in a description comes from the tool, as what it returns does: no grant trusts it by default."""

    def redact(text: str) -> str:
        return redactor.redact(text, origin=tool_origin(spec.name)).text

    return ToolSpec(
        name=spec.name, description=redact(spec.description), parameters=_redacted_schema(spec.parameters, redact)
    )


def fixed_names(specs: tuple[ToolSpec, ...]) -> frozenset[str]:
    """Names, keys and enum members of the tools' schemas: the program's own words, which no redaction rewrites."""
    names = {spec.name for spec in specs}
    for spec in specs:
        _collect_names(spec.parameters, names)
    return frozenset(names)


def _collect_names(schema: Any, names: set[str]) -> None:
    if isinstance(schema, list):
        for inner in schema:
            _collect_names(inner, names)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if key in ("properties", "$defs"):
                names.update(value)
            if key in ("enum", "const"):
                names.update(item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str))
            else:
                _collect_names(list(value.values()) if key in ("properties", "$defs") else value, names)


def prose_of(schema: dict[str, Any]) -> list[str]:
    """Every text for readers in a schema."""
    texts: list[str] = []
    _redacted_schema(schema, lambda text: texts.append(text) or text)  # type: ignore[func-returns-value]
    return texts


def _redacted_schema(schema: dict[str, Any], redact: Callable[[str], str]) -> dict[str, Any]:
    return {key: _member(key, value, redact) for key, value in schema.items()}


def _member(key: str, value: Any, redact: Callable[[str], str]) -> Any:
    if key in _PROSE and isinstance(value, str):
        return redact(value)
    if key in ("properties", "$defs"):
        return {name: _redacted_schema(inner, redact) for name, inner in value.items()}
    if key in _SAMPLES:
        return _redacted_sample(value, redact)
    if isinstance(value, dict) and key != "const":
        return _redacted_schema(value, redact)
    if isinstance(value, list) and key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        return [_redacted_schema(inner, redact) if isinstance(inner, dict) else inner for inner in value]
    return value


def _redacted_sample(value: Any, redact: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_redacted_sample(inner, redact) for inner in value]
    return {key: _redacted_sample(inner, redact) for key, inner in value.items()} if isinstance(value, dict) else value
