"""Event streams over HTTP: who may watch, which bridge it is, and an end when the browser has gone."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, cast

from anyio import CancelScope, create_task_group, to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from sealgate.models.errors import InvalidName, SealgateError, SessionShredded, UnknownSession

from ..events import sse
from ..events.bridge import EventBridge
from ..turn.waits import is_coroutine

if TYPE_CHECKING:
    from ..session import Session
    from .mount import Authorize, SessionOf

_HEADERS = {**sse.HEADERS, "X-Content-Type-Options": "nosniff"}


class EventStreams:
    """The streams of one route, an ASGI application. At most ``limit`` are open at a time."""

    def __init__(self, bridge: EventBridge | SessionOf, authorize: Authorize | None, limit: int) -> None:
        self._bridge = bridge
        self._authorize = authorize
        self._free = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request; see ``mount_events``."""
        request = Request(scope, receive)
        session = request.path_params["session"]
        watcher = await self._watcher(request, session)
        found = await self._found(session) if watcher else None
        if found is None:
            refusal = _refusal(404, "no such session") if watcher else _refusal(403, "not authorised")
            await refusal(scope, receive, send)
        elif self._free < 1:
            await _refusal(503, "too many streams", {"Retry-After": "5"})(scope, receive, send)
        else:
            self._free -= 1
            try:
                await _Stream(_shown_to(watcher, found), _cursor(request))(scope, receive, send)
            finally:
                self._free += 1

    async def _watcher(self, request: Request, session: str) -> bool | str | None:
        """What ``authorize`` says; nothing else than true and a name lets anybody in."""
        said = None if self._authorize is None else await _called(self._authorize, request, session)
        return said if said is True or isinstance(said, str) else None

    async def _found(self, session: str) -> Session | EventBridge | None:
        """Whoever has the events. A session that is held for the time of a stream is everybody's for that time."""
        if isinstance(self._bridge, EventBridge):
            return self._bridge if self._bridge.session_id == session else None
        try:
            return cast("Session | EventBridge | None", await _called(self._bridge, session))
        except (UnknownSession, SessionShredded, InvalidName):
            return None


class _Stream(StreamingResponse):
    """Frames until there are no more, or nobody reads them; Starlette alone would notice that at the next frame."""

    def __init__(self, bridge: EventBridge, cursor: str | None) -> None:
        super().__init__(_frames(bridge, cursor), headers=_HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(cast("Any", self.body_iterator)), create_task_group() as tasks:
            tasks.start_soon(self._until_gone, receive, tasks.cancel_scope)
            with suppress(OSError):  # how servers of ASGI 2.4 say that the browser has gone
                await self.stream_response(send)
            tasks.cancel_scope.cancel()

    async def _until_gone(self, receive: Receive, scope: CancelScope) -> None:
        await self.listen_for_disconnect(receive)
        scope.cancel()


async def _frames(bridge: EventBridge, cursor: str | None) -> AsyncIterator[str]:
    """The frames; the stream ends where its session cannot be read any more, and the browser asks again."""
    async with aclosing(cast("Any", bridge.generate_sse(cursor))) as frames:
        try:
            async for frame in frames:
                yield frame
        except SealgateError:
            return


def _shown_to(watcher: bool | str | None, found: Session | EventBridge) -> EventBridge:
    bridge = found if isinstance(found, EventBridge) else found.events()
    return bridge.watched_by(watcher) if isinstance(watcher, str) else bridge


def _cursor(request: Request) -> str | None:
    return request.headers.get("last-event-id") or request.query_params.get("last_event_id") or None


def _refusal(status: int, why: str, headers: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(why, status, {"Cache-Control": "no-store", **(headers or {})})


async def _called(function: Any, *arguments: object) -> object:
    """What an application's function gives, in a worker thread unless it is a coroutine function."""
    given = function(*arguments) if is_coroutine(function) else await to_thread.run_sync(function, *arguments)
    return await given if inspect.isawaitable(given) else given
