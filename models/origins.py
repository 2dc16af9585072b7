"""Where a value came from. Grants trust the first three unless told otherwise."""

from __future__ import annotations

import re
from typing import Final

from .errors import InvalidInput

PERSON: Final = "person"
APPLICATION: Final = "application"
INTERRUPT: Final = "interrupt"
MODEL: Final = "model"

TRUSTED: Final = (PERSON, APPLICATION, INTERRUPT)
"""The origins that a grant accepts by default."""

_TOOL: Final = re.compile(r"tool:[A-Za-z0-9_.-]{1,64}\Z")


def tool_origin(name: str) -> str:
    """The origin of what the tool ``name`` returned or raised."""
    return check_origin(f"tool:{name}")


def check_origin(origin: str) -> str:
    """The origin itself. Raises ``InvalidInput`` unless it is one of the four words or ``tool:<name>``."""
    if origin in (*TRUSTED, MODEL) or _TOOL.match(origin):
        return origin
    raise InvalidInput("an origin is person, application, interrupt, model or tool:<name>")
