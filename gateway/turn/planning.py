"""From what a model asked for to calls that can be run: questions in order, and what each call depends on first."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sealgate.models.errors import UnknownTool
from sealgate.models.messages import SealedCall, SealedMessage

from ..interrupts.config import InterruptConfig
from ..interrupts.question import Question
from ..policy.decide import Rules
from ..tools.injection import placeholders_in
from ..tools.tool import Tool
from ..tools.toolkit import Toolkit
from .numbering import numbered
from .state import AskState, CallState, Stage


def plan_calls(
    message: SealedMessage,
    written: dict[str, tuple[str, ...]],
    toolkit: Toolkit,
    done: Iterable[str],
    new_id: Callable[[], str],
) -> tuple[CallState, ...]:
    """The calls of a model's message in order, each after those that it depends on and that have not run in this turn.

    A tool that is not registered gives a call that is done and failed. ``written`` maps a call's id to the
    placeholders of its plain values.
    """
    planned: dict[str, CallState] = {}
    reached = set(done)
    for call in message.tool_calls:
        for state in _with_dependencies(call, written.get(call.id, ()), toolkit, reached, new_id):
            planned[state.id] = state
            reached.add(state.tool)
    return tuple(planned.values())


def gated(
    calls: tuple[CallState, ...], toolkit: Toolkit, config: InterruptConfig, rules: Rules | None = None
) -> tuple[CallState, ...]:
    """The calls with the stages at which a person has to decide about each. A call that is done needs nobody.

    The batch is what the model asked for; what runs first because a call depends on it is not counted.
    """
    demanding = [call.but(demanded=_is_demanded(call, toolkit, rules)) for call in calls] if rules else calls
    batch = sum(call.parent is None for call in calls)
    return numbered(
        tuple(
            call if call.phase == "done" else call.but(gates=_gates(call, toolkit.get(call.tool), batch, config))
            for call in demanding
        )
    )


def _is_demanded(call: CallState, toolkit: Toolkit, rules: Rules | None) -> bool:
    """Whether a policy asks for an approval of a call that may receive a value."""
    if rules is None or call.phase == "done" or not rules.demands_approval(call.tool):
        return False
    return bool(toolkit.get(call.tool).filled() or placeholders_in(dict(call.arguments)))


def _gates(call: CallState, tool: Tool, batch: int, config: InterruptConfig) -> tuple[Stage, ...]:
    sealed = SealedCall(id=call.id, name=tool.name, arguments=call.arguments)
    before: tuple[Stage, ...] = ("before",) if config.before(sealed, demanded=call.demanded, batch=batch) else ()
    return (*before, "after") if config.after(sealed) else before


def _with_dependencies(
    call: SealedCall, written: tuple[str, ...], toolkit: Toolkit, reached: set[str], new_id: Callable[[], str]
) -> list[CallState]:
    try:
        tool = toolkit.get(call.name)
    except UnknownTool:
        content = "UnknownTool: no such tool is registered"
        return [CallState(id=call.id, tool=call.name, phase="done", status="error", content=content)]
    before = _missing_dependencies(tool, call.id, toolkit, set(reached), new_id)
    return [*before, _call_state(tool, call.id, new_id).but(arguments=call.arguments, written=written)]


def _missing_dependencies(
    tool: Tool, parent: str, toolkit: Toolkit, reached: set[str], new_id: Callable[[], str]
) -> list[CallState]:
    calls: list[CallState] = []
    for name, _argument in tool.requires:
        if name in reached:
            continue
        reached.add(name)
        needed = toolkit.get(name)
        calls += _missing_dependencies(needed, parent, toolkit, reached, new_id)
        calls.append(_call_state(needed, f"{parent}/{name}", new_id).but(parent=parent))
    return calls


def _call_state(tool: Tool, call_id: str, new_id: Callable[[], str]) -> CallState:
    asks = tuple(_ask_state(question, new_id()) for question in tool.questions)
    return CallState(
        id=call_id, tool=tool.name, asks=asks, requires=tool.requires, final=tool.final, idempotent=tool.idempotent
    )


def _ask_state(question: Question, interrupt_id: str) -> AskState:
    return AskState(
        interrupt_id=interrupt_id,
        arg_name=question.arg_name,
        prompt=question.prompt,
        input_type=question.input_type,
        choices=question.choices,
        sensitive=question.sensitive,
        number=question.number,
        total=question.total,
        attempts=question.attempts,
        out_of_band=question.handler is None,
    )
