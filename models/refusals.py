"""The root of the errors, and what is refused before anything is done: wrong input, and input beyond a bound.

The whole tree is drawn in ``errors``; import from there.
"""

from __future__ import annotations


class SealgateError(Exception):
    """Root of the tree; never raised itself."""


class InvalidInput(SealgateError, ValueError):
    """What the caller gave has the wrong shape; nothing was changed."""


class UnknownEntityType(InvalidInput):
    """An entity type that is not in the table of ``models.entities``."""


class MalformedPlaceholder(InvalidInput):
    """Text that should be one placeholder and is not."""


class InvalidName(InvalidInput):
    """A name of private data, a tool, a session or a tenant that breaks its grammar."""


class NotJson(InvalidInput):
    """A value that JSON cannot carry.

    ``path`` (str) is the JSON path to it, with keys replaced by their position; ``found`` (str) is the name of its
    type.
    """

    def __init__(self, path: str, found: str) -> None:
        super().__init__(f"{path}: a value of type {found} is not JSON")
        self.path = path
        self.found = found


class InvalidAnswer(InvalidInput):
    """An answer that does not fit its input type, its choices or its expectation."""


class InvalidArguments(InvalidInput):
    """Arguments of a tool call that do not fit the tool's types.

    ``tool`` (str) names it; ``problems`` holds a pair of place and broken rule for each, as ``("items.0.price",
    "int_parsing")``. A place that no schema names is ``*``.
    """

    def __init__(self, tool: str, problems: tuple[tuple[str, str], ...]) -> None:
        listed = ", ".join(f"{place}: {rule}" for place, rule in problems)
        super().__init__(f"the arguments of tool {tool!r} do not fit: {listed}")
        self.tool = tool
        self.problems = problems


class InvalidEnvelope(InvalidInput):
    """JSON that is not the envelope it should be.

    ``envelope`` (str) names it; ``problems`` holds a pair of place and broken rule for each. A place that is no field
    of the envelope is ``*``.
    """

    def __init__(self, envelope: str, problems: tuple[tuple[str, str], ...]) -> None:
        listed = ", ".join(f"{place}: {rule}" for place, rule in problems)
        super().__init__(f"not a {envelope}: {listed}")
        self.envelope = envelope
        self.problems = problems


class InvalidPolicy(InvalidInput):
    """A configuration that names unknown things or contradicts itself."""


class LimitExceeded(SealgateError):
    """An input, a buffer or a loop went beyond its bound; nothing was stored.

    ``limit`` (int) is the bound, in the unit that the subclass states.
    """

    def __init__(self, message: str, limit: int) -> None:
        super().__init__(message)
        self.limit = limit


class TextTooLong(LimitExceeded):
    """A text longer than the bound, in code points."""


class TooManyValues(LimitExceeded):
    """More values than a session (or a message of a turn) may hold."""


class TooManyRefusals(LimitExceeded):
    """A turn whose model asked again and again for values where they have no right to be."""


class TooManySteps(LimitExceeded):
    """A turn that asked the model more often than it may."""


class TooManyInterrupts(LimitExceeded):
    """More asks for a secret than may be open, or than may be made in an hour."""
