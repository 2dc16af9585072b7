from __future__ import annotations

from collections.abc import Callable

import pytest

from sealgate.gateway.events.bridge import EventBridge
from sealgate.gateway.events.masks import build_masks, mask, with_masks
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue
from sealgate.models.secretvalue import SecretValue

CARD = "4929-1182-3345-9921"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (CARD, "•••• 9921"),
        ("DE44 5001 0517 5407 3249 31", "•••• 4931"),
        ("12345678", "•••• 78"),
        ("12345", ""),
        ("", ""),
    ],
)
def test_a_mask_shows_a_third_and_four_at_most(value: str, shown: str) -> None:
    assert mask(value) == shown


@pytest.mark.parametrize(
    "types", [("PIN",), ("API_KEY",), ("PERSON",), ("EMAIL_ADDRESS",), ("ACCOUNT_NUMBER", "PASSWORD"), ("ANSWER",)]
)
def test_secrets_names_and_answers_have_none(types: tuple[str, ...]) -> None:
    assert build_masks([LiveValue(SecretValue("1234567890123"), Placeholder(types[0], "K7Q2MXB4"), types)]) == {}


def test_keys_and_unknown_placeholders_stay() -> None:
    masks = {"[CREDIT_CARD_K7Q2MXB4]": "•••• 9921"}
    data = {"[CREDIT_CARD_K7Q2MXB4]": ["[CREDIT_CARD_K7Q2MXB4]", "[CREDIT_CARD_K7Q2MXB4.9FD]", 1, None]}
    expected = {"[CREDIT_CARD_K7Q2MXB4]": ["•••• 9921", "[CREDIT_CARD_K7Q2MXB4.9FD]", 1, None]}
    assert with_masks(data, masks) == expected  # type: ignore[arg-type]  # JSON, whatever mypy infers


async def test_only_the_subject_sees_masks(bridge_over: Callable[..., EventBridge]) -> None:
    bridge = bridge_over({CARD: "CREDIT_CARD", "831942": "OTP_CODE"}, subject="maria")
    bridge.emit("tool.completed", {"result": f"charged {CARD} with 831942"})
    bridge.close()
    owner, other = bridge.watched_by("maria"), bridge.watched_by("oscar")
    assert owner.history()[0].data == {"result": "charged •••• 9921 with [OTP_CODE_00000001]"}
    closed = {"result": "charged [CREDIT_CARD_00000000] with [OTP_CODE_00000001]"}
    assert other.history()[0].data == bridge.history()[0].data == closed
    assert owner.watched_by("oscar").history()[0].data == closed
    frames = [[frame async for frame in view.generate_sse()] for view in (owner, other, bridge)]
    assert "9921" in frames[0][1]
    assert frames[1] == frames[2]
    assert "• 9921" not in "".join(frames[1])
    assert CARD not in "".join(frames[1])


def test_without_a_subject_nobody_is_the_owner(bridge_over: Callable[..., EventBridge]) -> None:
    bridge = bridge_over({CARD: "CREDIT_CARD"})
    bridge.watched_by("maria").emit("status", {"card": CARD})
    assert bridge.watched_by("maria").history()[0].data == {"card": "[CREDIT_CARD_00000000]"}
