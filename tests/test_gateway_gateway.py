"""The gateway: opening, its sessions, its shared tools, and what it refuses."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sealgate.gateway import (
    Gateway,
    HumanMessage,
    SealgateError,
    Session,
    SessionShredded,
    ToolCall,
    TurnCancelled,
    UnknownSession,
    depends_on_interrupt,
)
from sealgate.gateway.testing import FakeClock, ScriptedModel
from sealgate.models.errors import AnchorMissing, InvalidInput, InvalidName, RollbackDetected, StoreUnavailable
from sealgate.redaction import Detector


def test_a_session_is_the_same_object_while_it_is_held(gateway: Gateway) -> None:
    session = gateway.session("order-4821")
    assert gateway.session("order-4821") is session
    assert gateway.session("order-4821", tenant="other") is not session
    assert gateway.session("order-4822") is not session


def test_a_session_that_nobody_holds_is_let_go_and_comes_back_with_its_placeholders(gateway: Gateway) -> None:
    before = gateway.session("order-4821").redact("Mail jane.roe@example.com.").text
    gc.collect()
    assert gateway.session("order-4821").redact("Mail jane.roe@example.com.").text == before


def test_sessions_share_no_placeholders(gateway: Gateway) -> None:
    text = gateway.session("one").redact("Mail jane.roe@example.com.").text
    assert gateway.session("two").restore(text) == text
    assert gateway.session("two").restore(text).unresolved != ()


def test_create_false_finds_and_does_not_make(gateway: Gateway) -> None:
    with pytest.raises(UnknownSession):
        gateway.session("absent", create=False)
    with pytest.raises(UnknownSession):
        gateway.session("absent", create=False)
    session = gateway.session("present")
    assert gateway.session("present", create=False) is session


def test_a_subject_stays(gateway: Gateway) -> None:
    session = gateway.session("order", subject="customer-7")
    assert session.subject == "customer-7"
    with pytest.raises(SealgateError):
        gateway.session("order", subject="customer-8")
    assert gateway.session("order").subject == "customer-7"


@pytest.mark.parametrize("name", ["", "x" * 10_000])
def test_a_name_out_of_bounds_is_refused(gateway: Gateway, name: str) -> None:
    with pytest.raises((InvalidName, InvalidInput)):
        gateway.session(name)


def test_a_shredded_name_is_never_used_again(gateway: Gateway) -> None:
    session = gateway.session("order")
    text = session.redact("Mail jane.roe@example.com.").text
    session.shred()
    for use in (lambda: session.redact("again"), lambda: session.restore(text), lambda: gateway.session("order")):
        with pytest.raises(SessionShredded):
            use()


def test_a_handle_is_not_shown_copied_or_pickled(gateway: Gateway) -> None:
    assert repr(gateway) == "Gateway(…)"
    for keep in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            keep(gateway)


def test_a_file_keeps_everything_for_the_next_process(tmp_path: Path, detector: Detector) -> None:
    path, key = tmp_path / "vault.db", b"k" * 32
    with Gateway.open(path, key=key, detector=detector) as gateway:
        session = gateway.session("order")
        text = session.redact("Mail jane.roe@example.com.").text
        session.invoke([HumanMessage("Hello.")], model=ScriptedModel(["Good day."]))
        rows = gateway.audit.verify()
    with Gateway.open(path, key=key, detector=detector) as gateway:
        session = gateway.session("order", create=False)
        assert session.restore(text) == "Mail jane.roe@example.com."
        assert [message.text() for message in session.history()] == ["Hello.", "Good day."]
        assert gateway.audit.verify() > rows


def test_after_close_nothing_works_and_nothing_hangs(detector: Detector) -> None:
    gateway = Gateway.open(":memory:", detector=detector)
    session = gateway.session("order")
    gateway.close()
    gateway.close()
    with pytest.raises(StoreUnavailable):
        session.redact("Mail jane.roe@example.com.")


def test_the_clock_that_was_given_is_the_one_that_counts(detector: Detector) -> None:
    clock = FakeClock()
    with Gateway.open(":memory:", detector=detector, clock=clock) as gateway:
        session = gateway.session("order")
        text = session.redact("Your code is 482913.").text
        assert session.restore(text) == "Your code is 482913."
        clock.advance(601)
        assert session.restore(text).unresolved != ()
        assert session.events().emit("status").timestamp == clock.now()


def test_a_tool_of_the_gateway_is_a_tool_of_every_session(gateway: Gateway) -> None:
    @gateway.toolify(name="shout", description="In capitals.")
    def loud(text: str) -> str:
        return text.upper()

    assert loud("plain call") == "PLAIN CALL"
    for name in ("one", "two"):
        call = ToolCall(id="c1", name="shout", arguments={"text": "hi"})
        assert gateway.session(name).run_tool(call).content == "HI"


def test_a_name_is_registered_once(gateway: Gateway) -> None:
    gateway.toolify(name="shout")(lambda text: text)
    with pytest.raises(ValueError, match="shout"):
        gateway.toolify(name="shout")(lambda text: text)


def test_an_older_copy_of_the_vault_is_refused(tmp_path: Path, detector: Detector) -> None:
    place, anchor = tmp_path / "vault.db", tmp_path / "kept" / "anchor"
    anchor.parent.mkdir(mode=0o700)
    images = []
    for text in ("Mail jane.roe@example.com.", "Mail john.roe@example.com."):
        with Gateway.open(place, key=bytes(32), anchor=anchor, detector=detector) as gateway:
            gateway.session("order").redact(text)
        images.append(place.read_bytes())
    place.write_bytes(images[0])
    with pytest.raises(RollbackDetected):
        Gateway.open(place, key=bytes(32), anchor=anchor, detector=detector)
    with pytest.raises(AnchorMissing):
        Gateway.open(place, key=bytes(32), detector=detector)
    with pytest.raises(InvalidInput, match="anchor"):
        Gateway.open(place, key=bytes(32), anchor=7, detector=detector)  # type: ignore[arg-type]
    place.write_bytes(images[1])
    Gateway.open(place, key=bytes(32), anchor=anchor, detector=detector).close()


def test_a_gateway_that_is_closed_while_a_turn_waits_leaves_the_pause_to_whoever_opens_it_again(
    tmp_path: Path, detector: Detector
) -> None:
    got: list[str] = []

    def opened() -> tuple[Gateway, Session]:
        gateway = Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector)

        @gateway.toolify()
        @depends_on_interrupt("pin", prompt="PIN?", sensitive="PIN")
        @depends_on_interrupt("code", prompt="Code?", sensitive="OTP_CODE")
        def pay(pin: str, code: str) -> str:
            got.append(pin + code)
            return "paid"

        return gateway, gateway.session("s1")

    first, session = opened()
    model = ScriptedModel([ToolCall(id="c1", name="pay"), "Done."])
    ended: list[str] = []
    waits = threading.Event()

    def follow() -> None:
        try:
            for event in session.stream([HumanMessage("Go.")], model=model):
                if (
                    event.interrupt is not None
                    and event.interrupt.arg_name == "pin"
                    and event.type.endswith("requested")
                ):
                    session.interrupts.answer(event.interrupt.id, "0420")
                if event.interrupt is not None and event.interrupt.arg_name == "code":
                    waits.set()
        except TurnCancelled as error:
            ended.append(type(error).__name__)

    thread = threading.Thread(target=follow)
    thread.start()
    assert waits.wait(60)
    first.close()
    thread.join(60)
    assert ended == ["TurnCancelled"]
    second, session = opened()
    with second:
        (asked,) = session.interrupts.pending()
        assert session.resume(asked.id, "482913", model=model).status == "completed"
    assert got == ["0420482913"]


LEAVES = """
import threading
import time
from sealgate.gateway import Gateway, HumanMessage, ToolCall, depends_on_interrupt
from sealgate.gateway.testing import ScriptedModel
from sealgate.redaction import Detector

gateway = Gateway.open(":memory:", detector=Detector(names=False))
gateway.toolify(name="pay")(depends_on_interrupt("code", prompt="Code?")(lambda code: code))
session = gateway.session("s1")
waits = threading.Event()

def follow():
    for event in session.stream([HumanMessage("Go.")], model=ScriptedModel([ToolCall(id="c1", name="pay")])):
        if event.type == "interrupt.requested":
            waits.set()

threading.Thread(target=follow, daemon=True).start()
waits.wait(60)
while all(thread.name != "sealgate-loop" for thread in threading.enumerate()):
    time.sleep(0.05)
time.sleep(0.5)  # now the turn waits, and does nothing that a process must not end in
"""


def test_a_process_that_leaves_while_a_turn_waits_ends() -> None:
    left = subprocess.run([sys.executable, "-c", LEAVES], capture_output=True, timeout=120, check=False)
    assert (left.returncode, left.stdout) == (0, b""), left.stderr[-2000:]
