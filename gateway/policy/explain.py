"""``gateway.policy``: what is allowed, and why a value would open in an argument or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sealgate.models.errors import InvalidInput
from sealgate.models.granting import is_own, refusal
from sealgate.models.grants import Accepts, Inject
from sealgate.models.placeholder import Placeholder, parse
from sealgate.models.policy import Policy
from sealgate.models.sealing import EntryFacts

from .decide import Rules, Wish
from .guard import PolicyGuard
from .listing import Receives, conditions_of, receives
from .uses import Uses

if TYPE_CHECKING:
    from sealgate.vault import VaultSession

    from ..session import Session

GrantAt = Callable[[str, str], Accepts | None]
"""The annotation's grant for a place of a tool. Raises ``UnknownTool``."""


class Explanation(NamedTuple):
    """Whether a value would open. ``annotation`` and ``policy`` say what either of them makes of it, ``conditions``
    what the call itself has to fulfil besides. No value is in it."""

    opens: bool
    annotation: str
    policy: str
    conditions: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"annotation: {self.annotation}", f"policy: {self.policy}", *self.conditions]
        return f"{'opens' if self.opens else 'stays closed'} ({'; '.join(parts)})"


@dataclass(frozen=True, slots=True)
class GrantPolicy:
    """The policy of a gateway. Without a policy file the annotations decide alone."""

    document: Policy | None
    rules: Rules | None
    grant_at: GrantAt
    now: Callable[[], float]

    def guard(self, vault: VaultSession) -> PolicyGuard | None:
        """The policy for one session; ``None`` without a policy file."""
        return None if self.rules is None else PolicyGuard(self.rules, Uses(vault.records), self.now)

    def receivable(self) -> tuple[Receives, ...]:
        """What each tool can ever receive by the policy file."""
        return receives(self.document) if self.document is not None else ()

    def explain(self, tool: str, argument: str, placeholder: str | Placeholder, *, session: Session) -> Explanation:
        """Why a placeholder of a session would open in an argument (or a place in one) or not.

        It opens nothing and writes nothing, so whether the value is well-formed as its type is not looked at. Raises
        ``UnknownTool``, and ``MalformedPlaceholder`` for what is no placeholder.
        """
        wanted = parse(placeholder) if isinstance(placeholder, str) else placeholder
        accepts = self.grant_at(tool, argument)
        facts = session.entry_facts(wanted)
        if facts is None or facts.burnt or (facts.expires_at is not None and facts.expires_at <= self.now()):
            gone = "this session issued no such placeholder, or its value is gone"
            return Explanation(False, gone, "not asked")
        refused = refusal(Inject("explain", tool, argument, accepts), facts, lambda _entity_type: True)
        written = "what it needs there is " + refused.missing if refused else "accepts it"
        if is_own(facts, frozenset()):
            return Explanation(True, "it stands only for itself", "not asked")
        allowed, policy, conditions = self._by_policy(tool, argument, facts, accepts)
        return Explanation(refused is None and allowed, written, policy, conditions)

    def _by_policy(
        self, tool: str, place: str, facts: EntryFacts, accepts: Accepts | None
    ) -> tuple[bool, str, tuple[str, ...]]:
        if self.rules is None:
            return True, "there is no policy file", ()
        types = [name for name in facts.entity_types if accepts is None or name in accepts.entity_types]
        decision = self.rules.decide(
            Wish(
                tool=tool,
                place=place,
                entity_types=tuple(types),
                origins=facts.origins,
                age=None if facts.sealed_at is None else self.now() - facts.sealed_at,
                reached=frozenset(range(len(self.rules.all))),
                approved=True,
            )
        )
        if decision.rule is None:
            return False, f"missing {decision.missing}", ()
        return True, f"rule {decision.rule + 1} allows it", conditions_of(self.rules.all[decision.rule])


def policy_of(document: Policy | None, grant_at: GrantAt, now: Callable[[], float]) -> GrantPolicy:
    """The policy of a gateway."""
    if document is not None and not isinstance(document, Policy):
        raise InvalidInput("a policy is a path to a file or a Policy")
    return GrantPolicy(document, Rules(document) if document is not None else None, grant_at, now)
