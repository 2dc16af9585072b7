"""The registry of tools: an agent's own over those of its gateway."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, get_args

from sealgate.models.errors import InvalidPolicy, UnknownTool
from sealgate.models.grants import Accepts
from sealgate.models.tools import ToolSpec

from ..given import check_target
from .dependencies import AskPerson, Dependency, UsePrivateData, UseTool, dependencies_of
from .granted import first_name, tool_shape
from .hooks import Hook
from .json_schema import called_by, from_json_schema, given_schema
from .schema import accepted, arguments_model, parameters_schema, spelled_out, spellings
from .signature import (
    annotation_of,
    annotations_of,
    argument_names,
    check_tool_name,
    is_model,
    resolve_here,
    takes_any_name,
)
from .tool import PlaceholderPolicy, Risk, Tool

Target = TypeVar("Target", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class _Registration:
    """What ``toolify`` was told. The tool itself is made at first use, when every decorator has run."""

    name: str
    target: Callable[..., Any]
    description: str
    final: bool
    accepts: Mapping[str, Accepts] | None
    placeholders: PlaceholderPolicy
    idempotent: bool
    risk: Risk | None
    before_execute: Hook | None
    after_execute: Hook | None


class Toolify:
    """The decorator that ``toolify`` gives: registers what it is put above, and returns it."""

    def __init__(self, register: Callable[[Callable[..., Any], Mapping[str, Any]], None]) -> None:
        self._register = register

    def __call__(self, target: Target) -> Target:
        """Register it. Raises as ``Toolkit.toolify`` says."""
        return self.apply(target, sys._getframe(1).f_locals)

    def apply(self, target: Target, scope: Mapping[str, Any]) -> Target:
        """The same for a decorator that was written in a function with the local variables ``scope``."""
        check_target(target)
        self._register(target, scope)
        return target


class Toolkit:
    """Tools by name. One without an own tool of a name looks in its parent. Safe from many threads."""

    def __init__(self, parent: Toolkit | None = None) -> None:
        self._parent = parent
        self._registered: dict[str, _Registration] = {}
        self._built: dict[str, tuple[tuple[Dependency, ...], Tool]] = {}
        self._lock = threading.RLock()

    def toolify(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        schema: Mapping[str, Any] | None = None,
        final_tool: bool = False,
        accepts: Mapping[str, Accepts] | None = None,
        placeholders: PlaceholderPolicy = "refuse",
        idempotent: bool = False,
        risk: Risk | None = None,
        before_execute: Hook | None = None,
        after_execute: Hook | None = None,
    ) -> Toolify:
        """Register a function, coroutine function or pydantic model as a tool; the object comes back unchanged.

        The name is the object's own unless given, the description the first paragraph of its docstring. A
        ``final_tool``'s result ends the turn. ``accepts`` are grants by argument or by a place in one
        (``payment.card``, ``items[]``), as ``Annotated[…, Accepts(…)]`` says them; with
        ``placeholders="keep"`` an argument without a grant is passed its placeholder closed. An ``idempotent`` tool
        may be run again after a crash. Hooks get placeholders only. With ``schema``, a JSON schema, the model is shown
        that, and the callable is called with whatever fits it, by name; it needs no signature of its own. Raises
        ``InvalidName`` and ``InvalidPolicy`` (both ``ValueError``) for what cannot work, here or at first use.
        """

        def register(target: Callable[..., Any], scope: Mapping[str, Any]) -> None:
            called = check_tool_name(name if name is not None else getattr(target, "__name__", None))
            registration = _Registration(
                name=called,
                target=target if schema is None else from_json_schema(called, schema, target),
                description=description if description is not None else first_paragraph(target),
                final=final_tool,
                accepts=accepts,
                placeholders=placeholders,
                idempotent=idempotent,
                risk=risk,
                before_execute=before_execute,
                after_execute=after_execute,
            )
            self._register(registration)
            resolve_here(target, scope)

        return Toolify(register)

    def get(self, name: str) -> Tool:
        """The tool of that name. Raises ``UnknownTool``, and ``InvalidPolicy`` where its dependencies cannot work."""
        tool = self._find(name)
        self._check_cycles(tool)
        return tool

    def has(self, name: str) -> bool:
        """Whether there is a tool of that name."""
        return name in self._names()

    def tools(self) -> tuple[Tool, ...]:
        """Every tool that can be called: own ones in the order of registration, then those of the parent."""
        return tuple(self.get(name) for name in self._names())

    def specs(self) -> tuple[ToolSpec, ...]:
        """What a model is told of the tools."""
        return tuple(tool.spec for tool in self.tools())

    def _register(self, registration: _Registration) -> None:
        _check(registration)
        with self._lock:
            if registration.name in self._registered:
                raise InvalidPolicy(f"there is a tool named {registration.name!r} already")
            self._registered[registration.name] = registration

    def _names(self) -> tuple[str, ...]:
        inherited = self._parent._names() if self._parent is not None else ()
        return tuple(dict.fromkeys((*self._registered, *inherited)))

    def _find(self, name: str) -> Tool:
        with self._lock:
            registration = self._registered.get(name)
            if registration is not None:
                return self._build(registration)
        if self._parent is not None:
            return self._parent._find(name)
        raise UnknownTool("there is no tool of that name")

    def _build(self, registration: _Registration) -> Tool:
        """The tool, made anew when a dependency was declared after it had been made."""
        declared = dependencies_of(called_by(registration.target))
        built = self._built.get(registration.name)
        if built is None or built[0] is not declared:
            built = declared, _tool(registration, declared, self._name_of)
            self._built[registration.name] = built
        return built[1]

    def _name_of(self, tool: object) -> str:
        """The name of a required tool, given as its name or as the object that was toolified."""
        registered = [name for name, entry in self._registered.items() if tool in (name, called_by(entry.target))]
        if registered:
            return registered[0]
        if self._parent is not None:
            return self._parent._name_of(tool)
        raise InvalidPolicy("depends_on_tool names a tool that is not registered here")

    def _check_cycles(self, tool: Tool) -> None:
        """Nothing, unless a tool needs its own result. Raises ``InvalidPolicy`` then."""
        finished: set[str] = set()
        path = [(tool.name, iter(tool.requires))]
        while path:
            name, requires = path[-1]
            needed = next(requires, (None, ""))[0]
            if needed is None:
                finished.add(name)
                path.pop()
            elif needed in (step for step, _ in path):
                raise InvalidPolicy(f"tool {needed!r} depends on its own result")
            elif needed not in finished:
                path.append((needed, iter(self._find(needed).requires)))


def first_paragraph(target: object) -> str:
    """The first paragraph of an object's own docstring on one line; empty where it has none."""
    text = inspect.cleandoc(getattr(target, "__doc__", None) or "")
    if isinstance(target, partial) or not isinstance(text, str):
        return ""
    return " ".join(text.split("\n\n")[0].split())


def _check(registration: _Registration) -> None:
    names = argument_names(registration.target)
    for argument, grant in (registration.accepts or {}).items():
        if first_name(argument) not in names and not (
            argument.startswith("**") and takes_any_name(registration.target)
        ):
            raise InvalidPolicy(f"accepts= names {argument!r}, which is not an argument")
        if not isinstance(grant, Accepts):
            raise InvalidPolicy("accepts= holds an Accepts for each argument")
    if registration.placeholders not in get_args(PlaceholderPolicy):
        raise InvalidPolicy("placeholders is 'refuse' or 'keep'")
    if registration.risk is not None and registration.risk not in get_args(Risk):
        raise InvalidPolicy("risk is 'low', 'medium' or 'high'")
    for hook in (registration.before_execute, registration.after_execute):
        if hook is not None and not callable(hook):
            raise InvalidPolicy("a hook is callable")


def _tool(registration: _Registration, declared: tuple[Dependency, ...], name_of: Callable[[object], str]) -> Tool:
    name, target = registration.name, registration.target
    for lacking in (one.arg_name for one in declared if one.arg_name not in argument_names(target)):
        raise InvalidPolicy(f"the schema of tool {name!r} has no property {lacking!r}, which a dependency fills")
    arguments = arguments_model(name, target)
    hidden = frozenset().union(*(spellings(arguments, dependency.arg_name) for dependency in declared))
    schema = given_schema(target, hidden) or parameters_schema(name, arguments, hidden)
    return Tool(
        name=name,
        description=registration.description,
        target=target,
        arguments=arguments,
        spec=ToolSpec(name=name, description=registration.description, parameters=schema),
        final=registration.final,
        accepts=spelled_out(arguments, accepted(target, _whole(target, registration.accepts))),
        placeholders=registration.placeholders,
        idempotent=registration.idempotent,
        risk=registration.risk,
        before_execute=registration.before_execute,
        after_execute=registration.after_execute,
        questions=tuple(_questions(target, declared)),
        private_data=tuple((use.data_key, use.arg_name) for use in declared if isinstance(use, UsePrivateData)),
        requires=tuple((name_of(use.tool), use.arg_name) for use in declared if isinstance(use, UseTool)),
        shape=tool_shape(target, arguments, registration.accepts),
    )


def _whole(target: Callable[..., Any], grants: Mapping[str, Accepts] | None) -> dict[str, Accepts]:
    """The grants for whole arguments, without those for places inside of one."""
    names = argument_names(target)
    return {place: grant for place, grant in (grants or {}).items() if place in names}


def _questions(target: Callable[..., Any], declared: tuple[Dependency, ...]) -> Iterator[Any]:
    asked = [dependency for dependency in declared if isinstance(dependency, AskPerson)]
    if not is_model(target):
        annotations_of(target)  # a type that cannot be found is told of here
    for number, ask in enumerate(asked, start=1):
        yield ask.question(annotation_of(target, ask.arg_name), number, len(asked))
