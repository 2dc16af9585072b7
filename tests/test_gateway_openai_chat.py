from __future__ import annotations

import asyncio
import json
import logging
import os
import pickle
import threading
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Annotated, Any

import httpx
import openai
import pytest

from sealgate.gateway import Accepts, AppEvent, Gateway, HumanMessage, Session, openai_chat
from sealgate.gateway.model import Model, StreamingModel
from sealgate.gateway.openai_chat import OpenAIChat
from sealgate.models.errors import InvalidInput, ModelFailed
from sealgate.models.messages import AIMessage, SealedMessage, sealing
from sealgate.models.tools import ToolSpec

KEY = "sk-canary-7f3a91"
TOOLS = (
    ToolSpec(name="pay", description="Pay.", parameters={"type": "object", "properties": {"to": {"type": "string"}}}),
)

Reply = tuple[int, dict[str, str], bytes]


def completion(**message: Any) -> Reply:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None, **message}}
    body = {"id": "r1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return 200, {"content-type": "application/json"}, json.dumps(body).encode()


def streamed(*deltas: dict[str, Any], finish: str = "stop", end: bytes = b"data: [DONE]\n\n") -> Reply:
    chunks: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    chunks.append({"index": 0, "delta": {}, "finish_reason": finish})
    head = {"id": "r1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    lines = [b"data: " + json.dumps({**head, "choices": [chunk]}).encode() + b"\n\n" for chunk in chunks]
    return 200, {"content-type": "text/event-stream"}, b": comment\n\n" + b"".join(lines) + end


CALL = {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": '{"to": "[IBAN_CODE_K7Q2MXB4]"}'}}


class Endpoint:
    """A chat-completions server on this machine that gives the next reply of its script."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                endpoint.requests.append((self.path, headers, json.loads(body)))
                status, headers, reply = endpoint.replies.pop(0)
                self.send_response(status)
                for name, value in {"content-length": str(len(reply)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, format: str, *arguments: object) -> None:
                """Nothing: a test's output stays readable."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.close()


@pytest.fixture
def chat(endpoint: Endpoint) -> Iterator[OpenAIChat]:
    with OpenAIChat("m", base_url=endpoint.url, api_key=KEY, extra={"temperature": 0}) as client:
        yield client


def conversation() -> list[SealedMessage]:
    with sealing():
        return [SealedMessage(role="user", content="Pay [IBAN_CODE_K7Q2MXB4]")]


def test_it_is_a_model(chat: OpenAIChat) -> None:
    assert isinstance(chat, Model)
    assert isinstance(chat, StreamingModel)


def test_complete(endpoint: Endpoint, chat: OpenAIChat) -> None:
    endpoint.replies = [completion(tool_calls=[CALL]), completion(content="Done.")]
    first = chat.complete(conversation(), TOOLS)
    assert [(call.id, call.name, call.arguments) for call in first.tool_calls] == [
        ("c1", "pay", {"to": "[IBAN_CODE_K7Q2MXB4]"})
    ]
    assert chat.complete(conversation(), TOOLS).content == "Done."
    path, headers, body = endpoint.requests[0]
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body["messages"] == [{"role": "user", "content": "Pay [IBAN_CODE_K7Q2MXB4]"}]
    assert (body["model"], body["temperature"], body["tools"][0]["function"]["name"]) == ("m", 0, "pay")


async def test_acomplete(endpoint: Endpoint, chat: OpenAIChat) -> None:
    endpoint.replies = [(503, {"retry-after": "0"}, b""), completion(content="Done.")]
    assert (await chat.acomplete(conversation())).content == "Done."
    endpoint.replies = [(401, {}, KEY.encode())]
    with pytest.raises(ModelFailed, match="status 401"):
        await chat.acomplete(conversation())


def test_stream(endpoint: Endpoint, chat: OpenAIChat) -> None:
    call = {"index": 0, **CALL}
    endpoint.replies = [streamed({"content": "Hel"}, {"content": "lo"}, {"tool_calls": [call]}, finish="tool_calls")]
    *pieces, last = chat.stream(conversation(), TOOLS)
    assert pieces == ["Hel", "lo"]
    assert isinstance(last, AIMessage)
    assert (last.content, last.tool_calls[0].name) == ("Hello", "pay")
    assert endpoint.requests[0][2]["stream"] is True


def test_a_stream_without_an_end_mark_and_one_that_breaks_off(endpoint: Endpoint, chat: OpenAIChat) -> None:
    half = b'data: {"choices": [{"delta": {"content": "half"}}]}\n\n'
    endpoint.replies = [streamed({"content": "all"}, end=b""), (200, {}, half)]
    assert isinstance([*chat.stream(conversation())][-1], AIMessage)
    with pytest.raises(ModelFailed, match="broke off"):
        list(chat.stream(conversation()))


def test_a_stream_is_tried_again_until_it_gives_something(
    endpoint: Endpoint, chat: OpenAIChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    endpoint.replies = [(503, {}, b""), (429, {"retry-after": "0"}, b""), streamed({"content": "Hello"})]
    assert next(chat.stream(conversation())) == "Hello"
    half = b'data: {"choices": [{"delta": {"content": "half"}}]}\n\n'
    endpoint.replies = [(200, {"content-length": "9999"}, half), streamed({"content": "never"})]
    given: list[object] = []
    with pytest.raises(ModelFailed, match="could not be reached"):
        given.extend(chat.stream(conversation()))
    assert (given, len(endpoint.replies)) == (["half"], 1)
    endpoint.replies = [(503, {}, b"")] * 4
    with pytest.raises(ModelFailed, match="status 503"):
        list(chat.stream(conversation()))
    assert len(endpoint.replies) == 1


def test_a_server_that_does_not_stream(endpoint: Endpoint, chat: OpenAIChat) -> None:
    endpoint.replies = [completion(content="Whole.", tool_calls=[CALL])]
    (answer,) = chat.stream(conversation(), TOOLS)
    assert isinstance(answer, AIMessage)
    assert (answer.content, len(answer.tool_calls)) == ("Whole.", 1)


SENTENCE = "This sentence is long enough to leave for itself, as it has more than sixty-four. "


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_turn_over_the_wire_is_streamed(
    endpoint: Endpoint, chat: OpenAIChat, gateway: Gateway, session: Session, way: str
) -> None:
    """Text and the pieces of a call arrive in deltas; the browser gets the text, the tool its arguments, once."""
    paid: list[str] = []

    @gateway.toolify()
    def pay(to: Annotated[str, Accepts("IBAN_CODE")]) -> str:
        paid.append(to)
        return f"paid to {to}"

    iban = "GB82 WEST 1234 5698 7654 32"
    placeholder = str(session.redact(iban).findings[0].placeholder)
    said = f"{SENTENCE}I pay to {iban} from 4111 1111 1111 1111, see {placeholder}. {SENTENCE}"
    arguments = json.dumps({"to": placeholder})
    begun = {"index": 0, "id": "c1", "type": "function", "function": {"name": "pay", "arguments": ""}}
    rest = [{"index": 0, "function": {"arguments": char}} for char in arguments]
    endpoint.replies = [
        streamed(*({"content": char} for char in said), *({"tool_calls": [call]} for call in (begun, *rest)),
                 finish="tool_calls"),
        streamed(*({"content": char} for char in "Done.")),
    ]  # fmt: skip
    events = turn_events(session, chat, way)
    texts = {event.data["message_id"]: event.text for event in events if event.type == "assistant.message"}
    joined = dict.fromkeys(texts, "")
    for event in events:
        if event.type == "assistant.chunk":
            joined[event.data["message_id"]] += event.text or ""
    assert joined == texts
    assert paid == [iban.replace(" ", "")]
    shown = repr(events) + repr(session.history()) + repr([body for _path, _headers, body in endpoint.requests])
    assert not any(leak in shown for leak in (iban, paid[0], "4111 1111"))
    assert [body["stream"] for _path, _headers, body in endpoint.requests] == [True, True]
    assert [message.role for message in session.history()] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_wire_that_breaks_in_the_middle(endpoint: Endpoint, chat: OpenAIChat, session: Session, way: str) -> None:
    whole = streamed(*({"content": char} for char in f"My card is 4111 1111 1111 1111. {SENTENCE * 4}"))[2]
    endpoint.replies = [(200, {"content-type": "text/event-stream"}, whole[: len(whole) * 3 // 4])]
    with pytest.raises(ModelFailed, match="broke off"):
        turn_events(session, chat, way)
    chunks = [event for event in session.events().history() if event.type == "assistant.chunk"]
    assert len(chunks) > 1
    assert [bool(event.data.get("discard")) for event in chunks] == [False] * (len(chunks) - 1) + [True]
    assert "4111" not in repr(chunks)
    assert [message.role for message in session.history()] == ["user"]


def turn_events(session: Session, model: OpenAIChat, way: str) -> list[AppEvent]:
    async def gathered() -> list[AppEvent]:
        return [event async for event in session.astream([HumanMessage("Go.")], model=model)]

    return asyncio.run(gathered()) if way == "astream" else list(session.stream([HumanMessage("Go.")], model=model))


def test_the_official_client_accepts_what_our_test_server_speaks(endpoint: Endpoint) -> None:
    """So a passing test against the test server says something about real ones."""
    endpoint.replies = [completion(tool_calls=[CALL]), streamed({"content": "Hel"}, {"content": "lo"})]
    with openai.OpenAI(base_url=endpoint.url, api_key=KEY, max_retries=0) as client:
        asked: list[Any] = [{"role": "user", "content": "Pay"}]
        whole = client.chat.completions.create(model="m", messages=asked)
        calls = whole.choices[0].message.tool_calls
        assert calls is not None
        assert calls[0].model_dump() == CALL
        pieces = client.chat.completions.create(model="m", messages=asked, stream=True)
        assert "".join(piece.choices[0].delta.content or "" for piece in pieces) == "Hello"


def test_our_requests_have_the_shape_of_the_official_client(endpoint: Endpoint, chat: OpenAIChat) -> None:
    endpoint.replies = [completion(content="a"), completion(content="b")]
    chat.complete(conversation(), TOOLS)
    ours = endpoint.requests[0][2]
    with openai.OpenAI(base_url=endpoint.url, api_key=KEY, max_retries=0) as client:
        client.chat.completions.create(**ours)
    assert endpoint.requests[1][2] == ours
    assert endpoint.requests[1][0] == endpoint.requests[0][0]


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_statuses_that_ask_for_another_try(endpoint: Endpoint, chat: OpenAIChat, status: int) -> None:
    endpoint.replies = [(status, {"retry-after": "0"}, b"")] * 2 + [completion(content="Done.")]
    assert chat.complete(conversation()).content == "Done."
    endpoint.replies = [(status, {"retry-after": "0"}, b"")] * 3
    with pytest.raises(ModelFailed, match=f"status {status}") as failed:
        chat.complete(conversation())
    assert failed.value.cause == f"HTTP {status}"
    assert endpoint.replies == []


@pytest.mark.parametrize(
    "reply", [(400, {}, KEY.encode()), (302, {"location": "http://127.0.0.1:1/"}, b""), (204, {}, b"")]
)
def test_statuses_that_end_it(endpoint: Endpoint, chat: OpenAIChat, reply: Reply) -> None:
    endpoint.replies = [reply, reply]
    for attempt in (chat.complete, lambda messages: list(chat.stream(messages))):
        with pytest.raises(ModelFailed, match=f"status {reply[0]}"):
            attempt(conversation())
    assert len(endpoint.requests) == 2


def test_responses_are_bounded(endpoint: Endpoint, chat: OpenAIChat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_chat, "MAX_RESPONSE", 1_000)
    endpoint.replies = [completion(content="x" * 1_000), streamed(*[{"content": "x"}] * 50)]
    with pytest.raises(ModelFailed, match="longer than"):
        chat.complete(conversation())
    with pytest.raises(ModelFailed, match="longer than"):
        list(chat.stream(conversation()))


async def test_responses_are_bounded_in_a_loop(
    endpoint: Endpoint, chat: OpenAIChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_chat, "MAX_RESPONSE", 1_000)
    endpoint.replies = [completion(content="x" * 1_000)]
    with pytest.raises(ModelFailed, match="longer than"):
        await chat.acomplete(conversation())


def failing(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError(f"no route, {request.headers['authorization']}, {request.read().decode()}")


@pytest.mark.parametrize(
    ("key", "transport"),
    [
        (KEY, httpx.MockTransport(failing)),
        (lambda: KEY, httpx.MockTransport(failing)),
        (lambda: KEY + "\nx: y", None),
        (lambda: os.environ[KEY], None),
    ],
)
def test_no_key_and_no_text_in_errors(
    key: str | Callable[[], str], transport: httpx.BaseTransport | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    chat = OpenAIChat("m", base_url="http://127.0.0.1:1", api_key=key, max_retries=0, transport=transport)
    for attempt in (chat.complete, lambda messages: list(chat.stream(messages))):
        with pytest.raises(ModelFailed) as failed:
            attempt(conversation())
        shown = "".join((repr(failed.value), *traceback.format_exception(failed.value), caplog.text, repr(chat)))
        assert failed.value.__context__ is None
        assert KEY not in shown
        assert "IBAN" not in repr(failed.value)
    chat.close()


def test_a_broken_connection_is_tried_again() -> None:
    seen: list[int] = []

    def once(request: httpx.Request) -> httpx.Response:
        seen.append(len(seen))
        if len(seen) == 1:
            raise httpx.ReadError("")
        return httpx.Response(200, json=json.loads(completion(content="Done.")[2]))

    with OpenAIChat("m", base_url="https://model.invalid/v1/", transport=httpx.MockTransport(once)) as chat:
        assert chat.complete(conversation()).content == "Done."
    assert seen == [0, 1]


def test_without_a_key_there_is_no_header(endpoint: Endpoint) -> None:
    endpoint.replies = [completion(content="Done.")]
    with OpenAIChat("m", base_url=endpoint.url) as chat:
        chat.complete(conversation())
    assert "authorization" not in endpoint.requests[0][1]


@pytest.mark.parametrize(
    "options",
    [
        {"base_url": "ftp://host/v1"},
        {"base_url": "host/v1"},
        {"base_url": ""},
        {"base_url": None},
        {"base_url": "http://"},
        {"base_url": "http://a\x00b"},
        {"base_url": f"https://user:{KEY}@host/v1"},
        {"base_url": f"https://host/v1?key={KEY}"},
        {"api_key": f"{KEY}\n"},
        {"api_key": ""},
        {"api_key": "ключ"},
        {"timeout": 0},
        {"max_retries": -1},
    ],
)
def test_what_cannot_work_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        OpenAIChat("m", **{"base_url": "https://host/v1", **options})
    assert KEY not in repr(refused.value)
    assert refused.value.__cause__ is None
    shown = traceback.TracebackException.from_exception(refused.value, capture_locals=True)
    assert any((frame.locals or {}).get("self", "").startswith("OpenAIChat(") for frame in shown.stack)


def test_it_is_not_shown_and_not_pickled(chat: OpenAIChat) -> None:
    assert repr(chat) == "OpenAIChat('m', host='127.0.0.1')"
    assert KEY not in repr(vars(chat))
    with pytest.raises(TypeError):
        pickle.dumps(chat)
