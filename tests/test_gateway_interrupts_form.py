"""Forms: several fields in one interrupt, described by a pydantic model, checked field by field; and typing twice."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, SecretStr, model_validator

from sealgate.gateway import (
    Asked,
    Gateway,
    HumanMessage,
    InvalidAnswer,
    InvalidPolicy,
    Session,
    SessionResponse,
    ToolCall,
    callback_handler,
    depends_on_interrupt,
)
from sealgate.gateway.testing import ScriptedModel
from sealgate.redaction import Detector

IBAN = "DE89 3704 0044 0532 0130 00"


class Speed(IntEnum):
    SLOW = 1
    FAST = 2


class Payout(BaseModel):
    """A form."""

    iban_code: str = Field(title="IBAN: ")
    amount: Annotated[int, Field(ge=1, le=500)]
    otp_code: str
    urgent: bool
    speed: Speed = Speed.SLOW
    kind: Literal["gift", "loan"]
    word: SecretStr | None = None

    @model_validator(mode="after")
    def _no_urgent_gifts(self) -> Payout:
        if self.urgent and self.kind == "gift":
            raise ValueError("no urgent gifts")
        return self


GOOD: dict[str, Any] = {
    "iban_code": IBAN,
    "amount": "50",
    "otp_code": "it is 48 29 13",
    "urgent": "yes",
    "speed": "FAST",
    "kind": "loan",
}


def pays(gateway: Gateway, handler: Any = None, **options: Any) -> list[Payout]:
    paid: list[Payout] = []

    @gateway.toolify()
    @depends_on_interrupt("payout", handler, prompt="Your payout", **options)
    def pay(payout: Payout) -> str:
        paid.append(payout)
        return "paid"

    return paid


def run(session: Session) -> SessionResponse:
    return session.invoke([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id="c1", name="pay"), "Done."]))


def read(session: Session) -> str:
    return next(message.text() for message in session.history() if message.role == "tool")


def test_one_interrupt_with_its_fields(gateway: Gateway, session: Session) -> None:
    paid = pays(gateway)
    (asked,) = run(session).interrupts
    assert (asked.prompt, asked.number, asked.total) == ("Your payout", 1, 1)
    assert [(one.name, one.input_type, one.required, one.secret) for one in asked.fields] == [
        ("iban_code", "text", True, True),
        ("amount", "number", True, False),
        ("otp_code", "text", True, True),
        ("urgent", "boolean", True, False),
        ("speed", "choice", False, False),
        ("kind", "choice", True, False),
        ("word", "password", False, True),
    ]
    assert asked.fields[4].choices == ["SLOW", "FAST"]
    assert asked.fields[0].prompt == "IBAN: "
    assert session.resume(asked.id, GOOD).status == "completed"
    (payout,) = paid
    assert (payout.iban_code, payout.amount, payout.otp_code) == (IBAN.replace(" ", ""), 50, "482913")
    assert (payout.urgent, payout.speed, payout.kind, payout.word) == (True, Speed.FAST, "loan", None)
    seen = repr((session.history(), session.events().history()))
    assert not [secret for secret in (IBAN, IBAN.replace(" ", ""), "482913") if secret in seen]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"iban_code": "none"}, "iban_code: the answer must hold exactly one IBAN_CODE"),
        ({"amount": "501"}, "amount: the answer breaks the rules maximum"),
        ({"amount": "many", "kind": "theft"}, "amount: the answer must be a finite number; kind: "),
        ({"otp_code": "482913 or 482914"}, "otp_code: the answer must hold exactly one OTP_CODE"),
        ({"kind": None}, "kind: an answer is needed"),
        ({"other": 1}, "a field that the form does not have"),
    ],
)
def test_what_is_wrong_is_told_field_by_field_and_nothing_is_stored(
    gateway: Gateway, session: Session, change: dict[str, Any], told: str
) -> None:
    paid = pays(gateway, attempts=2)
    (asked,) = run(session).interrupts
    before = len(list(gateway.audit.rows()))
    with pytest.raises(InvalidAnswer) as refused:
        session.resume(asked.id, {**GOOD, **change})
    assert told in str(refused.value)
    assert not [value for value in change.values() if value and str(value) in str(refused.value)]
    assert "sealed" not in [row.action for row in list(gateway.audit.rows())[before:]]
    assert session.resume(asked.id, GOOD).status == "completed"
    assert len(paid) == 1


@pytest.mark.parametrize("answer", ["text", 5, None, ["a"]])
def test_a_form_is_answered_by_an_object(gateway: Gateway, session: Session, answer: object) -> None:
    pays(gateway)
    (asked,) = run(session).interrupts
    with pytest.raises(InvalidAnswer, match="object with its fields"):
        session.resume(asked.id, answer)


def test_the_model_has_the_last_word(gateway: Gateway, session: Session) -> None:
    paid = pays(gateway)
    (asked,) = run(session).interrupts
    assert session.resume(asked.id, {**GOOD, "kind": "gift"}).status == "completed"
    assert paid == []
    assert read(session).startswith("InvalidArguments:")


def test_a_handler_is_asked_field_by_field(gateway: Gateway, session: Session) -> None:
    answers = {"IBAN": ["wrong", IBAN], "amount": ["5"], "otp_code": ["482913"], "urgent": ["no"], "kind": ["gift"]}
    asked: list[Asked] = []

    def answer(one: Asked) -> object:
        asked.append(one)
        key = next((key for key in answers if key in one.prompt.splitlines()[-1]), None)
        return answers[key].pop(0) if key is not None else ""

    paid = pays(gateway, callback_handler(answer))
    assert run(session).status == "completed"
    assert len(paid) == 1
    assert [one.secret for one in asked] == [True, True, False, True, False, False, False, True]
    assert asked[0].prompt == "Your payout\nIBAN: "
    assert asked[1].prompt == "Your payout\nthe answer must hold exactly one IBAN_CODE\nIBAN: "
    assert asked[5].choices == ("SLOW", "FAST")
    assert asked[5].prompt.endswith("(optional) ")
    requested = [event for event in session.events().history() if event.type == "interrupt.requested"]
    assert len(requested) == 1


def test_a_field_whose_attempts_are_used_up_fails_the_tool(gateway: Gateway, session: Session) -> None:
    paid = pays(gateway, lambda _prompt: "wrong", attempts=2)
    assert run(session).status == "completed"
    assert paid == []
    assert read(session) == "InvalidAnswer: iban_code: the answer must hold exactly one IBAN_CODE"


class Nested(BaseModel):
    inner: Payout


class Empty(BaseModel):
    pass


@pytest.mark.parametrize("form", [Nested, Empty])
def test_what_can_be_no_form(gateway: Gateway, form: type[BaseModel]) -> None:
    def tool(given: Any) -> str:
        return ""

    tool.__annotations__["given"] = form
    with pytest.raises(InvalidPolicy):
        depends_on_interrupt("given")(tool)


@pytest.mark.parametrize(
    "options", [{"sensitive": True}, {"choices": ["a"]}, {"confirm": True}, {"input_type": "text"}]
)
def test_a_forms_options_are_its_fields(options: dict[str, Any]) -> None:
    def tool(given: Payout) -> str:
        return ""

    with pytest.raises(InvalidPolicy):
        depends_on_interrupt("given", **options)(tool)


@pytest.mark.parametrize(
    ("typed", "set_to"),
    [
        (["s3cret-A", "s3cret-A"], ["s3cret-A"]),
        (["s3cret-A", "s3cret-B", "s3cret-C", "s3cret-C"], ["s3cret-C"]),
        (["s3cret-A", "s3cret-B"] * 3, []),
    ],
)
def test_typing_twice(gateway: Gateway, session: Session, typed: list[str], set_to: list[str]) -> None:
    prompts: list[str] = []
    answers = iter(typed)
    got: list[str] = []

    def handler(prompt: str) -> str:
        prompts.append(prompt)
        return next(answers)

    @gateway.toolify()
    @depends_on_interrupt("password", handler, prompt="New password: ", input_type="password", confirm=True)
    def pay(password: str) -> str:
        got.append(password)
        return "set"

    assert run(session).status == "completed"
    assert got == set_to
    assert prompts[:2] == ["New password: ", "Once more: New password: "]
    assert len(prompts) == len(typed)


def test_typing_twice_from_outside(detector: Detector) -> None:
    with Gateway.open(":memory:", detector=detector) as gateway:
        session = gateway.session("s1")
        got: list[str] = []

        @gateway.toolify()
        @depends_on_interrupt("pin", sensitive="PIN", confirm=True)
        def pay(pin: str) -> str:
            got.append(pin)
            return "set"

        (asked,) = run(session).interrupts
        assert asked.confirm
        for again in (None, "4822", "none"):
            with pytest.raises(InvalidAnswer):
                session.interrupts.answer(asked.id, "4821", again=again)
            (asked,) = session.interrupts.pending() or [asked]
        assert not session.interrupts.answer(asked.id, "4821", again="4821").handled
        session.resume()
        (asked,) = run(session).interrupts
        assert session.interrupts.answer(asked.id, "4821", again="my pin is 4821").handled
        assert session.resume().status == "completed"
        assert got == ["4821"]


def test_resume_takes_the_second_typing_too(gateway: Gateway, session: Session) -> None:
    got: list[str] = []

    @gateway.toolify()
    @depends_on_interrupt("pin", sensitive="PIN", confirm=True, attempts=9)
    def pay(pin: str) -> str:
        got.append(pin)
        return "set"

    (asked,) = run(session).interrupts
    with pytest.raises(InvalidAnswer, match="typed twice"):
        session.resume(asked.id, "4821")
    with pytest.raises(InvalidAnswer, match="typed twice"):
        asyncio.run(session.aresume(asked.id, "4821", again="4822"))
    assert session.resume(asked.id, "4821", again="it is 4821").status == "completed"
    assert got == ["4821"]


class Codes(BaseModel):
    """A form whose code has a length that its prompt does not tell."""

    otp_code: str = Field(title="Code: ", json_schema_extra={"digits": 7})


@pytest.mark.parametrize(
    ("said", "fits"),
    [("it is 4821907", True), ("order 482190, code 48 21 90 7", True), ("482190", False), ("48219071", False)],
)
@pytest.mark.parametrize("way", ["handler", "outside", "another process", "form"])
def test_how_many_digits_an_answer_has(tmp_path: Path, detector: Detector, way: str, said: str, fits: bool) -> None:
    got: list[str] = []
    handler = (lambda _prompt: said) if way == "handler" else None

    def opened() -> Gateway:
        gateway = Gateway.open(tmp_path / "vault.db", key=b"k" * 32, detector=detector)
        if way == "form":

            @gateway.toolify(name="pay")
            @depends_on_interrupt("codes")
            def pay(codes: Codes) -> str:
                got.append(codes.otp_code)
                return "paid"

        else:

            @gateway.toolify(name="pay")
            @depends_on_interrupt("code", handler, "The code:", sensitive="OTP_CODE", digits=7, attempts=1)
            def pay_with(code: str) -> str:
                got.append(code)
                return "paid"

        return gateway

    with opened() as gateway:
        response = run(gateway.session("s1"))
        if response.status == "interrupted" and way != "another process":
            _file(gateway.session("s1"), response.interrupts[0].id, {"otp_code": said} if way == "form" else said)
    if way == "another process":
        with opened() as gateway:
            _file(gateway.session("s1"), response.interrupts[0].id, said)
    assert got == (["4821907"] if fits else [])


def _file(session: Session, interrupt_id: str, answer: object) -> None:
    with suppress(InvalidAnswer):
        session.resume(interrupt_id, answer, model=ScriptedModel(["Done."]))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"digits": 6}, "digits goes with sensitive"),
        ({"digits": 6, "sensitive": True}, "digits goes with sensitive"),
        ({"digits": 6, "sensitive": "PERSON"}, "digits goes with sensitive"),
        ({"digits": 0, "sensitive": "OTP_CODE"}, "from 1 to 64"),
        ({"digits": 65, "sensitive": "PIN"}, "from 1 to 64"),
        ({"digits": "6", "sensitive": "PIN"}, "from 1 to 64"),
        ({"digits": True, "sensitive": "PIN"}, "from 1 to 64"),
    ],
)
def test_digits_that_cannot_be_counted(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidPolicy, match=said):
        depends_on_interrupt("code", **options)(lambda code: None)
