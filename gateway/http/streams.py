"""Event streams over HTTP: who may watch, which bridge it is, and an end when the browser has gone."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, cast

from anyio import CancelScope, create_task_group, current_time, to_thread
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
_GRACE = 30.0
"""Seconds beyond the lifetime of a stream, after which a browser that takes nothing is left."""


class EventStreams:
    """The streams of one route, an ASGI application. At most ``limit`` are open at a time."""

    def __init__(
        self, bridge: EventBridge | SessionOf, authorize: Authorize | None, limit: int, lifetime: float
    ) -> None:
        self._bridge = bridge
        self._authorize = authorize
        self._free = limit
        self._lifetime = lifetime

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request; see ``mount_events``."""
        request = Request(scope, receive)
        session = request.path_params["session"]
        watcher = await self._watcher(request, session)
        found = await self._found(session) if watcher else None
        if found is None:
            refusal = _refusal(404, "no such session") if watcher else _refusal(403, "not authorised")
            await refusal(scope, receive, send)
        elif request.method == "HEAD":
            await Response(headers=_HEADERS)(scope, receive, send)
        elif self._free < 1:
            await _refusal(503, "too many streams", {"Retry-After": "5"})(scope, receive, send)
        else:
            self._free -= 1
            try:
                await _Stream(_shown_to(watcher, found), _cursor(request), self._lifetime)(scope, receive, send)
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

    def __init__(self, bridge: EventBridge, cursor: str | None, lifetime: float) -> None:
        end = current_time() + lifetime
        super().__init__(_frames(bridge, cursor, end), headers=_HEADERS)
        self._left_at = end + _GRACE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(cast("Any", self.body_iterator)), create_task_group() as tasks:
            tasks.cancel_scope.deadline = self._left_at
            tasks.start_soon(self._until_gone, receive, tasks.cancel_scope)
            with suppress(OSError):  # how servers of ASGI 2.4 say that the browser has gone
                await self.stream_response(send)
            tasks.cancel_scope.cancel()

    async def _until_gone(self, receive: Receive, scope: CancelScope) -> None:
        await self.listen_for_disconnect(receive)
        scope.cancel()


async def _frames(bridge: EventBridge, cursor: str | None, end: float) -> AsyncIterator[str]:
    """The frames; the stream ends at a time of the event loop's clock, or where its session cannot be read any more,
    and the browser asks again."""
    async with aclosing(cast("Any", bridge.generate_sse(cursor))) as frames:
        while (frame := await _next(frames, end)) is not None:
            yield frame


async def _next(frames: AsyncIterator[str], end: float) -> str | None:
    """The next frame, ``None`` if there is none before the end."""
    with CancelScope(deadline=end) as scope, suppress(SealgateError, StopAsyncIteration):
        return await anext(frames) if current_time() < scope.deadline else None
    return None


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
