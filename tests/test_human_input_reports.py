"""What went wrong elsewhere when a person was asked, told in our words: each as a test of what happens here.

The name of a test says what is right; its parameters and values are made up.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from sealgate.gateway import (
    Accepts,
    AIMessage,
    DetectionFailed,
    Gateway,
    HumanMessage,
    HumanResponse,
    InterruptConfig,
    InterruptNotPending,
    InvalidAnswer,
    InvalidArguments,
    Limits,
    PrivateData,
    SealgateError,
    Session,
    SessionBusy,
    SessionResponse,
    SessionShredded,
    SystemMessage,
    TextTooLong,
    ToolCall,
    ToolMessage,
    depends_on_interrupt,
    depends_on_private_data,
    interrupt,
)
from sealgate.gateway.testing import FakeClock, ScriptedModel
from sealgate.models.interrupts import ActionRequest
from sealgate.redaction import Detector

PAN = "4111111111111111"
SPACED = "4111 1111 1111 1111"
CODE = "483920"


def run(
    session: Session, *calls: ToolCall, then: str = "Done.", say: str = "Go."
) -> tuple[SessionResponse, ScriptedModel]:
    model = ScriptedModel([list(calls), then, then])
    return session.invoke([HumanMessage(say)], model=model), model


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id=f"c-{name}", name=name, arguments=arguments)


def read(session: Session) -> list[str]:
    return [message.text() for message in session.history() if message.role == "tool"]


def seen(session: Session, model: ScriptedModel | None = None) -> str:
    """Everything that anybody but the tool can look at."""
    return repr(
        (
            session.history(),
            session.events().history(),
            session.events(audience="internal").history(),
            session.sent_to_model(),
            session.interrupts.pending(),
            model.seen if model is not None else (),
        )
    )


def approving(detector: Detector, **config: Any) -> Gateway:
    return Gateway.open(":memory:", detector=detector, interrupt=InterruptConfig(**config), clock=FakeClock())


# Arguments, history and roles.


def test_a_card_in_a_call_is_hidden_wherever_the_call_is_kept_and_only_the_tool_gets_it(
    gateway: Gateway, session: Session
) -> None:
    got: list[str] = []

    @gateway.toolify()
    def charge(card: str) -> str:
        got.append(card)
        return "ok"

    _response, model = run(session, call("charge", card=PAN))
    assert got == [PAN]
    assert PAN not in seen(session, model)


def test_harmless_arguments_reach_the_tool_unchanged(gateway: Gateway, session: Session) -> None:
    got: list[str] = []

    @gateway.toolify()
    def weather(city: str) -> str:
        got.append(city)
        return "sunny"

    run(session, call("weather", city="Par is"))
    assert got == ["Par is"]


def test_the_whole_history_of_every_role_is_hidden_with_one_placeholder(session: Session) -> None:
    model = ScriptedModel(["ok"])
    said = [SystemMessage(f"card {PAN}"), HumanMessage(PAN), AIMessage(f"ok {PAN}"), HumanMessage("hi")]
    session.invoke(said, model=model)
    texts = [message.text() for message in model.seen[0][0]]
    assert not [text for text in texts if PAN in text]
    assert len({text.split()[-1] for text in texts[:3]}) == 1


def test_what_a_tool_says_is_hidden_as_what_a_person_says(session: Session) -> None:
    sealed = session.redact_messages([ToolMessage("email a.b@example.com", tool_call_id="1", name="mail")])
    assert "a.b@example.com" not in sealed[0].text()


def test_one_person_has_one_placeholder_in_every_message(session: Session) -> None:
    first = session.redact("My wife is Maryanne. I am Bobbington", known=("Maryanne", "Bobbington"))
    second = session.redact("Hi I am Bobbington, wife Maryanne")
    found = {session.restore(str(one.placeholder)): one.placeholder for one in first.findings}
    assert {session.restore(str(one.placeholder)): one.placeholder for one in second.findings} == found
    assert len(set(found.values())) == 2


@pytest.mark.parametrize("chunks", [["your card is 4111", "1111", "1111", "1111 ok"], list(f"card {SPACED} ok")])
def test_no_chunk_and_no_sum_of_chunks_shows_a_card(session: Session, chunks: list[str]) -> None:
    stream = session.stream_redactor()
    sent = [stream.feed(chunk) for chunk in chunks] + [stream.flush()]
    assert "1111" not in "".join(sent)
    assert "".join(sent).endswith(" ok")


@pytest.mark.parametrize(
    "text",
    ["378282246310005", "30569309025904", "4111.1111.1111.1111", "4111  1111  1111  1111", "card:4111111111111111x"],
)
def test_cards_of_other_lengths_and_separators_are_found(session: Session, text: str) -> None:
    assert "1111" not in session.redact(text).text.replace("[CREDIT_CARD", "")
    assert session.redact(text).findings


def test_an_account_and_a_telephone_number_that_overlap_leave_no_digit(session: Session) -> None:
    text = session.redact("Mijn IBAN is NL91ABNA0417164300.").text
    assert "0417164300" not in text
    assert text.count("[") == 1


class Odd:
    """A recognizer of somebody's own that gives something else than findings."""

    def recognize(self, text: str) -> Any:
        return [{"text": text[:3], "start": 0, "end": 3}]


class Down:
    """A recognizer whose service is away."""

    def recognize(self, text: str) -> Any:
        raise ConnectionError(text)


@pytest.mark.parametrize("recognizer", [Odd(), Down()])
def test_a_detector_that_fails_lets_nothing_through_and_tells_nothing(recognizer: Any) -> None:
    text = f"SSN 078-05-1120 card {SPACED}"
    with Gateway.open(":memory:", detector=Detector(recognizers=(recognizer,))) as gateway:
        session, model = gateway.session("s1"), ScriptedModel(["never"])
        for use in (lambda: session.redact(text), lambda: session.invoke([HumanMessage(text)], model=model)):
            with pytest.raises(DetectionFailed) as failed:
                use()
            assert "078-05" not in str(failed.value)
        assert model.seen == []


# Approvals.


def test_a_call_that_a_person_refused_never_runs(detector: Detector) -> None:
    with approving(detector, interrupt_before=["charge"]) as gateway:
        session, ran = gateway.session("s1"), []

        @gateway.toolify()
        def charge(card: str) -> str:
            ran.append(card)
            return "ok"

        asked = run(session, call("charge", card=PAN))[0].interrupts[0]
        session.resume(asked.id, HumanResponse(type="ignore"))
        for _ in range(2):
            with pytest.raises(InterruptNotPending):
                session.resume(asked.id, {"approved": True})
        assert ran == []


def test_an_edit_cannot_name_another_tool(detector: Detector) -> None:
    with approving(detector, interrupt_before=["charge", "wire"]) as gateway:
        session, ran = gateway.session("s1"), []

        @gateway.toolify()
        def charge(card: str) -> str:
            ran.append("charge")
            return "ok"

        @gateway.toolify()
        def wire(card: str) -> str:
            ran.append("wire")
            return "ok"

        asked = run(session, call("charge", card=PAN))[0].interrupts[0]
        edit = HumanResponse(type="edit", args=ActionRequest(action="wire", args={"card": "x"}))
        assert not session.interrupts.resolve(asked.id, edit).handled
        assert session.interrupts.get(asked.id) is not None
        assert ran == []


def test_what_a_person_says_instead_of_approving_is_hidden(detector: Detector) -> None:
    with approving(detector, interrupt_before=["charge"]) as gateway:
        session = gateway.session("s1")

        @gateway.toolify()
        def charge(card: str) -> str:
            return "ok"

        response, model = run(session, call("charge", card="x"))
        said = f"my card is {SPACED} and the code is {CODE}"
        session.resume(response.interrupts[0].id, HumanResponse(type="response", args=said))
        assert not [value for value in (SPACED, PAN, CODE) if value in seen(session, model)]
        assert "[CREDIT_CARD_" in read(session)[0]


@pytest.mark.parametrize("name", ["s1", "s2"])
def test_an_approved_call_runs_once_and_nobody_else_can_approve_it(detector: Detector, name: str) -> None:
    with approving(detector, interrupt_before=["charge"]) as gateway:
        session, other, ran = gateway.session("s1"), gateway.session(name), []

        @gateway.toolify()
        def charge(amount: int) -> str:
            ran.append(amount)
            return "ok"

        asked = run(session, call("charge", amount=5))[0].interrupts[0]
        handled = other.interrupts.resolve(asked.id, {"approved": True}).handled
        assert handled is (name == "s1")
        session.resume()
        assert session.interrupts.resolve(asked.id, {"approved": True}).handled is not handled
        assert ran == ([5] if handled else [])


@pytest.mark.parametrize("changed", [False, True])
def test_what_was_approved_is_what_runs(detector: Detector, *, changed: bool) -> None:
    with approving(detector, interrupt_before=["pay"]) as gateway:
        session, ran = gateway.session("s1"), []

        def at_the_last_moment(_payload: object) -> None:
            session.private_data.put(PrivateData("account of B" if changed else "account of A", name="payee"))

        @gateway.toolify(before_execute=at_the_last_moment)
        @depends_on_private_data("payee", "to")
        def pay(amount: int, to: str) -> str:
            ran.append(to)
            return "ok"

        session.private_data.put(PrivateData("account of A", name="payee"))
        asked = run(session, call("pay", amount=5))[0].interrupts[0]
        session.resume(asked.id, {"approved": True})
        assert ran == ([] if changed else ["account of A"])
        assert read(session)[0].startswith("ApprovalMismatch:") is changed


def test_what_a_person_is_shown_before_approving_holds_no_secret(detector: Detector) -> None:
    with approving(detector, interrupt_before=["connect"]) as gateway:
        session = gateway.session("s1")

        @gateway.toolify()
        def connect(url: str) -> str:
            return "ok"

        asked = run(session, call("connect", url="postgres://user:p4ssw0rd-9@db.example/x"))[0].interrupts[0]
        assert "p4ssw0rd-9" not in repr(asked.model_dump())


def test_an_approval_warns_before_it_expires_and_can_be_extended(detector: Detector) -> None:
    with approving(detector, interrupt_before=["pay"], default_timeout=60) as gateway:
        clock: Any = gateway._clock
        session, warned = gateway.session("s1"), []

        @gateway.toolify()
        def pay(amount: int) -> str:
            return "ok"

        for event in session.stream([HumanMessage("Go.")], model=ScriptedModel([call("pay", amount=5), "Done."])):
            if event.type == "interrupt.requested":
                clock.advance(35)
            if event.type == "status":
                warned.append(event.data)
                (asked,) = session.interrupts.pending()
                assert asked.expires_at is not None
                assert session.interrupts.extend(asked.id, 600).expires_at == asked.expires_at + 600
                session.interrupts.resolve(asked.id, {"approved": True})
        assert [data["expires_in"] for data in warned] == [25.0]
        assert read(session) == ["ok"]


# Pauses inside of a body.


def passthrough(function: Callable[..., Any]) -> Callable[..., Any]:
    """A wrapper such as frameworks put around tools."""

    @functools.wraps(function)
    async def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return await function(*args, **kwargs)
        except Exception as error:
            return f"error: {error}"

    return wrapped


def test_a_wrapper_that_turns_errors_into_text_does_not_swallow_a_pause(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    @passthrough
    async def ask_human() -> str:
        return str(interrupt("Go on?"))

    response, _model = run(session, call("ask_human"))
    assert response.status == "interrupted"
    assert len(response.interrupts) == 1
    assert read(session) == []


def test_two_calls_that_pause_are_both_shown_and_each_gets_its_own_answer(gateway: Gateway, session: Session) -> None:
    for name in ("circle", "square"):

        def tool(name: str = name) -> str:
            return f"{name} {interrupt({'about': name})}"

        gateway.toolify(name=name)(tool)
    response, _model = run(session, call("circle"), call("square"))
    assert len({one.id for one in response.interrupts}) == 2
    for one in response.interrupts:
        session.interrupts.answer(one.id, f"for {one.tool_name}")
    session.resume()
    assert [session.restore(text) for text in read(session)] == ["circle for circle", "square for square"]


@pytest.mark.parametrize("rounds", [2, 3])
def test_a_message_that_is_sent_before_each_pause_is_sent_once(gateway: Gateway, session: Session, rounds: int) -> None:
    sent: list[int] = []

    @gateway.toolify()
    def verify() -> str:
        for number in range(rounds):
            session.cache.once(f"sms {number}", lambda number=number: sent.append(number))  # type: ignore[misc]
            interrupt({"round": number})
        return "verified"

    response, _model = run(session, call("verify"))
    while response.status == "interrupted":
        response = session.resume(response.interrupts[0].id, "yes")
    assert sent == list(range(rounds))


# Asking, waiting and going away.


def waits(gateway: Gateway, **options: Any) -> list[str]:
    got: list[str] = []

    @gateway.toolify()
    @depends_on_interrupt("code", prompt="Enter the 6-digit code", sensitive="OTP_CODE", **options)
    def verify(code: str) -> str:
        got.append(code)
        return f"used {code}"

    return got


def test_a_new_message_while_somebody_is_asked_is_refused_or_the_pause_is_cancelled(
    gateway: Gateway, session: Session
) -> None:
    waits(gateway)
    asked = run(session, call("verify"))[0].interrupts[0]
    with pytest.raises(SessionBusy) as busy:
        run(session, say="changed my mind")
    assert asked.id in str(busy.value)
    assert session.interrupts.cancel(asked.id).state == "cancelled"
    session.resume()
    assert read(session) == ["InterruptCancelled: Interrupt cancelled"]
    assert run(session, then="Well.")[0].status == "completed"


def test_the_pause_is_the_same_after_a_reload_and_is_answered_once(tmp_path: Path, detector: Detector) -> None:
    path = tmp_path / "v.db"
    with Gateway.open(path, key=b"k" * 32, detector=detector) as gateway:
        waits(gateway)
        before = run(gateway.session("s1"), call("verify"))[0].interrupts[0]
    with Gateway.open(path, key=b"k" * 32, detector=detector) as gateway:
        got, session = waits(gateway), gateway.session("s1")
        (after,) = session.interrupts.pending()
        assert (after.id, after.prompt, after.expires_at) == (before.id, before.prompt, before.expires_at)
        session.resume(after.id, CODE, model=ScriptedModel(["Done."]))
        with pytest.raises(InterruptNotPending):
            session.resume(after.id, CODE)
        assert got == [CODE]


def test_going_on_without_an_answer_leaves_the_pause_open(gateway: Gateway, session: Session) -> None:
    waits(gateway)
    asked = run(session, call("verify"))[0].interrupts[0]
    assert session.resume().interrupts == [asked]
    assert session.interrupts.pending() == [asked]


def test_a_code_is_used_once_and_shown_nowhere(gateway: Gateway, session: Session) -> None:
    got = waits(gateway)
    response, model = run(session, call("verify"))
    session.resume(response.interrupts[0].id, CODE)
    assert got == [CODE]
    assert CODE not in seen(session, model)
    placeholder = read(session)[0].split()[-1]
    assert placeholder.startswith("[OTP_CODE_")
    assert str(session.restore(placeholder)) == placeholder


def test_a_wrong_code_is_in_no_store_no_error_and_no_log(
    tmp_path: Path, detector: Detector, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector) as gateway:
        session = gateway.session("s1")

        @gateway.toolify()
        def verify() -> str:
            return str(interrupt("Code?", response_schema=Annotated[str, Field(pattern=r"^[0-9]{6}$")]))

        asked = run(session, call("verify"))[0].interrupts[0]
        with pytest.raises(InvalidAnswer) as refused:
            session.resume(asked.id, "48392X")
        assert "48392" not in str(refused.value) + repr(refused.value.__cause__) + repr(refused.value.__context__)
        records = session._services.vault.records
        assert b"48392X" not in b"".join(records.all("interrupt"))
    assert "48392X" not in caplog.text
    assert b"48392X" not in b"".join(one.read_bytes() for one in tmp_path.iterdir())


def test_nothing_that_can_be_read_gives_a_secret_back(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    @depends_on_interrupt("password", input_type="password")
    def login(password: str) -> str:
        return "in"

    response, model = run(session, call("login"))
    session.interrupts.answer(response.interrupts[0].id, "hunter2!-x9")
    waiting = session._services.interrupts.get(response.interrupts[0].id)
    assert "hunter2" not in repr(waiting)
    session.resume()
    assert "hunter2" not in seen(session, model) + repr(session.replay())


def test_errors_of_validation_hold_place_and_rule_alone(gateway: Gateway, session: Session) -> None:
    class Body(BaseModel):
        session_id: str
        otp: int

    gateway.toolify(name="body")(Body)
    tool = gateway.tools.get("body")
    with pytest.raises(InvalidArguments) as refused:
        tool.validate({"otp": f"{CODE}x"})
    assert CODE not in str(refused.value) + repr(refused.value.args) + repr(refused.value.problems)
    assert {place for place, _rule in refused.value.problems} == {"session_id", "otp"}
    run(session, call("body", otp=f"{CODE}x"))
    assert read(session)[0].startswith("InvalidArguments:")


# Placeholders in calls.


def test_a_placeholder_in_a_call_is_opened_for_the_tool_alone(gateway: Gateway, session: Session) -> None:
    got: list[str] = []

    @gateway.toolify(accepts={"to": Accepts("EMAIL_ADDRESS")})
    def mail(to: str) -> str:
        got.append(to)
        return "sent"

    placeholder = session.redact("a.b@example.com").text
    _response, model = run(session, call("mail", to=placeholder))
    assert got == ["a.b@example.com"]
    assert "a.b@example.com" not in seen(session, model)


@pytest.mark.parametrize(
    "mangle", [lambda p: p[1:-1], str.lower, lambda p: p[:-2] + "]", lambda _p: "[EMAIL_ADDRESS_00000000]"]
)
def test_a_mangled_or_unknown_placeholder_is_never_guessed(
    gateway: Gateway, session: Session, mangle: Callable[[str], str]
) -> None:
    got: list[str] = []

    @gateway.toolify(accepts={"to": Accepts("EMAIL_ADDRESS")})
    def mail(to: str) -> str:
        got.append(to)
        return "sent"

    run(session, call("mail", to=mangle(session.redact("a.b@example.com").text)))
    assert "a.b@example.com" not in got


# Traces, logs, streams, erasure.


def test_hooks_events_and_logs_hold_placeholders_while_the_tool_gets_the_value(
    gateway: Gateway, session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    hooked: list[object] = []
    got: list[str] = []

    @gateway.toolify(before_execute=hooked.append, after_execute=hooked.append)
    def charge(card: str) -> str:
        got.append(card)
        return f"charged {card}"

    _response, model = run(session, call("charge", card=SPACED))
    assert got == [SPACED]
    assert not [one for one in (SPACED, PAN) if one in seen(session, model) + repr(hooked) + caplog.text]


@pytest.mark.parametrize(
    "payload",
    [
        {"raw": f"data: {PAN}".encode()},
        {"delta": [PAN[:8], PAN[8:]]},
        {"odd": {PAN: object()}},
        {"input": {"resume": [{"payload": {"card": PAN}}]}, "rawEvent": {"card": PAN}},
    ],
)
def test_events_of_unknown_shape_are_walked_or_left_out(session: Session, payload: dict[str, Any]) -> None:
    session.redact(PAN)
    session.events().emit("status", payload)
    assert PAN not in repr(session.events().history())


def test_a_long_secret_is_refused_and_a_harmless_chunk_is_unchanged(session: Session) -> None:
    with pytest.raises(TextTooLong):
        session.private_data.put(PrivateData("s" * 1_000_000, name="secret"))
    restorer = session.stream_restorer()
    chunk = "a" * 65_536
    assert restorer.feed(chunk) + restorer.flush() == chunk


def test_after_erasure_a_late_write_is_refused_everywhere(tmp_path: Path, detector: Detector) -> None:
    path = tmp_path / "v.db"
    with Gateway.open(path, key=b"k" * 32, detector=detector) as gateway:
        waits(gateway)
        session = gateway.session("s1")
        asked = run(session, call("verify"), say=f"My card is {SPACED}.")[0].interrupts[0]
        known = session.redact(SPACED).text
        session.shred()
        late: Sequence[Callable[[], object]] = (
            lambda: session.interrupts.answer(asked.id, CODE),
            lambda: session.redact("again"),
            lambda: session.resume(asked.id, CODE),
            lambda: session.restore(known),
            session.history,
            session.replay,
            session.sent_to_model,
            lambda: gateway.session("s1"),
        )
        for use in late:
            with pytest.raises(SessionShredded):
                use()
        assert issubclass(SessionShredded, SealgateError)


def test_asking_again_and_again_for_codes_is_bounded(detector: Detector) -> None:
    limits = Limits(secret_asks_open=2, secret_asks_hour=3)
    with Gateway.open(":memory:", detector=detector, limits=limits, clock=FakeClock()) as gateway:
        session = gateway.session("s1")
        waits(gateway)
        many = [ToolCall(id=f"c{number}", name="verify") for number in range(4)]
        response = session.invoke([HumanMessage("Go.")], model=ScriptedModel([many, "Done."]))
        assert len(response.interrupts) == 2
