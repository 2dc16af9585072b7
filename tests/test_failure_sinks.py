"""Whatever goes wrong in a turn, the value comes out nowhere: each failure against each place it could land."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import secrets
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest

from sealgate.gateway import (
    Gateway,
    HumanMessage,
    ModelFailed,
    Session,
    SessionResponse,
    ToolCall,
    depends_on_interrupt,
)
from sealgate.gateway.cli.evidence import debug_logs
from sealgate.gateway.cli.leakcheck import find_leaks, read_files
from sealgate.gateway.testing import ScriptedModel
from sealgate.models.messages import SealedMessage
from sealgate.models.tools import ToolSpec

CANARY = "GB82WEST12345698765432"
"""The account that the person gives. Detection knows its kind, so it is caught before it was ever sealed too."""

SINKS = ("tool message", "response", "event", "log", "traceback", "vault files")


@dataclass
class Stage:
    """One session on which something goes wrong, and proof that the value was really in play."""

    gateway: Gateway
    session: Session
    in_play: list[str] = field(default_factory=list)
    error: BaseException | None = None
    response: SessionResponse | None = None

    def register(self, body: Callable[[str], object], **options: Any) -> None:
        """The tool ``charge``, whose account a person gives."""
        handler = options.pop("handler", lambda prompt: f"it is {CANARY}")
        asked = {name: options.pop(name) for name in ("timeout", "attempts") if name in options}

        def charge(account: str) -> object:
            self.in_play.append(account)
            return body(account)

        asking = depends_on_interrupt("account", handler, "Account: ", sensitive="IBAN_CODE", **asked)
        self.gateway.toolify(description="Charge an account.", **options)(asking(charge))

    def invoke(self, *after: Any) -> None:
        """A turn that calls the tool and then does ``after``; what it raises is kept."""
        model = ScriptedModel([ToolCall(id="c1", name="charge"), *after])
        try:
            self.response = self.session.invoke([HumanMessage("Charge me.")], model=model)
        except ModelFailed as error:
            self.error = error


def tool_returns(stage: Stage) -> None:
    encoded = base64.b64encode(CANARY.encode()).decode("ascii")
    stage.register(lambda account: {"echo": account, account: [encoded, account.lower()], "spaced": " ".join(account)})
    stage.invoke("done")


def tool_raises(stage: Stage) -> None:
    def body(account: str) -> NoReturn:
        raise ValueError(f"no such account: {account}", {account: account})

    stage.register(body)
    stage.invoke("done")


def raises_from(stage: Stage) -> None:
    def body(account: str) -> NoReturn:
        try:
            raise KeyError(account)
        except KeyError as error:
            error.add_note(f"while charging {account}")
            raise RuntimeError(f"charge of {account} failed") from error

    stage.register(body)
    stage.invoke("done")


def handler_raises(stage: Stage) -> None:
    def handler(prompt: str) -> str:
        stage.in_play.append(CANARY)
        raise ValueError(f"cannot read {CANARY}")

    stage.register(lambda account: "charged", handler=handler, attempts=1)
    stage.invoke("done")


def hook_raises(stage: Stage) -> None:
    def hook(call: dict[str, Any]) -> NoReturn:
        raise ValueError(f"hook saw {call} and knows {CANARY}")

    stage.register(lambda account: "charged", before_execute=hook, after_execute=hook)
    stage.invoke("done")


def timeout(stage: Stage) -> None:
    released, ended = threading.Event(), threading.Event()

    def handler(prompt: str) -> str:
        stage.in_play.append(CANARY)
        released.wait(30)
        ended.set()
        return CANARY

    stage.register(lambda account: "charged", handler=handler, timeout=0.05, attempts=1)
    stage.invoke("done")
    released.set()
    assert ended.wait(30)


def cancel(stage: Stage) -> None:
    async def scenario() -> None:
        started = asyncio.Event()

        async def body(account: str) -> object:
            started.set()
            try:
                return await asyncio.Event().wait()
            finally:
                account = f"still holds {account}"

        stage.register(body)
        model = ScriptedModel([ToolCall(id="c1", name="charge"), "done"])
        turn = asyncio.create_task(stage.session.ainvoke([HumanMessage("Charge me.")], model=model))
        await asyncio.wait_for(started.wait(), 30)
        turn.cancel()
        try:
            await turn
        except asyncio.CancelledError as error:
            stage.error = error

    asyncio.run(scenario())
    assert stage.error is not None


def model_raises(stage: Stage) -> None:
    def fail(messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> NoReturn:
        try:
            raise ConnectionError(f"host of {CANARY}")
        except ConnectionError as error:
            raise RuntimeError(f"provider echoed {CANARY}") from error

    stage.register(lambda account: account)
    stage.invoke(fail)
    assert isinstance(stage.error, ModelFailed)


FAILURES: dict[str, Callable[[Stage], None]] = {
    "tool returns": tool_returns,
    "tool raises": tool_raises,
    "raises from": raises_from,
    "handler raises": handler_raises,
    "hook raises": hook_raises,
    "timeout": timeout,
    "cancel": cancel,
    "model raises": model_raises,
}

CELLS = list(itertools.product(FAILURES, SINKS))


def evidence(stage: Stage, log: list[str], path: Path) -> dict[str, str | bytes]:
    """What lies in each sink after the failure."""
    session = stage.session
    sent = [message.model_dump(mode="json") for messages in session.sent_to_model() for message in messages]
    said = [message.model_dump(mode="json") for message in session.history()]
    events = [
        event for audience in ("frontend_safe", "internal") for event in session.events(audience=audience).history()
    ]
    return {
        "tool message": json.dumps([sent, said]),
        "response": stage.response.model_dump_json() if stage.response else repr(stage.error),
        "event": "\n".join(event.model_dump_json() for event in events),
        "log": "\n".join(log),
        "traceback": "\n".join(spelled_out(stage.error)),
        "vault files": b"\n".join(read_files([path]).values()),
    }


def spelled_out(error: BaseException | None) -> list[str]:
    """An exception and all that it is chained to, with the local variables of our own frames."""
    if error is None:
        return []
    ours = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if is_ours(frame.f_globals.get("__name__"))]
    local = [f"{frame.f_code.co_qualname}: {dict(frame.f_locals)!r}" for frame in ours]
    lines = [str(error), repr(error.args), *getattr(error, "__notes__", ()), *local]
    return [*lines, *spelled_out(error.__cause__), *spelled_out(error.__context__)]


def is_ours(module: object) -> bool:
    return str(module).startswith("sealgate.") and not str(module).startswith("sealgate.gateway.testing")


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], tuple[str | bytes, bool]]:
    """What each failure left in each sink, and whether the value was in play at all."""
    found: dict[tuple[str, str], tuple[str | bytes, bool]] = {}
    for failure, run in FAILURES.items():
        path = tmp_path_factory.mktemp("sinks") / "vault.db"
        with debug_logs() as log, Gateway.open(path, key=secrets.token_bytes(32)) as gateway:
            session = gateway.session("s")
            session.events(audience="internal")
            stage = Stage(gateway, session)
            run(stage)
            for sink, content in evidence(stage, log, path).items():
                found[failure, sink] = (content, CANARY in stage.in_play)
    return found


@pytest.mark.parametrize(("failure", "sink"), CELLS)
def test_the_value_is_not_there(
    failure: str, sink: str, cells: dict[tuple[str, str], tuple[str | bytes, bool]]
) -> None:
    content, in_play = cells[failure, sink]
    assert in_play
    assert find_leaks({"account": CANARY}, {sink: content}).leaks == ()


def test_all_cells_ran(cells: dict[tuple[str, str], tuple[str | bytes, bool]]) -> None:
    assert len(CELLS) == 48
    assert set(cells) == set(CELLS)


def test_the_failures_were_told(cells: dict[tuple[str, str], tuple[str | bytes, bool]]) -> None:
    """The model learns the type of what happened, and a browser that it did."""
    told = {failure: str(cells[failure, "tool message"][0]) for failure in FAILURES}
    assert "ValueError" in told["tool raises"]
    assert "RuntimeError" in told["raises from"]
    assert "ValueError" in told["handler raises"]
    assert "InterruptTimeout" in told["timeout"]
    assert "[IBAN_CODE_" in told["tool returns"]
    for failure in ("tool raises", "raises from", "handler raises", "timeout"):
        assert "tool.failed" in str(cells[failure, "event"][0])
