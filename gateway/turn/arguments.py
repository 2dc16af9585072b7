"""A call's complete, sealed arguments: the model's, the person's answers, private data and other tools' results."""

from __future__ import annotations

from sealgate.models.errors import ToolFailed
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.origins import tool_origin
from sealgate.models.placeholder import Placeholder, parse

from ..tools.injection import Injection, placeholders_in
from ..tools.tool import Tool
from .context import TurnContext
from .state import CallState, TurnState


def complete_arguments(context: TurnContext, tool: Tool, call: CallState, state: TurnState) -> Injection:
    """What a call may receive. What the model wrote for a hidden argument is dropped.

    Raises ``ToolFailed`` when private data is missing or a tool that this one depends on gave no result.
    """
    provided = {
        **{ask.arg_name: ask.answer for ask in call.asks},
        **{argument: _private(context, key) for key, argument in tool.private_data},
        **{argument: _result(state, name) for name, argument in tool.requires},
    }
    supplied = {name: value for name, value in call.arguments.items() if name not in tool.hidden()}
    edited = frozenset(map(parse, call.edited))
    approval = call.approval("before")
    return Injection(
        call_id=state.key_of(call.id),
        tool=tool.name,
        arguments={**supplied, **provided},
        shape=tool.shape,
        given={
            **{name: placeholders_in(value) & edited for name, value in supplied.items()},
            **{name: placeholders_in(value) for name, value in provided.items()},
            **{argument: _returned_by(context, name, provided[argument]) for name, argument in tool.requires},
        },
        written=frozenset(map(parse, call.written)),
        keep=tool.placeholders == "keep",
        approved=approval is not None and approval.decided == "approved",
    )


def kept_closed(injection: Injection) -> frozenset[Placeholder]:
    """The placeholders that a tool is passed closed and may give back as themselves."""
    return placeholders_in(list(injection.arguments.values())) if injection.keep else frozenset()


def _private(context: TurnContext, key: str) -> JsonValue:
    placeholder = context.services.private_data.placeholder(key)
    if placeholder is None:
        raise ToolFailed(f"the session has no private data named {key!r}")
    return placeholder


def _returned_by(context: TurnContext, name: str, result: JsonValue) -> frozenset[Placeholder]:
    """The placeholders of what a tool really returned. Those that it was passed closed and gave back are not given to
    the tool that depends on it: it never had their values.
    """
    known = context.services.vault.facts(placeholders_in(result))
    return frozenset(one for one, facts in known.items() if tool_origin(name) in facts.origins)


def _result(state: TurnState, name: str) -> JsonValue:
    if name not in state.results:
        why = next((f": {call.content}" for call in state.calls if call.tool == name and call.phase == "done"), "")
        raise ToolFailed(f"the tool {name!r}, which this one depends on, gave no result{why}")
    return state.results[name]
