"""What goes in comes out, for whom it is meant, as long as it lives; sizes and errors tell no more than that."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealgate.gateway import Accepts as GatewayAccepts
from sealgate.gateway import Gateway, ToolCall
from sealgate.models.errors import (
    AuditUnavailable,
    GrantRefused,
    SealgateError,
    SessionShredded,
    StoreFull,
    TamperDetected,
    TextTooLong,
    UnknownPlaceholder,
    UnknownSession,
    ValueGone,
)
from sealgate.models.grants import Accepts, Inject, Restore
from sealgate.models.placeholder import Placeholder
from sealgate.redaction import Detector
from sealgate.vault import Vault, VaultSession
from sealgate.vault.encoding import AUTHENTICATION, padded_length
from vault_engines import KEY, Engine, FakeTime, fill, request, texts

VAULT = Path(__file__).resolve().parents[1] / "vault"
LIMIT = 65_536


@pytest.fixture
def vault(engine: Engine[Any]) -> Vault:
    return engine.open()


@pytest.fixture
def session(vault: Vault) -> VaultSession:
    return vault.session("s1")


def test_v31_every_length_comes_back_and_too_long_is_refused_first(engine: Engine[Any], session: VaultSession) -> None:
    edges = [length for length in range(1, 600) if padded_length(length) != padded_length(length - 1)]
    lengths = sorted({0, 1, 28, 29, *edges, *(edge - 1 for edge in edges), 4096, LIMIT - 1, LIMIT})
    values = [("v" + "x" * LIMIT)[:length] for length in lengths]
    placeholders = fill(session, values)
    assert texts(session, placeholders) == values
    before = engine.image()
    for length in (LIMIT + 1, 16 * 1024 * 1024):
        with pytest.raises(TextTooLong):
            fill(session, ["small", "y" * length])
    with pytest.raises(TextTooLong):
        fill(session, ["é" * (LIMIT // 2 + 1)])
    assert engine.image() == before


TEXTS = [
    "\0",
    "a\0b",
    "é",
    "e\u0301",
    "\ud800",
    "\udfff\ud800",
    "\u202eright to left",
    "👩‍👩‍👧",
    "\r\n",
    "\ufeff",
    "ﬁ",
    " ",
    "",
]


def test_v32_every_text_comes_back_and_normal_forms_stay_apart(session: VaultSession) -> None:
    placeholders = fill(session, TEXTS)
    assert texts(session, placeholders) == TEXTS
    composed, decomposed = placeholders[2], placeholders[3]
    assert composed.code == decomposed.code
    assert composed != decomposed


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(st.lists(st.text(st.characters(codec=None, categories=None), max_size=40), min_size=1, max_size=8, unique=True))
def test_v32_any_text_comes_back(engine: Engine[Any], values: list[str]) -> None:
    """I1: whatever text it is."""
    session = engine.open().session("s1")
    placeholders = fill(session, values)
    assert texts(session, placeholders) == values
    assert fill(session, values) == placeholders
    engine.close()


@pytest.fixture
def gateway(engine: Engine[Any], detector: Detector) -> Any:
    with Gateway.open(engine.place, key=KEY, detector=detector) as opened:
        yield opened


def test_v33_an_injected_value_is_never_opened_again(gateway: Gateway) -> None:
    """I19: a value that reads as another value's placeholder reaches the tool as it is, and is hidden afterwards."""
    received: list[str] = []

    @gateway.toolify(name="note", description="Take a note.")
    def note(text: Annotated[str, GatewayAccepts("CUSTOM", "ACCOUNT_NUMBER", "LITERAL")]) -> str:
        received.append(text)
        return f"noted {text}"

    session = gateway.session("s1")
    [inner] = session.redact("account 1234-5678-9012", known=["1234-5678-9012"]).findings
    [outer] = session.redact(f"say {inner.placeholder}", known=[str(inner.placeholder)]).findings
    call = ToolCall(id="c1", name="note", arguments={"text": str(outer.placeholder)})
    message = session.run_tool(call)
    assert received == [str(inner.placeholder)]
    assert "1234" not in str(message.content)
    assert session.restore(str(outer.placeholder)) == str(inner.placeholder)


LOOK_ALIKES = [
    "{0}", "{0}{0}", "x{0}y", "[{0}]", "[[{0}", "\\{0}", '{{"a": "{0}"}}', '"\\u005b{1}\\u005d"', "{2}", "{3}",
    "[EMAIL_ADDRESS_00000000]", "[EMAIL_ADDRESS_0000000]", "[CREDIT_CARD_K7Q2MXB4.9FD]", "&#91;{1}&#93;", "%5B{1}%5D",
]  # fmt: skip


@pytest.mark.parametrize("pattern", LOOK_ALIKES)
def test_v33_text_that_looks_like_a_placeholder_comes_back(gateway: Gateway, pattern: str) -> None:
    session = gateway.session("s1")
    known = session.redact("mail ann@example.org").findings[0].placeholder
    wide = "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in str(known))
    text = pattern.format(known, str(known)[1:-1], str(known).lower(), wide)
    once = session.redact(text).text
    twice = session.redact(once).text
    assert session.restore(once) == text
    assert session.restore(session.restore(twice)) == text


def inject(argument_type: str = "CUSTOM", **options: Any) -> Inject:
    return Inject("c", "tool", "argument", Accepts(argument_type), **options)


def test_v35_what_no_grant_covers_is_given_to_nobody(
    engine: Engine[Any], vault: Vault, session: VaultSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another type, another origin, another session, no grant at all. The one look at the value that the grant's own
    validator would need is not had either, and the refusal is on record.
    """
    mine = fill(session, ["MARKER"])
    [page] = session.seal([request("from a page", origin="tool:fetch")])
    asked: list[str] = []

    def valid(entity_type: str, value: str) -> bool:
        asked.append(value)
        return True

    other = vault.session("s2")
    refusals: list[tuple[VaultSession, list[Placeholder], Inject, type[SealgateError]]] = [
        (session, mine, inject("PERSON", valid=valid), GrantRefused),
        (session, [page], inject(valid=valid), GrantRefused),
        (session, [*mine, page], inject(valid=valid), GrantRefused),
        (session, mine, Inject("c", "tool", "argument", valid=valid), GrantRefused),
        (other, mine, inject(valid=valid), UnknownPlaceholder),
    ]
    for who, placeholders, purpose, expected in refusals:
        asked.clear()
        with pytest.raises(expected) as caught:
            who.open(placeholders, purpose)
        assert "MARKER" not in repr(caught.value)
        assert "from a page" not in asked
        assert [event.action for event in vault.audit.rows()][-1] == "refused"
    assert asked == []


def test_v35_a_changed_policy_opens_nothing(
    engine: Engine[Any], vault: Vault, session: VaultSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uses, lifetimes and types stand under the session's MAC or the entry's own: nothing is decrypted before that."""
    [code] = session.seal([request("482913", "OTP_CODE", "interrupt")])
    session.open([code], Inject("c1", "pay", "code", given=frozenset((code,))))
    [row] = engine.sessions()
    engine.change_session(row, spent=b'\x01{"calls":{},"ended":{},"moved":0}')
    opened: list[object] = []
    with monkeypatch.context() as patched:
        patched.setattr("sealgate.vault.entries.decode_facts", lambda *given: opened.append(given))
        for one in (session, engine.open()):
            with pytest.raises(TamperDetected):
                (one if isinstance(one, VaultSession) else one.session("s1")).open(
                    [code], Inject("c2", "pay", "code", given=frozenset((code,)))
                )
    assert opened == []


def test_v35_without_an_audit_row_nothing_opens(
    engine: Engine[Any], vault: Vault, session: VaultSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    placeholders = fill(session, ["value"])
    before = engine.audit(), engine.sessions()

    def full(*_given: object) -> None:
        raise StoreFull("no room is left on the store; nothing was written")

    with monkeypatch.context() as patched:
        patched.setattr("sealgate.vault.audit.add_row", full)
        for purpose in (Restore(), inject()):
            with pytest.raises(AuditUnavailable):
                session.open(placeholders, purpose)
    assert (engine.audit(), engine.sessions()) == before
    assert texts(session, placeholders) == ["value"]


def test_v36_short_values_have_four_lengths(engine: Engine[Any], session: VaultSession) -> None:
    fill(session, [("y" + "x" * 64)[:length] for length in range(65)])
    assert len({len(row.ct) for row in engine.entries()}) <= 4


def test_v36_lengths_of_long_values_and_records_grow_in_steps(engine: Engine[Any], session: VaultSession) -> None:
    fill(session, ["x" * length for length in range(1000, 2000, 7)])
    session.records.extend("step", [bytes(length) for length in range(64)])
    assert len({len(row.ct) for row in engine.entries()}) <= 9
    assert len({len(row.ct) for row in engine.records()}) <= 4


def flip(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def outcome(action: Callable[[], object]) -> tuple[str, str]:
    """The error of an action, as anybody would see it."""
    with pytest.raises(SealgateError) as caught:
        action()
    return type(caught.value).__name__, str(caught.value)


def test_v36_errors_say_no_more_than_their_contract(engine: Engine[Any]) -> None:
    """Never issued here, issued by another session, mistyped: one text. Used up, expired, destroyed: one text. However
    a row was changed: one text.
    """
    time = FakeTime()
    vault = engine.open(clock=time)
    session, other = vault.session("s1"), vault.session("s2")
    [mine] = fill(session, ["mine"])
    [theirs] = fill(other, ["theirs"])
    short, burnt, retired = session.seal(
        [request("short", ttl=5.0), request("482913", "OTP_CODE", "interrupt"), request("retired")]
    )
    session.open([burnt], Inject("c0", "tool", "argument", given=frozenset((burnt,))))
    session.retire([retired])
    time.seconds += 6

    def use(placeholder: Placeholder) -> tuple[str, str]:
        given = frozenset((placeholder,))
        return outcome(lambda: session.open([placeholder], Inject("c", "tool", "argument", given=given)))

    unknown = [use(one) for one in (Placeholder("CUSTOM", "00000000"), theirs, Placeholder("PERSON", mine.code))]
    assert unknown == [(UnknownPlaceholder.__name__, unknown[0][1])] * 3
    gone = [use(one) for one in (short, burnt, retired)]
    assert gone == [(ValueGone.__name__, gone[0][1])] * 3
    row = engine.entry(mine)
    tampered = []
    for change in (
        {"ct": row.ct[:-1] + b"\0"},
        {"ct": b""},
        {"life": bytes(8)},
        {"dek_ver": 9},
        {"ct": engine.entry(theirs).ct},
    ):
        engine.change_entry(row, **change)
        tampered.append(use(mine))
        engine.change_entry(row, **{name: getattr(row, name) for name in change})
    assert tampered == [(TamperDetected.__name__, AUTHENTICATION)] * 5


def test_v36_sessions_that_are_not_there_look_alike(engine: Engine[Any]) -> None:
    vault = engine.open()
    vault.session("s1", tenant="a", subject="ann")
    missing = [
        outcome(lambda: vault.session("none", tenant="a", create=False)),
        outcome(lambda: vault.session("s1", tenant="b", create=False)),
    ]
    assert missing == [(UnknownSession.__name__, missing[0][1])] * 2
    assert outcome(lambda: vault.session("s1", tenant="a", subject="bob"))[0] == UnknownSession.__name__


SECRET_NAMES = {
    "mac",
    "row_mac",
    "commitment",
    "digest",
    "tag",
    "_tag",
    "signature",
    "secret",
    "key",
    "derive",
}
"""Names of what is compared in constant time, or not at all."""


def compared(tree: ast.AST) -> list[tuple[int, str]]:
    """Line and name of every ``==`` and ``!=`` with one of these names at the end of a side."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            for side in (node.left, *node.comparators):
                name = side.func if isinstance(side, ast.Call) else side
                last = getattr(name, "attr", getattr(name, "id", ""))
                if last in SECRET_NAMES:
                    found.append((node.lineno, last))
    return found


def test_v36_macs_and_commitments_are_compared_in_constant_time() -> None:
    found = {path.name: compared(ast.parse(path.read_text("utf-8"))) for path in sorted(VAULT.glob("*.py"))}
    assert {name: lines for name, lines in found.items() if lines} == {}
    checked = [path.name for path in VAULT.glob("*.py") if "compare_digest" in path.read_text("utf-8")]
    assert {"root.py", "sessionkeys.py", "records.py"} <= set(checked)


def test_v36_the_search_for_comparisons_finds_some() -> None:
    planted = "a.mac == b\nif row_mac(x) != y: pass\nx = keys.commitment == row.commitment\nn == 3"
    assert [line for line, _ in compared(ast.parse(planted))] == [1, 2, 3, 3]


@pytest.mark.parametrize("how", ["open", "match", "session", "records", "another process"])
def test_v37_what_was_seen_to_end_stays_ended(engine: Engine[Any], how: str) -> None:
    """I16: the clock is turned back by an hour after the end was seen once: here, after a restart, and elsewhere."""
    time = FakeTime()
    vault = engine.open(clock=time)
    session = vault.session("s1", ttl=100.0)
    placeholders = fill(session, ["value"])
    time.seconds += 101
    uses: dict[str, Callable[[], object]] = {
        "open": lambda: session.open(placeholders, Restore()),
        "match": lambda: session.match(len),
        "session": lambda: vault.session("s1"),
        "records": lambda: session.records.latest("step"),
        "another process": lambda: engine.open(clock=time).session("s1"),
    }
    with pytest.raises(SessionShredded):
        uses[how]()
    time.seconds -= 3600
    if how != "another process":
        for use in uses.values():
            with pytest.raises(SessionShredded):
                use()
    other = engine.open(clock=time)
    engine.close()
    for reader in (other, engine.open(clock=time)):
        with pytest.raises(SealgateError):
            reader.session("s1")
    with pytest.raises(SessionShredded):
        engine.open(clock=time).session("s1")


def test_v37_an_idle_session_that_was_seen_to_end_stays_ended(engine: Engine[Any]) -> None:
    time = FakeTime()
    session = engine.open(clock=time).session("s1", idle=100.0)
    time.seconds += 101
    with pytest.raises(SessionShredded):
        session.match(len)
    engine.close()
    time.seconds -= 3600
    with pytest.raises(SessionShredded):
        engine.open(clock=time).session("s1")


def test_v37_a_value_that_was_seen_to_end_stays_ended(engine: Engine[Any]) -> None:
    time = FakeTime()
    session = engine.open(clock=time).session("s1")
    [short] = session.seal([request("short", ttl=10.0)])
    time.seconds += 11
    assert texts(session, [short]) == []
    engine.close()
    time.seconds -= 3600
    reopened = engine.open(clock=time).session("s1")
    assert texts(reopened, [short]) == []
    assert reopened.match(len) == 0


class TwoClocks(FakeTime):
    """A wall clock that may be set, and a monotonic one that nobody sets."""

    def __init__(self) -> None:
        super().__init__()
        self.running = 0.0

    def monotonic(self) -> float:
        return self.running


def test_v37_in_a_process_time_goes_on_by_the_monotonic_clock(engine: Engine[Any]) -> None:
    time = TwoClocks()
    session = engine.open(clock=time).session("s1", ttl=100.0)
    time.seconds -= 3600
    for _ in range(10):
        time.running += 9
        session.match(len)
    time.running += 11
    with pytest.raises(SessionShredded):
        session.match(len)
