"""What every storage engine must do, as checks that may be run on an engine of one's own.

::

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_engine(check: Check) -> None:
        check(open_my_store(fresh), open_my_store(fresh))

A check is given two handles on one store that is new and empty; an engine that has only one handle gives it twice. It
raises ``NotConforming`` with a sentence, or whatever the engine raised. It closes nothing. Checks look at what one
process sees: whether a durable commit survives the loss of power is not among them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from ..store import Store
from .rules import NotConforming
from .tables import TABLE_CHECKS
from .vault import VAULT_CHECKS
from .views import VIEW_CHECKS

Check: TypeAlias = Callable[[Store, Store], None]
"""``check(store, other)``: nothing, or ``NotConforming``."""

CHECKS: Final[tuple[Check, ...]] = (*TABLE_CHECKS, *VIEW_CHECKS, *VAULT_CHECKS)
"""All checks: first the tables one by one, then what handles see of each other, then a whole vault."""

__all__ = ["CHECKS", "TABLE_CHECKS", "VAULT_CHECKS", "VIEW_CHECKS", "Check", "NotConforming"]
