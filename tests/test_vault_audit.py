from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256

import pytest

from sealgate.models.errors import AuditBroken, AuditUnavailable, InvalidInput
from sealgate.vault.vault import Vault


@pytest.fixture
def vault() -> Iterator[Vault]:
    with Vault.open(":memory:") as opened:
        yield opened


def run(vault: Vault, statement: str) -> None:
    with vault._shared.store.write() as transaction:
        transaction.audit._run(statement)  # type: ignore[attr-defined]


def fill(vault: Vault, rows: int = 12) -> None:
    for step in range(rows):
        vault.audit.append("sent", fields={"step": step, "tool": "pay"})


def test_rows_come_back_in_order(vault: Vault) -> None:
    session = vault.session("s1")
    vault.audit.append("sent", session=session.id, fields={"count": 3, "digest": "ab" * 32})
    events = list(vault.audit.rows())
    assert [event.action for event in events] == ["session.created", "sent"]
    assert events[1].session == session.id
    assert events[1].fields == {"count": 3, "digest": "ab" * 32}
    assert vault.audit.verify() == 2


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET body = x'01' WHERE seq = 5",
        "UPDATE audit SET link = zeroblob(32) WHERE seq = 5",
        "DELETE FROM audit WHERE seq = 5",
        "UPDATE audit SET body = (SELECT body FROM audit WHERE seq = 4) WHERE seq = 5",
    ],
)
def test_the_first_broken_row_is_named(vault: Vault, statement: str) -> None:
    fill(vault)
    run(vault, statement)
    with pytest.raises(AuditBroken) as caught:
        vault.audit.verify()
    assert caught.value.sequence == 5


def test_a_cut_tail_is_seen_only_against_a_checkpoint(vault: Vault) -> None:
    fill(vault)
    checkpoint = vault.audit.checkpoint()
    assert vault.audit.verify(checkpoint) == 12
    run(vault, "DELETE FROM audit WHERE seq > 9")
    assert vault.audit.verify() == 9
    with pytest.raises(AuditBroken) as caught:
        vault.audit.verify(checkpoint)
    assert caught.value.sequence == 10


def test_a_rewritten_chain_is_seen_against_a_checkpoint(vault: Vault) -> None:
    fill(vault)
    checkpoint = vault.audit.checkpoint()
    run(vault, "DELETE FROM audit WHERE seq > 9")
    fill(vault, 5)
    assert vault.audit.verify() == 14
    with pytest.raises(AuditBroken):
        vault.audit.verify(checkpoint)


def test_a_checkpoint_grows_old_but_stays_valid(vault: Vault) -> None:
    empty = vault.audit.checkpoint()
    fill(vault)
    checkpoint = vault.audit.checkpoint()
    fill(vault)
    assert vault.audit.verify(json.loads(json.dumps(checkpoint))) == 24
    assert vault.audit.verify(empty) == 24


def test_checkpoints_of_other_vaults_and_other_things_are_refused(vault: Vault) -> None:
    with Vault.open(":memory:") as other, pytest.raises(InvalidInput):
        vault.audit.verify(other.audit.checkpoint())
    with pytest.raises(InvalidInput):
        vault.audit.verify({})


@pytest.mark.parametrize(
    "fields",
    [
        {"value": "4111"},
        {"tool": "a b"},
        {"tool": 4111},
        {"tool": "x" * 129},
        {"count": "4111"},
        {"count": True},
        {"count": 1.5},
        {"placeholders": ["4111111111111111"]},
        {"entity_types": "PERSON"},
        {"entity_types": [4111]},
        {"missing": "naïve"},
        {"Ann Example": 1},
    ],
)
def test_fields_outside_the_list_are_refused(vault: Vault, fields: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as caught:
        vault.audit.append("sent", fields=fields)
    assert "4111" not in str(caught.value)
    assert vault.audit.verify() == 0


@pytest.mark.parametrize(("action", "session"), [("", None), ("Sent", None), ("sent", "s1"), ("x" * 65, None)])
def test_an_action_and_a_session_have_a_grammar(vault: Vault, action: str, session: str | None) -> None:
    with pytest.raises(InvalidInput):
        vault.audit.append(action, session=session)


def test_a_row_that_cannot_be_written_is_an_error(vault: Vault) -> None:
    vault.close()
    with pytest.raises(AuditUnavailable):
        vault.audit.append("sent")


def test_the_chain_is_plain_sha256_and_needs_no_key(vault: Vault) -> None:
    fill(vault, 2)

    def lp(*fields: bytes) -> bytes:
        return b"".join(len(field).to_bytes(4, "big") + field for field in fields)

    with vault._shared.store.read() as transaction:
        rows = transaction.audit.after(0, 10)
    vault_id = bytes.fromhex(str(vault.audit.checkpoint()["vault"]))
    link = sha256(lp(b"audit/1", vault_id)).digest()
    for row in rows:
        link = sha256(lp(link, row.seq.to_bytes(8, "big"), row.body)).digest()
        assert row.link == link


def test_pseudonyms_are_stable_and_opaque(vault: Vault) -> None:
    first = vault.audit.pseudonym("ann@example.org")
    assert first == vault.audit.pseudonym("ann@example.org")
    assert "ann" not in first
    with Vault.open(":memory:") as other:
        assert other.audit.pseudonym("ann@example.org") != first
