"""Every way to put a sealed value into an event, and what nobody may find on the wire afterwards."""

from __future__ import annotations

import base64
import codecs
import collections
import dataclasses
import decimal
import enum
import html
import json
import types
import urllib.parse
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, computed_field, field_serializer

from sealgate.gateway.cli.leakcheck import find_leaks
from sealgate.gateway.events import sse
from sealgate.gateway.events.bridge import EventBridge
from sealgate.models.messages import HumanMessage, PrivateData, ToolCall
from sealgate.models.secretvalue import SecretValue
from sealgate.redaction.reading.encodings import ENCODINGS

CARD, OTP, EMAIL = "4929-1182-3345-9921", "831942", "jane.roe+vault@example.org"
SECRETS = {CARD: "CREDIT_CARD", OTP: "OTP_CODE", EMAIL: "EMAIL_ADDRESS"}
KEPT = "kept-part-of-the-payload"

MakeBridge = Callable[..., EventBridge]


def wire(bridge: EventBridge) -> str:
    return "".join(sse.encode(event) for event in bridge.history())


def leaks(text: str) -> list[str]:
    found = find_leaks({"card": CARD, "otp": OTP, "email": EMAIL}, {"wire": text})
    return [str(leak) for leak in found.leaks]


POSITIONS: dict[str, Callable[[str], tuple[str, dict[str, Any]]]] = {
    "tool args": lambda s: ("tool.started", {"args": {"card": s}}),
    "tool args key": lambda s: ("tool.started", {"args": {s: "card"}}),
    "tool args nested": lambda s: ("tool.started", {"args": {"a": [{"b": {"c": [s]}}]}}),
    "tool result": lambda s: ("tool.completed", {"result": s}),
    "tool result in text": lambda s: ("tool.completed", {"result": f"charged {s}, thank you"}),
    "tool result list": lambda s: ("tool.completed", {"result": ["a", s, "b"]}),
    "tool result key": lambda s: ("tool.completed", {"result": {s: 1}}),
    "tool error": lambda s: ("tool.failed", {"error": f"card {s} declined"}),
    "tool error traceback": lambda s: ("tool.failed", {"error": f'Traceback:\n  File "x.py"\nValueError: {s}'}),
    "tool descriptor": lambda s: (
        "tool.started",
        {"tool": {"id": s, "name": s, "status": "started", "args": {"x": s}}},
    ),
    "tool name": lambda s: ("tool.started", {"name": s}),
    "tool id": lambda s: ("tool.started", {"id": s}),
    "system tool params": lambda s: ("tool.started", {"params": {"q": s}}),
    "system tool chunk": lambda s: ("status", {"chunk": {"text": s, "progress": 0.5}}),
    "system tool result": lambda s: ("tool.completed", {"output": {"result": s}}),
    "assignment task": lambda s: ("status", {"assignment": {"task": f"charge {s}"}}),
    "assignment result": lambda s: ("status", {"assignment": {"result": s}}),
    "assignment error": lambda s: ("status", {"assignment": {"error": s}}),
    "status": lambda s: ("status", {"message": s}),
    "status text": lambda s: ("status", {"text": s}),
    "assistant chunk": lambda s: ("assistant.chunk", {"text": s}),
    "assistant chunk delta": lambda s: ("assistant.chunk", {"delta": s}),
    "assistant message": lambda s: ("assistant.message", {"text": f"Your card {s} was charged."}),
    "restorations": lambda s: ("final", {"metadata": {"restorations": [{"path": "/a", "key": s}]}}),
    "interrupt prompt": lambda s: ("interrupt.requested", {"interrupt": {"id": "i", "prompt": f"Is {s} right?"}}),
    "interrupt choices": lambda s: ("interrupt.requested", {"interrupt": {"id": "i", "choices": [s, "other"]}}),
    "interrupt default": lambda s: ("interrupt.requested", {"interrupt": {"id": "i", "default": s}}),
    "interrupt id": lambda s: ("interrupt.requested", {"interrupt": {"id": s}}),
    "interrupt args": lambda s: (
        "interrupt.requested",
        {"interrupt": {"id": "i", "human": {"action_request": {"action": "pay", "args": {"c": s}}, "config": {}}}},
    ),
    "interrupt answer": lambda s: ("interrupt.resolved", {"answer": s}),
    "interrupt data": lambda s: ("interrupt.resolved", {"interrupt_data": {"otp": s}}),
    "enrichment message": lambda s: ("redaction.applied", {"enrichment": {"message": s}}),
    "enrichment memory": lambda s: ("redaction.applied", {"enrichment": {"memory": {"fact": s}}}),
    "added private data": lambda s: ("redaction.applied", {"redaction": {"added_private_data": {"k": s}}}),
    "matched known values": lambda s: ("redaction.applied", {"redaction": {"matched_known_pii_values": [s]}}),
    "final response": lambda s: ("final", {"response": s}),
    "final result": lambda s: ("final", {"output": {"result": {"card": s}}}),
    "token usage": lambda s: ("final", {"token_usage": {"model": s, "input": 3}}),
    "error message": lambda s: ("error", {"error": {"code": "x", "message": s}}),
    "error code": lambda s: ("error", {"error": {"code": s}}),
    "error details": lambda s: ("error", {"details": {"input": s}}),
    "error context": lambda s: ("error", {"context": [s]}),
    "hook error": lambda s: ("hook.fired", {"name": "audit", "error": s}),
    "session metadata": lambda s: ("session.started", {"session": {"metadata": {"user": s}}}),
    "private data": lambda s: ("status", {"private_data": {"card": s}}),
    "injected values": lambda s: ("tool.completed", {"result": {"private_data_injected": {"card": s}}}),
    "injected list": lambda s: ("tool.completed", {"result": {"private_data_injected": [s]}}),
    "injected text": lambda s: ("tool.completed", {"result": {"interrupt_data_injected": s}}),
    "injected keys": lambda s: ("tool.completed", {"result": {"private_data_injected": {s: "x"}}}),
    "injected four deep": lambda s: ("tool.completed", {"a": {"b": {"c": {"Private_Data_Injected": {"k": s}}}}}),
    "traceback": lambda s: ("error", {"traceback": f"File x\n{s}"}),
    "url": lambda s: ("status", {"href": f"https://shop.example/pay?card={s}&next=%2F"}),
    "json in text": lambda s: ("status", {"body": json.dumps({"card": s})}),
    "json in json in text": lambda s: ("status", {"body": json.dumps(json.dumps({"card": s}))}),
    "markdown": lambda s: ("status", {"body": f"| card | **{s}** |"}),
    "look-alike of a placeholder": lambda s: ("status", {"body": f"[CARD_{s}] [REF {s}]"}),
    "split over key and value": lambda s: ("status", {"parts": {s[:9]: s[9:]}}),
    "split over keys": lambda s: ("status", {"parts": {s[:9]: 1, s[9:]: 2}}),
    "split list": lambda s: ("status", {"parts": [s[:5], s[5:]]}),
    "one character an item": lambda s: ("status", {"parts": list(s)}),
    "one character a field": lambda s: ("status", {"parts": {f"k{n}": char for n, char in enumerate(s)}}),
    "one character an object": lambda s: ("status", {"parts": [{"at": n, "char": char} for n, char in enumerate(s)]}),
    "code points": lambda s: ("status", {"parts": [ord(char) for char in s]}),
    "pairs": lambda s: ("status", {"parts": [s[at : at + 2] for at in range(0, len(s), 2)]}),
    "split over fields": lambda s: ("status", {"first": s[:7], "second": s[7:]}),
}


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("audience", ["frontend_safe", "internal"])
def test_no_position_shows_a_value(bridge_over: MakeBridge, position: str, secret: str, audience: str) -> None:
    bridge = bridge_over(SECRETS, audience=audience)
    kind, data = POSITIONS[position](secret)
    bridge.emit(kind, {**data, "kept": KEPT})
    bridge.close()
    assert leaks(wire(bridge)) == []
    assert KEPT in wire(bridge)
    assert secret not in wire(bridge)


class Colour(enum.Enum):
    RED = CARD


class Level(enum.StrEnum):
    HIGH = CARD


class Point(NamedTuple):
    x: str
    y: int


@dataclasses.dataclass
class Order:
    card: str
    hidden: str = dataclasses.field(default=CARD, repr=False)


class Model(BaseModel):
    card: str = CARD


class Serialized(BaseModel):
    card: str = "x"

    @field_serializer("card")
    def _spell(self, value: str) -> str:
        return CARD


class Computed(BaseModel):
    @computed_field  # type: ignore[prop-decorator]  # pydantic's own idiom
    @property
    def card(self) -> str:
        return CARD


class WithPrivate(BaseModel):
    private: PrivateData = PrivateData(CARD, name="card")


class Talkative:
    def __str__(self) -> str:
        return CARD

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # as for any class with an equality of its own


class TalkativeText(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "hidden"


class Broken(dict[str, str]):
    def items(self) -> Any:
        raise ValueError(CARD)


def generator() -> Iterator[str]:
    yield CARD


async def agenerator() -> AsyncIterator[str]:
    yield CARD


def cycle() -> list[object]:
    found: list[object] = [CARD]
    found.append(found)
    return found


def deep() -> object:
    found: object = CARD
    for _ in range(200):
        found = [found]
    return found


OBJECTS: dict[str, Callable[[], object]] = {
    "bytes": CARD.encode,
    "bytearray": lambda: bytearray(CARD, "ascii"),
    "memoryview": lambda: memoryview(CARD.encode()),
    "UTF-16 bytes": lambda: CARD.encode("utf-16"),
    "binary with the value": lambda: b"\xff\xfe\x00" + CARD.encode(),
    "list of bytes": lambda: list(CARD.encode()),
    "tuple": lambda: (CARD,),
    "set": lambda: {CARD, "a"},
    "frozenset": lambda: frozenset((CARD,)),
    "set of characters": lambda: set(OTP),
    "deque": lambda: collections.deque([CARD]),
    "OrderedDict": lambda: collections.OrderedDict(card=CARD),
    "ChainMap": lambda: collections.ChainMap({"card": CARD}),
    "MappingProxy": lambda: types.MappingProxyType({"card": CARD}),
    "SimpleNamespace": lambda: types.SimpleNamespace(card=CARD),
    "UserString": lambda: collections.UserString(CARD),
    "UserDict": lambda: collections.UserDict({CARD: "x"}),
    "UserList": lambda: collections.UserList([CARD]),
    "namedtuple": lambda: Point(CARD, 1),
    "dataclass": lambda: Order(CARD),
    "enum": lambda: Colour.RED,
    "string enum": lambda: Level.HIGH,
    "model": Model,
    "model with a serializer": Serialized,
    "model with a computed field": Computed,
    "model with private data": WithPrivate,
    "private data": lambda: PrivateData(CARD, name="card"),
    "private data as a key": lambda: {"x": [PrivateData(CARD, label="card")]},
    "secret value": lambda: SecretValue(CARD),
    "raw message": lambda: HumanMessage(CARD),
    "raw call": lambda: ToolCall(id="c", name="pay", arguments={"card": CARD}),
    "exception": lambda: ValueError(CARD),
    "exception with a cause": lambda: RuntimeError("x", ValueError(CARD)),
    "exception class": lambda: type(CARD, (ValueError,), {}),
    "object": Talkative,
    "object as a key": lambda: {("a", CARD): 1},
    "string with its own str": lambda: TalkativeText(CARD),
    "mapping that raises": Broken,
    "generator": generator,
    "asynchronous generator": agenerator,
    "integer": lambda: int(CARD.replace("-", "")),
    "integer one-time code": lambda: int(OTP),
    "float one-time code": lambda: float(OTP),
    "negative": lambda: -int(OTP),
    "decimal": lambda: decimal.Decimal(CARD.replace("-", "")),
    "uuid": lambda: uuid.UUID(hex=CARD.replace("-", "") * 2),
    "integer as a key": lambda: {int(OTP): "x"},
    "function": lambda: lambda: CARD,
    "cycle": cycle,
    "deep nesting": deep,
    "lone surrogate": lambda: f"\ud800{CARD}\udfff",
    "zero bytes": lambda: "\0".join(CARD),
    "named object": type(OTP, (), {}),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_no_object_shows_a_value(bridge_over: MakeBridge, name: str) -> None:
    bridge = bridge_over(SECRETS)
    bridge.emit("tool.completed", {"result": OBJECTS[name](), "kept": KEPT})
    assert leaks(wire(bridge)) == []
    assert CARD.replace("-", "") not in wire(bridge)
    assert KEPT in wire(bridge)


def test_a_generator_is_not_consumed(bridge_over: MakeBridge) -> None:
    given = generator()
    bridge_over(SECRETS).emit("status", {"given": given})
    assert next(given) == CARD


IN_PLACE: dict[str, Callable[[str], tuple[str, dict[str, Any]]]] = {
    "alone": lambda s: ("tool.completed", {"result": s}),
    "in a sentence": lambda s: ("tool.completed", {"result": f"the value {s} was used"}),
    "in JSON text": lambda s: ("tool.completed", {"result": '{"value": "' + s + '", "n": 1}'}),
    "as a key": lambda s: ("tool.completed", {"result": {s: 1}}),
    "as a message": lambda s: ("assistant.message", {"text": f"({s})"}),
}


ENCODED = {
    f"{encoding.name} of {secret}": encoding.encode(secret)
    for encoding in ENCODINGS
    for secret in SECRETS
    if sum(char.isalnum() for char in secret) >= encoding.minimum
}


@pytest.mark.parametrize("name", ENCODED)
@pytest.mark.parametrize("place", IN_PLACE)
def test_no_listed_encoding_shows_a_value(bridge_over: MakeBridge, name: str, place: str) -> None:
    bridge = bridge_over(SECRETS)
    encoded = ENCODED[name]
    bridge.emit(*IN_PLACE[place](encoded))
    shown = wire(bridge)
    assert json.dumps(encoded)[1:-1] not in shown
    assert leaks(shown) == []


BY_HAND: dict[str, tuple[str, str]] = {
    "full-width digits": ("４９２９－１１８２－３３４５－９９２１", CARD),
    "Arabic digits": ("٤٩٢٩ ١١٨٢ ٣٣٤٥ ٩٩٢١", CARD),
    "Devanagari code": ("८३१९४२", OTP),
    "mathematical digits": ("𝟖𝟑𝟏𝟗𝟒𝟐", OTP),
    "dots": ("4929.1182.3345.9921", CARD),
    "no separators": ("4929118233459921", CARD),
    "odd separators": ("4929/1182_3345—9921", CARD),
    "line breaks": ("4929-1182\n3345-9921", CARD),
    "zero-width": ("4929\u200b1182\u200d3345\ufeff9921", CARD),
    "soft hyphens": ("83\u00ad19\u00ad42", OTP),
    "spaced code": ("8 3 1 9 4 2", OTP),
    "dotted code": ("8.3.1.9.4.2", OTP),
    "halves of a code": ("831-942", OTP),
    "upper case": ("JANE.ROE+VAULT@EXAMPLE.ORG", EMAIL),
    "base64": ("NDkyOS0xMTgyLTMzNDUtOTkyMQ==", CARD),
    "base64 in a sentence": ("see NDkyOS0xMTgyLTMzNDUtOTkyMQ there", CARD),
    "base64 of a code": ("ODMxOTQy", OTP),
    "base64 of a sentence": (base64.b64encode(b"your code is 831942.").decode(), OTP),
    "base64 over two lines": ("NDkyOS0xMTgy\nLTMzNDUtOTkyMQ==", CARD),
    "hex": ("343932392d313138322d333334352d39393231", CARD),
    "hex dump": ("34 39 32 39 2d 31 31 38 32 2d 33 33 34 35 2d 39 39 32 31", CARD),
    "hex of a code": ("383331393432", OTP),
    "percent": ("%34%39%32%39%2D%31%31%38%32%2d3345-9921", CARD),
    "percent mail": ("jane.roe%2Bvault%40example.org", EMAIL),
    "percent twice": ("jane.roe%252Bvault%2540example.org", EMAIL),
    "entities": ("&#52;929&#x2d;1182&hyphen;3345-9921", CARD),
    "commercial at": ("jane.roe&plus;vault&commat;example.org", EMAIL),
    "JSON escapes": ("\\u0034929-1182-3345-9921", CARD),
    "Python escapes": ("\\x34929-1182-3345-9921", CARD),
    "quoted-printable": ("jane.roe=2Bvault=40example.org", EMAIL),
    "reversed": ("1299-5433-2811-9294", CARD),
    "reversed code": ("249138", OTP),
    "ROT13": ("wnar.ebr+inhyg@rknzcyr.bet", EMAIL),
    "UTF-16 in JSON": (
        "4\\u00009\\u00002\\u00009\\u0000-\\u00001\\u00001\\u00008\\u00002\\u00003\\u0000345-9921",
        CARD,
    ),
    "hyphenated letters": ("j-a-n-e-.-r-o-e-+-v-a-u-l-t-@-e-x-a-m-p-l-e-.-o-r-g", EMAIL),
    "markup between": ("4929-**1182**-_3345_-`9921`", CARD),
    "base64 of percent": (base64.b64encode(urllib.parse.quote(EMAIL).encode()).decode(), EMAIL),
    "percent of base64": (urllib.parse.quote("NDkyOS0xMTgyLTMzNDUtOTkyMQ=="), CARD),
    "entities of ROT13": (html.escape(codecs.encode(f"<{EMAIL}>", "rot13")), EMAIL),
}
"""Written by hand or by others' encoders, beside the product's own table."""


@pytest.mark.parametrize("name", BY_HAND)
def test_no_spelling_written_by_hand_shows_a_value(bridge_over: MakeBridge, name: str) -> None:
    spelled, secret = BY_HAND[name]
    bridge = bridge_over({secret: "CUSTOM"})
    event = bridge.emit("tool.completed", {"result": f"Result: {spelled} (end)", "kept": KEPT})
    assert event.data["kept"] == KEPT
    assert event.data["result"].startswith("Result: ")
    assert event.data["result"].endswith(" (end)")
    assert spelled not in event.data["result"]
    assert "[CUSTOM_00000000]" in event.data["result"]
    assert leaks(wire(bridge)) == []


@pytest.mark.parametrize(
    ("kind", "more"),
    [("assistant.chunk", {}), ("status", {"partial": True}), ("assistant.chunk", {"tool_call_id": "call_1"})],
)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize("secret", SECRETS)
def test_no_chunks_of_any_size_show_a_value(
    bridge_over: MakeBridge, secret: str, size: int, kind: str, more: dict[str, Any]
) -> None:
    bridge = bridge_over(SECRETS)
    text = f"Of course. The value {secret} was used, and here is a sentence that goes on for a while after it."
    for at in range(0, len(text), size):
        bridge.emit(kind, {"text": text[at : at + size], **more})
    bridge.emit("assistant.message", {"text": "done"})
    shown = "".join(event.text or "" for event in bridge.history())
    assert leaks(shown + wire(bridge)) == []
    assert shown.startswith("Of course. The value [")
    assert shown.endswith("after it.done")


def test_every_split_of_two_chunks(bridge_over: MakeBridge) -> None:
    text = f"pay with {CARD} or {EMAIL}, code {OTP}."
    for at in range(1, len(text)):
        bridge = bridge_over(SECRETS)
        bridge.emit("assistant.chunk", {"text": text[:at]})
        bridge.emit("assistant.chunk", {"text": text[at:]})
        bridge.close()
        shown = "".join(event.text or "" for event in bridge.history())
        expected = "pay with [CREDIT_CARD_00000000] or [EMAIL_ADDRESS_00000002], code [OTP_CODE_00000001]."
        assert shown == expected


LONG = st.one_of(
    st.text(alphabet="0123456789", min_size=9, max_size=19).filter(lambda text: len(set(text)) > 3),
    st.from_regex(r"[a-z]{3,8}\.[a-z]{3,8}@[a-z]{4,9}\.(com|org)", fullmatch=True),
    st.from_regex(r"sk_(live|test)_[A-Za-z0-9]{16,24}", fullmatch=True),
    st.from_regex(r"[A-Z][a-z]{4,8} [A-Z][a-z]{5,9}", fullmatch=True),
)
SHORT = st.text(alphabet="0123456789", min_size=6, max_size=7).filter(lambda text: len(set(text)) > 3)
JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def buried(draw: st.DrawFn, text: str) -> Any:
    """The text somewhere in some JSON."""
    shape = draw(st.sampled_from(["value", "key", "sentence", "item", "both ends"]))
    around = draw(JSON)
    word = draw(st.sampled_from(["see", "é", "\u200b", "x=", "<b>", '{"a":']))
    made: dict[str, Any] = {
        "value": {"a": around, "b": text},
        "key": {text: around},
        "sentence": {"t": f"{word} {text} {word}"},
        "item": [around, text, around],
        "both ends": [text, around, text],
    }
    return made[shape]


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_no_reading_of_the_wire_holds_any_value(bridge_over: MakeBridge, data: st.DataObject) -> None:
    """Any payload, any sealed values, any listed encoding; read by a checker that shares nothing with the filter."""
    values = data.draw(st.lists(LONG | SHORT, min_size=1, max_size=4, unique=True))
    bridge = bridge_over(dict.fromkeys(values, "CUSTOM"))
    for value in values:
        symbols = sum(char.isalnum() for char in value)
        encoding = data.draw(st.sampled_from([row for row in ENCODINGS if row.minimum <= symbols]))
        payload = data.draw(st.composite(buried)(encoding.encode(value)))
        bridge.emit("tool.completed", {"payload": payload})
    found = find_leaks({f"value {number}": value for number, value in enumerate(values)}, {"wire": wire(bridge)})
    assert found.leaks == ()
