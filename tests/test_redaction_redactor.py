"""The redactor of text: what is hidden, under which type, and what failure leaves behind."""

from __future__ import annotations

from typing import Any

import pytest

from sealgate.models.errors import DetectionFailed, InvalidInput, TextTooLong, TooManyValues
from sealgate.models.expectation import Expectation
from sealgate.models.findings import Finding
from sealgate.models.messages import PrivateData
from sealgate.models.placeholder import parse
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import SecretValue
from sealgate.redaction import MAX_TEXT, Detector, Redactor, Restorer

FAST = Detector(names=False)


@pytest.fixture
def redactor(memory_sealer: Any) -> Redactor:
    """A redactor without models."""
    return Redactor(FAST, memory_sealer)


def types(redactor: Redactor, text: str, **options: Any) -> list[tuple[str, str]]:
    found = redactor.redact(text, **options).findings
    return [(item.entity_type, text[item.start : item.end]) for item in found]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("My account number is 1234-5678-9012", [("ACCOUNT_NUMBER", "1234-5678-9012")]),
        ("here is the code: 774019, just enter it", [("OTP_CODE", "774019")]),
        ("Number 4539 7877 8932 8790.com is printed", [("CREDIT_CARD", "4539 7877 8932 8790")]),
        ("call 415-682-0009, please check the order.", [("PHONE_NUMBER", "415-682-0009")]),
        ("see am9obi5zbWl0aEBleGFtcGxlLmNvbQ== please", [("EMAIL_ADDRESS", "am9obi5zbWl0aEBleGFtcGxlLmNvbQ==")]),
        ("slot 4539 203.0.113.145 up", [("IP_ADDRESS", "203.0.113.145")]),
        ("msg 1755302411 from 127.0.0.1", []),
        ("request 550e8400-e29b-41d4-a716-446655440000 commit 3f5a9c1b27de60418f9ab2c4d5e6f708192a3b4c", []),
        ("Bump numpy 1.26.4 to 2.0.1 in requirements.txt at 12:30 on 2024-05-06", []),
        ("I didn't get a code, resend it, it was 12 minutes", []),
    ],
)
def test_what_is_hidden_and_what_stays(redactor: Redactor, text: str, hidden: list[tuple[str, str]]) -> None:
    assert types(redactor, text) == hidden


@pytest.mark.parametrize("text", ["IBAN DE89{}", "key=ab{}", "id C{} and c"])
def test_the_rest_of_a_finding_is_looked_for_nowhere_else(redactor: Redactor, text: str) -> None:
    card = "4539578763621486"
    redactor.redact(text.format(card), known=[card])
    left = "C or c, x1, ab, DE89 and 1 stay"
    assert redactor.redact(left).text == left


def test_a_long_value_is_not_broken_up_by_guesses(redactor: Redactor) -> None:
    password = "correct-1234-horse"
    redactor.redact("", known=[PrivateData("4711", name="pin"), PrivateData(password, name="password")])
    redactor.redact("1111 or 2222 or 3333 or 4444", origin="tool:page")
    redaction = redactor.redact(f"5555 {password}, 1234", origin="tool:page")
    assert types(redactor, f"5555 {password}, 1234", origin="tool:page") == [
        ("ID_NUMBER", "5555"),
        ("PASSWORD", password),
        ("ID_NUMBER", "1234"),
    ]
    assert "horse" not in redaction.text


def test_one_value_has_one_placeholder_and_a_spelling_a_suffix(redactor: Redactor) -> None:
    found = redactor.redact("card 4539 7877 8932 8790 or 4539787789328790 or 4539 7877 8932 8790").findings
    first, second, third = (item.placeholder for item in found)
    assert first is not None
    assert second is not None
    assert first == third
    assert (first.code, first.form) == (second.code, "")
    assert second.form


def test_known_values_are_hidden_wherever_they_stand(redactor: Redactor) -> None:
    known = ["Blue Heron", PrivateData("4242", name="card_last_four")]
    found = types(redactor, "the BLUE-HERON paid with 4242, not 42421", known=known)
    assert found == [("CUSTOM", "BLUE-HERON"), ("CUSTOM_CARD_LAST_FOUR", "4242")]


def test_known_values_are_known_from_then_on(redactor: Redactor) -> None:
    redactor.redact("nothing here", known=["Blue Heron"])
    assert types(redactor, "ask blue heron") == [("CUSTOM", "blue heron")]


def test_what_was_asked_for_is_hidden_and_nothing_else(redactor: Redactor) -> None:
    found = types(redactor, "order 482913, it is 4 8 2 9 1 4", expect=Expectation(kind="otp", digits=6))
    assert found == [("OTP_CODE", "4 8 2 9 1 4")]


def test_a_whitelist_silences_detection_only(redactor: Redactor) -> None:
    text = "mail ada@tallowbrook.net or bob@tallowbrook.net"
    assert types(redactor, text, whitelist=["EMAIL_ADDRESS"]) == []
    assert [value for _, value in types(redactor, text, whitelist=["bob@tallowbrook.net"])] == ["ada@tallowbrook.net"]
    assert len(types(redactor, text, whitelist=["EMAIL_ADDRESS"], known=["ada@tallowbrook.net"])) == 1


def test_a_used_code_that_a_tool_repeats_is_not_sealed_again(redactor: Redactor, memory_sealer: Any) -> None:
    placeholder = memory_sealer.seal([SealRequest(SecretValue("482913"), "OTP_CODE", "person")])[0]
    before = dict(memory_sealer.entries)
    redaction = redactor.redact("you sent 482913", origin="tool:login")
    assert redaction.text == f"you sent {placeholder}"
    assert memory_sealer.entries == before


def test_placeholders_to_keep_stay(redactor: Redactor) -> None:
    token = "[EMAIL_ADDRESS_K7Q2MXB4]"
    assert redactor.redact(f"to {token}", keep=lambda placeholder: placeholder == parse(token)).text == f"to {token}"
    assert redactor.redact(f"to {token}", keep=lambda placeholder: False).text != f"to {token}"


@pytest.mark.parametrize("before", ["password: ", "my password is ", 'api_key = "', "the PIN is ", "Dear ", "card "])
def test_a_kept_placeholder_is_no_value_of_its_own(redactor: Redactor, before: str) -> None:
    token = "[PASSWORD_K7Q2MXB4]"
    for text in (f"{before}{token}", f"{before}{token}{token}", f"{before}{token}."):
        assert redactor.redact(text, keep=lambda _placeholder: True).text == text
    assert redactor.redact_json({"password": token}, keep=lambda _placeholder: True) == {"password": token}


def test_what_stands_right_beside_a_kept_placeholder_is_still_found(redactor: Redactor) -> None:
    token = "[PASSWORD_K7Q2MXB4]"
    text = redactor.redact(f"password: {token}Xy7-quartz!", keep=lambda _placeholder: True).text
    assert token in text
    assert "quartz" not in text


def test_too_many_new_values_store_nothing(redactor: Redactor, memory_sealer: Any) -> None:
    text = "a@x.io b@x.io c@x.io a@x.io"
    with pytest.raises(TooManyValues):
        redactor.redact(text, max_new=2)
    assert memory_sealer.entries == {}
    assert len(redactor.redact(text, max_new=3).findings) == 4
    assert len(redactor.redact(text, max_new=0).findings) == 4


def test_a_text_beyond_the_bound_is_refused(redactor: Redactor) -> None:
    with pytest.raises(TextTooLong) as caught:
        redactor.redact("x" * (MAX_TEXT + 1))
    assert caught.value.limit == MAX_TEXT


def test_an_unknown_origin_is_refused(redactor: Redactor) -> None:
    with pytest.raises(InvalidInput):
        redactor.redact("x", origin="nobody")


class Broken:
    """A recognizer whose exception quotes the text."""

    def recognize(self, text: str) -> list[Finding]:
        raise RuntimeError(text)


def test_a_recognizer_that_fails_lets_nothing_through(memory_sealer: Any) -> None:
    redactor = Redactor(Detector(recognizers=(Broken(),)), memory_sealer)
    with pytest.raises(DetectionFailed) as caught:
        redactor.redact("my secret is 482913")
    assert caught.value.cause == "RuntimeError"
    assert "482913" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert memory_sealer.entries == {}


def test_an_answer_stores_nothing(redactor: Redactor, memory_sealer: Any) -> None:
    hits = redactor.answer("it is 482913", Expectation(kind="otp"))
    assert [(hit.entity_type, hit.text()) for hit in hits] == [("OTP_CODE", "482913")]
    assert memory_sealer.entries == {}


def test_weak_names_are_not_looked_for_elsewhere(memory_sealer: Any) -> None:
    redactor = Redactor(FAST, memory_sealer)
    redactor.redact("my name is May")
    assert redactor.redact("you may go").text == "you may go"


def test_findings_say_what_stands_there_now(redactor: Redactor, memory_sealer: Any) -> None:
    redaction = redactor.redact("mail ada@tallowbrook.net")
    assert str(redaction) == f"mail {redaction.findings[0].placeholder}"
    assert Restorer(memory_sealer).restore(redaction.text) == "mail ada@tallowbrook.net"


def test_an_empty_known_value_is_no_value(redactor: Redactor, memory_sealer: Any) -> None:
    assert redactor.redact("plain", known=["", PrivateData("")]).text == "plain"
    assert memory_sealer.entries == {}


def test_a_known_value_beyond_the_bound_is_refused_before_it_is_looked_for(memory_sealer: Any) -> None:
    redactor = Redactor(Detector(names=False), memory_sealer)
    with pytest.raises(TextTooLong):
        redactor.redact("hello", known=("s" * 65_537,))
