"""The planner: known values, what was asked for, findings and their union, for one text under one scope."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Final, TypeAlias

from sealgate.models.entities import entity_info
from sealgate.models.expectation import Expectation
from sealgate.models.findings import Finding
from sealgate.models.messages import PrivateData
from sealgate.models.origins import PERSON, TRUSTED, check_origin
from sealgate.models.placeholder import STRICT, Placeholder, from_match
from sealgate.models.sealing import GuessCounter, Sealer, SealRequest
from sealgate.models.secretvalue import JsonType, SecretValue

from .bounds import check_length, given_value, known_request
from .detector import Detector
from .expectation import read_expected
from .known.guesses import (
    GUESS,
    GUESS_TYPE,
    GuessShapes,
    MemoryCounter,
    build_guess_shapes,
    guessed_spans,
    is_guessable,
)
from .known.known import KnownValues, build_known_values, merged
from .known.strength import is_searchable
from .operators import Policy
from .placeholders import find_lenient
from .plan import Plan, Planned
from .propagation import named_by_addresses, repeats
from .reading.fold import BARRIER
from .reading.sight import Sight
from .union import EXPECTED, FIXED, KNOWN, LITERAL, rank_of, resolve

Keep: TypeAlias = Callable[[Placeholder], bool]
"""Which strict placeholders of a text stay as they are, neither sealed as look-alikes nor searched."""

_WEAK_FAMILIES: Final = frozenset({"name", "place", "date", "contact"})

_SHORTEST_SEARCHED: Final = 3
"""Letters and digits of the shortest detected value that is looked for elsewhere: a CVV has three."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What one call of the redactor knows besides the text."""

    origin: str = PERSON
    whitelist: frozenset[str] = frozenset()
    expect: Expectation | None = None
    session: KnownValues = field(default_factory=lambda: KnownValues(()), repr=False)
    given: KnownValues = field(default_factory=lambda: KnownValues(()), repr=False)
    requests: tuple[SealRequest, ...] = field(default=(), repr=False)
    """What seals the given values themselves; a placeholder of ``given`` has the index in this tuple as its code."""

    fixed: frozenset[str] = frozenset()
    """Names, keys and enum members of tool schemas: a JSON key or string that equals one is the program's, and
    stays.
    """

    keep: Keep | None = field(default=None, repr=False)
    """The strict placeholders that stay as they are; none by default."""

    shapes: GuessShapes = field(default_factory=lambda: GuessShapes(()), repr=False)
    """The live small secrets that this text could be used to guess; none for text from whoever gave them."""

    def knows(self, value: str) -> bool:
        """Whether ``value`` is exactly one that the session holds or that came with the call."""
        return self.session.exact(value) is not None or self.given.exact(value) is not None


class Planner:
    """Makes scopes and plans for one session; what the redactors of text, JSON and messages share."""

    def __init__(self, detector: Detector, sealer: Sealer, policy: Policy | None = None) -> None:
        self.detector = detector
        self._policy = policy if policy is not None else Policy.of(None, None)
        self.sealer = sealer
        self._counter = sealer if isinstance(sealer, GuessCounter) else MemoryCounter()
        self._partition = os.urandom(16)

    def scope(
        self,
        *,
        origin: str = PERSON,
        known: Sequence[str | PrivateData] = (),
        expect: Expectation | None = None,
        whitelist: Sequence[str] = (),
        keep: Keep | None = None,
        fixed: frozenset[str] = frozenset(),
    ) -> Scope:
        """The scope of a call, with the session's matcher as it is now. Raises ``InvalidInput`` for an unknown
        origin."""
        requests = tuple(
            request for item in known if (request := known_request(item, check_origin(origin))).value.text()
        )
        return Scope(
            origin=check_origin(origin),
            whitelist=frozenset(whitelist),
            expect=expect,
            session=self.sealer.match(build_known_values),
            given=KnownValues([given_value(index, request) for index, request in enumerate(requests)]),
            requests=requests,
            keep=keep,
            fixed=fixed,
            shapes=self.shapes(origin),
        )

    def shapes(self, origin: str) -> GuessShapes:
        """The shapes of the session's live small secrets, for a text of an origin that could be used to guess them."""
        return GuessShapes(()) if origin in TRUSTED else self.sealer.match(build_guess_shapes)

    def guessed(self, text: str, shapes: GuessShapes, origin: str, *known: KnownValues) -> list[Planned]:
        """What of a text is sealed unseen, as it might be a guess; see ``guesses``. A long ``known`` value is none, and
        what is a guess elsewhere does not break it up."""
        if not shapes:
            return []
        rest = _blanked(text, merged(found for matcher in known for found in matcher.long_ranges(text)))
        return [guess(text[start:end], start, end, origin) for start, end in guessed_spans(rest, shapes, self._counter)]

    def plan(self, text: str, scope: Scope, *, cue: str = "") -> Plan:
        """Which spans of ``text`` are hidden, and what is sealed for each. ``cue`` is text that stands before it, such
        as the key of a JSON member, and is not part of it."""
        check_length(text)
        original, blanks = text, _kept(text, scope.keep)
        guesses = self.guessed(_blanked(text, blanks), scope.shapes, scope.origin, scope.session, scope.given)
        blanks = sorted([*blanks, *((one.finding.start, one.finding.end) for one in guesses)])
        text = _blanked(text, blanks)
        found, resolved = self.found(text, scope, cue=cue)
        whole = {(finding.start, finding.end) for finding in found}
        parts = [part for finding in resolved for part in _outside(text, finding, blanks)]
        items = [item for part in parts for item in self._items(text, part, scope, (part.start, part.end) in whole)]
        return Plan(original, tuple(sorted([*items, *guesses], key=lambda item: item.finding.start)))

    def _items(self, text: str, finding: Finding, scope: Scope, whole: bool) -> list[Planned]:
        """What is done about one finding: sealed, unless its type has another operator and the session does not know
        the value."""
        value = text[finding.start : finding.end]
        operator = self._policy.operator(finding.entity_type)
        if operator.name == "seal" or rank_of(finding) <= FIXED or scope.knows(value):
            return [planned(value, finding, scope, whole=whole)]
        if operator.name == "keep":
            return []
        stands = operator.applied(value, finding.entity_type, self._policy.hash_key)
        return [Planned(finding, None, new=False, stands=stands)]

    def found(self, text: str, scope: Scope, *, cue: str = "") -> tuple[list[Finding], list[Finding]]:
        """Everything that was found, which may overlap, and what the union makes of it."""
        sight = Sight(text)
        found = [*self._certain(text, sight, scope), *self._detected(text, scope, cue)]
        found += _allowed(text, named_by_addresses(text, found), scope)
        resolved = resolve(text, found)
        again = _allowed(text, repeats(text, resolved, sight), scope)
        resolved = resolve(text, [*resolved, *again]) if again else resolved
        uncovered = _uncovered_look_alikes(text, resolved)
        resolved = resolve(text, [*resolved, *uncovered]) if uncovered else resolved
        return [*found, *again, *uncovered], resolved

    def _certain(self, text: str, sight: Sight, scope: Scope) -> list[Finding]:
        """Look-alikes, known values, and what was asked for."""
        found = [Finding("LITERAL", item.start, item.end, 1.0, LITERAL) for item in find_lenient(text)]
        for matcher in (scope.session, scope.given):
            found += [
                Finding(hit.placeholder.entity_type, hit.start, hit.end, 1.0, KNOWN) for hit in matcher.find(sight)
            ]
        if scope.expect is not None:
            found += [
                Finding(hit.entity_type, hit.start, hit.end, 1.0, EXPECTED) for hit in read_expected(text, scope.expect)
            ]
        return found

    def _detected(self, text: str, scope: Scope, cue: str) -> list[Finding]:
        """The detector's findings, without those that the whitelist silences."""
        offset = len(cue)
        found = [
            Finding(found.entity_type, found.start - offset, found.end - offset, found.score, found.recognizer)
            for found in self.detector.detect(cue + text, partition=self._partition)
            if found.start >= offset
        ]
        return _allowed(text, found, scope)


def _allowed(text: str, found: list[Finding], scope: Scope) -> list[Finding]:
    """The findings that the whitelist does not silence, by entity type or by exact text."""
    silenced = scope.whitelist
    if not silenced:
        return found
    return [item for item in found if item.entity_type not in silenced and text[item.start : item.end] not in silenced]


def _kept(text: str, keep: Keep | None) -> list[tuple[int, int]]:
    """The ranges of the placeholders that stay as they are, left to right."""
    if keep is None or "[" not in text:
        return []
    return [found.span() for found in STRICT.finditer(text) if keep(from_match(found))]


def without_placeholders(text: str) -> str:
    """``text`` with every strict placeholder blanked out."""
    return _blanked(text, _kept(text, lambda _placeholder: True))


def _outside(text: str, finding: Finding, blanks: list[tuple[int, int]]) -> list[Finding]:
    """What of a finding lies outside of the blanked ranges. A rule that takes anything after "password:" takes a blank
    too, and sealing one would put nothing in the place of the placeholder that stands there."""
    inside = blanks[
        bisect_right(blanks, finding.start, key=itemgetter(1)) : bisect_left(blanks, finding.end, key=itemgetter(0))
    ]
    if not inside:
        return [finding]
    edges = [finding.start, *(edge for blank in inside for edge in blank), finding.end]
    parts = [replace(finding, start=start, end=end) for start, end in zip(edges[::2], edges[1::2], strict=True)]
    return [part for part in parts if any(map(str.isalnum, text[part.start : part.end]))]


def _uncovered_look_alikes(text: str, resolved: list[Finding]) -> list[Finding]:
    """Look-alikes that appear only once values are taken out: a code that a card number was glued to. Each is taken
    with all that is glued to its left, so that taking it out makes no further one appear."""
    if "_" not in text and "&" not in text:
        return []
    outside = _blanked(text, [(item.start, item.end) for item in resolved])
    return [Finding("LITERAL", _glued(outside, item.start), item.end, 1.0, LITERAL) for item in find_lenient(outside)]


def _glued(text: str, start: int) -> int:
    """The start of the run of letters, digits and underscores that ends at ``start``."""
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return start


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """``text`` with these ranges blanked out; see ``_outside`` for what is found across them all the same."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += (text[at:start], BARRIER * (end - start))
        at = end
    return "".join(parts) + text[at:] if spans else text


def guess(value: str, start: int, end: int, origin: str, json_type: JsonType = "string") -> Planned:
    """What is sealed for a range that might be a guess: the same whether it is right or wrong."""
    request = SealRequest(SecretValue(value, json_type), GUESS_TYPE, origin, searchable=False, apart=True)
    return Planned(Finding(GUESS_TYPE, start, end, 1.0, GUESS), request)


def planned(
    value: str, finding: Finding, scope: Scope, json_type: JsonType = "string", *, whole: bool = True
) -> Planned:
    """What is sealed for a value that stands where ``finding`` says; not ``whole`` if it is what was left of one."""
    given = scope.given.exact(value)
    session = scope.session.exact(value)
    if session is not None and scope.origin not in TRUSTED and entity_info(session.entity_type).small:
        # A tool that repeats a one-time code must not make it live again after it was used.
        return Planned(replace(finding, placeholder=session), None, new=False)
    template = scope.requests[int(given.code)] if given is not None else None
    new = session is None and given is None
    # A page that lists codes before the person gives theirs would otherwise see which placeholder comes again.
    apart = new and scope.origin not in TRUSTED and is_guessable(value, finding.entity_type)
    request = SealRequest(
        SecretValue(value, json_type),
        template.entity_type if template is not None else finding.entity_type,
        scope.origin,
        uses=template.uses if template is not None else None,
        ttl=template.ttl if template is not None else None,
        searchable=not apart and _searchable(finding, value, whole),
        apart=apart,
    )
    return Planned(finding, request, new=new)


def _searchable(finding: Finding, value: str, whole: bool) -> bool:
    """Whether a value is looked for elsewhere: not the one letter that stood before a card number."""
    if finding.recognizer in (KNOWN, EXPECTED):
        return True
    family = entity_info(finding.entity_type).family
    if family in _WEAK_FAMILIES:
        return is_searchable(value)
    return family != "literal" and whole and sum(map(str.isalnum, value)) >= _SHORTEST_SEARCHED
