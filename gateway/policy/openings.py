"""The policy where the application itself opens values: restoring and revealing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sealgate.models.errors import GrantRefused
from sealgate.models.grants import Inject, Purpose, Reveal
from sealgate.models.placeholder import Placeholder
from sealgate.models.secretvalue import SecretValue
from sealgate.vault import VaultSession

from .guard import PolicyGuard

Audit = Callable[[str, dict[str, object]], object]
"""Writes a row of this session: action and fields."""


class PolicyOpener:
    """Opens what the policy lets the application have. Fulfils ``models.sealing.Opener``.

    What it does not let out is left closed in a text, and is ``GrantRefused`` in a typed result; both are audited.
    """

    def __init__(self, vault: VaultSession, policy: PolicyGuard, audit: Audit) -> None:
        self._vault = vault
        self._policy = policy
        self._audit = audit

    def open(self, placeholders: Sequence[Placeholder], purpose: Purpose) -> dict[Placeholder, SecretValue]:
        """See ``models.sealing.Opener.open``."""
        name = "reveal" if isinstance(purpose, Reveal) else "restore"
        if isinstance(purpose, Inject) or not self._policy.rules.names(name):
            return self._vault.open(placeholders, purpose)
        closed = self._closed(placeholders, name)
        if closed:
            missing = f"a policy rule with purpose '{name}'"
            self._audit("refused", {"kind": name, "placeholders": [str(one) for one in closed], "missing": missing})
            if name == "reveal":
                raise GrantRefused(name, "result", closed[0].entity_type, missing)
        left = [one for one in placeholders if one not in closed]
        return self._vault.open(left, purpose) if left else {}

    def _closed(self, placeholders: Sequence[Placeholder], name: str) -> list[Placeholder]:
        now, rules = self._policy.now(), self._policy.rules
        return [
            one
            for one, facts in self._vault.facts(placeholders).items()
            if facts.entity_types != ("LITERAL",)
            and not rules.releases(
                name, facts.entity_types, facts.origins, None if facts.sealed_at is None else now - facts.sealed_at
            )
        ]
