"""What has to arrive exactly as it was sent, while values are sealed that resemble it."""

from __future__ import annotations

import base64
import datetime
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealgate.gateway.events import sse
from sealgate.gateway.events.bridge import EventBridge

SEALED = {
    "4929-1182-3345-9921": "CREDIT_CARD",
    "831942": "OTP_CODE",
    "4821": "PIN",
    "123": "CVV",
    "jane.roe+vault@example.org": "EMAIL_ADDRESS",
    "DE44 5001 0517 5407 3249 31": "IBAN_CODE",
    "Anna Lindqvist": "PERSON",
    "12 Harbour Lane, Bristol": "STREET_ADDRESS",
    "sk-live-9fK2xQ7vLm3TzR8w": "API_KEY",
    "73920461": "ACCOUNT_NUMBER",
}

MakeBridge = Callable[..., EventBridge]

HARMLESS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "words": {"text": "Your parcel is on its way.", "note": "left at the front desk"},
    "order number with the code inside": {"order": "ORD8319427"},
    "longer number with the code inside": {"order": 88319421, "ref": "0831942"},
    "number with the PIN inside": {"order": "A48210", "n": 148215},
    "number with the CVV inside": {"n": 31234, "s": "x1239"},
    "price": {"price": 19.99, "total": "1,234.56", "currency": "EUR"},
    "prices": {"prices": [4.82, 8.31, 12.3, 99]},
    "timestamp": {"at": "2026-11-30T12:34:56.789Z", "unix": 1796041296.25},
    "date": {"on": "2026-11-30", "from": "08:31", "until": "09:42"},
    "dates": {"days": ["2026-11-28", "2026-11-29", "2026-11-30"]},
    "uuid": {"id": "6f1ed002-ab59-4b8e-9f5c-1e2f83194a55"},
    "uuids": {"ids": ["00000000-0000-4000-8000-000000000001", "6f1ed002-ab59-4b8e-9f5c-1e2f83194a55"]},
    "commit": {"sha": "36e946d2b50541e19a941b87ad0b92a7058c06b4"},
    "sha256": {"digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
    "md5": {"digest": "098f6bcd4621d373cade4e832627b4f6"},
    "version": {"version": "2.14.4", "python": "3.11.7", "range": ">=2.11,<3"},
    "small numbers": {"scores": [1, 2, 3, 4, 5, 6, 7, 8, 9]},
    "three small numbers": {"rgb": [1, 2, 3]},
    "large list": {"series": list(range(124, 624))},
    "matrix": {"m": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]},
    "coordinates": {"lat": 51.4545, "lon": -2.5879},
    "booleans and null": {"a": True, "b": False, "c": None, "d": [None, True]},
    "empty containers": {"a": [], "b": {}, "c": "", "d": [[], {}]},
    "numeric edge": {"big": 2**63, "small": -(2**63), "tiny": 5e-324, "zero": 0, "minus": -0.0},
    "base64 of something else": {"blob": base64.b64encode(b"just some harmless text in here").decode()},
    "base64 of bytes": {"blob": base64.b64encode(bytes(range(256))).decode()},
    "png": {"image": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"},
    "jwt of somebody": {"token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyLTQyIn0.abcdefghijklmnopqrstuvwx"},
    "hex colours": {"fg": "#1a2b3c", "bg": "#ffffff"},
    "another card": {"card": "4111 1111 1111 1111", "masked": "**** **** **** 9921"},
    "last four": {"last4": "9921", "first6": "492911"},
    "another mail": {"mail": "john.roe@example.org", "domain": "example.org"},
    "same domain": {"mail": "vault@example.org"},
    "another IBAN": {"iban": "GB29 NWBK 6016 1331 9268 19"},
    "first name alone": {"name": "Anna", "company": "Sons & Lindqvist"},
    "another person": {"name": "Anna Lindgren", "city": "Bristol"},
    "part of the address": {"street": "Harbour Lane", "number": 12},
    "other account": {"account": "73920462", "sort": "73-92-05"},
    "key prefix": {"key": "sk-live-", "prefix": "sk"},
    "reversed PIN": {"year": "1284"},
    "reversed CVV": {"n": 321, "countdown": [3, 2, 1]},
    "url": {"href": "https://shop.example/orders?id=48219&page=2#top"},
    "percent": {"q": "caf%C3%A9%20au%20lait", "rate": "12%"},
    "html": {"body": "<p>Fish &amp; chips &#8211; &pound;9.50</p>"},
    "markdown": {"body": "# Title\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |"},
    "code": {"body": "def f(x: int) -> int:\n    return x * 0x1F + 0b101  # 1_000\n"},
    "JSON in text": {"body": json.dumps({"a": [1, 2, {"b": "c"}], "d": "é"})},
    "windows path": {"path": "C:\\new\\table\\x41.txt"},
    "regular expression": {"pattern": r"^\d{3}-\d{4}$|\x41|\u0041"},
    "log line": {"line": "2026-11-30 12:34:56,789 INFO [worker-3] took 482.1 ms (status=200)"},
    "stack of names": {"modules": ["os.path", "a.b.c", "json.decoder"]},
    "MAC and IP": {"mac": "00:1B:44:11:3A:B7", "ip": "192.0.2.123", "port": 8319},
    "IPv6": {"ip": "2001:db8::8a2e:370:7334"},
    "phone": {"phone": "+44 117 496 0999"},
    "isbn": {"isbn": "978-3-16-148410-0"},
    "chess": {"moves": "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"},
    "measurements": {"size": "48.21 x 83.19 cm", "weight": "4.821 kg"},
    "emoji": {"text": "done ✅ 👩‍👩‍👧", "flag": "🇸🇪"},
    "other scripts": {
        "zh": "您的订单已发货",
        "ar": "تم شحن طلبك",
        "ru": "Заказ отправлен",
        "ja": "ご注文は発送されました",
    },
    "combining": {"nfd": "Cafe\u0301", "nfc": "Café"},
    "zero width": {"text": "a\u200bb\u2060c\u00add"},
    "lone surrogate": {"text": "x\ud800y"},
    "control characters": {"text": "a\x00b\x1fc\x7f\u2028d"},
    "placeholder of the session": {"text": "Hello [PERSON_00000006], card [CREDIT_CARD_00000000]"},
    "placeholder of nobody": {"text": "[OTP_CODE_ZZZZZZZZ] and [PERSON_BCDFGHJK.9FD]"},
    "look-alike brackets": {"text": "[1] [2] [see below] [x](y)"},
    "odd keys": {"": 1, " ": 2, "a.b": 3, "a/b": 4, "ключ": 5, "123abc": 6},
    "deep": {"a": {"b": {"c": {"d": {"e": {"f": [{"g": "h"}]}}}}}},
    "table": {"rows": [{"id": n, "name": f"item {n}", "qty": n % 3} for n in range(30)]},
    "telemetry": {"input_tokens": 8319, "output_tokens": 421, "elapsed_ms": 482.25, "cost": 0.00123},
    "words that are digits": {"text": "eight three one nine"},
    "sequence": {"text": "1, 2, 5, 14, 42, 132, 429, 1430, 4862, 16796"},
    "field names": {"private": True, "locale": "en", "localsite": "x", "interrupts": 0, "exception": "none"},
}


@pytest.mark.parametrize("name", HARMLESS)
@pytest.mark.parametrize("audience", ["frontend_safe", "internal"])
def test_harmless_content_is_unchanged(bridge_over: MakeBridge, name: str, audience: str) -> None:
    sent = {"payload": HARMLESS[name]}
    event = bridge_over(SEALED, audience=audience).emit("tool.completed", sent)
    assert event.data == sent
    assert json.loads(sse.body(event))["data"] == sent


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_text_is_unchanged_in_a_message(bridge_over: MakeBridge, name: str) -> None:
    text = json.dumps(HARMLESS[name], ensure_ascii=False)
    assert bridge_over(SEALED).emit("assistant.message", {"text": text}).text == text


def test_there_are_enough_of_them() -> None:
    assert len(HARMLESS) >= 60


def test_a_token_that_equals_a_short_secret_is_the_exception(bridge_over: MakeBridge) -> None:
    event = bridge_over(SEALED).emit("status", {"order": "831942", "n": 4821, "text": "gate 123"})
    assert event.data == {"order": "[OTP_CODE_00000001]", "n": "[PIN_00000002]"}
    assert event.text == "gate [CVV_00000003]"


def test_types_that_json_lacks_arrive_as_their_text(bridge_over: MakeBridge) -> None:
    day = datetime.date(2026, 11, 30)
    event = bridge_over(SEALED).emit("status", {"day": day, "pair": (1, 2), "infinite": float("inf"), "raw": b"\xff"})
    assert event.data == {"day": "2026-11-30", "pair": [1, 2], "infinite": "<float>", "raw": "<bytes>"}


LETTERS = st.text(alphabet="ghijkmnopqstuvwxyz äöü.,-\n", max_size=40)
SCALARS = st.none() | st.booleans() | LETTERS | st.floats(allow_nan=False, allow_infinity=False) | st.integers()
PAYLOADS = st.dictionaries(
    LETTERS,
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(LETTERS, inner)),
    max_size=5,
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(payload=PAYLOADS)
def test_any_payload_without_a_value_is_unchanged(bridge_over: MakeBridge, payload: dict[str, Any]) -> None:
    """With only values sealed that no number and none of these letters can spell."""
    sealed = {"Barbara Reed-Carter": "PERSON", "REF-ABC-DEF-9921": "CUSTOM"}
    assert bridge_over(sealed, audience="internal").emit("tool.completed", {"given": payload}).data == {
        "given": payload
    }
