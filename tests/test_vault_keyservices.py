"""Key services: the operating system's key store, AWS KMS (moto) and Transit (a double over HTTP), and their faults."""

from __future__ import annotations

import base64
import json
import os
import pickle
import re
import threading
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import boto3
import hvac
import keyring
import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from keyring.backend import KeyringBackend
from keyring.backends import chainer, fail, null
from keyring.errors import KeyringLocked
from moto import mock_aws

from sealgate.models.errors import KeyMissing, KeyRefused, KeyUnavailable, WrongKey
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import KeyProvider, RotatingProvider, Vault, keyringkeys
from sealgate.vault.awskms import AwsKmsKeys
from sealgate.vault.keyringkeys import KeyringKeys
from sealgate.vault.transit import TransitKeys

SECRET = bytes(range(64))
NAME = SealRequest(secret_of("Ann Example"), "PERSON", "person")


class MemoryKeyring(KeyringBackend):
    """A key store in memory that the tests declare to be a system's own."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.stored: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked("Ann Example")
        return self.stored.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.locked:
            raise KeyringLocked("Ann Example")
        self.stored[service, username] = password


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryKeyring]:
    before, made = keyring.get_keyring(), MemoryKeyring()
    monkeypatch.setattr(keyringkeys, "_SAFE", frozenset((MemoryKeyring.__module__,)))
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


class TransitDouble(BaseHTTPRequestHandler):
    """Not Vault: the few paths of its transit engine that are used here, with the errors that it answers."""

    def log_message(self, *arguments: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        self.answer({})

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self.answer(json.loads(self.rfile.read(length) or b"{}"))

    do_PUT = do_POST  # noqa: N815 - the name is the standard library's

    def answer(self, body: dict[str, Any]) -> None:
        server: Any = self.server
        status, data = server.handle_transit(self.path, body)
        payload = json.dumps({"data": data} if status == 200 else {"errors": ["Ann Example"]}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


class TransitServer(ThreadingHTTPServer):
    """The double's keys: one, by version."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), TransitDouble)
        self.versions = {1: os.urandom(32)}
        self.facts: dict[str, object] = {"type": "aes256-gcm96", "derived": False, "exportable": False}
        self.status = 200

    def handle_transit(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self.status != 200:
            return self.status, {}
        action = re.sub("^/v1/transit/", "", path)
        latest = max(self.versions)
        if action == "keys/k":
            return 200, {**self.facts, "latest_version": latest}
        if action == "encrypt/k":
            nonce = os.urandom(12)
            sealed = AESGCM(self.versions[latest]).encrypt(nonce, *self._decoded(body, "plaintext"))
            return 200, {"ciphertext": f"vault:v{latest}:{base64.b64encode(nonce + sealed).decode()}"}
        if action == "decrypt/k":
            return self._decrypt(body)
        if action == "keys/k/rotate":
            self.versions[latest + 1] = os.urandom(32)
        if action == "keys/k/trim":
            self.versions = {
                number: key for number, key in self.versions.items() if number >= body["min_available_version"]
            }
        return 200, {}

    @staticmethod
    def _decoded(body: dict[str, Any], name: str) -> list[bytes]:
        return [base64.b64decode(body[name]), base64.b64decode(body["associated_data"])]

    def _decrypt(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        _vault, version, encoded = body["ciphertext"].split(":")
        blob, associated = base64.b64decode(encoded), base64.b64decode(body["associated_data"])
        try:
            plain = AESGCM(self.versions[int(version[1:])]).decrypt(blob[:12], blob[12:], associated)
        except (KeyError, InvalidTag):
            return 400, {}
        return 200, {"plaintext": base64.b64encode(plain).decode()}


@pytest.fixture
def transit() -> Iterator[TransitServer]:
    server = TransitServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def kms(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        yield boto3.client("kms", region_name="eu-central-1")


def transit_keys(server: TransitServer) -> TransitKeys:
    client = hvac.Client(url=f"http://127.0.0.1:{server.server_port}", token="t", timeout=5)
    return TransitKeys("k", client=client)


@pytest.fixture(params=["keyring", "aws", "transit"])
def provider(request: pytest.FixtureRequest) -> KeyProvider:
    if request.param == "keyring":
        request.getfixturevalue("store")
        return KeyringKeys.create("vault one")
    if request.param == "transit":
        return transit_keys(request.getfixturevalue("transit"))
    client = request.getfixturevalue("kms")
    return AwsKmsKeys(client.create_key()["KeyMetadata"]["KeyId"], client=client)


def test_a_secret_comes_back_in_its_context_only(provider: KeyProvider) -> None:
    blob = provider.wrap(SECRET, b"context")
    assert SECRET not in blob
    assert provider.unwrap(blob, b"context") == SECRET
    for changed, context in ((blob, b"other"), (blob[:-4] + b"AAAA", b"context"), (b"", b"context"), (b"junk", b"")):
        with pytest.raises(WrongKey) as caught:
            provider.unwrap(changed, context)
        assert "Ann" not in "".join(traceback.format_exception(caught.value))


def test_a_vault_lives_on_the_service(provider: KeyProvider, tmp_path: Path) -> None:
    path = tmp_path / "vault.db"
    with Vault.open(path, provider) as vault:
        [placeholder] = vault.session("s1").seal([NAME])
        if isinstance(provider, RotatingProvider):
            assert vault.rotate() == 1
            assert vault.destroy_old_keys() == 1
    with Vault.open(path, provider) as vault:
        assert vault.session("s1").seal([NAME]) == [placeholder]
    with pytest.raises(WrongKey):
        Vault.open(path, bytes(32))


def test_destroyed_keys_unwrap_nothing(provider: KeyProvider) -> None:
    if not isinstance(provider, RotatingProvider):
        pytest.skip("AWS KMS destroys keys by itself, after days")
    old = provider.wrap(SECRET, b"c")
    provider.rotate()
    new = provider.wrap(SECRET, b"c")
    assert provider.unwrap(old, b"c") == provider.unwrap(new, b"c") == SECRET
    provider.destroy_older()
    assert provider.unwrap(new, b"c") == SECRET
    with pytest.raises(WrongKey):
        provider.unwrap(old, b"c")


def test_nothing_of_a_provider_is_shown_or_pickled(provider: KeyProvider) -> None:
    assert "(…)" in repr(provider)
    with pytest.raises(TypeError):
        pickle.dumps(provider)


def test_other_key_stores_are_refused() -> None:
    before = keyring.get_keyring()
    others: list[Any] = [fail.Keyring, null.Keyring]
    try:
        for backend in (MemoryKeyring(), *(other() for other in others)):
            keyring.set_keyring(backend)
            with pytest.raises(KeyRefused):
                KeyringKeys.create("k")
    finally:
        keyring.set_keyring(before)


def test_a_chain_of_key_stores_is_as_safe_as_its_worst(store: MemoryKeyring, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = [chainer.ChainerBackend, null.Keyring]
    chain, nothing = (one() for one in made)
    for parts, refused in (([store], False), ([store, nothing], True), ([], True)):
        monkeypatch.setattr(type(chain), "backends", parts)
        if refused:
            with pytest.raises(KeyRefused):
                keyringkeys.check_backend(chain)
        else:
            keyringkeys.check_backend(chain)


def test_a_key_store_without_the_key_or_with_another_thing(store: MemoryKeyring) -> None:
    with pytest.raises(KeyMissing):
        KeyringKeys("k")
    KeyringKeys.create("k")
    with pytest.raises(KeyRefused):
        KeyringKeys.create("k")
    store.stored["sealgate", "k"] = "hunter2"
    with pytest.raises(KeyRefused) as caught:
        KeyringKeys("k")
    assert "hunter2" not in str(caught.value)
    store.locked = True
    with pytest.raises(KeyUnavailable) as locked:
        KeyringKeys("k")
    assert locked.value.retryable


def test_kms_rotates_by_naming_another_key(kms: Any, tmp_path: Path) -> None:
    old, new = (kms.create_key()["KeyMetadata"]["KeyId"] for _ in range(2))
    with Vault.open(tmp_path / "v.db", AwsKmsKeys(old, client=kms)) as vault:
        vault.session("s1").seal([NAME])
        assert vault.rotate(AwsKmsKeys(old, new, client=kms)) == 1
        vault.destroy_old_keys()
    Vault.open(tmp_path / "v.db", AwsKmsKeys(new, client=kms)).close()
    with pytest.raises(WrongKey):
        Vault.open(tmp_path / "v.db", AwsKmsKeys(old, client=kms))
    with pytest.raises(KeyUnavailable):
        AwsKmsKeys()


def test_the_context_that_kms_logs_is_a_hash(kms: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    encrypt = kms.encrypt
    monkeypatch.setattr(kms, "encrypt", lambda **arguments: seen.append(arguments) or encrypt(**arguments))  # type: ignore[func-returns-value]
    AwsKmsKeys(kms.create_key()["KeyMetadata"]["KeyId"], client=kms).wrap(SECRET, b"visible")
    assert re.fullmatch("[0-9a-f]{64}", seen[0]["EncryptionContext"]["sealgate"])


@pytest.mark.parametrize(
    ("error", "expected", "retryable"),
    [
        (ClientError({"Error": {"Code": "ThrottlingException", "Message": "Ann"}}, "Decrypt"), KeyUnavailable, True),
        (ClientError({"Error": {"Code": "DisabledException", "Message": "Ann"}}, "Decrypt"), KeyUnavailable, False),
        (ClientError({"Error": {"Code": "AccessDeniedException"}}, "Decrypt"), KeyUnavailable, False),
        (ClientError({"Error": {"Code": "IncorrectKeyException"}}, "Decrypt"), WrongKey, False),
        (ConnectTimeoutError(endpoint_url="https://Ann"), KeyUnavailable, True),
    ],
)
def test_errors_of_kms_are_ours(kms: Any, error: Exception, expected: type[Exception], retryable: bool,
                                monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    keys = AwsKmsKeys(kms.create_key()["KeyMetadata"]["KeyId"], client=kms)
    blob = keys.wrap(SECRET, b"c")

    def fail(**arguments: object) -> None:
        raise error

    monkeypatch.setattr(kms, "decrypt", fail)
    with pytest.raises(expected) as caught:
        keys.unwrap(blob, b"c")
    assert getattr(caught.value, "retryable", False) == retryable
    assert "Ann" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(("status", "retryable"), [(403, False), (404, False), (429, True), (500, True), (503, True)])
def test_errors_of_transit_are_ours(transit: TransitServer, status: int, retryable: bool) -> None:
    keys = transit_keys(transit)
    transit.status = status
    with pytest.raises(KeyUnavailable) as caught:
        keys.wrap(SECRET, b"c")
    assert caught.value.retryable == retryable
    assert "Ann" not in "".join(traceback.format_exception(caught.value))


def test_a_transit_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyUnavailable) as caught:
        TransitKeys("k", client=hvac.Client(url="http://127.0.0.1:1", token="t", timeout=1))
    assert caught.value.retryable


@pytest.mark.parametrize("fact", [{"exportable": True}, {"derived": True}, {"type": "rsa-2048"}])
def test_unsafe_transit_keys_are_refused(transit: TransitServer, fact: dict[str, object]) -> None:
    transit.facts.update(fact)
    with pytest.raises(KeyRefused):
        transit_keys(transit)


def test_a_service_that_fails_leaves_no_half_rotation(transit: TransitServer, tmp_path: Path) -> None:
    keys = transit_keys(transit)
    with Vault.open(tmp_path / "v.db", keys) as vault:
        [placeholder] = vault.session("s1").seal([NAME])
        transit.status = 503
        with pytest.raises(KeyUnavailable):
            vault.rotate()
        assert vault.session("s2").seal([NAME]) != [placeholder]
        assert vault.session("s1").seal([NAME]) == [placeholder]
        with pytest.raises(KeyUnavailable):
            Vault.open(tmp_path / "v.db", keys)
        transit.status = 200
        assert vault.rotate() == 2
    Vault.open(tmp_path / "v.db", keys).close()
