"""Mounting: a session's events as a route of the application that a user already has."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from sealgate.models.errors import InvalidInput

from ..events.bridge import EventBridge

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

    from ..session import Session

    SessionOf = Callable[[str], Session | EventBridge]
    Authorize = Callable[[Request, str], bool | str | Awaitable[bool | str | None] | None]

EVENTS_PATH: Final = "/sessions/{session}/events"


def mount_events(
    app: Starlette,
    bridge: EventBridge | SessionOf,
    *,
    authorize: Authorize | None = None,
    path: str = EVENTS_PATH,
    limit: int = 1000,
    lifetime: float = 900.0,
) -> None:
    """Serve events to browsers: ``GET /sessions/{session}/events`` of a FastAPI or Starlette application is a stream of
    server-sent events, as ``EventBridge.generate_sse`` makes them.

    ``bridge`` is one session's, or a function that gives a session by its name, such as ``lambda name:
    gateway.session(name, create=False)``; it may raise ``UnknownSession``. Events that are not kept in the vault
    (``events="stored"``) last as long as your application holds their ``Session``, or somebody watches it here.

    ``authorize`` is asked first, with the request and the session's name, and says who may watch: ``True``; the name
    of the watcher, to whom their own cards and accounts are shown as ``•••• 9921`` if the session's ``subject`` is the
    same; or ``False`` or ``None``. A name lets in as ``True`` does, whosever session it is: that this user may see this
    session is for ``authorize`` to check. Without it nobody may. Functions that are no coroutines run in a worker
    thread.

    A stream goes on after ``Last-Event-ID`` (the header, or ``?last_event_id=`` for clients that cannot set one) and
    ends when the browser goes away, the bridge is closed, the session cannot be read any more, or ``lifetime`` seconds
    are over: an ``EventSource`` comes back by itself then and misses nothing, and ``authorize`` is asked again.

    Answers: 403 without authorisation, 404 for a session that is not there, 503 while ``limit`` streams are open.
    ``path`` holds ``{session}``. A server that is told to stop waits for the streams that are open, unless it is told
    how long (``timeout_graceful_shutdown`` of uvicorn).

    Raises ``InvalidInput`` for arguments that cannot be, and ``ImportError`` where the extra ``sealgate[http]`` is not
    installed. Nothing here limits who may *call* your application: CORS and rates are its own.
    """
    if not isinstance(bridge, EventBridge) and not callable(bridge):
        raise InvalidInput("the bridge is an EventBridge, or a function that gives a session by its name")
    if authorize is not None and not callable(authorize):
        raise InvalidInput("authorize is a function of a request and a session's name")
    if not isinstance(path, str) or not path.startswith("/") or "{session}" not in path or limit < 1:
        raise InvalidInput("path starts with / and holds {session}; limit is at least 1")
    if not lifetime > 0:
        raise InvalidInput("lifetime is more than 0 seconds")
    if not hasattr(app, "add_route"):
        raise InvalidInput("the application is one of FastAPI or Starlette")
    try:
        streams = importlib.import_module(".streams", __package__)
    except ImportError:
        raise ImportError("serving events needs Starlette: install sealgate[http]") from None
    endpoint = streams.EventStreams(bridge, authorize, limit, lifetime)
    app.add_route(path, endpoint, methods=["GET"], include_in_schema=False)
