"""The record of what a model was given."""

from __future__ import annotations

import hashlib
import json

import pytest

from sealgate.gateway import Gateway, HumanMessage, Session
from sealgate.gateway import sent as module
from sealgate.gateway.sent import payload_json
from sealgate.gateway.testing import ScriptedModel
from sealgate.models.errors import TamperDetected
from sealgate.models.messages import SealedMessage, sealing
from sealgate.vault import records


def said(text: str) -> SealedMessage:
    with sealing():
        return SealedMessage(role="user", content=text)


def test_every_call_is_kept_as_it_was_given_in_order(session: Session) -> None:
    model = ScriptedModel(["one", "two"])
    session.invoke([HumanMessage("first, jane.roe@example.com")], model=model)
    session.invoke([HumanMessage("second \ud800")], model=model)
    assert session.sent_to_model() == [list(messages) for messages, _tools in model.seen]
    assert "jane" not in repr(session.sent_to_model())


def test_a_call_that_fails_was_sent_all_the_same(session: Session) -> None:
    with pytest.raises(Exception, match="model"):
        session.invoke([HumanMessage("first")], model=ScriptedModel([ValueError]))
    assert len(session.sent_to_model()) == 1


def test_the_chain_holds_digest_and_size_and_no_text(gateway: Gateway, session: Session) -> None:
    session.invoke([HumanMessage("first, jane.roe@example.com")], model=ScriptedModel(["one"]))
    (row,) = [row for row in gateway.audit.rows() if row.action == "model.request"]
    assert set(row.fields) == {"digest", "size", "count"}
    assert row.fields["count"] == 1
    assert len(str(row.fields["digest"])) == len(hashlib.sha256().hexdigest())


def test_nothing_is_cut_off_at_a_page(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_PAGE", 3)
    texts = [f"message {number}" for number in range(8)]
    for text in texts:
        session._services.sent.record([said(text)], [])
    assert [[message.text() for message in call] for call in session.sent_to_model()] == [[text] for text in texts]


def test_a_part_that_was_forgotten_is_stored_again(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_KNOWN_PARTS", 2)
    texts = ["a", "b", "c", "a", "b", "a"]
    for text in texts:
        session._services.sent.record([said(text), said("same")], [])
    assert [call[0].text() for call in session.sent_to_model()] == texts


def test_another_process_reads_the_same(gateway: Gateway, session: Session) -> None:
    session._services.sent.record([said("a"), said("b")], [])
    fresh = module.SentToModel(session._services.vault, gateway.audit)
    fresh.record([said("b")], [])
    assert [[message.text() for message in call] for call in fresh.messages()] == [["a", "b"], ["b"]]


def test_a_payload_reads_as_json() -> None:
    payload = json.loads(payload_json([said("é")], []))
    assert payload["messages"][0]["content"] == "é"
    assert payload["tools"] == []


@pytest.mark.parametrize("kind", ["log", "sent", "sent.part"])
def test_a_first_record_that_was_taken_away_is_noticed(gateway: Gateway, session: Session, kind: str) -> None:
    session.invoke([HumanMessage("first")], model=ScriptedModel(["one"]))
    with gateway._vault._shared.store.write() as transaction:
        statement = "DELETE FROM record WHERE kind = ? AND seq = 1"
        transaction.audit._run(statement, (kind,))  # type: ignore[attr-defined]
    with pytest.raises(TamperDetected):
        session.replay() if kind == "log" else session.sent_to_model()
