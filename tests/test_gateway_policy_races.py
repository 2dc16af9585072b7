"""One-time values and limited rules: exactly one call gets them, from however many threads and processes."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sealgate.gateway import (
    Accepts,
    Gateway,
    GrantRefused,
    Policy,
    PrivateData,
    Rule,
    Session,
    ToolCall,
    ValueGone,
    depends_on_private_data,
)
from sealgate.gateway.tools.injection import Injection, inject
from sealgate.gateway.tools.places import Shape
from sealgate.models.placeholder import parse
from sealgate.redaction import Detector

RACERS = 8


def race(racers: list[Callable[[], None]]) -> None:
    barrier = threading.Barrier(len(racers))

    def start(racer: Callable[[], None]) -> None:
        barrier.wait()
        racer()

    threads = [threading.Thread(target=start, args=(racer,)) for racer in racers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


Opened = list[object]


def racer(session: Session, number: int, sealed: str, got: Opened, *, given_to: bool) -> Callable[[], None]:
    """One call's injection, beside the lease that lets a session run one turn at a time."""
    placeholder = parse(sealed)
    injection = Injection(
        call_id=f"c{number}",
        tool="pay",
        arguments={"card": sealed},
        shape=Shape(fields={"card": ("card", Shape(Accepts("CREDIT_CARD")))}),
        given={"card": frozenset({placeholder})} if given_to else {},
    )

    def run() -> None:
        with contextlib.suppress(GrantRefused, ValueGone):
            got.append(inject(session._services.vault, injection, session._services.policy)["card"])

    return run


def open_many(path: Path, detector: Detector, policy: Policy | None = None) -> list[Gateway]:
    return [Gateway.open(path, key=b"k" * 32, detector=detector, policy=policy) for _ in range(RACERS)]


@pytest.mark.parametrize("uses", [1, 3])
def test_threads_race_for_a_rules_uses(detector: Detector, tmp_path: Path, uses: int) -> None:
    policy = Policy(version=1, rules=(Rule(tool="pay", argument="card", types=("CREDIT_CARD",), uses=uses),))
    gateways, got = open_many(tmp_path / "v.db", detector, policy), Opened()
    sessions = [gateway.session("s") for gateway in gateways]
    card = sessions[0].redact("my card is 4111 1111 1111 1111").text.removeprefix("my card is ")
    race([racer(session, number, card, got, given_to=False) for number, session in enumerate(sessions)])
    for gateway in gateways:
        gateway.close()
    assert got == ["4111111111111111"] * uses


def test_threads_race_for_a_one_time_value(detector: Detector, tmp_path: Path) -> None:
    gateways, got = open_many(tmp_path / "v.db", detector), Opened()
    sessions = [gateway.session("s") for gateway in gateways]
    code = sessions[0].private_data.put(PrivateData("482913", name="otp_code"))
    race([racer(session, number, code, got, given_to=True) for number, session in enumerate(sessions)])
    for gateway in gateways:
        gateway.close()
    assert got == ["482913"]


def test_processes_race_for_a_one_time_value(detector: Detector, tmp_path: Path) -> None:
    with Gateway.open(tmp_path / "v.db", key=b"k" * 32, detector=detector) as gateway:
        session = gateway.session("s")
        session.private_data.put(PrivateData("482913", name="otp_code"))
        script = textwrap.dedent("""
            import sys
            from sealgate.models.errors import SealgateError
            from sealgate.models.grants import Inject
            from sealgate.models.placeholder import parse
            from sealgate.vault import Vault
            wanted = parse(sys.argv[2])
            with Vault.open(sys.argv[1], b"k" * 32) as vault:
                session = vault.session("s")
                sys.stdin.readline()
                try:
                    part = (Inject(sys.argv[3], "t", "a", given=frozenset({wanted})), [wanted])
                    print(len(session.open_call([part], lambda parts: None)[0]))
                except SealgateError as error:
                    print(type(error).__name__)
        """)
        token = session.private_data.placeholder("otp_code") or ""
        command = [sys.executable, "-c", script, str(tmp_path / "v.db"), token]
        running = [
            subprocess.Popen([*command, f"c{n}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for n in range(4)
        ]
        told = [process.communicate("go\n", timeout=60)[0].strip() for process in running]
    assert sorted(told) == ["1", "ValueGone", "ValueGone", "ValueGone"]


def test_a_refused_argument_burns_nothing_and_a_crash_loses_it(detector: Detector) -> None:
    with Gateway.open(":memory:", detector=detector) as gateway:

        @gateway.toolify()
        @depends_on_private_data("otp_code", "code")
        def verify(code: str, note: str = "") -> str:
            raise SystemExit("crash")

        session = gateway.session("s")
        session.private_data.put(PrivateData("482913", name="otp_code"))
        mail = session.redact("write to a.b@example.com").text.removeprefix("write to ")
        refused = session.run_tool(ToolCall(id="c1", name="verify", arguments={"note": mail}))
        assert "GrantRefused: argument 'note'" in str(refused.content)
        crashed = session.run_tool(ToolCall(id="c2", name="verify"))
        assert "SystemExit" in str(crashed.content)
        gone = session.run_tool(ToolCall(id="c3", name="verify"))
        assert "ValueGone: argument 'code' of tool 'verify'" in str(gone.content)
