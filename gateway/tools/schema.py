"""The pydantic model of a tool's arguments, and the JSON schema that a model is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter
from types import MappingProxyType
from typing import Any, Final, get_args

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, create_model
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema

from sealgate.models.errors import InvalidPolicy
from sealgate.models.grants import Accepts

from .signature import annotations_of, is_model, parameters_of, takes_any_name

_UNSHOWABLE: Final = "x-sealgate-unshowable"
_DEPTH: Final = 16
"""Levels of an annotation that are searched for a grant."""


def arguments_model(name: str, target: Callable[..., Any]) -> type[BaseModel]:
    """The model that a tool's arguments are validated by: a pydantic tool itself, else one made of the signature.

    A function's own parameter names are the aliases; fields whose name pydantic keeps for itself have another one.
    Raises ``InvalidPolicy`` where pydantic can make no model of it.
    """
    if is_model(target):
        return _completed(target)
    hints = annotations_of(target)
    fields = {
        field_name(parameter.name): (hints.get(parameter.name, Any), _field(parameter))
        for parameter in parameters_of(target)
    }
    config = ConfigDict(
        arbitrary_types_allowed=True,
        extra="allow" if takes_any_name(target) else "forbid",
        hide_input_in_errors=True,
        protected_namespaces=(),
    )
    try:
        return create_model(name, __config__=config, **fields)  # type: ignore[call-overload,no-any-return]
    except Exception as error:
        cause = type(error).__name__
    raise InvalidPolicy(f"the parameters of tool {name!r} cannot be validated ({cause})")


def field_name(parameter: str) -> str:
    """The field for a parameter: its own name unless pydantic keeps that for itself."""
    return f"arg_{parameter}" if parameter.startswith("_") or hasattr(BaseModel, parameter) else parameter


def parameters_schema(name: str, arguments: type[BaseModel], hidden: frozenset[str]) -> dict[str, Any]:
    """The JSON schema of the arguments that the model may fill; names, defaults and enums as the tool declares them.

    Raises ``InvalidPolicy`` where a visible argument has a type that JSON cannot describe.
    """
    try:
        schema = arguments.model_json_schema(schema_generator=_Untitled)
    except Exception as error:
        cause = type(error).__name__
    else:
        shown = _without(schema, hidden)
        if not _mentions(shown, _UNSHOWABLE):
            return shown
        cause = "no JSON schema"
    raise InvalidPolicy(f"an argument of tool {name!r} has a type that a model cannot fill ({cause})")


def spellings(arguments: type[BaseModel], argument: str) -> frozenset[str]:
    """Every key under which an argument is read: its name and its aliases."""
    field = argument if argument in arguments.model_fields else field_name(argument)
    alias = arguments.model_fields[field].validation_alias
    aliases = alias.choices if isinstance(alias, AliasChoices) else [alias]
    return frozenset({argument, field, *(spelled for spelled in aliases if isinstance(spelled, str))})


def property_names(schema: object) -> frozenset[str]:
    """The names of all properties in a JSON schema, at any depth."""
    return frozenset(key for node in _nodes(schema) for key in _properties(node))


def accepted(target: Callable[..., Any], written: Mapping[str, Accepts] | None) -> Mapping[str, Accepts]:
    """The grants of a tool by argument: those in its annotations, and those given with ``accepts=``.

    Raises ``InvalidPolicy`` where the two contradict each other.
    """
    if is_model(target):
        sources = {name: (info.annotation, *info.metadata) for name, info in target.model_fields.items()}
    else:
        sources = {name: (hint,) for name, hint in annotations_of(target).items() if name != "return"}
    found = {name: grants for name, source in sources.items() if (grants := set(_grants(source)))}
    for name, grant in (written or {}).items():
        found.setdefault(name, set()).add(grant)
    if any(len(grants) > 1 for grants in found.values()):
        raise InvalidPolicy("an argument has two different Accepts")
    return {name: grants.pop() for name, grants in found.items()}


def spelled_out(arguments: type[BaseModel], grants: Mapping[str, Accepts]) -> Mapping[str, Accepts]:
    """The grants under every key that their argument is read by, since a model fills an aliased field by its alias."""
    return MappingProxyType({key: grant for name, grant in grants.items() for key in spellings(arguments, name)})


class _Untitled(GenerateJsonSchema):
    """Without the titles that pydantic makes of names, and without a warning that would print a default."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def handle_invalid_for_json_schema(self, schema: CoreSchema, error_info: str) -> JsonSchemaValue:
        return {_UNSHOWABLE: True}

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Nothing: a default that JSON cannot carry is left out of the schema, and the function has it anyway."""


def _completed(target: type[BaseModel]) -> type[BaseModel]:
    """The model with its forward references resolved."""
    try:
        target.model_rebuild()
    except Exception as error:
        cause = type(error).__name__
    else:
        return target
    raise InvalidPolicy(f"the fields of {target.__name__} cannot be resolved ({cause})")


def _field(parameter: Parameter) -> Any:
    """The default of a field; one that pydantic keeps the name of is read by its alias."""
    default = ... if parameter.default is Parameter.empty else parameter.default
    if field_name(parameter.name) == parameter.name:
        return default
    return Field(... if isinstance(default, FieldInfo) else default, alias=parameter.name)


def _without(schema: dict[str, Any], hidden: frozenset[str]) -> dict[str, Any]:
    """The schema without hidden properties, the definitions that only they use, and the model's own title."""
    shown = {key: value for key, value in schema.items() if key not in ("title", "$defs")}
    shown["type"] = "object"
    shown["properties"] = {key: value for key, value in schema.get("properties", {}).items() if key not in hidden}
    required = [key for key in schema.get("required", []) if key not in hidden]
    shown.pop("required", None)
    if required:
        shown["required"] = required
    used = _reachable(shown, schema.get("$defs", {}))
    if used:
        shown["$defs"] = used
    return shown


def _reachable(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    used: dict[str, Any] = {}
    waiting: list[Any] = [schema]
    while waiting:
        for node in _nodes(waiting.pop()):
            reference = node.get("$ref")
            name = reference.removeprefix("#/$defs/") if isinstance(reference, str) else ""
            if name in definitions and name not in used:
                used[name] = definitions[name]
                waiting.append(definitions[name])
    return {name: definitions[name] for name in definitions if name in used}


def _nodes(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _nodes(item)
    elif isinstance(value, list):
        for item in value:
            yield from _nodes(item)


def _properties(node: dict[str, Any]) -> tuple[str, ...]:
    found = node.get("properties")
    return tuple(found) if isinstance(found, dict) else ()


def _mentions(schema: object, key: str) -> bool:
    return any(key in node for node in _nodes(schema))


def _grants(annotation: object, depth: int = 0) -> Iterator[Accepts]:
    """Every grant in an annotation, also inside ``Optional`` and other generics."""
    if isinstance(annotation, Accepts):
        yield annotation
    elif isinstance(annotation, tuple):
        for item in annotation:
            yield from _grants(item, depth)
    elif depth < _DEPTH:
        metadata = getattr(annotation, "__metadata__", ())
        for item in (*metadata, *get_args(annotation)):
            yield from _grants(item, depth + 1)
