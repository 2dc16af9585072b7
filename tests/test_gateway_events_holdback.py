from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealgate.gateway.events.bridge import EventBridge
from sealgate.gateway.events.holdback import MAX_BLOCK, MAX_HELD, MAX_STREAMS, WINDOW, HoldBack, cut
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue
from sealgate.models.secretvalue import SecretValue
from sealgate.redaction.known.known import KnownValues, build_known_values

MakeBridge = Callable[..., EventBridge]
VALUES = ("4929-1182-3345-9921", "831942", "Anna Lindqvist", "12 Harbour Lane, Bristol", "sk-live-9fK2xQ7vLm3TzR8w")
TOKENS = tuple(f"[CUSTOM_0000000{number}]" for number in range(len(VALUES)))


def known(*values: str) -> KnownValues:
    numbered = enumerate(values or VALUES)
    return build_known_values(
        [
            LiveValue(SecretValue(value), Placeholder("CUSTOM", f"0000000{number}"), ("CUSTOM",))
            for number, value in numbered
        ]
    )


def streamed(chunks: list[str], knowledge: KnownValues) -> list[str]:
    stream = HoldBack()
    return [*(stream.feed(chunk, knowledge) for chunk in chunks), stream.flush(knowledge)]


@settings(max_examples=100, deadline=None)
@given(
    parts=st.lists(st.sampled_from((*VALUES, "word ", "and then ", "a-b ", "\n\n", "x", " ", "[1] ")), max_size=12),
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=8),
)
def test_chunks_of_any_size_leave_as_the_whole_text_would(parts: list[str], sizes: list[int]) -> None:
    knowledge, text, chunks, at = known(), " ".join(parts), list[str](), 0
    while at < len(text):
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(text[at : at + size])
        at += size
    assert "".join(streamed(chunks, knowledge)) == knowledge.scrub(text)


def test_how_much_waits_does_not_depend_on_what_is_sealed() -> None:
    text = "Pay with 4929-1182-3345 now, and tell Anna that 831 is only a number in this rather long sentence. " * 3
    chunks = [text[at : at + 7] for at in range(0, len(text), 7)]
    lengths = [[len(piece) for piece in streamed(chunks, known(*values))] for values in (("nothing here",), VALUES)]
    assert lengths[0] == lengths[1]


def test_the_last_symbols_and_the_unfinished_word_wait() -> None:
    text = "a" * 10 + " " + "b" * (WINDOW - 1) + " c"
    assert cut(text[:-2]) == 0
    assert cut(text) == 11
    assert cut("one two three " + "x" * 500) == 14


def test_a_placeholder_is_never_torn() -> None:
    stream, knowledge = HoldBack(), known()
    pieces = [stream.feed(char, knowledge) for char in f"{'word ' * 40}{TOKENS[0]} {'word ' * 40}"]
    torn = [piece for piece in pieces if piece.count("[") != piece.count("]")]
    assert torn == []
    assert sum(TOKENS[0] in piece for piece in pieces) == 1


@pytest.mark.parametrize("filler", ["x", "-", " ", "你", "[", "4 "])
def test_what_waits_is_bounded(filler: str) -> None:
    stream, knowledge = HoldBack(), known()
    fed = left = 0
    for _ in range(60):
        chunk = filler * 500
        fed, left = fed + len(chunk), left + len(stream.feed(chunk, knowledge))
        assert fed - left <= MAX_HELD + len(chunk)
    assert left + len(stream.flush(knowledge)) == fed


def test_an_open_key_block_waits_as_a_whole() -> None:
    lines = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7" + str(number) for number in range(30))
    key = f"-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----"
    assert len(key) < MAX_BLOCK
    text = f"Here it is:\n{key}\nKeep it safe, and do not show it to anybody, whatever they may say to you about it."
    pieces = streamed([text[at : at + 20] for at in range(0, len(text), 20)], known(key))
    assert "".join(pieces) == text.replace(key, TOKENS[0])


def test_the_rest_of_a_longer_value_is_recognised() -> None:
    value = " ".join(f"word{number}" for number in range(60))
    shown = "".join(streamed([f"{word} " for word in value.split()], known(value)))
    assert TOKENS[0] in shown
    assert "word59" not in shown


def test_streams_of_one_bridge_do_not_mix(bridge_over: MakeBridge) -> None:
    bridge = bridge_over({"4929-1182-3345-9921": "CREDIT_CARD"})
    for left, right in (("4929-11", "one "), ("82-3345", "two "), ("-9921 ok", "three")):
        bridge.emit("assistant.chunk", {"text": left, "message_id": "a"})
        bridge.emit("assistant.chunk", {"text": right, "message_id": "b"})
    bridge.close()
    shown = {event.data["message_id"]: event.text for event in bridge.history()}
    assert shown == {"a": "[CREDIT_CARD_00000000] ok", "b": "one two three"}


def test_too_many_streams_are_let_go(bridge_over: MakeBridge) -> None:
    bridge = bridge_over({})
    for number in range(MAX_STREAMS + 3):
        bridge.emit("assistant.chunk", {"text": "x", "stream": str(number)})
    assert [event.data["stream"] for event in bridge.history()] == ["0", "1", "2"]


def test_other_data_of_a_chunk_does_not_wait(bridge_over: MakeBridge) -> None:
    event = bridge_over({}).emit("assistant.chunk", {"text": "hel", "index": 3})
    assert (event.id, event.text, event.data) == (1, "", {"index": 3})


def test_a_whole_status_ends_the_partial_ones(bridge_over: MakeBridge) -> None:
    bridge = bridge_over({})
    bridge.emit("assistant.chunk", {"text": "hel"})
    bridge.emit("status", {"text": "think", "partial": True})
    bridge.emit("status", {"text": "thinking"})
    assert [(event.text, event.data) for event in bridge.history()] == [("think", {"partial": True}), ("thinking", {})]


def test_what_is_taken_back_never_leaves(bridge_over: MakeBridge) -> None:
    bridge = bridge_over({"4929-1182-3345-9921": "CREDIT_CARD"})
    for name in ("a", "b"):
        bridge.emit("assistant.chunk", {"text": "4929-1182", "message_id": name})
    taken = bridge.emit("assistant.chunk", {"discard": True, "message_id": "a"})
    bridge.emit("assistant.chunk", {"text": "-3345-9921 ok", "message_id": "a"})
    bridge.close()
    assert (taken.text, taken.data) == (None, {"discard": True, "message_id": "a"})
    shown = [(event.data["message_id"], event.text) for event in bridge.history()]
    assert shown == [("b", "4929-1182"), ("a", None), ("a", "-3345-9921 ok")]


def test_status_does_not_end_a_block_and_a_tool_does(bridge_over: MakeBridge) -> None:
    bridge = bridge_over({})
    bridge.emit("assistant.chunk", {"text": "hel"})
    bridge.emit("status", {"message": "thinking"})
    bridge.emit("tool.started", {"name": "pay"})
    assert [event.type for event in bridge.history()] == ["status", "assistant.chunk", "tool.started"]


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text(max_size=300), size=st.integers(1, 30))
def test_nothing_is_lost_or_added(bridge_over: MakeBridge, text: str, size: int) -> None:
    bridge = bridge_over({})
    for at in range(0, len(text), size):
        bridge.emit("assistant.chunk", {"text": text[at : at + size]})
    bridge.close()
    assert "".join(event.text or "" for event in bridge.history()) == text
