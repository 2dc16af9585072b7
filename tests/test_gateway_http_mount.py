"""Events over HTTP, from a real server: who may watch, what arrives, and what is left when a browser goes away."""

from __future__ import annotations

import functools
import gc
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, HTTPException
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Mount

from sealgate.gateway import EventBridge, Gateway, InvalidInput, Session, mount_events

CARD = "4929-1182-3345-9921"
KEY = bytes(range(32))


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    with Gateway.open(":memory:", key=KEY) as opened:
        yield opened


@pytest.fixture
def session(gateway: Gateway) -> Session:
    made = gateway.session("order 7", subject="ada")
    made.redact(f"My card is {CARD}.")
    return made


@contextmanager
def served(app: Any) -> Iterator[httpx.Client]:
    """A client of the application on a port of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        port = listener.getsockname()[1]
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()


def any_one(_request: Request, _session: str) -> bool:
    return True


def frames(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a stream, with their types."""
    kind = ""
    for line in lines:
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield kind, json.loads(line.removeprefix("data: "))


def until(condition: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


@pytest.mark.parametrize("make", [FastAPI, Starlette])
def test_a_browser_gets_the_events_and_no_value(make: Callable[[], Any], gateway: Gateway, session: Session) -> None:
    app = make()
    mount_events(app, lambda name: gateway.session(name, create=False), authorize=any_one)
    session.events().emit("status", {"text": f"checking {CARD}"})
    with served(app) as client, client.stream("GET", "/sessions/order%207/events") as response:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert response.headers["cache-control"] == "no-store"
        arrived = frames(response.iter_lines())
        kind, first = next(arrived)
        session.events().emit("status", {"text": f"charging {CARD}"})
        _, second = next(arrived)
    assert kind == "status"
    assert [first["id"], second["id"]] == [1, 2]
    for event, verb in ((first, "checking"), (second, "charging")):
        assert event["text"].startswith(f"{verb} [CREDIT_CARD_")
        assert CARD not in json.dumps(event)
        assert "9921" not in event["text"]


@pytest.mark.parametrize("cursor", [{"headers": {"Last-Event-ID": "2"}}, {"params": {"last_event_id": "2"}}])
def test_a_browser_that_comes_back_goes_on_where_it_was(cursor: dict[str, Any], session: Session) -> None:
    app = FastAPI()
    mount_events(app, session.events(), authorize=any_one)
    for number in range(3):
        session.events().emit("status", {"text": f"step {number}"})
    with served(app) as client, client.stream("GET", "/sessions/order%207/events", **cursor) as response:
        assert next(frames(response.iter_lines()))[1]["text"] == "step 2"


def refused(_request: Request, _session: str) -> bool | str | None:
    return False


def unknown(_request: Request, _session: str) -> None:
    return None


def nobody(_request: Request, _session: str) -> str:
    return ""


def odd(_request: Request, _session: str) -> Any:
    return 1


async def refused_later(_request: Request, _session: str) -> bool:
    return False


async def unauthenticated(_request: Request, _session: str) -> bool:
    raise HTTPException(401)


@pytest.mark.parametrize(
    ("authorize", "status"),
    [
        (None, 403),
        (refused, 403),
        (unknown, 403),
        (nobody, 403),
        (odd, 403),
        (refused_later, 403),
        (unauthenticated, 401),
    ],
)
@pytest.mark.parametrize("name", ["order%207", "another"])
def test_nothing_is_served_without_authorisation(authorize: Any, status: int, name: str, session: Session) -> None:
    """The answer does not tell whether there is such a session."""
    app = FastAPI()
    mount_events(app, session.events(), authorize=authorize)
    session.events().emit("status", {"text": "there"})
    with served(app) as client:
        answer = client.get(f"/sessions/{name}/events")
    assert answer.status_code == status
    assert "there" not in answer.text


def test_an_authorisation_that_fails_lets_nobody_in(session: Session) -> None:
    def broken(_request: Request, _session: str) -> bool:
        raise ConnectionError

    app = FastAPI()
    mount_events(app, session.events(), authorize=broken)
    with served(app) as client:
        assert client.get("/sessions/order%207/events").status_code == 500


async def later(request: Request, name: str) -> bool:
    return any_one(request, name)


@pytest.mark.parametrize(
    "authorize",
    [later, functools.partial(later), functools.partial(any_one), lambda request, name: later(request, name=name)],
)
def test_any_function_may_say_who(authorize: Any, session: Session) -> None:
    app = FastAPI()
    mount_events(app, session.events(), authorize=authorize)
    with served(app) as client, client.stream("GET", "/sessions/order%207/events") as response:
        assert response.status_code == 200


def test_it_is_told_whom_it_is_asked_about(gateway: Gateway, session: Session) -> None:
    asked: list[tuple[str | None, str]] = []

    async def authorize(request: Request, name: str) -> bool:
        asked.append((request.headers.get("cookie"), name))
        return request.headers.get("cookie") == "user=ada"

    app = FastAPI()
    mount_events(app, lambda name: gateway.session(name, create=False), authorize=authorize)
    session.events().emit("status", {"text": "there"})
    with served(app) as client:
        assert client.get("/sessions/order%207/events").status_code == 403
        with client.stream("GET", "/sessions/order%207/events", headers={"cookie": "user=ada"}) as response:
            assert response.status_code == 200
    assert asked == [(None, "order 7"), ("user=ada", "order 7")]


@pytest.mark.parametrize(("watcher", "masked"), [("ada", True), ("bob", False)])
def test_the_owner_sees_the_last_digits(watcher: str, masked: bool, session: Session) -> None:
    app = FastAPI()
    mount_events(app, session.events(), authorize=lambda request, name: watcher)
    session.events().emit("status", {"text": f"checking {CARD}"})
    with served(app) as client, client.stream("GET", "/sessions/order%207/events") as response:
        _, event = next(frames(response.iter_lines()))
    assert ("•••• 9921" in event["text"]) is masked
    assert CARD not in json.dumps(event)


@pytest.mark.parametrize("name", ["another", "x" * 10_000, "%00", "..%2f..", "%F0%9F%94%91"])
def test_http_creates_no_session(name: str, gateway: Gateway) -> None:
    app = FastAPI()
    mount_events(app, lambda name: gateway.session(name, create=False), authorize=any_one)
    with served(app) as client:
        assert client.get(f"/sessions/{name}/events").status_code == 404


def test_a_session_that_was_shredded_ends_its_streams(gateway: Gateway, session: Session) -> None:
    app = FastAPI()
    mount_events(app, lambda name: gateway.session(name, create=False), authorize=any_one)
    session.events().emit("status", {"text": "there"})
    with served(app) as client:
        with client.stream("GET", "/sessions/order%207/events") as response:
            lines = response.iter_lines()
            next(frames(lines))
            session.shred()
            assert CARD not in "".join(lines)
        assert client.get("/sessions/order%207/events").status_code == 404


def test_a_session_that_another_process_shredded_ends_its_streams(tmp_path: Path) -> None:
    """One in which nothing happens, too."""
    place = tmp_path / "vault.db"
    with Gateway.open(place, key=KEY) as gateway, Gateway.open(place, key=KEY) as elsewhere:
        session = gateway.session("order 7")
        session.events()._heartbeat = 0.05
        app = FastAPI()
        mount_events(app, lambda name: gateway.session(name, create=False), authorize=any_one)
        with served(app) as client, client.stream("GET", "/sessions/order%207/events") as response:
            lines = response.iter_lines()
            next(lines)
            elsewhere.session("order 7").shred()
            assert set(lines) <= {"", ": heartbeat"}


def test_who_may_not_watch_any_more_is_asked_for_leave_again(session: Session) -> None:
    app, allowed = FastAPI(), [False, True]
    mount_events(app, session.events(), authorize=lambda request, name: allowed.pop(), lifetime=0.3)
    session.events().emit("status", {"text": "there"})
    with served(app) as client:
        with client.stream("GET", "/sessions/order%207/events") as response:
            assert [event["text"] for _, event in frames(response.iter_lines())] == ["there"]
        assert client.get("/sessions/order%207/events").status_code == 403


def test_head_opens_no_stream(session: Session) -> None:
    app = FastAPI()
    mount_events(app, session.events(), authorize=lambda request, name: name == "order 7", limit=1)
    with served(app) as client:
        for _ in range(2):
            answer = client.head("/sessions/order%207/events")
            assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert client.head("/sessions/another/events").status_code == 403


def test_nothing_is_left_of_a_browser_that_went_away(session: Session) -> None:
    app = FastAPI()
    mount_events(app, session.events(), authorize=any_one, limit=1)
    bells = session.events()._log._bells  # who waits for the next event
    with served(app) as client:
        for _ in range(3):
            with client.stream("GET", "/sessions/order%207/events") as response:
                assert response.status_code == 200
                assert until(lambda: len(bells) == 1)
                second = client.get("/sessions/order%207/events")
                assert (second.status_code, second.headers["retry-after"]) == (503, "5")
            assert until(lambda: not len(bells))


def test_a_session_that_only_a_browser_holds_is_one_with_everybody_elses(gateway: Gateway) -> None:
    gateway.session("late")
    app = FastAPI()
    mount_events(app, lambda name: gateway.session(name, create=False), authorize=any_one)
    with served(app) as client, client.stream("GET", "/sessions/late/events") as response:
        assert response.status_code == 200
        gc.collect()
        gateway.session("late").events().emit("status", {"text": "for whoever watches"})
        assert next(frames(response.iter_lines()))[1]["text"] == "for whoever watches"


def test_it_goes_where_its_application_goes(session: Session) -> None:
    inner = Starlette()
    mount_events(inner, session.events(), authorize=any_one, path="/watch/{session}")
    session.events().emit("status", {"text": "there"})
    with (
        served(Starlette(routes=[Mount("/api", app=inner)])) as client,
        client.stream("GET", "/api/watch/order%207") as response,
    ):
        assert next(frames(response.iter_lines()))[1]["text"] == "there"
        assert client.post("/api/watch/order%207").status_code == 405


@pytest.mark.parametrize(
    "wrong",
    [
        {"bridge": "order 7"},
        {"authorize": "ada"},
        {"path": "/events"},
        {"path": "events/{session}"},
        {"limit": 0},
        {"lifetime": 0.0},
        {"app": object()},
    ],
)
def test_arguments_that_cannot_be(wrong: dict[str, Any], session: Session) -> None:
    arguments: dict[str, Any] = {"app": FastAPI(), "bridge": session.events(), **wrong}
    with pytest.raises(InvalidInput):
        mount_events(arguments.pop("app"), arguments.pop("bridge"), **arguments)


def test_without_the_extra_it_says_which() -> None:
    code = """
import sys
sys.modules["starlette"] = sys.modules["starlette.requests"] = None
from sealgate.gateway import Gateway, mount_events
class App:
    def add_route(self, *args, **options): ...
try:
    mount_events(App(), Gateway.open(":memory:").session("s").events())
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "serving events needs Starlette: install sealgate[http]", done.stderr[-500:]


def test_a_bridge_is_one_sessions(session: Session) -> None:
    assert isinstance(session.events(), EventBridge)
    app = FastAPI()
    mount_events(app, session.events(), authorize=any_one)
    with served(app) as client:
        assert client.get("/sessions/another/events").status_code == 404
