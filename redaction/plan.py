"""A plan: which spans of a text are to be hidden and what has to be sealed for it. Nothing is stored before all plans
of a call are made, so a call that fails has changed nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sealgate.models.errors import TooManyValues
from sealgate.models.findings import Finding, Redaction
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import Sealer, SealRequest


@dataclass(frozen=True, slots=True)
class Planned:
    """One span. ``request`` is what is sealed for it; without one the finding already has its placeholder, or
    ``stands`` is the text that replaces it for good. ``new`` tells a value that the session does not hold yet."""

    finding: Finding
    request: SealRequest | None
    new: bool = True
    stands: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The spans of one text, left to right and without overlaps."""

    text: str
    items: tuple[Planned, ...] = ()

    def rendered(self, placeholders: Sequence[Placeholder | None]) -> Redaction:
        """The text with one placeholder an item; ``None`` for one whose text ``stands``."""
        pieces: list[str] = []
        findings: list[Finding] = []
        at = 0
        for item, placeholder in zip(self.items, placeholders, strict=True):
            finding = item.finding
            pieces += (self.text[at : finding.start], str(placeholder) if item.stands is None else item.stands)
            findings.append(replace(finding, placeholder=placeholder))
            at = finding.end
        return Redaction("".join(pieces) + self.text[at:], tuple(findings))


def commit(
    sealer: Sealer, plans: Sequence[Plan], *, also: Sequence[SealRequest] = (), max_new: int | None = None
) -> list[Redaction]:
    """Seals what all plans need, and ``also``, in one transaction; returns one redaction a plan.

    Raises ``TooManyValues`` for more than ``max_new`` distinct new values; then nothing was stored.
    """
    wanted = [item for plan in plans for item in plan.items if item.request is not None]
    fresh = {item.request.value for item in wanted if item.new and item.request is not None}
    fresh.update(request.value for request in also)
    if max_new is not None and len(fresh) > max_new:
        raise TooManyValues("more new values than one message may hold; nothing was stored", max_new)
    requests = [item.request for item in wanted if item.request is not None]
    sealed = sealer.seal([*also, *requests])[len(also) :] if also or requests else []
    issued = iter(sealed)
    return [plan.rendered([_placeholder(item, issued) for item in plan.items]) for plan in plans]


def _placeholder(item: Planned, issued: Iterator[Placeholder]) -> Placeholder | None:
    return item.finding.placeholder if item.request is None else next(issued)
