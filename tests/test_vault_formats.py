"""The stored format, frozen: a change that breaks one of these breaks every vault that exists."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from sealgate.models.errors import SessionShredded, ValueGone
from sealgate.models.grants import Inject, Restore
from sealgate.models.placeholder import parse
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault
from sealgate.vault.audit import genesis, link
from sealgate.vault.encoding import lp, pad, unpad
from sealgate.vault.envelope import DEFAULT_SUITE, Cipher, derive
from sealgate.vault.facts import Facts, decode_facts, encode_facts, facts_end
from sealgate.vault.index import Index
from sealgate.vault.sqlite.schema import APPLICATION_ID, SCHEMA_VERSION

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "vectors" / "vault.json").read_text())
DUMP = (Path(__file__).parent / "vectors" / "vault-2.sql").read_text()
KEY = bytes.fromhex(VECTORS["key"])


class FrozenTime:
    """A moment after the one at which the vectors were made."""

    def now(self) -> float:
        return 1_800_000_100.0


def field(value: str | int) -> bytes | str | int:
    return bytes.fromhex(value[1:]) if isinstance(value, str) and value.startswith("#") else value


@pytest.mark.parametrize("vector", VECTORS["lp"])
def test_fields(vector: dict[str, Any]) -> None:
    assert lp(*[field(value) for value in vector["fields"]]).hex() == vector["hex"]


@pytest.mark.parametrize("vector", VECTORS["pad"])
def test_padding(vector: dict[str, Any]) -> None:
    assert pad(bytes.fromhex(vector["data"])).hex() == vector["hex"]
    assert unpad(bytes.fromhex(vector["hex"])).hex() == vector["data"]


@pytest.mark.parametrize("vector", VECTORS["marks"])
def test_marks(vector: dict[str, Any]) -> None:
    mark = Index(KEY).mark(secret_of(vector["value"]))
    assert (mark.identity.hex(), mark.form.hex()) == (vector["identity"], vector["form"])
    assert (mark.code(8), mark.code(13)) == (vector["code"], vector["long_code"])
    assert (mark.suffix(3), mark.suffix(5)) == (vector["suffix"], vector["long_suffix"])


@pytest.mark.parametrize("vector", VECTORS["facts"])
def test_facts(vector: dict[str, Any]) -> None:
    fields, stored = dict(vector), bytes.fromhex(vector["hex"])
    json_type = fields.pop("json_type")
    del fields["hex"]
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    facts = Facts(**(fields | lists)) if lists else None
    assert encode_facts(facts, json_type) == stored
    assert decode_facts(stored) == (facts, json_type)
    assert facts_end(stored + b"value") == len(stored)


@pytest.mark.parametrize("vector", VECTORS["ciphers"])
def test_ciphers(vector: dict[str, Any]) -> None:
    if vector["suite"] > DEFAULT_SUITE:
        pytest.skip("this OpenSSL has no AES-GCM-SIV")
    cipher = Cipher(KEY, vector["suite"])
    plaintext, associated = vector["plaintext"].encode(), vector["associated"].encode()
    assert cipher.encrypt_with(bytes.fromhex(vector["nonce"]), plaintext, associated).hex() == vector["hex"]
    assert Cipher(KEY).decrypt(bytes.fromhex(vector["hex"]), associated) == plaintext


@pytest.mark.parametrize("vector", VECTORS["derived"])
def test_derived_keys(vector: dict[str, Any]) -> None:
    assert derive(KEY, vector["purpose"], bytes.fromhex(vector["salt"])).hex() == vector["hex"]


@pytest.mark.parametrize("vector", VECTORS["links"])
def test_links(vector: dict[str, Any]) -> None:
    assert genesis(bytes.fromhex(vector["vault"])).hex() == vector["genesis"]
    assert link(bytes.fromhex(vector["genesis"]), 1, bytes.fromhex(vector["body"])).hex() == vector["link"]


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "vault.db"
    connection = sqlite3.connect(path)
    connection.executescript(DUMP)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.close()
    return path


@pytest.mark.skipif(DEFAULT_SUITE == 1, reason="this OpenSSL has no AES-GCM-SIV")
def test_a_vault_of_version_2_opens(stored: Path) -> None:
    expected = VECTORS["vault"]
    with Vault.open(stored, KEY, clock=FrozenTime()) as vault:
        session = vault.session("order-4821", tenant="shop", create=False)
        assert session.subject == "ann"
        opened = session.open([parse(shown) for shown, _ in expected["values"]], Restore())
        assert [[str(one), value.reveal()] for one, value in opened.items()] == expected["values"]
        for shown, value in expected["values"][:4]:
            [again] = session.seal([SealRequest(secret_of(value), "CUSTOM", "person")])
            assert str(again) == shown
        for shown in (expected["burnt"], expected["gone"]):
            with pytest.raises(ValueGone):
                session.open([parse(shown)], Inject("c2", "pay", "code", given=frozenset((parse(shown),))))
        assert [one.payload for one in session.records.read("step")] == [b'{"n":1}', b'{"n":2}']
        assert session.records.get("private", "card") == b"4242"
        assert vault.audit.verify(expected["checkpoint"])
        with pytest.raises(SessionShredded):
            vault.session("shredded")
