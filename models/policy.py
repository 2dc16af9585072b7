"""The grant policy: what a compliance team allows besides the annotations in the code. Both have to allow."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from .entities import entity_info
from .origins import TRUSTED, check_origin

MAX_RULES: Final = 10_000
"""Rules of the largest policy."""

_PLACE: Final = re.compile(
    r"(?:[A-Za-z_][A-Za-z0-9_]{0,63}|\*\*)(?:\.[A-Za-z_][A-Za-z0-9_]{0,63}|\[\]|\{\}|\{key\}){0,16}\Z"
)
_TOOL: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}\Z")
_LABEL: Final = r"(?!-)[a-z0-9_-]{1,63}(?<!-)"
_HOST: Final = re.compile(
    rf"(?:(?P<scheme>https?)://)?(?:(?P<below>\*\.)?(?P<name>{_LABEL}(?:\.{_LABEL}){{0,126}})|\[(?P<ip6>[0-9a-f:.]{{2,45}})\])"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?\Z"
)

Purpose = Literal["inject", "restore", "reveal", "facts"]
"""Why a value is opened: for a tool, for a text, for a typed result, for what may be said of it."""


def _entity_type(name: str) -> str:
    return entity_info(name).name


def _place(place: str) -> str:
    if _PLACE.match(place):
        return place
    raise ValueError("an argument is a name, then .field, [] for a list's items, {} and {key} for a mapping's")


def _tool(name: str) -> str:
    if _TOOL.match(name):
        return name
    raise ValueError("a tool's name matches [A-Za-z][A-Za-z0-9_-]{0,63}")


def _host(pattern: str) -> str:
    found = _HOST.match(pattern)
    if found is None or int(found["port"] or 1) > 65_535:
        raise ValueError("a host is [http[s]://][*.]name[:port] in lower case, international names as xn--…")
    return pattern


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True, defer_build=True)


class Destination(_Strict):
    """Where a call may send: read from the injected value of another argument of the same call.

    ``kind`` says how that value is read: a URL's host, an e-mail address's domain, or a bare host. ``hosts`` are names,
    ``*.name`` for everything below a name; without a scheme a URL is ``https``, without a port it has the scheme's own.
    Not protected: a tool that follows redirects to another host.
    """

    argument: Annotated[str, AfterValidator(_place)]
    kind: Literal["url", "email", "host"] = "url"
    hosts: tuple[Annotated[str, AfterValidator(_host)], ...] = Field(min_length=1, max_length=1_000, strict=False)


class Rule(_Strict):
    """One thing that is allowed. ``argument`` is a place as ``payment.card``, ``items[].iban``, ``headers{}``; a rule
    for a place covers what lies below it.

    ``uses`` is the number of calls for which one value may open by this rule, ``lifetime`` (seconds) how long after it
    was sealed; ``approval`` asks for a person's approval of the very call.
    """

    purpose: Purpose = "inject"
    tool: Annotated[str, AfterValidator(_tool)] | None = None
    argument: Annotated[str, AfterValidator(_place)] | None = None
    types: tuple[Annotated[str, AfterValidator(_entity_type)], ...] = Field(min_length=1, max_length=200, strict=False)
    origins: tuple[Annotated[str, AfterValidator(check_origin)], ...] = Field(
        default=TRUSTED, min_length=1, max_length=200, strict=False
    )
    destination: Destination | None = None
    uses: Annotated[int, Field(ge=1, le=1_000)] | None = None
    lifetime: Annotated[float, Field(gt=0, lt=1e9, strict=False)] | None = None
    approval: bool = False

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.purpose == "inject":
            if self.tool is None or self.argument is None:
                raise ValueError("a rule for a tool names the tool and the argument")
        elif self.tool or self.argument or self.destination or self.uses or self.approval:
            raise ValueError("a tool, an argument, a destination, uses and approval belong to purpose 'inject'")
        return self


class Policy(_Strict):
    """Everything that is allowed; what no rule allows is refused. In a file::

        version = 1

        [[rules]]
        tool = "transfer"
        argument = "to"
        types = ["IBAN_CODE"]

    Restoring and revealing are asked for by the application itself: they are open until a rule names their purpose, and
    then allow only what such rules do. The last four digits of a card or account are a fact that a rule of purpose
    ``facts`` has to allow.
    """

    version: Literal[1]
    rules: tuple[Rule, ...] = Field(default=(), max_length=MAX_RULES, strict=False)
