"""A tool that is given by a JSON schema and a callable, without a Python signature of its own.

The schema is shown to the model as it is. Its types are what an injected value is coerced to, and its properties are
the places that grants name. Not checked: patterns, bounds, enums and combinations, which are the callable's own affair.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any, Final, NotRequired

from pydantic import ConfigDict
from typing_extensions import TypedDict

from sealgate.models.errors import InvalidPolicy

GIVEN: Final = "__sealgate_schema__"
"""Where the schema lies on the function that is made of it."""

CALLED: Final = "__sealgate_called__"
"""Where the callable lies that the function calls: what it depends on may be declared on it, before or after."""

_SCALARS: Final[dict[str, Any]] = {"string": str, "integer": int, "number": float, "boolean": bool}
_DEPTH: Final = 16
"""Levels of a schema that are read; deeper values are passed as they are."""


def from_json_schema(name: str, schema: Mapping[str, Any], call: Callable[..., Any]) -> Callable[..., Any]:
    """A function with the signature that a schema describes; it calls ``call`` with the arguments by name.

    Raises ``InvalidPolicy`` for a schema that is no object's, and for a property whose name cannot be an argument's.
    """
    properties = schema.get("properties", {})
    if schema.get("type", "object") != "object" or not isinstance(properties, Mapping):
        raise InvalidPolicy(f"the schema of tool {name!r} is not an object's")
    if not all(isinstance(key, str) and key.isidentifier() for key in properties):
        raise InvalidPolicy(f"a property of tool {name!r} has a name that cannot be an argument's")
    if inspect.iscoroutinefunction(call):

        async def made(**arguments: Any) -> Any:
            return await call(**arguments)
    else:

        def made(**arguments: Any) -> Any:  # type: ignore[misc]  # one of the two, as the callable is
            return call(**arguments)

    required = frozenset(schema.get("required", ()))
    made.__name__ = made.__qualname__ = name
    made.__doc__ = str(schema.get("description", "")) or getattr(call, "__doc__", None)
    made.__annotations__ = {key: _type_of(inner, schema, 0) for key, inner in properties.items()}
    made.__signature__ = Signature(_parameters(made.__annotations__, required, schema))  # type: ignore[attr-defined]
    setattr(made, GIVEN, dict(schema))
    setattr(made, CALLED, call)
    return made


def called_by(target: Any) -> Any:
    """The callable that the application has of a tool: what it gave with a schema, else the tool's own."""
    return getattr(target, CALLED, target)


def given_schema(target: object, hidden: frozenset[str]) -> dict[str, Any] | None:
    """The schema that a tool was given by, without the properties that the model does not fill; else ``None``."""
    schema: dict[str, Any] | None = getattr(target, GIVEN, None)
    if schema is None:
        return None
    shown = {key: value for key, value in schema.items() if key not in ("title", "$schema", "$id", "required")}
    shown["properties"] = {key: value for key, value in schema.get("properties", {}).items() if key not in hidden}
    required = [key for key in schema.get("required", []) if key not in hidden]
    return {**shown, "type": "object", **({"required": required} if required else {})}


def _parameters(types: Mapping[str, Any], required: frozenset[str], schema: Mapping[str, Any]) -> list[Parameter]:
    found = [
        Parameter(key, Parameter.KEYWORD_ONLY, annotation=kind, default=Parameter.empty if key in required else None)
        for key, kind in types.items()
    ]
    if schema.get("additionalProperties", True) is not False:
        found.append(Parameter("other_arguments", Parameter.VAR_KEYWORD))
    return found


def _type_of(schema: Any, root: Mapping[str, Any], depth: int) -> Any:
    """The type that a value is coerced to; ``Any`` where the schema leaves it open."""
    if not isinstance(schema, Mapping) or depth > _DEPTH:
        return Any
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return _type_of(_referred(reference, root), root, depth + 1)
    kind = schema.get("type")
    if isinstance(kind, list) and len(kind) == 2 and "null" in kind:
        inner = _type_of({**schema, "type": next(one for one in kind if one != "null")}, root, depth + 1)
        return Any if inner is Any else inner | None
    if kind == "array":
        return list[_type_of(schema.get("items"), root, depth + 1)]  # type: ignore[misc]
    if kind == "object":
        return _object_type(schema, root, depth)
    return _SCALARS.get(kind, Any) if isinstance(kind, str) else Any


def _object_type(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    properties = schema.get("properties")
    if not properties:
        return dict[str, _type_of(schema.get("additionalProperties"), root, depth + 1)]  # type: ignore[misc]
    required = frozenset(schema.get("required", ()))
    fields = {key: _type_of(inner, root, depth + 1) for key, inner in properties.items()}
    typed: Any = TypedDict  # Made of a table, which type checkers do not follow.
    made = typed("Object", {key: kind if key in required else NotRequired[kind] for key, kind in fields.items()})
    forbids = schema.get("additionalProperties", True) is False
    made.__pydantic_config__ = ConfigDict(extra="forbid" if forbids else "allow", hide_input_in_errors=True)
    return made


def _referred(reference: str, root: Mapping[str, Any]) -> Any:
    """What a reference inside the schema stands for; nothing for any other."""
    found: Any = root
    for step in reference.removeprefix("#/").split("/") if reference.startswith("#/") else ["?"]:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found
