"""A list of guesses shows nothing: what is decided does not depend on whether a guess is right."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway import Gateway, PrivateData, Session
from sealgate.models.guessing import MAX_GUESSES, compare
from sealgate.models.origins import MODEL
from sealgate.models.placeholder import STRICT, parse
from sealgate.models.sealing import LiveValue
from sealgate.models.secretvalue import secret_of
from sealgate.redaction.known.guesses import GuessShapes, MemoryCounter, guessed_spans, is_guessable, shape_of

PAGE = "tool:web"
SESSIONS = itertools.count()
STRICT_PIN = parse("[PIN_K7Q2MXB4]")
STRICT_NAME = parse("[PERSON_K7Q2MXB5]")


@pytest.mark.parametrize(
    ("known", "tokens", "admitted", "after"),
    [
        ([], ["1", "2", "3", "4"], 3, ["1", "2", "3"]),
        ([], ["1", "1", "2", "1", "3", "1"], 5, ["1", "2", "3"]),
        (["1"], ["2", "1"], 2, ["1", "2"]),
        (["1", "2", "3"], ["1"], 0, ["1", "2", "3"]),
        ([], [], 0, []),
    ],
)
def test_three_distinct_ones_and_then_nothing(
    known: list[str], tokens: list[str], admitted: int, after: list[str]
) -> None:
    assert compare(known, tokens) == admitted
    assert known == after
    assert len(known) <= MAX_GUESSES


def sealed_pin(gateway: Gateway, name: str, pin: str) -> tuple[Session, str]:
    session = gateway.session(name)
    return session, session.private_data.put(PrivateData(pin, name="pin", pii_type="PIN", ttl=3600.0))


def skeleton(text: str) -> str:
    return STRICT.sub(lambda found: f"<{found['type']}>", text)


@settings(max_examples=40, deadline=None)
@given(
    data=st.data(),
    tokens=st.lists(st.integers(0, 9999).map("{:04d}".format), min_size=4, max_size=12),
    joiner=st.sampled_from([" ", ", ", " or ", "; not ", "\n"]),
)
def test_beyond_the_third_a_right_guess_looks_like_a_wrong_one(
    shared_gateway: Gateway, data: st.DataObject, tokens: list[str], joiner: str
) -> None:
    compared: list[str] = []
    unseen = tokens[compare(compared, tokens) :]
    right = data.draw(st.sampled_from([one for one in unseen if one not in compared] or ["none"]))
    wrong = next(f"{number:04d}" for number in range(10_000) if f"{number:04d}" not in tokens)
    seen = []
    for pin in [right, wrong] if right != "none" else [wrong]:
        session, placeholder = sealed_pin(shared_gateway, f"guess-{next(SESSIONS)}", pin)
        text = session.redact(joiner.join(tokens), origin=PAGE).text
        assert placeholder not in text
        assert session.restore(text) == joiner.join(tokens)
        seen.append(skeleton(text))
    assert len(set(seen)) == 1


@pytest.mark.parametrize(
    "texts",
    [
        ["1111", "2222", "3333", "it is 4821"],
        ["1111 2222", '{"a": "3333"}', "4821"],
        ["1111 2222 3333 4821 5555"],
        ["MTExMQ== MjIyMg== MzMzMw== NDgyMQ=="],
        ["one one one one", "two two two two", "three three three three", "four eight two one"],
        ["1 1 1 1", "2-2-2-2", "3/3/3/3", "4 8 2 1"],
    ],
)
def test_over_texts_encodings_and_spellings(gateway: Gateway, texts: list[str]) -> None:
    session, placeholder = sealed_pin(gateway, "s", "4821")
    redacted = [
        session.redact(text, origin=origin).text for text, origin in zip(texts, [PAGE, MODEL] * 3, strict=False)
    ]
    assert placeholder not in "".join(redacted)
    assert "4821" not in "".join(redacted)


def test_a_right_guess_among_the_first_three_shows(gateway: Gateway) -> None:
    """The control: three guesses are what a bank gives, too."""
    session, placeholder = sealed_pin(gateway, "s", "4821")
    assert placeholder in session.redact("is it 4821?", origin=PAGE).text


def test_whoever_gave_it_may_repeat_it(gateway: Gateway) -> None:
    session, placeholder = sealed_pin(gateway, "s", "4821")
    assert session.redact("1111 2222 3333 4444, the pin is 4821").text.endswith(placeholder)


def test_numbers_keys_and_lists_in_json(gateway: Gateway) -> None:
    session, placeholder = sealed_pin(gateway, "s", "4821")
    value: Any = {"codes": [1000, 2000, 3000, 4000, 4821], "4821": "4821", "n": -4821}
    redacted = session.redact_json(value, origin=PAGE)
    assert placeholder not in str(redacted)
    assert "4821" not in str(redacted)
    assert session.restore_json(redacted) == value


def test_another_process_goes_on_counting(gateway: Gateway, tmp_path: Any) -> None:
    for number, text in enumerate(["1111", "2222 3333", "4821"]):
        with Gateway.open(tmp_path / "v.db", key=b"k" * 32) as opened:
            session = opened.session("s")
            if not number:
                session.private_data.put(PrivateData("4821", name="pin", pii_type="PIN", ttl=3600.0))
            shown = session.redact(text, origin=PAGE).text
    assert re.fullmatch(r"\[ID_NUMBER_\w+\]", shown)


def test_what_a_page_brought_before_shares_no_placeholder(gateway: Gateway) -> None:
    session = gateway.session("s")
    page = session.redact("Your verification code is 482913.", origin=PAGE).text
    placeholder = session.private_data.put(PrivateData("482913", name="otp_code"))
    assert placeholder not in page
    assert session.restore(page) == "Your verification code is 482913."
    assert session.redact("The code 482913 is wrong", origin="person").text == f"The code {placeholder} is wrong"


def test_the_shapes_say_nothing_but_shapes() -> None:
    assert shape_of("a1b22") == "a0a00"
    values = [
        LiveValue(secret_of("4821"), STRICT_PIN, ("PIN",)),
        LiveValue(secret_of("Jane"), STRICT_NAME, ("PERSON",)),
    ]
    shapes = GuessShapes(values)
    assert [(token.symbols, token.codes) for token in shapes.tokens("9999 jane 12 4821")] == [
        ("9999", frozenset({STRICT_PIN.code})),
        ("4821", frozenset({STRICT_PIN.code})),
    ]
    assert not GuessShapes(values[1:])
    assert "4821" not in repr(vars(type(shapes)))


def test_runs_are_one_span() -> None:
    shapes, counter = GuessShapes([LiveValue(secret_of("4821"), STRICT_PIN, ("PIN",))]), MemoryCounter()
    text = "0001 0002 0003 0004, 0005; 0006 and 0007"
    assert [text[start:end] for start, end in guessed_spans(text, shapes, counter)] == ["0004, 0005; 0006", "0007"]
    assert guessed_spans("none here", shapes, counter) == []


@pytest.mark.parametrize(
    ("value", "entity_type", "expected"),
    [
        ("482913", "OTP_CODE", True),
        ("48-29-13", "ACCOUNT_NUMBER", True),
        ("four eight two one", "PIN", True),
        ("Jane", "PERSON", False),
        ("4111111111111111", "CREDIT_CARD", False),
        ("AB12C", "CUSTOM", True),
    ],
)
def test_what_could_be_tried_out(value: str, entity_type: str, expected: bool) -> None:
    assert is_guessable(value, entity_type) is expected
