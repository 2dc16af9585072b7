from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway.openai_wire import MAX_CALLS, StreamedAnswer, read_answer, request_body
from sealgate.models.errors import ModelFailed
from sealgate.models.messages import AIMessage, SealedCall, SealedMessage, sealing
from sealgate.models.tools import ToolSpec

CANARY = "canary-7f3a91"


def sealed(**fields: Any) -> SealedMessage:
    with sealing():
        return SealedMessage(**fields)


def response(**message: Any) -> bytes:
    return json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", **message}}]}).encode()


def request(*arguments: Any, stream: bool) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(request_body("m", *arguments, stream=stream))
    return body


def call(arguments: Any = "{}", name: Any = "pay", id: Any = "c1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_the_body_of_a_request() -> None:
    messages = [
        sealed(role="system", content="Be kind."),
        sealed(role="user", content=[{"type": "text", "text": "Pay [IBAN_CODE_K7Q2MXB4]"}]),
        sealed(role="assistant", tool_calls=(SealedCall(id="c1", name="pay", arguments={"to": "ñ"}),)),
        sealed(role="tool", content="done", tool_call_id="c1", name="pay"),
    ]
    tools = [
        ToolSpec(name="pay", description="Pay.", parameters={"type": "object", "properties": {}}),
        ToolSpec(name="x"),
    ]
    body = request(messages, tools, {"temperature": 0, "model": "other", "messages": []}, stream=True)
    assert body == {
        "temperature": 0,
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": [{"type": "text", "text": "Pay [IBAN_CODE_K7Q2MXB4]"}]},
            {"role": "assistant", "content": None, "tool_calls": [call('{"to": "ñ"}')]},
            {"role": "tool", "content": "done", "tool_call_id": "c1"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "pay",
                    "description": "Pay.",
                    "parameters": {"type": "object", "properties": {}},
                },
            },
            {
                "type": "function",
                "function": {"name": "x", "description": "", "parameters": {"type": "object", "properties": {}}},
            },
        ],
        "stream": True,
    }
    assert set(request([], [], {}, stream=False)) == {"model", "messages"}


def test_lone_surrogates_do_not_stop_a_request() -> None:
    messages = [
        sealed(role="user", content="a\ud800b"),
        sealed(role="assistant", tool_calls=(SealedCall(id="c1", name="pay", arguments={"to": "\udc00"}),)),
    ]
    sent = request(messages, [], {}, stream=False)["messages"]
    assert sent[0]["content"] == "a?b"
    assert sent[1]["tool_calls"] == [call('{"to": "?"}')]


def told(message: AIMessage) -> tuple[object, list[tuple[str, str, dict[str, Any]]]]:
    return message.content, [(call.id, call.name, call.arguments) for call in message.tool_calls]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"content": "hello"}, ("hello", [])),
        ({"content": None}, ("", [])),
        ({}, ("", [])),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, ("ab", [])),
        ({"content": None, "refusal": "no"}, ("no", [])),
        ({"content": "", "tool_calls": [call('{"a": [1, null]}')]}, ("", [("c1", "pay", {"a": [1, None]})])),
        ({"tool_calls": [call({"a": 1})]}, ("", [("c1", "pay", {"a": 1})])),
        ({"tool_calls": [call("")]}, ("", [("c1", "pay", {})])),
        ({"tool_calls": None, "content": "x"}, ("x", [])),
    ],
)
def test_answers(message: dict[str, Any], expected: object) -> None:
    assert told(read_answer(response(**message))) == expected


def test_a_call_without_an_id_gets_one() -> None:
    first, second = read_answer(response(tool_calls=[call(id=None), call(id="")])).tool_calls
    assert first.id.startswith("call_")
    assert first.id != second.id


NONSENSE = [
    b"",
    b"null",
    b"[]",
    b"<html>canary-7f3a91</html>",
    b"\xff\xfe\x00",
    b'{"choices": []}',
    b'{"choices": {}}',
    b'{"choices": ["canary-7f3a91"]}',
    b'{"choices": [{"message": "canary-7f3a91"}]}',
    b'{"error": {"message": "canary-7f3a91"}}',
    b'{"choices": [{"message": {"content": NaN}}]}',
    b"[" * 100_000,
    response(content=5),
    response(content=[CANARY]),
    response(tool_calls="canary-7f3a91"),
    response(tool_calls=[CANARY]),
    response(tool_calls=[{"id": "c1"}]),
    response(tool_calls=[call("not json canary-7f3a91")]),
    response(tool_calls=[call('["canary-7f3a91"]')]),
    response(tool_calls=[call('"canary-7f3a91"')]),
    response(tool_calls=[call('{"a": Infinity}')]),
    response(tool_calls=[call('{"a": ')]),
    response(tool_calls=[call(5)]),
    response(tool_calls=[call(name=None)]),
    response(tool_calls=[call(name="x" * 65)]),
    response(tool_calls=[call(id="x" * 129)]),
    response(tool_calls=[call(id=5)]),
    response(tool_calls=[call(id="\ud800")]),
    response(tool_calls=[call(name="a\nb")]),
    response(tool_calls=[call()] * (MAX_CALLS + 1)),
]


@pytest.mark.parametrize("body", NONSENSE)
def test_nonsense_is_refused_without_quoting_it(body: bytes) -> None:
    with pytest.raises(ModelFailed) as failed:
        read_answer(body)
    assert CANARY not in repr(failed.value)
    assert failed.value.__cause__ is None
    assert failed.value.__context__ is None


keys = st.sampled_from(["choices", "message", "content", "tool_calls", "function", "arguments", "x"])
bodies = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
).map(lambda value: json.dumps(value).encode())


@settings(max_examples=100)
@given(st.binary(max_size=200) | bodies)
def test_any_body_is_an_answer_or_a_model_failure(body: bytes) -> None:
    try:
        answer = read_answer(body)
    except ModelFailed:
        return
    assert isinstance(answer, AIMessage)


def chunk(finish: str | None = None, **delta: Any) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def test_a_streamed_answer_is_put_together() -> None:
    answer = StreamedAnswer()
    pieces = [
        chunk(role="assistant", content=""),
        chunk(content="Hel"),
        chunk(content="lo"),
        chunk(tool_calls=[{"index": 1, "id": "c2", "function": {"name": "send", "arguments": ""}}]),
        chunk(tool_calls=[{"index": 0, "id": "c1", "function": {"name": "pay", "arguments": '{"am'}}]),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": 'ount": 1}'}}, {"index": 1}]),
        chunk("tool_calls"),
        json.dumps({"choices": [], "usage": {"total_tokens": 5}}),
    ]
    assert [answer.feed(piece) for piece in pieces] == ["", "Hel", "lo", "", "", "", "", ""]
    assert told(answer.finish()) == ("Hello", [("c1", "pay", {"amount": 1}), ("c2", "send", {})])


def test_calls_whose_server_does_not_number_them() -> None:
    answer = StreamedAnswer()
    for call in (
        {"id": "c1", "function": {"name": "pay", "arguments": '{"am'}},
        {"function": {"arguments": 'ount": 1}'}},
        {"id": "c2", "function": {"name": "send", "arguments": "{}"}},
    ):
        answer.feed(chunk(tool_calls=[call]))
    answer.feed(chunk("tool_calls"))
    assert told(answer.finish()) == ("", [("c1", "pay", {"amount": 1}), ("c2", "send", {})])


def test_a_refusal_is_what_the_model_said() -> None:
    answer = StreamedAnswer()
    assert [answer.feed(piece) for piece in (chunk(refusal="I can"), chunk("stop", refusal="not."))] == [
        "I can",
        "not.",
    ]
    assert told(answer.finish()) == ("I cannot.", [])


def test_a_stream_that_breaks_off_is_no_answer() -> None:
    answer = StreamedAnswer()
    answer.feed(chunk(content="half"))
    with pytest.raises(ModelFailed):
        answer.finish()


@pytest.mark.parametrize(
    "data",
    [
        "canary-7f3a91",
        '{"error": {"message": "canary-7f3a91"}}',
        '{"choices": ["canary-7f3a91"]}',
        chunk(content={"a": CANARY}),
        chunk(tool_calls=[{"index": MAX_CALLS, "id": CANARY}]),
        chunk(tool_calls=[{"index": -1}]),
        chunk(tool_calls=[{"index": True}]),
        chunk(tool_calls=[CANARY]),
        chunk(tool_calls=5),
    ],
)
def test_a_stream_of_nonsense_is_refused_without_quoting_it(data: str) -> None:
    with pytest.raises(ModelFailed) as failed:
        StreamedAnswer().feed(data)
    assert CANARY not in repr(failed.value)
    assert failed.value.__context__ is None
