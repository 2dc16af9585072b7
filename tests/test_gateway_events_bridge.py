from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence

import pytest

from sealgate.gateway.events import sse
from sealgate.gateway.events.bridge import EventBridge
from sealgate.gateway.events.normalize import normalize_stream
from sealgate.models.errors import InvalidInput
from sealgate.models.events import AppEvent, ErrorDescriptor, ToolDescriptor
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import Built, LiveValue, SealRequest
from sealgate.models.secretvalue import SecretValue

CARD = "4929-1182-3345-9921"
CARD_TOKEN = "[CREDIT_CARD_K7Q2MXB4]"


class Sealed:
    """A sealer that holds what a test puts in, and rebuilds its matcher when that changes."""

    def __init__(self, *values: LiveValue) -> None:
        self.values = list(values)
        self._built: dict[object, tuple[int, object]] = {}

    def seal(self, requests: Sequence[SealRequest]) -> list[Placeholder]:
        raise NotImplementedError

    def match(self, build: Callable[[Sequence[LiveValue]], Built]) -> Built:
        count, built = self._built.get(build, (-1, None))
        if count != len(self.values):
            built = build(tuple(self.values))
            self._built[build] = (len(self.values), built)
        return built  # type: ignore[return-value]  # stored under the function that built it


def live(text: str, entity_type: str, code: str) -> LiveValue:
    return LiveValue(SecretValue(text), Placeholder(entity_type, code), (entity_type,))


def card() -> LiveValue:
    return live(CARD, "CREDIT_CARD", "K7Q2MXB4")


def bridge(*values: LiveValue, **options: object) -> EventBridge:
    return EventBridge("s1", sealer=Sealed(*values), clock=lambda: 7.0, **options)  # type: ignore[arg-type]  # as given


async def frames(source: EventBridge, cursor: str | int | None = None) -> list[str]:
    """All frames of a bridge that was closed."""
    return [frame async for frame in source.generate_sse(cursor)]


def bodies(found: list[str]) -> list[dict[str, object]]:
    return [json.loads(line[6:]) for frame in found for line in frame.splitlines() if line.startswith("data: ")]


def test_an_emitted_event_is_numbered_stamped_and_scrubbed() -> None:
    watched = bridge(card())
    first = watched.emit("tool.completed", {"result": f"charged {CARD}"})
    second = watched.emit("status")
    assert (first.id, first.session_id, first.timestamp) == (1, "s1", 7.0)
    assert first.data == {"result": f"charged {CARD_TOKEN}"}
    assert second.id == 2


def test_an_unknown_type_is_refused_without_quoting_it() -> None:
    with pytest.raises(InvalidInput) as caught:
        bridge(card()).emit(CARD, {})
    assert CARD not in str(caught.value)


def test_what_the_gateway_wrote_is_left_alone() -> None:
    pin = live("4821", "PIN", "B7Q2MXB4")
    tool = ToolDescriptor(id="call-4821", name="pay-4821", status="completed", args={"pin": "4821"}, result="4821")
    published = bridge(pin).publish(AppEvent(type="tool.completed", turn_id="t-4821", tool=tool))
    assert published.tool is not None
    assert (published.tool.id, published.tool.name, published.turn_id) == ("call-4821", "pay-4821", "t-4821")
    assert published.tool.args == {"pin": "[PIN_B7Q2MXB4]"}
    assert published.tool.result == "[PIN_B7Q2MXB4]"


FOREIGN: dict[str, dict[str, object]] = {
    "tool": {"type": "tool.started", "tool": {"id": CARD, "name": f"pay {CARD}", "args": {"a": CARD}}},
    "turn": {"type": "status", "turn_id": f"turn-{CARD}", "message": CARD, "message_id": CARD},
    "error": {"type": "error", "error": {"code": f"refused_{CARD}", "message": CARD}},
    "interrupt": {"type": "interrupt.requested", "interrupt": {"id": CARD, "tool_name": CARD, "arg_name": f"a-{CARD}"}},
    "chunk": {"type": "assistant.chunk", "text": "hello", "turn_id": CARD, "message_id": CARD},
    "spelled": {"type": "tool.failed", "tool": {"id": " ".join(CARD), "name": CARD.encode().hex()}},
    "ours": AppEvent(type="error", turn_id=CARD, error=ErrorDescriptor(code=CARD, message="no")).model_dump(),
}


def test_a_value_that_is_sealed_later_is_taken_out_of_names_in_the_history() -> None:
    sealer = Sealed()
    watched = EventBridge("s1", sealer=sealer)
    for event in normalize_stream([FOREIGN["tool"]]):
        watched.publish(event)
    assert CARD in watched.history()[0].model_dump_json()
    sealer.values.append(card())
    assert CARD not in watched.history()[0].model_dump_json()


@pytest.mark.parametrize("name", FOREIGN)
def test_another_producers_identifiers_and_names_show_no_value(name: str) -> None:
    watched = bridge(card())
    for event in normalize_stream([FOREIGN[name]]):
        watched.publish(event)
    watched.emit("final")
    shown = "".join(event.model_dump_json() for event in watched.history())
    assert len(watched.history()) == 2
    assert all(spelled not in shown for spelled in (CARD, " ".join(CARD), CARD.encode().hex()))


def test_history_is_filtered_again_at_what_is_known_now() -> None:
    sealer = Sealed()
    watched = EventBridge("s1", sealer=sealer)
    watched.emit("status", {"note": CARD})
    assert watched.history()[0].data == {"note": CARD}
    sealer.values.append(card())
    assert watched.history()[0].data == {"note": CARD_TOKEN}


async def test_replay_equals_live_and_starts_after_the_cursor() -> None:
    watched = bridge(card())
    seen: list[str] = []

    async def watch() -> None:
        seen.extend([frame async for frame in watched.generate_sse()])

    task = asyncio.create_task(watch())
    for number in range(5):
        watched.emit("status", {"n": number, "card": CARD})
        await asyncio.sleep(0)
    watched.close()
    await task
    assert await frames(watched) == seen
    assert await frames(watched, "3") == seen[:1] + seen[4:]


@pytest.mark.parametrize("cursor", ["99", "-1", "abc", CARD, "1" * 40, 99])
async def test_an_unknown_cursor_gives_one_resync(cursor: str | int) -> None:
    watched = bridge()
    watched.emit("status", {"n": 1})
    watched.close()
    found = await frames(watched, cursor)
    assert [body["type"] for body in bodies(found)] == ["resync", "status"]
    assert all(CARD not in frame for frame in found)


async def test_an_evicted_cursor_gives_one_resync_and_what_is_held() -> None:
    watched = bridge(max_history=2)
    for number in range(5):
        watched.emit("status", {"n": number})
    watched.close()
    found = bodies(await frames(watched, 1))
    assert [body["type"] for body in found] == ["resync", "status", "status"]
    assert found[0]["oldest"] == 4


async def test_silence_is_filled_with_comments() -> None:
    watched = bridge(heartbeat=0.01)
    stream = watched.generate_sse()
    assert (await anext(stream)).startswith("retry: ")
    assert (await anext(stream)).startswith(":")


async def test_a_cancelled_subscriber_leaves_nothing_behind() -> None:
    watched = bridge()

    async def watch() -> None:
        async for _ in watched.generate_sse():
            pass

    task = asyncio.create_task(watch())
    await asyncio.sleep(0.01)
    assert len(watched._log._bells) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(watched._log._bells) == 0


async def test_every_subscriber_gets_every_event_of_every_thread() -> None:
    watched = bridge(card())
    tasks = [asyncio.create_task(frames(watched)) for _ in range(5)]
    await asyncio.sleep(0.01)

    def work(name: int) -> None:
        for number in range(20):
            watched.emit("status", {"thread": name, "n": number})

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await asyncio.to_thread(thread.join)
    watched.close()
    found = [bodies(await task) for task in tasks]
    assert [body["id"] for body in found[0]] == list(range(1, 81))
    assert all(other == found[0] for other in found)


def test_a_blocking_subscriber_gets_what_another_thread_emits() -> None:
    watched = bridge()

    def work() -> None:
        for number in range(3):
            watched.emit("status", {"n": number})
        watched.close()

    worker = threading.Thread(target=work)
    worker.start()
    assert [event.data["n"] for event in watched.subscribe()] == [0, 1, 2]
    worker.join()


def test_after_close_nothing_is_sent() -> None:
    watched = bridge()
    watched.close()
    assert watched.emit("status").id == 0
    assert watched.history() == []


@pytest.mark.parametrize("options", [{"audience": "public"}, {"slow": "x"}, {"max_history": 0}, {"heartbeat": 0.0}])
def test_parameters_are_checked(options: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        bridge(**options)


@pytest.mark.parametrize("audience", ["frontend_safe", "internal"])
def test_no_audience_sees_a_sealed_value_and_only_one_sees_internal_fields(audience: str) -> None:
    data = {"traceback": f"File x, {CARD}", "private_data": {"card": CARD, "other": "unsealed"}}
    event = bridge(card(), audience=audience).emit("error", data)
    assert CARD not in event.model_dump_json()
    assert ("unsealed" in event.model_dump_json()) == (audience == "internal")
    assert ("File x" in event.model_dump_json()) == (audience == "internal")


async def test_a_thousand_subscribers_get_the_same_frames() -> None:
    watched = bridge(card())
    tasks = [asyncio.create_task(frames(watched)) for _ in range(1000)]
    await asyncio.sleep(0)
    for number in range(5):
        watched.emit("status", {"n": number, "card": CARD})
    await asyncio.sleep(0)
    watched.close()
    found = await asyncio.gather(*tasks)
    assert len(found[0]) == 6
    assert all(other == found[0] for other in found)
    assert len(watched._log._bells) == 0


async def test_a_slow_subscriber_is_told_what_it_missed() -> None:
    watched = bridge(max_history=3)
    stream = watched.generate_sse()
    watched.emit("status", {"n": 0})
    taken = [await anext(stream), await anext(stream)]
    for number in range(1, 9):
        watched.emit("status", {"n": number})
    watched.close()
    rest = bodies([*taken, *[frame async for frame in stream]])
    assert [body["type"] for body in rest] == ["status", "resync", "status", "status", "status"]
    assert [body["id"] for body in rest if "id" in body] == [1, 7, 8, 9]


async def test_a_subscriber_that_reads_no_further_holds_few_events() -> None:
    """Not all that there was when it stopped: many of them would hold a history each."""
    watched = bridge(max_history=100)
    for number in range(100):
        watched.emit("status", {"n": number})
    stream = watched.generate_sse()
    await anext(stream)
    await anext(stream)
    for number in range(200):
        watched.emit("status", {"n": number})
    watched.close()
    rest = bodies([frame async for frame in stream])
    missed = [body["type"] for body in rest].index("resync")
    assert missed < 50
    assert [body["id"] for body in rest[missed + 1 :]] == list(range(201, 301))
    assert (rest[missed]["oldest"], rest[missed]["last"]) == (201, 300)


async def test_or_is_disconnected_and_comes_back() -> None:
    watched = bridge(max_history=3, slow="close")
    stream = watched.generate_sse()
    watched.emit("status")
    await anext(stream)
    await anext(stream)
    for _ in range(5):
        watched.emit("status")
    assert [frame async for frame in stream] == []
    watched.close()
    assert [body["type"] for body in bodies(await frames(watched, "1"))] == ["resync", *["status"] * 3]


async def test_a_reconnecting_subscriber_misses_nothing_and_sees_nothing_twice() -> None:
    watched = bridge()
    seen: list[object] = []
    cursor: str | None = None
    for number in range(12):
        watched.emit("status", {"n": number})
        if number % 3 == 2:
            stream = watched.generate_sse(cursor)
            await anext(stream)
            for _ in range(3):
                frame = await anext(stream)
                cursor = frame.splitlines()[0].removeprefix("id: ")
                seen += [body["id"] for body in bodies([frame])]
            await stream.aclose()  # type: ignore[attr-defined]  # an asynchronous generator
    assert seen == list(range(1, 13))


def test_a_loop_that_is_gone_hinders_nobody() -> None:
    """A subscriber whose loop was stopped and closed without a word."""
    watched = bridge()
    loop = asyncio.new_event_loop()
    stream = watched.generate_sse()
    loop.run_until_complete(anext(stream))

    async def wait() -> str:
        return await anext(stream)

    waiting = loop.create_task(wait())
    loop.run_until_complete(asyncio.sleep(0.01))
    waiting.cancel()
    loop.close()
    assert watched.emit("status").id == 1
    watched.close()


def test_distinct_interrupts_with_one_prompt_stay_distinct() -> None:
    watched = bridge()
    for number in range(3):
        watched.emit("interrupt.requested", {"interrupt": {"id": f"i{number}", "prompt": "Code?", "arg_name": "code"}})
    assert [event.interrupt.id for event in watched.history() if event.interrupt] == ["i0", "i1", "i2"]


def test_nothing_is_sent_twice() -> None:
    watched = bridge()
    tool = {"id": "c1", "name": "pay", "status": "completed", "args": {"a": "argument"}, "result": "outcome"}
    watched.emit("tool.completed", {"tool": tool, "text": "sentence", "more": "remark"})
    frame = sse.encode(watched.history()[0])
    assert [frame.count(word) for word in ("argument", "outcome", "sentence", "remark")] == [1, 1, 1, 1]


def test_a_descriptor_that_does_not_fit_stays_as_data() -> None:
    event = bridge().emit("tool.completed", {"tool": "pay", "error": {"reason": "x"}, "interrupt": {"prompt": "no id"}})
    assert event.data == {"tool": "pay", "error": {"reason": "x"}, "interrupt": {"prompt": "no id"}}


def test_a_frame_is_three_lines_whatever_it_holds() -> None:
    text = "line\nbreak\r\nid: 7\n\ndata: forged\u2028\u2029\x85\x00 é \ud83d"
    frame = sse.encode(bridge().emit("status", {"text": text}))
    assert frame.isascii()
    assert [line.split(": ")[0] for line in frame.splitlines()] == ["id", "event", "data", ""]
    assert json.loads(frame.splitlines()[2][6:])["text"] == text


def test_nothing_of_a_value_shows_in_what_a_bridge_raises_or_prints(
    caplog: pytest.LogCaptureFixture, recwarn: pytest.WarningsRecorder
) -> None:
    watched = bridge(card())
    with pytest.raises(InvalidInput) as caught:
        watched.emit("status", [CARD])  # type: ignore[arg-type]  # what is tested
    watched.emit("tool.failed", {"tool": {"id": CARD, "name": 3, CARD: CARD}, "error": {"code": [CARD]}})
    shown = "".join((repr(watched), str(watched), repr(caught.value), str(caught.value.__context__), caplog.text))
    assert CARD not in shown
    assert len(recwarn) == 0


async def test_a_value_sealed_after_its_chunks_left_is_gone_from_every_replay() -> None:
    sealer = Sealed()
    watched = EventBridge("s1", sealer=sealer)
    for piece in (
        f"the card {CARD[:9]}",
        f"{CARD[9:]} was charged, and ",
        "then there is a lot more to say about it " * 3,
    ):
        watched.emit("assistant.chunk", {"text": piece, "index": 1})
    watched.emit("status", {"note": "unrelated"})
    before = "".join(event.text or "" for event in watched.history())
    assert CARD in before
    sealer.values.append(card())
    watched.close()
    after = "".join(event.text or "" for event in watched.history())
    assert after.startswith(before.replace(CARD, CARD_TOKEN))
    replayed = "".join(str(body.get("text", "")) for body in bodies(await frames(watched)))
    assert replayed == after
