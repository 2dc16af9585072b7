"""The one place where placeholders become values: the arguments of one tool call, at the moment it runs.

Everything that a call holds opens in one transaction, or nothing does. What the annotations say is enforced by the
vault; where a value stands in its string, and what the policy says, is decided before anything is burnt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Final

from sealgate.models.entities import ENTITY_TYPES
from sealgate.models.errors import GrantRefused, MalformedPlaceholder
from sealgate.models.grants import Inject
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.placeholder import STRICT, Placeholder, find_all
from sealgate.models.sealing import CallOpener, CallPart, Candidate
from sealgate.redaction import is_valid

from ..policy.decide import is_within
from ..policy.guard import CallGuard, PolicyGuard
from .contexts import Unfit
from .filling import Filler
from .places import NOTHING, Leaf, Shape, leaves

_IN_BRACKETS: Final = re.compile(
    r"[\[<{](?P<type>[A-Z][A-Z0-9_]{0,39}?)_(?P<code>[0-9A-Z]{1,16})(?:\.[0-9A-Z]{0,8})?[\]>}]", re.IGNORECASE
)
_CUSTOM: Final = re.compile(r"CUSTOM_[A-Z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Injection:
    """What one call may receive.

    ``arguments`` are the sealed arguments by name; ``given`` holds, for each, the placeholders that an answer, private
    data or another tool's result put there; ``written`` the placeholders of plain values that the model wrote into
    this very call. ``shape`` says which grant covers which place of the arguments, ``approved`` that a person approved
    this very call.
    """

    call_id: str
    tool: str
    arguments: Mapping[str, JsonValue]
    shape: Shape = NOTHING
    given: Mapping[str, frozenset[Placeholder]] = field(default_factory=dict)
    written: frozenset[Placeholder] = frozenset()
    keep: bool = False
    approved: bool = False


def inject(opener: CallOpener, injection: Injection, policy: PolicyGuard | None = None) -> dict[str, object]:
    """New arguments with the real values in them; the sealed ones are not touched, and no part of them is shared.

    With ``keep``, placeholders without a grant stay closed instead of being refused. Raises ``MalformedPlaceholder``
    for what the model meant as a placeholder and did not spell as one, ``GrantRefused`` also for a value that may not
    stand where it does and for what the policy refuses, and what ``CallOpener.open_call`` raises.
    """
    parts = _parts(injection)
    filled: dict[str, object] = {}
    if not parts:
        return _filled(injection, {})
    guard = policy.call(parts, approved=injection.approved) if policy is not None else nullcontext()

    def permit(candidates: Sequence[Mapping[Placeholder, Candidate]]) -> GrantRefused | None:
        opened = {purpose.argument: found for (purpose, _wanted), found in zip(parts, candidates, strict=True)}
        try:
            filled.update(_filled(injection, opened))
        except Unfit as unfit:
            return _unfit(parts, unfit)
        if isinstance(guard, CallGuard):
            return guard.refusal(lambda place: list(_texts_at(injection, filled, place)), candidates)
        return None

    with guard:
        opener.open_call(parts, permit)
    return filled


def is_cut(text: str) -> bool:
    """Whether a text has something in brackets that begins as a placeholder does and ends as none: a code with a symbol
    too few or too many, a number as other products count. Where a value is accepted it stands for one.
    """
    broken = _IN_BRACKETS.finditer(STRICT.sub("", text))
    return any(found["type"].upper() in ENTITY_TYPES or _CUSTOM.match(found["type"]) for found in broken)


def placeholders_in(value: JsonValue) -> frozenset[Placeholder]:
    """Every placeholder in a JSON value, keys included."""
    if isinstance(value, str):
        return frozenset(placeholder for _start, _end, placeholder in find_all(value))
    if isinstance(value, list):
        return frozenset().union(*map(placeholders_in, value))
    if isinstance(value, dict):
        return frozenset().union(*map(placeholders_in, [*value, *value.values()]))
    return frozenset()


def _parts(injection: Injection) -> list[CallPart]:
    """Each place with placeholders that are to be opened there."""
    found: dict[str, tuple[Inject, set[Placeholder]]] = {}
    if not injection.keep and placeholders_in(list(injection.arguments)):
        raise MalformedPlaceholder("the name of an argument holds a placeholder, and nothing opens in a name")
    for name, leaf in _leaves(injection, injection.arguments):
        wanted = set(placeholders_in(leaf.text))
        given = injection.given.get(name, frozenset())
        mangled = any(one.entity_type == "LITERAL" for one in wanted & injection.written)
        if not injection.keep and (mangled or (leaf.grant is not None and is_cut(leaf.text))):
            raise MalformedPlaceholder(
                f"argument {leaf.place!r} holds a placeholder that is not spelled as it was given"
            )
        if injection.keep and leaf.grant is None:
            wanted &= given | injection.written
        if wanted:
            purpose, so_far = found.get(leaf.place) or (_purpose(injection, leaf, given), set())
            found[leaf.place] = (purpose, so_far | wanted)
    return [(purpose, sorted(wanted)) for purpose, wanted in found.values()]


def _purpose(injection: Injection, leaf: Leaf, given: frozenset[Placeholder]) -> Inject:
    return Inject(
        call_id=injection.call_id,
        tool=injection.tool,
        argument=leaf.place,
        accepts=leaf.grant,
        given=given,
        written=injection.written,
        valid=is_valid,
    )


def _leaves(injection: Injection, arguments: Mapping[str, object]) -> Iterator[tuple[str, Leaf]]:
    for name, value in arguments.items():
        place, shape = _argument(injection.shape, name)
        for leaf in leaves(value, shape, place):
            yield name, leaf


def _filled(injection: Injection, opened: Mapping[str, Mapping[Placeholder, Candidate]]) -> dict[str, object]:
    filler = Filler(opened, injection.written)
    return {name: filler.value(value, *_argument(injection.shape, name)) for name, value in injection.arguments.items()}


def _argument(shape: Shape, name: str) -> tuple[str, Shape]:
    """The place of an argument by whatever key it is spelled, and its shape."""
    return shape.fields.get(name) or ("**", shape.values or NOTHING)


def _texts_at(injection: Injection, filled: Mapping[str, object], place: str) -> Iterator[object]:
    """Everything that stands at a place of the injected arguments: texts, and ``None`` for what is no text."""
    for name, value in filled.items():
        argument, shape = _argument(injection.shape, name)
        if not is_within(place, argument):
            continue
        for leaf in leaves(value, shape, argument, others=True):
            if is_within(leaf.place, place):
                yield leaf.text


def _unfit(parts: Sequence[CallPart], unfit: Unfit) -> GrantRefused:
    purpose = next(purpose for purpose, wanted in parts if unfit.placeholder in wanted)
    missing = f"an argument of its own: it may not stand in {unfit.where}"
    return GrantRefused(purpose.tool, purpose.argument, unfit.placeholder.entity_type, missing)
