"""How often one value opened by one rule, counted where every process of the session sees it."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Final

from sealgate.models.policy import Rule
from sealgate.vault.records import Records

_KIND: Final = "grant"


def rule_key(rule: Rule, code: str) -> str:
    """What the uses of a value by a rule are counted under; other limits in the same rule count on."""
    limits = {"uses": None, "lifetime": None, "approval": False}
    named = rule.model_copy(update=limits).model_dump_json()
    return f"{sha256(named.encode()).hexdigest()[:32]}/{code}"


class Uses:
    """The calls that used a value by a rule. A use is reserved before the value opens, so a crash loses it."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def reserve(self, key: str, call: str, most: int) -> bool:
        """Whether this call has one of ``most`` uses; a call counts once. One transaction, so a race has one winner."""
        taken = False

        def add(before: bytes | None) -> bytes | None:
            nonlocal taken
            calls: list[str] = json.loads(before) if before else []
            known = call in calls
            taken = known or len(calls) < most
            return json.dumps([*calls, call]).encode() if taken and not known else None

        self._records.change(_KIND, key, add)
        return taken

    def release(self, key: str, call: str) -> None:
        """Gives back the use of a call that opened nothing by it."""

        def remove(before: bytes | None) -> bytes | None:
            calls: list[str] = json.loads(before) if before else []
            return json.dumps([one for one in calls if one != call]).encode() if call in calls else None

        self._records.change(_KIND, key, remove)
