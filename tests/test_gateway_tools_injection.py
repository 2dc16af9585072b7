"""Placeholders become values in one place, in a new object, and only where they are granted."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway import Accepts, Gateway, GrantRefused, Session, ToolFailed, UnknownPlaceholder
from sealgate.gateway.tools.injection import Injection, inject, is_cut, placeholders_in
from sealgate.gateway.tools.places import Shape
from sealgate.models.errors import MalformedPlaceholder
from sealgate.models.origins import INTERRUPT, MODEL, PERSON
from sealgate.models.placeholder import Placeholder, parse
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of

MAIL = "jane.roe@example.com"
MAILS = Accepts("EMAIL_ADDRESS")


def seal(session: Session, value: str | float, entity_type: str, origin: str = PERSON) -> Placeholder:
    return session._services.vault.seal([SealRequest(secret_of(value), entity_type, origin)])[0]


def opened(session: Session, arguments: dict[str, Any], **fields: Any) -> dict[str, object]:
    granted = fields.pop("accepts", dict.fromkeys(arguments, MAILS))
    shape = Shape(fields={name: (name, Shape(granted.get(name))) for name in arguments})
    injection = Injection(call_id="t/c1", tool="mail", arguments=arguments, shape=shape, **fields)
    return inject(session._services.vault, injection)


@pytest.fixture
def mail(session: Session) -> Placeholder:
    return seal(session, MAIL, "EMAIL_ADDRESS")


def test_a_whole_placeholder_is_the_value(session: Session, mail: Placeholder) -> None:
    assert opened(session, {"to": str(mail), "n": 7, "none": None, "yes": True}) == {
        "to": MAIL, "n": 7, "none": None, "yes": True,
    }  # fmt: skip


def test_several_in_a_text_each_open(session: Session, mail: Placeholder) -> None:
    other = seal(session, "john@example.com", "EMAIL_ADDRESS")
    assert opened(session, {"to": f"<{mail}>, {other}; {mail}"}) == {"to": f"<{MAIL}>, john@example.com; {MAIL}"}


def test_nested_values_and_keys_open(session: Session, mail: Placeholder) -> None:
    sealed = {"all": [{str(mail): [f"to {mail}", {"deep": [str(mail)]}]}, 1.5]}
    assert opened(session, sealed) == {"all": [{MAIL: [f"to {MAIL}", {"deep": [MAIL]}]}, 1.5]}


def test_two_keys_that_become_one_are_refused(session: Session, mail: Placeholder) -> None:
    with pytest.raises(ToolFailed, match="two keys") as refused:
        opened(session, {"all": {str(mail): 1, MAIL: 2}})
    assert MAIL not in str(refused.value)


@pytest.mark.parametrize(("value", "entity_type"), [(4111111111111111, "CREDIT_CARD"), (12.75, "CUSTOM")])
def test_a_number_stays_that_number_and_in_a_text_its_digits(session: Session, value: float, entity_type: str) -> None:
    number = seal(session, value, entity_type)
    accepts = dict.fromkeys(("whole", "part"), Accepts(entity_type))
    got = opened(session, {"whole": str(number), "part": f"no {number}"}, accepts=accepts)
    assert got == {"whole": value, "part": f"no {value!r}"}
    assert type(got["whole"]) is type(value)


@pytest.mark.parametrize(
    ("value", "entity_type", "machine"),
    [
        ("4111-1111 1111.1111", "CREDIT_CARD", "4111111111111111"),
        ("GB82 WEST 1234 5698 7654 32", "IBAN_CODE", "GB82WEST12345698765432"),
        ("+44 20 7946 0958", "PHONE_NUMBER", "+442079460958"),
        ("482 913", "OTP_CODE", "482913"),
        ("12-34-56 78", "ACCOUNT_NUMBER", "12-34-56 78"),
        ("Jane  Roe", "PERSON", "Jane  Roe"),
    ],
)
def test_a_granted_type_comes_in_its_machine_form(session: Session, value: str, entity_type: str, machine: str) -> None:
    sealed = str(seal(session, value, entity_type))
    assert opened(session, {"x": sealed}, accepts={"x": Accepts(entity_type)}) == {"x": machine}
    assert session.restore(sealed) in (value, sealed)


def test_the_machine_form_is_of_the_type_that_was_granted(session: Session) -> None:
    sealed = seal(session, "4111 1111 1111 1111", "ACCOUNT_NUMBER")
    assert seal(session, "4111 1111 1111 1111", "CREDIT_CARD") == sealed
    assert opened(session, {"x": str(sealed)}, accepts={"x": Accepts("CREDIT_CARD")}) == {"x": "4111111111111111"}
    assert opened(session, {"x": str(sealed)}, accepts={"x": Accepts("ACCOUNT_NUMBER")}) == {"x": "4111 1111 1111 1111"}


def test_without_a_grant_nothing_opens(session: Session, mail: Placeholder) -> None:
    with pytest.raises(GrantRefused) as refused:
        opened(session, {"to": str(mail)}, accepts={})
    assert (refused.value.tool, refused.value.argument, refused.value.missing) == (
        "mail", "to", "Accepts('EMAIL_ADDRESS')",
    )  # fmt: skip


def test_one_refused_argument_keeps_every_one_time_value_of_the_call(session: Session, mail: Placeholder) -> None:
    code = seal(session, "482913", "OTP_CODE", INTERRUPT)
    arguments, given_to = {"code": str(code), "to": str(mail)}, {"code": frozenset({code})}
    with pytest.raises(GrantRefused):
        opened(session, arguments, accepts={}, given=given_to)
    assert opened(session, arguments, accepts={"to": MAILS}, given=given_to) == {"code": "482913", "to": MAIL}


def test_what_was_given_opens_for_its_own_argument_only(session: Session, mail: Placeholder) -> None:
    arguments = {"to": str(mail), "body": f"for {mail}"}
    given_to = {"to": frozenset({mail})}
    with pytest.raises(GrantRefused) as refused:
        opened(session, arguments, accepts={}, given=given_to)
    assert refused.value.argument == "body"
    assert opened(session, {"to": str(mail)}, accepts={}, given=given_to) == {"to": MAIL}


def test_keep_passes_closed_what_has_no_grant(session: Session, mail: Placeholder) -> None:
    written = seal(session, "model@example.com", "EMAIL_ADDRESS", MODEL)
    got = opened(session, {"body": f"{mail} {written}"}, accepts={}, keep=True, written=frozenset({written}))
    assert got == {"body": f"{mail} model@example.com"}


def test_an_unknown_placeholder_is_refused(session: Session) -> None:
    with pytest.raises(UnknownPlaceholder):
        opened(session, {"to": "[EMAIL_ADDRESS_00000000]"})


def test_another_type_on_an_issued_code_is_unknown(session: Session, mail: Placeholder) -> None:
    with pytest.raises(UnknownPlaceholder):
        opened(session, {"to": str(Placeholder("LITERAL", mail.code))})


def test_a_mangled_placeholder_of_the_model_is_refused_and_a_persons_is_text(session: Session) -> None:
    literal = seal(session, "[email_address_k7q2mxb4]", "LITERAL", MODEL)
    with pytest.raises(MalformedPlaceholder):
        opened(session, {"to": str(literal)}, written=frozenset({literal}))
    said = seal(session, "[pin_k7q2mxb4]", "LITERAL", PERSON)
    assert opened(session, {"to": str(said)}, accepts={}) == {"to": "[pin_k7q2mxb4]"}


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("[EMAIL_ADDRESS_K7Q2MXB]", True),
        ("[EMAIL_ADDRESS_K7Q2MXB45]", True),
        ("[EMAIL_ADDRESS_1]", True),
        ("to <EMAIL_ADDRESS_1>, please", True),
        ("{person_2}", True),
        ("[CUSTOM_CARD_LAST_FOUR_K7Q2]", True),
        ("[EMAIL_ADDRESS_K7Q2MXB4.9]", True),
        ("jane.roe@example.com", False),
        ("[ORDER_12]", False),
        ("[EMAIL_ADDRESS]", False),
        ("EMAIL_ADDRESS_1", False),
        ("[2024_12]", False),
        ("", False),
    ],
)
def test_half_a_placeholder_is_refused_where_a_value_is_accepted_and_text_elsewhere(
    session: Session, mail: Placeholder, text: str, *, cut: bool
) -> None:
    assert is_cut(text) is cut
    for argument in (text, f"{mail} {text}"):
        if cut:
            with pytest.raises(MalformedPlaceholder):
                opened(session, {"to": argument})
        else:
            assert opened(session, {"to": argument}) == {"to": argument.replace(str(mail), MAIL)}
    assert opened(session, {"note": text}, accepts={}) == {"note": text}


def test_the_name_of_an_argument_is_no_place_for_a_placeholder(session: Session, mail: Placeholder) -> None:
    with pytest.raises(MalformedPlaceholder):
        opened(session, {str(mail): "x"}, accepts={})
    assert opened(session, {str(mail): "x"}, accepts={}, keep=True) == {str(mail): "x"}


def test_another_session_opens_nothing(gateway: Gateway, mail: Placeholder) -> None:
    with pytest.raises(UnknownPlaceholder):
        opened(gateway.session("another"), {"to": str(mail)})


TOKEN = st.sampled_from(["{0}", "{1}", "{2}", "a {0} b {1}", "{0}{0}", "plain", "", "[", "\ud800"])
TREE = st.recursive(
    st.one_of(TOKEN, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TOKEN, inner, max_size=3)),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(template=st.dictionaries(st.sampled_from(["a", "b", "c"]), TREE, max_size=3))
def test_sealed_arguments_are_never_touched_or_shared(shared_gateway: Gateway, template: dict[str, Any]) -> None:
    session = shared_gateway.session("injection")
    tokens = [
        str(seal(session, MAIL, "EMAIL_ADDRESS")),
        str(seal(session, 4111111111111111, "CREDIT_CARD")),
        str(seal(session, "zebra-quartz-7731", "PASSWORD")),
    ]
    sealed = {key: spelled(value, tokens) for key, value in template.items()}
    before = copy.deepcopy(sealed)
    accepts = dict.fromkeys(sealed, Accepts("EMAIL_ADDRESS", "CREDIT_CARD", "PASSWORD"))
    try:
        got = opened(session, sealed, accepts=accepts)
    except ToolFailed:
        got = {}
    assert sealed == before
    assert not containers(sealed) & containers(got)
    assert not placeholders_in(got)  # type: ignore[arg-type]


def spelled(value: Any, tokens: list[str]) -> Any:
    if isinstance(value, str):
        return value.format(*tokens) if "{" in value else value
    if isinstance(value, list):
        return [spelled(item, tokens) for item in value]
    if isinstance(value, dict):
        return {spelled(key, tokens): spelled(item, tokens) for key, item in value.items()}
    return value


def containers(value: Any) -> set[int]:
    """The identities of all lists and objects in a value."""
    if not isinstance(value, (list, dict)):
        return set()
    inner = value if isinstance(value, list) else value.values()
    return {id(value)}.union(*map(containers, inner))


def test_every_placeholder_is_seen(mail: Placeholder) -> None:
    value: Any = {str(mail): ["x", {"y": f"a{mail}b"}], "z": [1, None, "[PIN_00000000.9FD]"]}
    assert placeholders_in(value) == {mail, parse("[PIN_00000000.9FD]")}
