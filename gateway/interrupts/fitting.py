"""What an argument's type asks of its answer: checked where the tool is known, told where it is not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any, Final, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from sealgate.models.errors import InvalidAnswer

from .annotations import Scalar, choice_table, unwrap

_SCALARS: Final[dict[object, str]] = {int: "integer", float: "number", str: "string", bool: "boolean"}
_TYPES: Final[dict[str, Any]] = {name: scalar for scalar, name in _SCALARS.items()}


def check_fit(annotation: Any, value: Any) -> None:
    """Nothing, if the tool will take an answer that was read: a date is one, and a number within its bounds.

    Raises ``InvalidAnswer`` with the rules alone, as the answer is asked for again then.
    """
    adapter = _adapter(annotation)
    if adapter is None:
        return
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        found = error.errors(include_input=False, include_context=False, include_url=False)
        rules = sorted({item["type"] for item in found})
    except Exception as error:  # a validator of the user's own may raise anything, with the value in it
        rules = [type(error).__name__]
    else:
        return
    del value
    raise InvalidAnswer(f"the answer breaks the rules {', '.join(rules)}")


def told_type(annotation: Any) -> tuple[str, bool]:
    """The name of an annotation's scalar type, empty for any other, and whether ``None`` is an answer."""
    base, optional = unwrap(annotation)
    return _SCALARS.get(base, "") if isinstance(base, type) else "", optional


def typed_as(name: str, *, optional: bool) -> Any:
    """The annotation that ``told_type`` told of."""
    scalar = _TYPES.get(name, Any)
    return scalar | None if optional else scalar


def told_values(annotation: Any, choices: tuple[str, ...]) -> tuple[Scalar, ...]:
    """What each choice stands for, where that is no text; else nothing."""
    table = choice_table(unwrap(annotation)[0])
    values = tuple(table.get(choice, choice) for choice in choices)
    return () if values == choices else values


def told_rules(annotation: Any) -> dict[str, Any] | None:
    """The bounds of a scalar type as a JSON schema, ``None`` where there are none or more than bounds: a validator may
    take what the schema of its result does not.
    """
    if not told_type(annotation)[0] or not all(map(_is_bound, _metadata(annotation))):
        return None
    adapter = _adapter(annotation)
    return None if adapter is None else adapter.json_schema()


def _adapter(annotation: Any) -> TypeAdapter[Any] | None:
    """What checks an annotation that says more than its input type; ``None`` where pydantic can make nothing of it."""
    base, _optional = unwrap(annotation)
    if base is Any or base is object or (told_type(base)[0] and not list(_metadata(annotation))):
        return None
    with suppress(Exception):  # most classes that pydantic does not know are types all the same
        return TypeAdapter(annotation, config=ConfigDict(arbitrary_types_allowed=True, hide_input_in_errors=True))
    with suppress(Exception):  # some types bring a configuration of their own
        return TypeAdapter(annotation)
    return None


def _metadata(annotation: Any) -> Iterator[object]:
    """What is annotated beside a type, also inside of ``Optional``, but for what says nothing of values."""
    for inner in get_args(annotation) if get_origin(annotation) is not Annotated else get_args(annotation)[:1]:
        yield from _metadata(inner)
    if get_origin(annotation) is Annotated:
        for one in annotation.__metadata__:
            yield from one.metadata if isinstance(one, FieldInfo) else (one,)


def _is_bound(one: object) -> bool:
    """Whether metadata of an annotation is a bound such as ``Ge`` or a pattern, or nothing to pydantic."""
    runs = hasattr(one, "__get_pydantic_core_schema__") or hasattr(one, "func")
    return not runs and set(getattr(one, "__dict__", ())) <= {"pattern"}
