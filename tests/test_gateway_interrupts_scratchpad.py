from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from sealgate.gateway.interrupts.scratchpad import (
    MAX_PAUSES,
    GraphInterrupt,
    InterruptScratchpad,
    Pause,
    interrupt,
)
from sealgate.models.errors import (
    InterruptDiverged,
    InterruptError,
    InterruptSwallowed,
    InvalidAnswer,
    InvalidPolicy,
    LimitExceeded,
    NotJson,
)

CANARY = "canary-7f3a91"


def run(body: Callable[[], Any], *answered: Pause, **options: Any) -> tuple[InterruptScratchpad, Any]:
    """One run of a body: its scratchpad, and what it returned or the pause that it stopped at."""
    scratchpad = InterruptScratchpad(answered, **options)
    with scratchpad.running():
        try:
            outcome = body()
        except GraphInterrupt as pause:
            return scratchpad, pause
    scratchpad.finish()
    return scratchpad, outcome


@settings(max_examples=60)
@given(st.lists(st.tuples(st.text(max_size=5), st.integers() | st.text(max_size=5)), max_size=6))
def test_a_body_is_resumed_question_by_question(script: list[tuple[str, Any]]) -> None:
    runs: list[int] = []

    def body() -> list[Any]:
        runs.append(1)
        return [interrupt({"question": question}) for question, _ in script]

    answered: list[Pause] = []
    for ordinal, (question, answer) in enumerate(script):
        scratchpad, stopped = run(body, *answered)
        assert isinstance(stopped, GraphInterrupt)
        assert stopped.ordinal == ordinal
        assert scratchpad.pending is not None
        assert scratchpad.pending.payload == {"question": question}
        answered.append(Pause(scratchpad.pending.payload, answer=answer))
    assert run(body, *answered)[1] == [answer for _, answer in script]
    assert len(runs) == len(script) + 1


def swallowing() -> str:
    try:
        interrupt("sure?")
    except BaseException:  # The fault that is refused.
        return "went on"
    return "answered"


def test_an_ordinary_handler_does_not_catch_a_pause() -> None:
    def body() -> str:
        try:
            interrupt("sure?")
        except Exception:
            return "went on"
        return "answered"

    assert isinstance(run(body)[1], GraphInterrupt)


def test_a_swallowed_pause_is_refused() -> None:
    with pytest.raises(InterruptSwallowed):
        run(swallowing)

    def twice() -> Any:
        swallowing()
        return interrupt("next?")

    with pytest.raises(InterruptSwallowed):
        run(twice)


PAYLOADS: list[tuple[Any, str]] = [
    ({"at": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)}, "$"),
    ({"a": [1, {2, 3}]}, "[1]"),
    ([b"bytes"], "[0]"),
    ([Decimal("1.5")], "[0]"),
    ({1: "a"}, "{0}"),
    ([[], print], "[1]"),
    ([float("nan")], "[0]"),
    ([float("inf")], "[0]"),
    ((1, 2), "$"),
    ({CANARY: object()}, "{0}"),
]


@pytest.mark.parametrize(("payload", "path"), PAYLOADS)
def test_a_payload_that_json_cannot_carry_is_refused_with_the_path(payload: Any, path: str) -> None:
    with pytest.raises(NotJson) as refused:
        run(lambda: interrupt(payload))
    assert path in refused.value.path
    assert CANARY not in str(refused.value)


def test_another_question_than_before_is_refused() -> None:
    with pytest.raises(InterruptDiverged, match="pause 1"):
        run(lambda: [interrupt("a"), interrupt("c")], Pause("a", answer=1), Pause("b", answer=2))
    with pytest.raises(InterruptDiverged, match="2 times before, and 1 times now"):
        run(lambda: interrupt("a"), Pause("a", answer=1), Pause("b", answer=2))
    with pytest.raises(InterruptDiverged):
        run(lambda: interrupt(1), Pause(True, answer=1))


def test_a_value_that_was_sealed_anew_is_the_same_question() -> None:
    before = Pause({"text": "use [OTP_CODE_K7Q2MXB4]?"}, answer="yes")
    assert run(lambda: interrupt({"text": "use [OTP_CODE_00000000]?"}), before)[1] == "yes"
    with pytest.raises(InterruptDiverged):
        run(lambda: interrupt({"text": "use [PIN_00000000]?"}), before)


def test_static_points_and_a_pause_in_the_body_do_not_go_together() -> None:
    with pytest.raises(InvalidPolicy):
        run(lambda: interrupt("a"), static=True)


def test_outside_of_a_tool() -> None:
    with pytest.raises(InterruptError):
        interrupt("a")


def test_pauses_are_bounded() -> None:
    answered = [Pause("a", answer=1)] * (MAX_PAUSES + 1)
    with pytest.raises(LimitExceeded):
        run(lambda: [interrupt("a") for _ in range(MAX_PAUSES + 1)], *answered)


def test_only_redacted_payloads_are_recorded_and_only_the_body_sees_answers() -> None:
    scratchpad, stopped = run(lambda: interrupt({"card": CANARY}), redact=lambda payload: "redacted")
    assert scratchpad.pending == Pause("redacted")
    assert CANARY not in f"{stopped!r}{scratchpad.pending!r}"
    answered = Pause("redacted", answer="[PIN_K7Q2MXB4]")
    assert "PIN" not in repr(answered)
    assert (
        run(lambda: interrupt({"card": CANARY}), answered, redact=lambda payload: "redacted", restore=lambda answer: 7)[
            1
        ]
        == 7
    )


class Answer(BaseModel):
    approved: bool
    level: Literal["low", "high"] = "low"


def test_a_response_schema_is_published_and_checked() -> None:
    def body() -> Any:
        return interrupt("sure?", response_schema=Answer)

    scratchpad, _ = run(body)
    assert scratchpad.pending is not None
    assert scratchpad.pending.schema is not None
    assert set(scratchpad.pending.schema["properties"]) == {"approved", "level"}
    assert run(body, Pause("sure?", answer={"approved": True}))[1] == Answer(approved=True)
    with pytest.raises(InvalidAnswer) as refused:
        run(body, Pause("sure?", answer={"approved": CANARY, "level": CANARY}))
    assert CANARY not in str(refused.value)
    assert refused.value.__context__ is None


@pytest.mark.parametrize("schema", [object(), Callable, "NoSuchType", 5])
def test_a_response_schema_that_is_none_is_refused_in_our_words(schema: object) -> None:
    with pytest.raises(InvalidPolicy) as refused:
        run(lambda: interrupt("sure?", response_schema=schema))
    assert "pydantic.dev" not in str(refused.value)
    assert refused.value.__context__ is None


async def test_a_coroutine_pauses_alike() -> None:
    async def body() -> Any:
        return interrupt("a")

    scratchpad = InterruptScratchpad()
    with scratchpad.running(), pytest.raises(GraphInterrupt):
        await body()
    assert scratchpad.pending == Pause("a")
    with InterruptScratchpad([Pause("a", answer=1)]).running():
        assert await body() == 1
