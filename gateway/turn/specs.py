"""The tools as a model sees them: what people wrote about them redacted, what programs rely on untouched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from sealgate.models.jsonvalue import JsonValue
from sealgate.models.origins import tool_origin
from sealgate.models.tools import ToolSpec
from sealgate.redaction import KnownValues, Redactor

_PROSE: Final = frozenset(("description", "title", "$comment"))
"""The keywords of JSON Schema that hold text for readers. Names, keys and enums belong to the program."""

_SAMPLES: Final = frozenset(("default", "examples"))
"""The keywords that hold values: a model reads them, so they are redacted; the function keeps its own default."""

_NAMED: Final = frozenset(("properties", "$defs", "definitions", "patternProperties", "dependentSchemas"))
"""The keywords that hold schemas by name."""

_SCHEMAS: Final = frozenset(
    ("items", "prefixItems", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "contains", "propertyNames",
     "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contentSchema")
)  # fmt: skip
"""The keywords that hold a schema, or a list of them."""

_OWN: Final = frozenset(
    ("type", "enum", "const", "required", "format", "pattern", "minimum", "maximum", "exclusiveMinimum",
     "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minContains",
     "maxContains", "minProperties", "maxProperties", "dependentRequired", "contentEncoding", "contentMediaType",
     "readOnly", "writeOnly", "deprecated", "discriminator", "$ref", "$id", "$schema", "$anchor", "$dynamicRef",
     "$dynamicAnchor", "$vocabulary")
)  # fmt: skip
"""The keywords whose values are the program's own words and bounds (JSON Schema 2020-12). Any other keyword, as
``json_schema_extra`` adds them, holds values."""


def sealed_specs(redactor: Redactor, specs: tuple[ToolSpec, ...], known: Callable[[], KnownValues]) -> list[ToolSpec]:
    """Each tool with its descriptions redacted, those of its arguments too; and with placeholders for sealed values, of
    which ``known`` tells, in defaults, examples and keywords of nobody's: in their numbers and keys as well.
    """
    sealed = [_sealed_spec(redactor, spec) for spec in specs]
    values = known()
    return [_without_values(spec, values) for spec in sealed]


def _sealed_spec(redactor: Redactor, spec: ToolSpec) -> ToolSpec:
    """What stands in a description comes from the tool, as what it returns does: no grant trusts it by default."""

    def redact(text: str) -> str:
        return redactor.redact(text, origin=tool_origin(spec.name)).text

    return ToolSpec(
        name=spec.name, description=redact(spec.description), parameters=_redacted_schema(spec.parameters, redact)
    )


def _without_values(spec: ToolSpec, known: KnownValues) -> ToolSpec:
    if not known.suspects("\n".join(samples_of(spec.parameters))):
        return spec

    def hidden(value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return known.scrub(value)
        if isinstance(value, list):
            return [hidden(item) for item in value]
        if isinstance(value, dict):
            return {known.scrub(key): hidden(item) for key, item in value.items()}
        if value is None or isinstance(value, bool):
            return value
        return known.scrub(repr(value)) if known.appears_in(repr(value)) else value

    return spec.model_copy(update={"parameters": mapped_samples(spec.parameters, hidden)})


def mapped_samples(schema: dict[str, Any], change: Callable[[JsonValue], JsonValue]) -> dict[str, Any]:
    """The schema with each value in it that is no word of the program changed, wherever it stands."""
    return {key: _mapped(key, value, change) for key, value in schema.items()}


def _mapped(key: str, value: Any, change: Callable[[JsonValue], JsonValue]) -> Any:
    if key in _NAMED and isinstance(value, dict):
        return {
            name: mapped_samples(inner, change) if isinstance(inner, dict) else inner for name, inner in value.items()
        }
    if key in _SCHEMAS and isinstance(value, dict):
        return mapped_samples(value, change)
    if key in _SCHEMAS and isinstance(value, list):
        return [mapped_samples(inner, change) if isinstance(inner, dict) else inner for inner in value]
    prose = key in _PROSE and isinstance(value, str)
    return value if key in _OWN or key in _SCHEMAS or prose else change(value)


def samples_of(schema: dict[str, Any]) -> list[str]:
    """Every text, number and key of the values in a schema that are no words of the program."""
    found: list[str] = []
    mapped_samples(schema, lambda value: found.extend(strings_of(value)))
    return found


def own_words_of(schema: dict[str, Any]) -> list[str]:
    """Every word, number and key of a schema that is the program's own."""
    found: list[str] = []
    for key, value in schema.items():
        found.append(key)
        if key in _NAMED and isinstance(value, dict):
            found += [
                *value,
                *(text for inner in value.values() if isinstance(inner, dict) for text in own_words_of(inner)),
            ]
        elif key in _SCHEMAS:
            schemas = value if isinstance(value, list) else [value]
            found += [text for inner in schemas if isinstance(inner, dict) for text in own_words_of(inner)]
        elif key in _OWN:
            found += strings_of(value)
    return found


def strings_of(value: JsonValue | list[dict[str, JsonValue]]) -> Iterator[str]:
    """Every text in a JSON value: keys, strings, and numbers by their digits."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield repr(value)
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from strings_of(item)


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
