"""The base of the envelopes: exact on the wire, silent in ``repr`` and in errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, ValidationError, model_serializer
from pydantic.alias_generators import to_camel

from .errors import InvalidEnvelope
from .jsonvalue import check_json


class Envelope(BaseModel):
    """A frozen model whose dump is its wire form.

    An optional field that nobody set is absent there, one that was set to ``None`` is ``null``. Fields that may hold
    what a person wrote, and unknown ones, are in no ``repr``. ``read`` takes what came over a wire.
    """

    model_config = ConfigDict(
        defer_build=True,
        frozen=True,
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        serialize_by_alias=True,
        validate_by_name=True,
        validate_by_alias=True,
    )

    @classmethod
    def read(cls, payload: object) -> Self:
        """The envelope of a JSON object.

        Raises ``NotJson`` with the path to what JSON cannot carry, and ``InvalidEnvelope`` with places and rules for
        another shape; no error holds a value.
        """
        check_json(payload)
        try:
            return cls.model_validate(payload)
        except ValidationError as error:
            problems = tuple((_place(item["loc"], cls), item["type"]) for item in error.errors(include_input=False))
        del payload
        raise InvalidEnvelope(cls.__name__, problems[:_MAX_PROBLEMS])

    def wire(self) -> dict[str, Any]:
        """The envelope as a JSON object."""
        return self.model_dump(mode="json")

    @model_serializer(mode="wrap")
    def _without_absent_fields(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        dumped: dict[str, Any] = dump(self)
        absent = {
            info.serialization_alias or name
            for name, info in type(self).model_fields.items()
            if name not in self.model_fields_set and getattr(self, name) is None
        }
        return {key: value for key, value in dumped.items() if key not in absent}

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, info in type(self).model_fields.items():
            if info.repr:
                yield name, getattr(self, name)

    def __str__(self) -> str:
        return repr(self)


class CamelEnvelope(Envelope):
    """An envelope with snake_case attributes and camelCase fields on the wire."""

    model_config = ConfigDict(alias_generator=to_camel)


_MAX_PROBLEMS = 20


def _place(location: tuple[int | str, ...], envelope: type[BaseModel]) -> str:
    """Where a problem is; a key that is no field of the envelope may be a value, so it is ``*``."""
    fields = {spelled for name, info in envelope.model_fields.items() for spelled in (name, info.alias)}
    steps = (str(step) if isinstance(step, int) or step in fields else "*" for step in location)
    return ".".join(steps) or "*"
