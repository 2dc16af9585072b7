"""Which tool calls pause for a decision."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sealgate.models.approvals import PerToolDispatchConfig
from sealgate.models.errors import InvalidPolicy
from sealgate.models.messages import SealedCall

from ..tools.signature import check_tool_name

Predicate = Callable[[SealedCall], bool]


@dataclass(frozen=True, slots=True, init=False)
class InterruptConfig:
    """The calls that wait for a person: by name before or after they run, by a predicate, and tool by tool.

    ``interrupt_on`` gets the call with placeholders in its arguments. ``dispatch`` decides for batches; a name that it
    never interrupts is not interrupted by the other fields either. ``default_timeout`` is in seconds, ``None`` for as
    long as the session lives. Raises ``InvalidName`` and ``InvalidPolicy`` for what cannot work.
    """

    interrupt_before: frozenset[str]
    interrupt_after: frozenset[str]
    interrupt_on: Predicate | None
    dispatch: PerToolDispatchConfig
    default_timeout: float | None

    def __init__(
        self,
        interrupt_before: Iterable[str] = (),
        interrupt_after: Iterable[str] = (),
        interrupt_on: Predicate | None = None,
        dispatch: PerToolDispatchConfig | None = None,
        default_timeout: float | None = None,
    ) -> None:
        if interrupt_on is not None and not callable(interrupt_on):
            raise InvalidPolicy("interrupt_on is a function of the call")
        if default_timeout is not None and not 0 < default_timeout < math.inf:
            raise InvalidPolicy("default_timeout is a finite number of seconds above 0")
        object.__setattr__(self, "interrupt_before", _names(interrupt_before))
        object.__setattr__(self, "interrupt_after", _names(interrupt_after))
        object.__setattr__(self, "interrupt_on", interrupt_on)
        object.__setattr__(self, "dispatch", dispatch or PerToolDispatchConfig())
        object.__setattr__(self, "default_timeout", default_timeout)

    def before(self, call: SealedCall, *, demanded: bool = False, batch: int = 2) -> bool:
        """Whether a call pauses before it runs. ``demanded`` says that a grant asks for approval; it wins over all.

        Then ``never_interrupt`` wins over ``always_interrupt``, that over ``interrupt_before`` and ``interrupt_on``,
        and these over the default, which a ``batch`` of one call does not reach. A predicate that raises pauses the
        call.
        """
        if demanded or call.name in self.dispatch.never_interrupt:
            return demanded
        if call.name in self.dispatch.always_interrupt or call.name in self.interrupt_before:
            return True
        return self._predicted(call) or (batch > 1 and self.dispatch.default_behavior == "interrupt")

    def after(self, call: SealedCall) -> bool:
        """Whether a call pauses after it ran, before the model sees its result."""
        return call.name in self.interrupt_after and call.name not in self.dispatch.never_interrupt

    def is_static(self, tool: str) -> bool:
        """Whether a tool has a static point, which does not go together with a pause inside its body."""
        return tool in self.interrupt_before or tool in self.interrupt_after

    def _predicted(self, call: SealedCall) -> bool:
        if self.interrupt_on is None:
            return False
        try:
            return bool(self.interrupt_on(call.model_copy(deep=True)))
        except Exception:  # a predicate that cannot decide does not let the call through
            return True


def _names(names: Iterable[str]) -> frozenset[str]:
    if isinstance(names, str):
        raise InvalidPolicy("names of tools are a list, not one text")
    return frozenset(map(check_tool_name, names))
