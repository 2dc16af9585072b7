"""A model behind any OpenAI-compatible chat-completions endpoint."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
from typing import Any, Final, NoReturn, Self

import anyio
import httpx

from sealgate.models.errors import InvalidInput, ModelFailed
from sealgate.models.messages import AIMessage, SealedMessage
from sealgate.models.secretvalue import SecretValue
from sealgate.models.tools import ToolSpec

from .openai_wire import END, StreamedAnswer, read_answer, request_body

MAX_RESPONSE: Final = 8 * 1024 * 1024
"""Bytes of the longest response, after decompression."""

MAX_PAUSE: Final = 30.0
"""Seconds of the longest pause before another try, whatever ``Retry-After`` says."""

_JSON: Final = MappingProxyType({"content-type": "application/json"})
_TRY_AGAIN: Final = frozenset({408, 409, 429, 500, 502, 503, 504, 529})


class OpenAIChat:
    """``complete`` (and ``acomplete``, ``stream``) over ``POST {base_url}/chat/completions``.

    ``api_key`` is the key or a function that gives it at each request; it appears in no ``repr`` and no error.
    ``timeout`` is in seconds for connecting and for each silence. Broken connections, silences and the statuses that
    ask for it are tried again, at most ``max_retries`` times; a redirect is not followed. ``extra`` are further fields
    of the request. ``transport`` replaces the network of the blocking methods. Raises ``InvalidInput`` for an address
    that is no plain http(s) URL, a key that no header can carry, and numbers out of range. Not protected: what the
    endpoint does with the conversation, which is why it holds placeholders only.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | Callable[[], str] | None = None,
        timeout: float = 60.0,
        max_retries: int = 2,
        extra: Mapping[str, Any] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._url = _endpoint(base_url)
        self._model = model
        self._key = SecretValue(api_key) if isinstance(api_key, str) else api_key
        if isinstance(self._key, SecretValue) and not _fits_header(self._key.text()):
            raise InvalidInput("an API key is one word of printable ASCII")
        if not timeout > 0 or max_retries < 0:
            raise InvalidInput("a timeout is above 0 seconds, and retries are 0 or more")
        self._timeout = timeout
        self._tries = max_retries + 1
        self._extra = MappingProxyType(dict(extra or {}))
        self._transport = transport
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def complete(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec] = ()) -> AIMessage:
        """The model's next message. Raises ``ModelFailed`` with a status or the type of an error, never its text."""
        body = request_body(self._model, messages, tools, self._extra, stream=False)
        for attempt in range(self._tries):
            outcome = self._try(body)
            if isinstance(outcome, bytes):
                return read_answer(outcome)
            failure = outcome
            if not failure.again:
                break
            if attempt + 1 < self._tries:
                time.sleep(failure.pause(attempt))
        raise failure.error()

    async def acomplete(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec] = ()) -> AIMessage:
        """``complete`` for an event loop; cancelling it closes the connection."""
        body = request_body(self._model, messages, tools, self._extra, stream=False)
        for attempt in range(self._tries):
            outcome = await self._atry(body)
            if isinstance(outcome, bytes):
                return read_answer(outcome)
            failure = outcome
            if not failure.again:
                break
            if attempt + 1 < self._tries:
                await anyio.sleep(failure.pause(attempt))
        raise failure.error()

    def stream(self, messages: Sequence[SealedMessage], tools: Sequence[ToolSpec] = ()) -> Iterator[str | AIMessage]:
        """Pieces of the text as they come, the whole message last. Raises as ``complete``.

        It is tried again as long as no piece has been given. A server that does not stream answers as a whole.
        """
        body = request_body(self._model, messages, tools, self._extra, stream=True)
        failure: _Failure | None = None
        for attempt in range(self._tries):
            answer, failure, given = StreamedAnswer(), None, False
            try:
                with self._opened().stream("POST", self._url, content=body, headers=self._headers()) as response:
                    failure = _refused(response)
                    for piece in _pieces(response, answer) if failure is None else ():
                        given = True
                        yield piece
            except ModelFailed:
                raise
            except Exception as error:
                failure = _failure(error)
            if failure is None:
                return
            if given or not failure.again or attempt + 1 == self._tries:
                break
            time.sleep(failure.pause(attempt))
        if failure is not None:
            raise failure.error()

    def close(self) -> None:
        """Give the connections back. New ones are opened when it is used again."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        if not hasattr(self, "_model"):
            return "OpenAIChat(…)"  # a traceback with locals shows one that was refused
        return f"OpenAIChat({self._model!r}, host={self._url.host!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an OpenAIChat cannot be pickled")

    def _try(self, body: bytes) -> bytes | _Failure:
        try:
            with self._opened().stream("POST", self._url, content=body, headers=self._headers()) as response:
                return _refused(response) or b"".join(_bounded(response.iter_bytes()))
        except Exception as error:
            return _failure(error)

    async def _atry(self, body: bytes) -> bytes | _Failure:
        try:
            async with (
                httpx.AsyncClient(timeout=self._timeout) as client,
                client.stream("POST", self._url, content=body, headers=self._headers()) as response,
            ):
                return _refused(response) or await _abounded(response)
        except Exception as error:
            return _failure(error)

    def _opened(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                self._client = httpx.Client(timeout=self._timeout, transport=self._transport)
            return self._client

    def _headers(self) -> dict[str, str]:
        key = self._key.text() if isinstance(self._key, SecretValue) else self._key() if self._key else None
        if key is None:
            return dict(_JSON)
        if not _fits_header(key):
            raise ValueError
        return {**_JSON, "authorization": f"Bearer {key}"}


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why one try failed, in words that quote nothing, and whether another one makes sense."""

    reason: str
    cause: str = ""
    again: bool = False
    retry_after: float | None = None

    def error(self) -> ModelFailed:
        return ModelFailed(self.reason, self.cause)

    def pause(self, attempt: int) -> float:
        """Seconds before the next try: what the server asked for, else half a second and twice as long each time."""
        return min(MAX_PAUSE, 0.5 * 2**attempt if self.retry_after is None else self.retry_after)


class _TooLong(Exception):
    """The response went beyond its bound."""


def _failure(error: Exception) -> _Failure:
    if isinstance(error, _TooLong):
        return _Failure(f"the model's response is longer than {MAX_RESPONSE} bytes")
    again = isinstance(error, httpx.TransportError) and not isinstance(error, httpx.UnsupportedProtocol)
    return _Failure("the model could not be reached", type(error).__name__, again)


def _refused(response: httpx.Response) -> _Failure | None:
    status = response.status_code
    if status == httpx.codes.OK:
        return None
    return _Failure(f"the model's endpoint answered with status {status}", f"HTTP {status}", status in _TRY_AGAIN,
                    _seconds(response.headers.get("retry-after", "")))  # fmt: skip


def _pieces(response: httpx.Response, answer: StreamedAnswer) -> Iterator[str | AIMessage]:
    if response.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json":
        yield read_answer(b"".join(_bounded(response.iter_bytes())))
        return
    for data in _events(response.iter_bytes()):
        if piece := answer.feed(data):
            yield piece
    yield answer.finish()


def _seconds(text: str) -> float | None:
    """The seconds of a ``Retry-After``; its other form, a date, counts as none."""
    return float(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None


def _bounded(chunks: Iterator[bytes]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > MAX_RESPONSE:
            raise _TooLong
        yield chunk


async def _abounded(response: httpx.Response) -> bytes:
    read = bytearray()
    async for chunk in response.aiter_bytes():
        read += chunk
        if len(read) > MAX_RESPONSE:
            raise _TooLong
    return bytes(read)


def _events(chunks: Iterator[bytes]) -> Iterator[str]:
    """The data of each server-sent event up to the end mark; these endpoints put each into one line."""
    pending: list[bytes] = []
    for chunk in _bounded(chunks):
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            text = b"".join((*pending, line)).decode("utf-8", "replace").rstrip("\r")
            pending.clear()
            data = text.removeprefix("data:").strip()
            if data == END:
                return
            if data and text.startswith("data:"):
                yield data
        pending.append(rest)


def _endpoint(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise InvalidInput("base_url is an http or https URL without user, password, query and fragment")
    return url.copy_with(path=url.path.rstrip("/") + "/chat/completions")


def _fits_header(key: object) -> bool:
    return isinstance(key, str) and key.isascii() and key.isprintable() and bool(key) and " " not in key
