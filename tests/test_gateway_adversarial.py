"""Whatever is said, and whatever a hostile model does with it: nothing that is sealed reaches the model, an event, a
record, the audit or the vault's file, and no tool receives what it was not granted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from sealgate.gateway import (
    Accepts,
    Gateway,
    PrivateData,
    RedactedMessage,
    SealgateError,
    Session,
    depends_on_interrupt,
    depends_on_private_data,
)
from sealgate.gateway.cli.leakcheck import find_leaks, read_files
from sealgate.gateway.sent import payload_json
from sealgate.gateway.testing import ScriptedModel
from sealgate.redaction import Detector

DETECTED = {
    "email": "jane.roe@example.com", "iban": "GB82WEST12345698765432", "card": "4111 1111 1111 1111",
    "other email": "j.q.public@mail.example.org", "phone": "+44 20 7946 0958",
}  # fmt: skip
KNOWN = {"code word": "zebra-quartz-7731", "name": "Wilhelmina Featherstone", "badge": "QX-55-1187-LL"}
ASKED = {"account": "7302-4419-8856", "otp": "593017"}
PRIVATE = {"token": "tok-9f83bc21d0aa"}
EVERYTHING = {**DETECTED, **KNOWN, **ASKED, **PRIVATE}

SPELLINGS = st.sampled_from(["{}", "it is {}.", "<{}>", "{0}, again {0}", '{{"x": "{}"}}'])


@dataclass
class Stage:
    """A session with tools of every kind, and what arrived at each."""

    session: Session
    granted: list[tuple[str, ...]] = field(default_factory=list)
    ungranted: list[str] = field(default_factory=list)

    def register(self, gateway: Gateway) -> None:
        gateway.toolify()(self.mail())
        gateway.toolify()(self.post())
        gateway.toolify(placeholders="keep")(self.note())
        gateway.toolify()(self.pay())

    def mail(self) -> Any:
        def mail(to: Annotated[str, Accepts("EMAIL_ADDRESS")], body: str) -> str:
            self.granted.append((to,))
            self.ungranted.append(body)
            return f"mailed {to}: {body}"

        return mail

    def post(self) -> Any:
        def post(url: str, data: dict[str, Any], tags: list[str]) -> dict[str, Any]:
            self.ungranted.append(json.dumps([url, data, tags]))
            return {"url": url, "echo": data, **dict.fromkeys(tags)}

        return post

    def note(self) -> Any:
        def note(text: str) -> str:
            self.ungranted.append(text)
            raise ValueError(f"cannot note {text} for {DETECTED['iban']}")

        return note

    def pay(self) -> Any:
        @depends_on_interrupt("account", lambda prompt: f"well, {ASKED['account']}", sensitive="ACCOUNT_NUMBER")
        @depends_on_interrupt("otp", lambda prompt: "five nine three, oh one seven", sensitive="OTP_CODE")
        @depends_on_private_data("token", "token")
        def pay(account: str, otp: str, token: str, memo: str = "") -> dict[str, Any]:
            self.granted.append((account, otp, token))
            self.ungranted.append(memo)
            return {"from": account, "echo": [otp, f"{token}!", list(otp)], memo: account[::-1]}

        return pay


def talk(session: Session, said: Sequence[str], known: Sequence[str], model: ScriptedModel) -> None:
    """A turn. A hostile model may end it with a typed error, and with no other."""
    messages = [RedactedMessage(text, known_pii_values=list(known)) for text in said]
    error = ""
    try:
        session.invoke(messages, model=model)
    except SealgateError as ended:
        error = str(ended)
    assert not find_leaks(EVERYTHING, {"error": error}).leaks


def places(gateway: Gateway, stage: Stage, models: Sequence[ScriptedModel]) -> dict[str, str | bytes]:
    """Everything that anybody but a granted argument can see, and what the session's records hold."""
    session = stage.session
    internal = session.events(audience="internal").history()
    records = session._services.vault.records
    return {
        "model": "\n".join(map(given_to, models)),
        "ungranted arguments": "\n".join(stage.ungranted),
        "browser": "\n".join(event.model_dump_json() for event in session.events().history()),
        "operators": "\n".join(event.model_dump_json() for event in internal),
        "log": b"\n".join(record.payload for record in records.read("log")),
        "state": b"\n".join(record.payload for record in records.read("state")),
        "emitted": b"\n".join(records.all("emitted")),
        "private": b"\n".join(records.all("private")),
        "history": json.dumps([message.model_dump(mode="json") for message in session.history()]),
        "audit": "\n".join(repr(row) for row in gateway.audit.rows()),
    }


def given_to(model: ScriptedModel) -> str:
    return "\n".join(payload_json(messages, tools).decode() for messages, tools in model.seen)


def stage_of(gateway: Gateway) -> Stage:
    stage = Stage(gateway.session("s1"))
    stage.register(gateway)
    stage.session.events(audience="internal")
    stage.session.private_data.put(PrivateData(PRIVATE["token"], name="token"))
    return stage


VALUES = st.sampled_from(sorted({**DETECTED, **KNOWN}.values()))
SAID = st.lists(st.builds(str.format, SPELLINGS, VALUES), min_size=1, max_size=3)
QUICK = settings(deadline=None, phases=(Phase.explicit, Phase.generate))
"""Without shrinking: an example is a whole conversation."""


@settings(QUICK, max_examples=8)
@given(first=SAID, second=SAID, seed=st.integers(0, 10_000))
def test_nothing_sealed_is_seen_by_anybody_over_two_turns(
    detector: Detector, first: list[str], second: list[str], seed: int
) -> None:
    with Gateway.open(":memory:", detector=detector) as gateway:
        stage = stage_of(gateway)
        models = [ScriptedModel.adversarial(seed=seed + turn, steps=5) for turn in (0, 1)]
        for said, model in zip((first, second), models, strict=True):
            talk(stage.session, said, list(KNOWN.values()), model)
        report = find_leaks(EVERYTHING, places(gateway, stage, models))
        assert not report.leaks
        gateway.audit.verify()


@settings(QUICK, max_examples=8)
@given(said=SAID, seed=st.integers(0, 10_000), word=st.sampled_from(sorted(KNOWN.values())))
def test_what_is_sealed_after_it_was_said_is_seen_no_more(
    detector: Detector, said: list[str], seed: int, word: str
) -> None:
    with Gateway.open(":memory:", detector=detector) as gateway:
        stage = stage_of(gateway)
        session = stage.session
        talk(session, [f"The word is {word}.", *said], [], ScriptedModel(["Noted: " + word]))
        session.redact("", known=list(KNOWN.values()))
        seen_before = len(stage.ungranted)
        model = ScriptedModel.adversarial(seed=seed, steps=5)
        talk(session, ["Go on."], [], model)
        found = places(gateway, stage, [model])
        found["ungranted arguments"] = "\n".join(stage.ungranted[seen_before:])
        for kept in ("log", "emitted"):  # what was recorded before it was known lies there encrypted
            del found[kept]
        assert not find_leaks(EVERYTHING, found).leaks


@settings(QUICK, max_examples=2)
@given(seed=st.integers(0, 10_000))
def test_the_vaults_files_show_nothing(tmp_path_factory: pytest.TempPathFactory, detector: Detector, seed: int) -> None:
    path: Path = tmp_path_factory.mktemp("vault") / "vault.db"
    with Gateway.open(path, key=b"\x05" * 32, detector=detector) as gateway:
        stage = stage_of(gateway)
        said = [f"{name}: {value}" for name, value in {**DETECTED, **KNOWN}.items()]
        talk(stage.session, said, list(KNOWN.values()), ScriptedModel.adversarial(seed=seed, steps=4))
        files = read_files([path])
        assert f"{path.name}-wal" in files
        assert not find_leaks(EVERYTHING, dict(files)).leaks
    assert not find_leaks(EVERYTHING, dict(read_files([path]))).leaks


def test_the_hostile_model_reaches_tools_and_the_oracle_sees_what_is_there(detector: Detector) -> None:
    """Without this the properties above could hold because nothing happened."""
    with Gateway.open(":memory:", detector=detector) as gateway:
        stage = stage_of(gateway)
        said = [f"{name}: {value}" for name, value in {**DETECTED, **KNOWN}.items()]
        models = [ScriptedModel.adversarial(seed=seed, steps=5) for seed in range(12)]
        for model in models:
            talk(stage.session, said, list(KNOWN.values()), model)
        assert any(arguments[:2] == (ASKED["account"], ASKED["otp"]) for arguments in stage.granted)
        assert len(stage.ungranted) > 3
        actions = {row.action for row in gateway.audit.rows()}
        assert {"opened", "refused", "sealed", "model.request"} <= actions
        assert len({message.text() for model in models for messages, _ in model.seen for message in messages}) > 20
    leaked = find_leaks(EVERYTHING, {name: f"x {value} y" for name, value in EVERYTHING.items()})
    assert {leak.name for leak in leaked.leaks} >= set(EVERYTHING)
