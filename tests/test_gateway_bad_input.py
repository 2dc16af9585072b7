"""Bad input gets a typed error with a clear sentence and no value in it, and changes nothing; inside a turn, what a
tool or a handler does wrong is a failure that the model reads, and the turn goes on."""

from __future__ import annotations

import io
import sqlite3
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest

from sealgate.gateway import (
    Accepts,
    AIMessage,
    Gateway,
    HumanMessage,
    InterruptCancelled,
    KeyMissing,
    ModelFailed,
    NotAVault,
    NoTerminal,
    NotJson,
    PrivateData,
    SealgateError,
    Session,
    ToolCall,
    TooManySteps,
    UnknownSession,
    WrongKey,
    default_terminal_interrupt,
    depends_on_interrupt,
    depends_on_private_data,
    depends_on_tool,
)
from sealgate.gateway.testing import ScriptedHuman, ScriptedModel
from sealgate.models.errors import InvalidName, MalformedPlaceholder, UnknownEntityType, VaultTooNew
from sealgate.models.placeholder import parse
from sealgate.redaction import Detector

SECRET = "jane.roe@example.com"
KEY = b"\x01" * 32


def body(account: str = "") -> str:
    """A tool."""
    return account


def told(error: BaseException) -> str:
    """Everything that a log would show of an error, its contexts included."""
    shown, seen = "", set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        shown += "".join(traceback.format_exception(error)) + repr(vars(error))
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    return shown


AT_DECORATION: list[tuple[str, Callable[[], object]]] = [
    ("wrong argument, asked", lambda: depends_on_interrupt("acount")(body)),
    ("wrong argument, private", lambda: depends_on_private_data("key", "acount")(body)),
    ("wrong argument, tool", lambda: depends_on_tool("other", "acount")(body)),
    ("choice without choices", lambda: depends_on_interrupt("account", input_type="choice")(body)),
    ("no choices", lambda: depends_on_interrupt("account", choices=[])(body)),
    ("unknown entity type", lambda: depends_on_interrupt("account", sensitive="ACCOUNT")(body)),
    ("unknown entity type of a grant", lambda: Accepts("ACCOUNT")),
    ("a grant of nothing", Accepts),
    ("unknown origin", lambda: Accepts("PIN", origins=("stranger",))),
    ("unknown input type", lambda: depends_on_interrupt("account", input_type="colour")(body)),  # type: ignore[arg-type]
    ("no attempts", lambda: depends_on_interrupt("account", attempts=0)(body)),
    ("timeout in the past", lambda: depends_on_interrupt("account", timeout=-1)(body)),
    ("a handler that cannot be called", lambda: depends_on_interrupt("account", "ask")(body)),  # type: ignore[arg-type]
    ("a wrong data key", lambda: depends_on_private_data("Data-Key", "account")(body)),
    ("unknown type of private data", lambda: PrivateData(SECRET, name="x", pii_type="EMAIL")),
]


@pytest.mark.parametrize(("name", "decorate"), AT_DECORATION, ids=[name for name, _ in AT_DECORATION])
def test_what_cannot_work_is_refused_where_it_is_written(name: str, decorate: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+ \w+") as refused:
        decorate()
    assert isinstance(refused.value, SealgateError)
    assert SECRET not in told(refused.value)
    assert not [key for key in vars(body) if "sealgate" in key]


TOOLS: list[tuple[str, dict[str, Any], Any]] = [
    ("a wrong name", {"name": "1 tool"}, body),
    ("a grant for no argument", {"accepts": {"acount": Accepts("PIN")}}, body),
    ("an unknown policy", {"placeholders": "pass"}, body),
    ("no function", {"name": "x"}, 7),
    ("starred arguments", {"name": "x"}, lambda *args: args),
]


@pytest.mark.parametrize(("name", "options", "target"), TOOLS, ids=[row[0] for row in TOOLS])
def test_a_tool_that_cannot_work_is_not_registered(
    gateway: Gateway, name: str, options: dict[str, Any], target: Any
) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        gateway.toolify(**options)(target)
    assert gateway.tools.tools() == ()


def test_a_session_that_is_not_there_is_not_made(gateway: Gateway) -> None:
    rows = gateway.audit.verify()
    with pytest.raises(UnknownSession):
        gateway.session("absent", create=False)
    assert gateway.audit.verify() == rows


@pytest.mark.parametrize(
    "text", ["", "[PIN]", "PIN_K7Q2MXB4", "[pin_k7q2mxb4]", "[PIN_K7Q2MXB]", " [PIN_K7Q2MXB4]", SECRET]
)
def test_a_malformed_placeholder_is_no_placeholder(session: Session, text: str) -> None:
    with pytest.raises(MalformedPlaceholder) as refused:
        parse(text)
    assert not text or text not in str(refused.value)
    assert session.restore(text) == text


@pytest.fixture
def vault(tmp_path: Path, detector: Detector) -> Iterator[Path]:
    path = tmp_path / "vault.db"
    with Gateway.open(path, key=KEY, detector=detector) as gateway:
        gateway.session("s1").redact(SECRET)
    yield path
    with Gateway.open(path, key=KEY, detector=detector) as gateway:
        assert gateway.session("s1", create=False).redact(SECRET).findings
        gateway.audit.verify()


@pytest.mark.parametrize(
    ("key", "error"), [(b"\x02" * 32, WrongKey), (None, KeyMissing), (b"short", SealgateError), (b"", SealgateError)]
)
def test_a_wrong_or_missing_key_opens_nothing(vault: Path, key: bytes | None, error: type[SealgateError]) -> None:
    before = vault.read_bytes()
    with pytest.raises(error) as refused:
        Gateway.open(vault, key=key)
    assert vault.read_bytes() == before
    assert not key or key.hex() not in told(refused.value)


def test_a_vault_of_a_newer_version_is_left_alone(tmp_path: Path, detector: Detector) -> None:
    path = tmp_path / "vault.db"
    Gateway.open(path, key=KEY, detector=detector).close()
    connection = sqlite3.connect(path)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.execute(f"PRAGMA user_version = {version + 1}")
    connection.commit()
    connection.close()
    with pytest.raises(VaultTooNew):
        Gateway.open(path, key=KEY)


@pytest.mark.parametrize("content", [b"", b"not a vault\n" * 1000])
def test_a_file_that_is_no_vault_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "vault.db"
    path.write_bytes(content)
    with pytest.raises(NotAVault):
        Gateway.open(path, key=KEY)
    assert path.read_bytes() == content


def test_a_database_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "vault.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE users (name TEXT)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NotAVault):
        Gateway.open(path, key=KEY)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({SECRET: object()}, "${0}"), ([1, b"x"], "$[1]"), ({"a": [(1,)]}, "${0}[0]"), ({1: "x"}, "${0}"),
        (float("nan"), "$"), ([float("inf")], "$[0]"), ({"a": {SECRET}}, "${0}"), (NotImplemented, "$"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["redact_json", "restore_json"])
def test_a_value_that_is_not_json_is_named_by_its_place(
    gateway: Gateway, session: Session, method: str, value: object, path: str
) -> None:
    rows = gateway.audit.verify()
    with pytest.raises(NotJson) as refused:
        getattr(session, method)(value)
    assert refused.value.path == path
    assert SECRET not in told(refused.value)
    assert gateway.audit.verify() == rows


@pytest.mark.parametrize("name", ["", "x" * 1000])
def test_a_wrong_name_of_a_session_is_refused(gateway: Gateway, name: str) -> None:
    with pytest.raises(SealgateError):
        gateway.session(name)


def test_a_wrong_name_of_private_data_is_refused() -> None:
    with pytest.raises(InvalidName):
        PrivateData(SECRET, name="Not A Name")
    with pytest.raises(UnknownEntityType):
        PrivateData(SECRET, name="x", pii_type="NOTHING")


def asked(gateway: Gateway, handler: Any, **options: Any) -> list[str]:
    arrived: list[str] = []

    @gateway.toolify()
    @depends_on_interrupt("account", handler, "Account? ", **{"sensitive": "ACCOUNT_NUMBER", **options})
    def pay(account: str) -> str:
        arrived.append(account)
        return "paid"

    return arrived


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (InterruptCancelled("the person left"), "InterruptCancelled"),
        (ValueError(f"cannot ask {SECRET}"), "ValueError"),
        (SystemExit(SECRET), "SystemExit"),
        (NoTerminal("no terminal"), "NoTerminal"),
        (KeyError(SECRET), "KeyError"),
    ],
)
def test_a_handler_that_raises_fails_its_call_and_the_turn_goes_on(
    gateway: Gateway, session: Session, error: BaseException, cause: str
) -> None:
    after: list[dict[str, Any]] = []
    human = ScriptedHuman({"account": error})

    @gateway.toolify(after_execute=after.append)
    @depends_on_interrupt("account", human.handler("account"), sensitive="ACCOUNT_NUMBER")
    def pay(account: str) -> str:
        raise AssertionError("the tool does not run")

    response = session.invoke([HumanMessage("Pay.")], model=ScriptedModel([ToolCall(id="c1", name="pay"), "Sorry."]))
    assert (response.status, response.response) == ("completed", "Sorry.")
    assert response.messages[2].status == "error"
    assert response.messages[2].text().startswith(cause)
    assert after[0]["error"].startswith(cause)
    assert SECRET not in repr((response, after, session.events().history()))


@pytest.mark.parametrize("answers", [["none", "nothing", "12"], ["", "", ""], ["1234-5678-9012 or 9999-8888-7777"] * 3])
def test_an_answer_that_does_not_fit_is_asked_again_and_then_fails(
    gateway: Gateway, session: Session, answers: list[str]
) -> None:
    human = ScriptedHuman({"account": answers})
    arrived = asked(gateway, human.handler("account"))
    response = session.invoke([HumanMessage("Pay.")], model=ScriptedModel([ToolCall(id="c1", name="pay"), "Sorry."]))
    assert len(human.asked) == 3
    assert (arrived, response.response) == ([], "Sorry.")
    assert response.messages[2].text().startswith("InvalidAnswer")
    assert not [row for row in gateway.audit.rows() if row.action == "sealed"]


def test_an_answer_that_fits_at_last_is_taken(gateway: Gateway, session: Session) -> None:
    human = ScriptedHuman({"account": ["none", "it is 1234-5678-9012"]})
    arrived = asked(gateway, human.handler("account"))
    session.invoke([HumanMessage("Pay.")], model=ScriptedModel([ToolCall(id="c1", name="pay"), "Paid."]))
    assert arrived == ["1234-5678-9012"]
    assert human.asked[0] == "Account? "
    assert human.asked[1] != human.asked[0]


def test_an_answer_outside_of_its_choices_is_refused(gateway: Gateway, session: Session) -> None:
    human = ScriptedHuman({"account": "purple"})
    arrived = asked(gateway, human.handler("account"), sensitive=None, choices=["savings", "current"], attempts=2)
    response = session.invoke([HumanMessage("Pay.")], model=ScriptedModel([ToolCall(id="c1", name="pay"), "Sorry."]))
    assert (arrived, len(human.asked)) == ([], 2)
    assert "purple" not in repr(response)


def test_an_unregistered_tool_is_told_to_the_model(session: Session) -> None:
    response = session.invoke([HumanMessage("Pay.")], model=ScriptedModel([ToolCall(id="c1", name="pay"), "Sorry."]))
    assert (response.messages[2].status, response.response) == ("error", "Sorry.")
    assert response.messages[2].text().startswith("UnknownTool")


@pytest.mark.parametrize("answer", [None, "text", {"content": SECRET}, HumanMessage(SECRET), [AIMessage("x")]])
def test_a_model_that_answers_nonsense_fails_the_turn(session: Session, answer: object) -> None:
    class Nonsense:
        def complete(self, messages: object, tools: object) -> Any:
            return answer

    with pytest.raises(ModelFailed) as failed:
        session.invoke([HumanMessage("x")], model=Nonsense())
    assert SECRET not in told(failed.value)
    assert session.invoke([HumanMessage("y")], model=ScriptedModel(["fine"])).status == "completed"


@pytest.mark.parametrize("model", [None, object(), "gpt", ScriptedModel])
def test_what_is_no_model_fails_the_turn(session: Session, model: Any) -> None:
    with pytest.raises(ModelFailed):
        session.invoke([HumanMessage("x")], model=model)


def test_a_model_that_calls_the_same_tool_for_ever_is_stopped(gateway: Gateway, session: Session) -> None:
    ran: list[str] = []
    gateway.toolify(name="loop")(lambda: ran.append("x"))
    with pytest.raises(TooManySteps) as stopped:
        session.invoke([HumanMessage("x")], model=ScriptedModel([ToolCall(id="c", name="loop")] * 40))
    assert (stopped.value.limit, len(ran)) == (32, 32)


def test_arguments_that_do_not_fit_are_told_without_them(gateway: Gateway, session: Session) -> None:
    arrived: list[object] = []

    @gateway.toolify()
    def pay(amount: int, to: Annotated[int, Accepts("EMAIL_ADDRESS")]) -> None:
        arrived.append(amount)

    shown = session.redact(SECRET).text
    message = session.run_tool(ToolCall(id="c1", name="pay", arguments={"amount": "many", "to": shown}))
    assert str(message.content).startswith("InvalidArguments")
    assert "amount: int_parsing" in str(message.content)
    assert SECRET not in str(message.content)
    assert arrived == []


@pytest.mark.parametrize("stream", ["closed", "piped"])
def test_standard_input_that_cannot_hide_a_secret_is_a_failure(
    gateway: Gateway, session: Session, monkeypatch: pytest.MonkeyPatch, stream: str
) -> None:
    closed = io.StringIO("1234-5678-9012\n")
    if stream == "closed":
        closed.close()
    monkeypatch.setattr(sys, "stdin", closed)
    monkeypatch.setattr("sealgate.gateway.interrupts.terminal.os.open", _no_terminal)
    arrived = asked(gateway, default_terminal_interrupt)
    response = session.invoke([HumanMessage("Pay.")], model=ScriptedModel([ToolCall(id="c1", name="pay"), "Sorry."]))
    assert arrived == []
    assert response.messages[2].text().startswith("NoTerminal")


def _no_terminal(*_given: object, **_options: object) -> int:
    raise OSError(6, "no such device")


class Broken:
    """A recognizer that fails."""

    def recognize(self, text: str) -> Any:
        raise RuntimeError(f"cannot read {text}")


def test_a_detector_that_fails_lets_nothing_through() -> None:
    with Gateway.open(":memory:", detector=Detector(recognizers=(Broken(),))) as gateway:
        session = gateway.session("s1")
        model = ScriptedModel(["never"])
        for use in (lambda: session.redact(SECRET), lambda: session.invoke([HumanMessage(SECRET)], model=model)):
            with pytest.raises(SealgateError) as failed:
                use()
            assert SECRET not in str(failed.value)
        assert (model.seen, session.history()) == ([], ())
