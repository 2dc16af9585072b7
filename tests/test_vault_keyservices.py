"""Key services: the operating system's key store, AWS KMS (moto) and Transit (a double over HTTP), and their faults."""

from __future__ import annotations

import base64
import json
import os
import pickle
import re
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
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
from keyring.backends import chainer, fail, null
from moto import mock_aws

from key_stores import MemoryKeyring, system_keyring
from sealgate.gateway.testing import FakeClock
from sealgate.models.errors import (
    InvalidInput,
    KeyMissing,
    KeyRefused,
    KeyUnavailable,
    TamperDetected,
    VaultError,
    WrongKey,
)
from sealgate.models.grants import Restore
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import (
    EnvironmentKeys,
    ExpiringProvider,
    KeyProvider,
    LocalKeys,
    RotatingProvider,
    Vault,
    VaultSession,
)
from sealgate.vault.keys import keyring as keyringkeys
from sealgate.vault.keys.awskms import AwsKmsKeys
from sealgate.vault.keys.keyring import KeyringKeys
from sealgate.vault.keys.transit import TransitKeys
from vault_engines import KEY, Engine, FakeTime, SqliteEngine, fill, texts

SECRET = bytes(range(64))
NAME = SealRequest(secret_of("Ann Example"), "PERSON", "person")


@pytest.fixture
def store() -> Iterator[MemoryKeyring]:
    with system_keyring() as made:
        yield made


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
        self.paths: list[str] = []
        self.answers: str | None = None
        self.released = threading.Event()
        self.released.set()

    def handle_transit(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        action = re.sub("^/v1/transit/", "", path)
        self.paths.append(action)
        self.released.wait(20)
        if self.status != 200:
            return self.status, {}
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
        return 200, {"plaintext": self.answers or base64.b64encode(plain).decode()}


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


def transit_keys(server: TransitServer, timeout: float = 5, **options: Any) -> TransitKeys:
    client = hvac.Client(url=f"http://127.0.0.1:{server.server_port}", token="t", timeout=timeout)
    return TransitKeys("k", client=client, **options)


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


HELD = "Ann Example"


class Service:
    """A key service that can fail: its provider, ``fail(fault)``, ``mend()``, and how often it unwrapped a key."""

    def __init__(self, provider: ExpiringProvider, fail: Callable[[str], None], mend: Callable[[], None]) -> None:
        self.provider = provider
        self.fail = fail
        self.mend = mend
        self.unwrapped = 0


class CountingKms:
    """The client of a KMS (moto) that answers as one does whose key was disabled; moto does not look at that."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.fault: Exception | None = None
        self.plaintext: bytes | None = None
        self.decrypted = 0

    def encrypt(self, **arguments: Any) -> Any:
        return self._asked(self._client.encrypt, arguments)

    def decrypt(self, **arguments: Any) -> Any:
        self.decrypted += 1
        answer = self._asked(self._client.decrypt, arguments)
        return answer if self.plaintext is None else {**answer, "Plaintext": self.plaintext}

    def _asked(self, method: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        if self.fault is not None:
            raise self.fault
        return method(**arguments)


KMS_FAULTS: dict[str, Exception] = {
    "timeout": ConnectTimeoutError(endpoint_url="https://Ann"),
    "throttle": ClientError({"Error": {"Code": "ThrottlingException", "Message": "Ann"}}, "Decrypt"),
    "revoked": ClientError({"Error": {"Code": "DisabledException", "Message": "Ann"}}, "Decrypt"),
    "deleted": ClientError({"Error": {"Code": "KMSInvalidStateException", "Message": "Ann"}}, "Decrypt"),
    "wrong key": ClientError({"Error": {"Code": "IncorrectKeyException", "Message": "Ann"}}, "Decrypt"),
}
TRANSIT_STATUS = {"throttle": 429, "revoked": 403, "deleted": 404, "away": 503}

FAULTS = {
    "timeout": (KeyUnavailable, True), "throttle": (KeyUnavailable, True), "revoked": (KeyUnavailable, False),
    "deleted": (KeyUnavailable, False), "wrong key": (WrongKey, None), "other plaintext": (TamperDetected, None),
}  # fmt: skip
"""What a service can do to a vault, the error, and whether that is worth trying again."""


def kms_service(client: Any, **options: Any) -> tuple[Service, CountingKms]:
    counting = CountingKms(client)
    keys = AwsKmsKeys(client.create_key()["KeyMetadata"]["KeyId"], client=counting, **options)

    def fail(fault: str) -> None:
        counting.fault = KMS_FAULTS.get(fault)
        counting.plaintext = bytes(64) if fault == "other plaintext" else None

    return Service(keys, fail, lambda: fail("")), counting


def transit_service(server: TransitServer, **options: Any) -> Service:
    versions = dict(server.versions)

    def fail(fault: str) -> None:
        server.status = TRANSIT_STATUS.get(fault, 200)
        server.answers = base64.b64encode(bytes(64)).decode() if fault == "other plaintext" else None
        server.versions = {1: bytes(32)} if fault == "wrong key" else dict(versions)
        server.released.clear() if fault == "timeout" else server.released.set()

    return Service(transit_keys(server, timeout=0.3, **options), fail, lambda: fail(""))


@pytest.fixture(params=["aws", "transit"])
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    if request.param == "aws":
        yield kms_service(request.getfixturevalue("kms"))[0]
        return
    made = transit_service(request.getfixturevalue("transit"))
    yield made
    made.mend()


USES: dict[str, Callable[[Vault, VaultSession, list[Placeholder]], object]] = {
    "open": lambda _vault, session, placeholders: session.open(placeholders, Restore()),
    "borrow": lambda _vault, session, placeholders: session.borrow(placeholders[0], Restore()),
    "seal what is known": lambda _vault, session, _: fill(session, [HELD]),
    "seal": lambda _vault, session, _: fill(session, ["new"]),
    "match": lambda _vault, session, _: session.match(len),
    "facts": lambda _vault, session, placeholders: session.facts(placeholders),
    "bind": lambda _vault, session, _: session.bind("p"),
    "record": lambda _vault, session, _: session.records.append("step", b"state"),
    "read records": lambda _vault, session, _: session.records.latest("step"),
    "forget": lambda _vault, session, placeholders: session.forget(placeholders),
    "shred": lambda _vault, session, _: session.shred(),
    "new session": lambda vault, _session, _: vault.session("s2"),
    "rotate": lambda vault, _session, _: vault.rotate(KEY),
    "audit": lambda vault, _session, _: vault.audit.append("asked"),
    "verify": lambda vault, _session, _: vault.verify(),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_v51_a_key_that_is_not_given_again_ends_access(service: Service, fault: str, tmp_path: Path) -> None:
    expected, retryable = FAULTS[fault]
    clock, engine = FakeTime(), SqliteEngine(str(tmp_path / "vault.db"))
    vault = engine.open(service.provider, clock=clock)
    session, idle = vault.session("s1"), vault.session("idle")
    placeholders, kept = fill(session, [HELD]), fill(idle, ["Bob"])
    service.fail(fault)
    clock.seconds += 3599
    assert texts(session, placeholders) == [HELD]
    before = [engine.sessions(), engine.entries(), engine.records(), engine.audit()]
    clock.seconds += 1
    for use in (*USES.values(), lambda *_: engine.open(service.provider)) if fault != "timeout" else (USES["open"],):
        with pytest.raises(expected) as caught:
            use(vault, session, placeholders)
        assert getattr(caught.value, "retryable", None) is retryable
        assert "Ann" not in "".join(traceback.format_exception(caught.value))
    assert session.state.latest is idle.state.latest is None
    assert not vault._shared.root._keks
    assert [engine.sessions(), engine.entries(), engine.records(), engine.audit()] == before
    service.mend()
    assert texts(idle, kept) == ["Bob"]
    assert fill(session, [HELD]) == placeholders
    vault.session("s2")
    engine.close()


def test_v51_no_engine_keeps_half_a_session(engine: Engine[Any], transit: TransitServer) -> None:
    clock, keys = FakeTime(), transit_keys(transit)
    vault = engine.open(keys, clock=clock)
    session = vault.session("s1")
    placeholders = fill(session, [HELD])
    before = [engine.sessions(), engine.entries(), engine.records(), engine.audit()]
    transit.status = 503
    clock.seconds += 3600
    for use in USES.values():
        with pytest.raises(KeyUnavailable) as caught:
            use(vault, session, placeholders)
        assert caught.value.retryable
    assert [engine.sessions(), engine.entries(), engine.records(), engine.audit()] == before
    transit.status = 200
    assert texts(session, placeholders) == [HELD]
    assert vault.verify().sessions == 1
    engine.close()


@pytest.mark.parametrize("fault", ["throttle", "revoked", "deleted"])
def test_v51_without_its_service_no_vault_begins(
    service: Service, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.fail(fault)
    with pytest.raises(KeyUnavailable):
        Vault.open(tmp_path / "v.db", service.provider)
    assert not (tmp_path / "v.db").exists()
    for blank in (None, "", " "):
        monkeypatch.setenv("SEALGATE_KEY", blank) if blank is not None else monkeypatch.delenv("SEALGATE_KEY", False)
        with pytest.raises(KeyMissing) as caught:
            EnvironmentKeys()
        assert not isinstance(caught.value, KeyUnavailable)


@pytest.mark.parametrize("fault", ["throttle", "revoked", "wrong key"])
def test_v51_a_rotation_that_fails_changes_nothing(service: Service, fault: str, tmp_path: Path) -> None:
    engine = SqliteEngine(str(tmp_path / "v.db"))
    vault = engine.open(service.provider)
    placeholders = fill(vault.session("s1"), [HELD])
    before = engine.sessions()
    service.fail(fault)
    with pytest.raises((KeyUnavailable, WrongKey)):
        vault.rotate(KEY)
    assert engine.sessions() == before
    assert texts(vault.session("s1"), placeholders) == [HELD]
    service.mend()
    assert vault.rotate(service.provider) == 1
    engine.close()


def test_v51_transit_never_wraps_without_its_context(transit: TransitServer, tmp_path: Path) -> None:
    """Its ``rewrap`` takes no associated data; the double fails a request to wrap or unwrap without."""
    with Vault.open(tmp_path / "v.db", transit_keys(transit)) as vault:
        vault.session("s1")
        vault.rotate()
        vault.destroy_old_keys()
    assert not [path for path in transit.paths if "rewrap" in path]
    assert {"encrypt/k", "decrypt/k"} <= set(transit.paths)


@pytest.mark.parametrize(("ttl", "asked"), [(3600.0, 2), (7200.0, 1), (0.5, 4), (None, 0)])
def test_the_service_is_asked_again_once_a_lifetime(transit: TransitServer, ttl: float | None, asked: int) -> None:
    clock = FakeClock()
    vault = Vault.open(":memory:", transit_keys(transit, cache_ttl=ttl), clock=clock)
    session = vault.session("s1")
    placeholders = fill(session, [HELD])
    transit.paths.clear()
    for _ in range(4):
        clock.advance(1800.0)
        for _ in range(3):
            assert texts(session, placeholders) == [HELD]
    assert transit.paths == ["decrypt/k"] * asked
    vault.close()


def test_a_wall_clock_that_is_turned_back_prolongs_nothing(transit: TransitServer) -> None:
    clock = FakeClock()
    vault = Vault.open(":memory:", transit_keys(transit), clock=clock)
    session = vault.session("s1")
    transit.status = 503
    clock.turn(-86_400)
    clock.advance(3600)
    with pytest.raises(KeyUnavailable):
        session.match(len)


def test_threads_ask_once(transit: TransitServer, tmp_path: Path) -> None:
    clock = FakeTime()
    vault = Vault.open(tmp_path / "v.db", transit_keys(transit), clock=clock)
    sessions = [vault.session(f"s{number}") for number in range(8)]
    placeholders = [fill(session, [f"value {number}"]) for number, session in enumerate(sessions)]
    for _round in range(5):
        transit.paths.clear()
        clock.seconds += 3600
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(texts, sessions, placeholders))
        assert found == [[f"value {number}"] for number in range(8)]
        assert transit.paths == ["decrypt/k"]
    vault.close()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_forked_while_a_thread_asks_goes_on(transit: TransitServer, tmp_path: Path) -> None:
    clock = FakeTime()
    vault = Vault.open(tmp_path / "v.db", transit_keys(transit), clock=clock)
    session = vault.session("s1")
    placeholders = fill(session, [HELD])
    clock.seconds += 3600
    transit.paths.clear()
    transit.released.clear()
    asking = threading.Thread(target=session.match, args=(len,))
    asking.start()
    while not transit.paths:
        pass
    child = os.fork()
    if not child:
        status = 1
        try:
            status = int(texts(session, placeholders) != [HELD])
        finally:
            os._exit(status)
    transit.released.set()
    asking.join()
    assert os.waitpid(child, 0)[1] == 0
    assert texts(session, placeholders) == [HELD]
    vault.close()


def test_threads_are_refused_alike(transit: TransitServer, tmp_path: Path) -> None:
    """None is told of tampering because another one has just dropped the keys."""
    clock = FakeTime()
    vault = Vault.open(tmp_path / "v.db", transit_keys(transit), clock=clock)
    sessions = [vault.session(f"s{number}") for number in range(8)]

    def attempt(session: VaultSession) -> type[BaseException] | None:
        try:
            session.match(len)
        except VaultError as error:
            return type(error)
        return None

    for status in (503, 200) * 5:
        transit.status = status
        clock.seconds += 3600
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(attempt, sessions)) == {KeyUnavailable if status == 503 else None}
    vault.close()


def test_the_lifetime_is_that_of_the_key_in_use(transit: TransitServer) -> None:
    clock = FakeClock()
    vault = Vault.open(":memory:", transit_keys(transit, cache_ttl=10), clock=clock)
    session = vault.session("s1")
    assert vault.rotate(KEY) == 1
    vault.destroy_old_keys()
    transit.status = 503
    clock.advance(11)
    session.match(len)
    clock.advance(100)
    session.match(len)


def test_which_providers_have_a_lifetime(transit: TransitServer, kms: Any) -> None:
    aws = AwsKmsKeys("k", client=kms)
    assert isinstance(aws, ExpiringProvider)
    assert aws.cache_ttl == transit_keys(transit).cache_ttl == 3600
    assert not isinstance(LocalKeys([KEY]), ExpiringProvider)
    for wrong in (0, -1, 1e9, float("nan")):
        with pytest.raises(InvalidInput):
            AwsKmsKeys("k", client=kms, cache_ttl=wrong)
        with pytest.raises(InvalidInput):
            transit_keys(transit, cache_ttl=wrong)
