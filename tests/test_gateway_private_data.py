"""Private data: by name, never by value."""

from __future__ import annotations

import pytest

from sealgate.gateway import Gateway, HumanMessage, InvalidName, PrivateData, Session, ToolCall, depends_on_private_data
from sealgate.gateway.testing import FakeClock, ScriptedModel
from sealgate.models.errors import UnknownEntityType
from sealgate.models.placeholder import parse
from sealgate.redaction import Detector

CARD = "4111 1111 1111 1111"


def test_a_value_is_known_by_its_name(session: Session) -> None:
    shown = session.private_data.put(PrivateData("4242", name="card_last_four", label="Card"))
    assert parse(shown).entity_type == "CUSTOM_CARD_LAST_FOUR"
    assert session.private_data.placeholder("card_last_four") == shown
    assert session.private_data.descriptor("card_last_four") == {
        "label": "Card",
        "entity_type": "CUSTOM_CARD_LAST_FOUR",
    }
    assert session.restore(shown) == "4242"


def test_what_may_be_said_of_it_is_label_type_description_and_format(session: Session) -> None:
    told = {"label": "Born", "description": "For the age check.", "format": "YYYY-MM-DD"}
    session.private_data.put(PrivateData("1987-06-05", name="born", pii_type="DATE_OF_BIRTH", **told))
    assert session.private_data.descriptor("born") == {**told, "entity_type": "DATE_OF_BIRTH"}


@pytest.mark.parametrize(
    ("value", "text", "stays"),
    [
        ("4242", "ends in 4242", False),
        (4242, "(4242)", False),
        ("Roe", "of ROE", False),
        ("a.b", "a.b", False),
        ("a.b", "a b, acb", True),
        ("4242", "4242424242", True),
        ("Jo", "joint account", True),
        (CARD, "card 4111111111111111", False),
        (CARD, "４１１１-1111-1111-1111", False),
    ],
)
def test_no_value_stands_in_what_is_said_of_it(session: Session, value: str | int, text: str, *, stays: bool) -> None:
    data = PrivateData(value, name="thing", label=text, description=text, format=text)
    said = {"label": text, "description": text, "format": text} if stays else {"label": "thing"}
    assert data.descriptor() == {**said, "entity_type": "CUSTOM_THING"}
    session.private_data.put(data)
    assert session.private_data.descriptor("thing") == data.descriptor()


def test_another_value_in_what_is_said_is_a_placeholder(session: Session) -> None:
    card = session.private_data.put(PrivateData(CARD, name="card", pii_type="CREDIT_CARD"))
    session.private_data.put(PrivateData("0420", name="pin", description=f"That of {CARD}."))
    assert (session.private_data.descriptor("pin") or {})["description"] == f"That of {card}."


def test_a_value_that_has_expired_stays_hidden_in_what_is_said_of_it() -> None:
    clock = FakeClock()
    with Gateway.open(":memory:", clock=clock) as gateway:
        session = gateway.session("s")
        session.private_data.put(PrivateData("482913", name="code", pii_type="OTP_CODE", ttl=5, description="482 913"))
        session.private_data.put(PrivateData("Tr0ub4dor&3", name="pass", ttl=5, format="VHIwdWI0ZG9yJjM="))
        clock.advance(60)
        said = repr([session.private_data.descriptor(name) for name in ("code", "pass")])
    assert "482 913" not in said
    assert "VHIw" not in said


def test_an_absent_name_is_none(session: Session) -> None:
    assert session.private_data.placeholder("absent") is None
    assert session.private_data.descriptor("absent") is None


@pytest.mark.parametrize("name", [None, "", "Upper", "1st", "with space", "a" * 33, "x\n", "é"])
def test_a_wrong_name_is_refused(session: Session, name: str | None) -> None:
    with pytest.raises(InvalidName) as refused:
        session.private_data.put(PrivateData(CARD, name=name))
    assert CARD not in str(refused.value)
    if name is not None:
        with pytest.raises(InvalidName):
            session.private_data.placeholder(name)


def test_an_unknown_type_is_refused_where_it_is_written() -> None:
    with pytest.raises(UnknownEntityType) as refused:
        PrivateData(CARD, name="card", pii_type="CARD_NUMBER")
    assert CARD not in str(refused.value)


def test_a_new_value_takes_the_place_of_the_old_one(session: Session) -> None:
    before = session.private_data.put(PrivateData("1234", name="pin"))
    after = session.private_data.put(PrivateData("5678", name="pin"))
    assert before != after
    assert session.private_data.placeholder("pin") == after


def test_a_number_keeps_its_type(gateway: Gateway, session: Session) -> None:
    received: list[object] = []

    @gateway.toolify()
    @depends_on_private_data("account", "account")
    def pay(account: int) -> str:
        received.append(account)
        return "paid"

    session.private_data.put(PrivateData(12345678, name="account", pii_type="ACCOUNT_NUMBER"))
    session.run_tool(ToolCall(id="c1", name="pay"))
    assert received == [12345678]


def test_what_a_tool_needs_and_nobody_put_is_a_failure(gateway: Gateway, session: Session) -> None:
    called: list[str] = []

    def keep(account: str) -> None:
        called.append(account)

    gateway.toolify(name="pay")(depends_on_private_data("account", "account")(keep))
    model = ScriptedModel([ToolCall(id="c1", name="pay", arguments={"account": "from the model"}), "Sorry."])
    response = session.invoke([HumanMessage("Pay.")], model=model)
    assert "no private data named 'account'" in response.messages[2].text()
    assert (response.status, called) == ("completed", [])


def test_a_value_lives_as_long_and_as_often_as_it_was_told(detector: Detector) -> None:
    clock = FakeClock()
    received: list[str] = []

    def short(value: str) -> None:
        received.append(value)

    def once(value: str) -> None:
        received.append(value)

    with Gateway.open(":memory:", detector=detector, clock=clock) as gateway:
        for tool in (short, once):
            gateway.toolify()(depends_on_private_data(tool.__name__, "value")(tool))
        session = gateway.session("s1")
        session.private_data.put(PrivateData("zebra-quartz-7731", name="short", ttl=60))
        session.private_data.put(PrivateData("walnut-quartz-7731", name="once", uses=1))
        for name in ("short", "once", "once"):
            session.run_tool(ToolCall(id=name, name=name))
        clock.advance(61)
        late = session.run_tool(ToolCall(id="c2", name="short"))
    assert received == ["zebra-quartz-7731", "walnut-quartz-7731"]
    assert str(late.content).startswith("ValueGone")


def test_another_session_has_none_of_it(gateway: Gateway, session: Session) -> None:
    session.private_data.put(PrivateData(CARD, name="card"))
    assert gateway.session("another").private_data.placeholder("card") is None


def test_nothing_shows_the_value(session: Session) -> None:
    session.private_data.put(PrivateData(CARD, name="card", description="hers"))
    shown = (
        repr(session.private_data) + repr(session.private_data.descriptor("card")) + repr(vars(session.private_data))
    )
    assert CARD not in shown
