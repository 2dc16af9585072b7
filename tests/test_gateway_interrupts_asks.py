"""Asking for values in a turn: what a handler gets, how a turn that waits is seen, and what a cancel leaves."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any, Literal, get_args

import pytest
from pydantic import BaseModel

from sealgate.gateway import (
    Agent,
    Asked,
    FutureHandler,
    Gateway,
    HumanMessage,
    InterruptCancelled,
    InterruptNotPending,
    PrivateData,
    QueueHandler,
    RedactedMessage,
    Session,
    SessionResponse,
    ToolCall,
    callback_handler,
    default_terminal_interrupt,
    depends_on_interrupt,
    depends_on_tool,
    normalize_stream,
)
from sealgate.gateway.testing import ScriptedHuman, ScriptedModel
from sealgate.models.response import Status

Script = Callable[..., SessionResponse]


def run(session: Session, *names: str, then: str = "Done.") -> SessionResponse:
    calls = [ToolCall(id=f"c{place}", name=name) for place, name in enumerate(names)]
    return session.invoke([HumanMessage("Go.")], model=ScriptedModel([calls, then, then]))


def read(session: Session) -> list[str]:
    return [message.text() for message in session.history() if message.role == "tool"]


def test_a_turn_stops_just_before_the_tool_and_goes_on_with_all_it_knew(gateway: Gateway, session: Session) -> None:
    order: list[str] = []

    def handler(prompt: str) -> str:
        order.append(prompt)
        return "Jane Roe"

    @gateway.toolify(description="Greet the user by name")
    @depends_on_interrupt(arg_name="name", input_handler=handler, prompt="Please enter your name: ")
    def greet(name: str) -> dict[str, str]:
        order.append("greet")
        return {"greeting": f"Hello, {name}!"}

    model = ScriptedModel([ToolCall(id="c1", name="greet"), "Done."])
    response = session.invoke([HumanMessage("I like tea.")], model=model)
    assert (response.status, response.response) == ("completed", "Done.")
    assert order == ["Please enter your name: ", "greet"]
    assert [message.role for message in model.seen[1][0]] == ["user", "assistant", "tool"]
    assert "Jane" not in repr(model.seen)


def test_the_built_in_handler_prints_the_prompt_and_reads_one_line(
    gateway: Gateway, session: Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import io  # noqa: PLC0415 - standard input of this test alone

    monkeypatch.setattr("sys.stdin", io.StringIO("Jane\nnot this\n"))
    got: list[str] = []

    @gateway.toolify()
    @depends_on_interrupt("name", default_terminal_interrupt, "Please enter your name: ")
    def greet(name: str) -> str:
        got.append(name)
        return "hello"

    run(session, "greet")
    assert got == ["Jane"]
    assert capsys.readouterr().out == "Please enter your name: "


@pytest.mark.parametrize(
    ("annotation", "options", "kind", "choices"),
    [
        (bool, {}, "boolean", None),
        (int, {}, "number", None),
        (float, {}, "number", None),
        (Literal["s", "m"], {}, "choice", ["s", "m"]),
        (str, {}, "text", None),
        (str, {"input_type": "password"}, "password", None),
        (str, {"choices": ["a", "b"]}, "choice", ["a", "b"]),
        (str, {"input_type": "boolean"}, "boolean", None),
    ],
)
def test_how_an_answer_is_collected_travels_to_handler_and_frontend(
    gateway: Gateway, session: Session, annotation: Any, options: dict[str, Any], kind: str, choices: list[str] | None
) -> None:
    seen: list[tuple[str, list[str] | None]] = []

    def routed(prompt: str, input_type: str = "text", choices: list[str] | None = None) -> str:
        seen.append((input_type, choices))
        return {"boolean": "yes", "number": "1", "choice": (choices or ["x"])[0]}.get(input_type, "word")

    def tool(value: Any) -> str:
        return "done"

    tool.__annotations__["value"] = annotation
    gateway.toolify()(depends_on_interrupt("value", routed, **options)(tool))
    assert run(session, "tool").status == "completed"
    assert seen == [(kind, choices)]
    (event,) = [event for event in session.events().history() if event.type == "interrupt.requested"]
    assert event.interrupt is not None
    assert (event.interrupt.input_type, event.interrupt.choices) == (kind, choices or [])
    assert (event.interrupt.arg_name, event.interrupt.tool_name) == ("value", "tool")


def test_a_handler_that_knows_its_session_closes_over_it_and_may_have_no_prompt(
    gateway: Gateway, session: Session
) -> None:
    pushed: list[tuple[str, str]] = []

    def make_handler(session_id: str) -> Callable[[str], str]:
        def handler(prompt: str) -> str:
            pushed.append((session_id, prompt))
            return "file.txt"

        return handler

    @gateway.toolify()
    @depends_on_interrupt("path", make_handler("order-4821"))
    def process(path: str) -> str:
        return "processed"

    run(session, "process")
    assert pushed == [("order-4821", "path: ")]


def test_several_questions_of_one_answer_of_the_model_are_numbered_through(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    @depends_on_interrupt("a")
    @depends_on_interrupt("b")
    def first(a: str, b: str) -> str:
        return "1"

    @gateway.toolify()
    @depends_on_interrupt("c")
    def second(c: str) -> str:
        return "2"

    response = run(session, "first", "second")
    assert [(one.arg_name, one.number, one.total) for one in response.interrupts] == [("a", 1, 3), ("c", 3, 3)]
    assert len({one.id for one in response.interrupts}) == 2
    response = session.resume(response.interrupts[0].id, "x y")
    assert [(one.arg_name, one.number, one.total) for one in response.interrupts] == [("b", 2, 3), ("c", 3, 3)]


def test_the_answer_of_one_tool_never_goes_to_another(gateway: Gateway, session: Session) -> None:
    got: dict[str, str] = {}

    @gateway.toolify()
    @depends_on_interrupt("code", sensitive="OTP_CODE")
    def ask_code(code: str) -> str:
        got["code"] = code
        return "1"

    @gateway.toolify()
    @depends_on_interrupt("account", sensitive="ACCOUNT_NUMBER")
    def ask_account(account: str) -> str:
        got["account"] = account
        return "2"

    by_name = {one.arg_name: one.id for one in run(session, "ask_code", "ask_account").interrupts}
    assert session.interrupts.answer(by_name["account"], "000123456789").handled
    assert session.interrupts.answer(by_name["code"], "483920").handled
    assert session.resume().status == "completed"
    assert got == {"code": "483920", "account": "000123456789"}


def test_a_final_tool_waits_for_every_tool_that_collects(gateway: Gateway, session: Session) -> None:
    human, order = ScriptedHuman({"name": "Jane", "size": "s"}), []

    @gateway.toolify()
    @depends_on_interrupt("name", human.handler("name"))
    def ask_name(name: str) -> str:
        order.append("name")
        return name

    @gateway.toolify()
    @depends_on_interrupt("size", human.handler("size"))
    def ask_size(size: str) -> str:
        order.append("size")
        return size

    @gateway.toolify(final_tool=True)
    @depends_on_tool("ask_name", "name")
    @depends_on_tool(ask_size, "size")
    class Order(BaseModel):
        name: str
        size: str

    response = run(session, "Order")
    assert (response.status, order) == ("completed", ["name", "size"])
    with session.reveal(response.result) as real:
        assert (real.name, real.size) == ("Jane", "s")


def test_the_order_that_the_model_calls_in_is_the_order_of_the_prompts(gateway: Gateway) -> None:
    human = ScriptedHuman(["1", "2"])
    agent = Agent("clerk", gateway=gateway, system_prompt="Ask for b before a.")

    @agent.toolify()
    @depends_on_interrupt("a", human, "a?")
    def ask_a(a: str) -> str:
        return "a"

    @agent.toolify()
    @depends_on_interrupt("b", human, "b?")
    def ask_b(b: str) -> str:
        return "b"

    calls = [ToolCall(id="c1", name="ask_b"), ToolCall(id="c2", name="ask_a")]
    model = ScriptedModel([calls, "Done."])
    agent.invoke([HumanMessage("Go.")], model=model)
    assert human.asked == ["b?", "a?"]
    assert model.seen[0][0][0].text() == "Ask for b before a."


class Closed(Exception):
    """An application's own reason."""


@pytest.mark.parametrize("error", [InterruptCancelled("navigated away"), TimeoutError("5 s"), Closed("socket")])
def test_a_handler_that_raises_cancels_as_a_failed_tool(gateway: Gateway, session: Session, error: Exception) -> None:
    hooked: list[dict[str, Any]] = []

    def handler(_prompt: str) -> str:
        raise error

    @gateway.toolify(after_execute=lambda payload: hooked.append(dict(payload)))
    @depends_on_interrupt("value", handler)
    def tool(value: str) -> str:
        raise AssertionError("the value was never filled in")

    assert run(session, "tool").status == "completed"
    assert read(session) == [f"{type(error).__name__}: {error}"]
    assert [payload["error"] for payload in hooked] == read(session)
    assert session.interrupts.pending() == []


def test_the_statuses_and_where_a_response_comes_from() -> None:
    assert set(get_args(Status)) == {
        *("pending", "running", "waiting_for_tools", "completed", "failed", "interrupted"),
    }


def test_a_stream_is_normalised_and_only_a_pause_has_a_descriptor(gateway: Gateway, session: Session) -> None:
    @gateway.toolify()
    @depends_on_interrupt("size", prompt="Which size?", choices=["s", "m"])
    def order(size: str) -> str:
        return f"ordered {size}"

    prompts = []
    model = ScriptedModel([ToolCall(id="c1", name="order"), "Done."])
    for event in normalize_stream(session.stream([HumanMessage("Submit my order.")], model=model)):
        assert (event.interrupt is not None) == event.type.startswith("interrupt.")
        if event.type == "interrupt.requested" and event.interrupt is not None:
            prompts.append((event.interrupt.prompt, event.interrupt.choices))
            assert session.interrupts.answer(event.interrupt.id, "m").handled
    assert prompts == [("Which size?", ["s", "m"])]
    assert read(session) == ["ordered m"]


def test_the_worked_example(gateway: Gateway) -> None:
    answers = {"What is the shipping address?": "500 Main St.", "Last four digits of the card to charge?": "4242"}

    def ask_user(prompt: str) -> str:
        return answers[prompt]

    agent = Agent("checkout_agent", gateway=gateway, system_prompt="Help the user place an order.")

    @agent.toolify(name="submit_order", final_tool=True)
    @depends_on_interrupt(
        arg_name="shipping_address", input_handler=ask_user, prompt="What is the shipping address?", sensitive=True
    )
    @depends_on_interrupt(
        arg_name="card_last_four", input_handler=ask_user, prompt="Last four digits of the card to charge?"
    )
    class OrderSubmission(BaseModel):
        item_id: str
        quantity: int
        shipping_address: str
        card_last_four: str

    session = gateway.session("order-4821")
    model = ScriptedModel([ToolCall(id="c1", name="submit_order", arguments={"item_id": "SKU-42", "quantity": 2})])
    response = agent.invoke([HumanMessage("Order 2 of item SKU-42.")], session=session, model=model)
    assert response.status == "completed"
    assert (response.result.item_id, response.result.quantity) == ("SKU-42", 2)
    shown = repr((response, session.events().history(), model.seen))
    assert not re.search(r"(?<![0-9a-f])4242(?![0-9a-f])", shown)
    with session.reveal(response.result) as order:
        assert isinstance(order, OrderSubmission)
        assert (order.shipping_address, order.card_last_four) == ("500 Main St.", "4242")


def test_a_value_that_was_volunteered_is_hidden_and_reaches_its_tool(gateway: Gateway, session: Session) -> None:
    from sealgate.gateway import depends_on_private_data  # noqa: PLC0415 - this test alone

    got: list[str] = []

    @gateway.toolify()
    @depends_on_private_data("card_last_four", "card")
    def charge(card: str) -> str:
        got.append(card)
        return "charged"

    known = PrivateData("4242", name="card_last_four", label="Card last four")
    session.private_data.put(known)
    model = ScriptedModel([ToolCall(id="c1", name="charge"), "Done."])
    said = RedactedMessage("Charge the card ending 4242, code 999111.", known_pii_values=[known, "999111"])
    session.invoke([said], model=model)
    assert got == ["4242"]
    assert not [value for value in ("4242", "999111") if value in repr((model.seen, session.events().history()))]
    assert session.private_data.descriptor("card_last_four") == {
        "label": "Card last four",
        "entity_type": "CUSTOM_CARD_LAST_FOUR",
    }


# The handlers that are shipped.


def test_a_queue_blocks_until_somebody_replies(gateway: Gateway, session: Session) -> None:
    handler = QueueHandler(lambda asked: threading.Thread(target=handler.reply, args=(f"re: {asked.prompt}",)).start())

    @gateway.toolify()
    @depends_on_interrupt("value", handler, "Confirm?")
    def tool(value: str) -> str:
        return value

    assert run(session, "tool").status == "completed"
    assert session.restore(read(session)[0]) == "re: Confirm?"
    with pytest.raises(InterruptNotPending):
        handler.reply("late")
    assert repr(handler) == "QueueHandler(waits=False)"


@pytest.mark.parametrize("kind", [QueueHandler, FutureHandler])
def test_a_reply_that_is_sent_twice_answers_no_later_prompt(
    gateway: Gateway, session: Session, kind: type[QueueHandler] | type[FutureHandler]
) -> None:
    refused: list[str] = []

    def show(asked: Asked) -> None:
        def answer() -> None:
            handler.reply(f"re: {asked.prompt}")
            try:
                handler.reply(f"again: {asked.prompt}")
            except InterruptNotPending:
                refused.append(asked.prompt)

        thread = threading.Thread(target=answer)
        thread.start()
        thread.join()

    handler = kind(show)

    @gateway.toolify()
    @depends_on_interrupt("account", handler, "Account?")
    @depends_on_interrupt("code", handler, "Code?")
    def tool(account: str, code: str) -> list[str]:
        return [account, code]

    run(session, "tool")
    assert session.restore(read(session)[0]) == '["re: Account?", "re: Code?"]'
    assert refused == ["Account?", "Code?"]


def test_a_queue_may_be_cancelled_or_left(gateway: Gateway, session: Session) -> None:
    cancelled = QueueHandler(lambda _asked: cancelled.cancel())
    left = QueueHandler()

    @gateway.toolify()
    @depends_on_interrupt("value", cancelled)
    def cancels(value: str) -> str:
        return value

    @gateway.toolify()
    @depends_on_interrupt("value", left, timeout=0.05)
    def leaves(value: str) -> str:
        return value

    run(session, "cancels", "leaves")
    assert [text.split(":")[0] for text in read(session)] == ["InterruptCancelled", "InterruptTimeout"]


@pytest.mark.parametrize(
    ("cancels", "said"), [(False, "hello"), (True, "InterruptCancelled: the prompt was cancelled")]
)
async def test_a_future_waits_in_the_loop(gateway: Gateway, session: Session, *, cancels: bool, said: str) -> None:
    def show(asked: Asked) -> None:
        assert asked == Asked("Secret?", "password", (), True)
        end = handler.cancel if cancels else lambda: handler.reply("hello")
        threading.Thread(target=end).start()

    handler = FutureHandler(show)

    @gateway.toolify()
    @depends_on_interrupt("value", handler, "Secret?", input_type="password")
    def tool(value: str) -> str:
        return value

    model = ScriptedModel([ToolCall(id="c1", name="tool"), "Done."])
    assert (await session.ainvoke([HumanMessage("Go.")], model=model)).status == "completed"
    assert session.restore(read(session)[0]) == said
    with pytest.raises(InterruptNotPending):
        handler.reply("late")


def test_a_callback_gets_the_whole_prompt() -> None:
    handler = callback_handler(lambda asked: f"{asked.prompt} {asked.input_type} {asked.choices} {asked.secret}")
    assert handler("P", input_type="choice", choices=["a"], secret=False) == "P choice ('a',) False"
