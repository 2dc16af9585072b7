"""What happens to the vault when processes die, fork, race and run out of room.

Each scenario runs in a process of its own that forks: the test's process may hold threads and must not be forked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_COMMON = """
import json, os, random, select, signal, sqlite3, sys, threading, time
from sealgate.models.errors import ValueGone, StoreUnavailable
from sealgate.models.grants import Inject, Restore
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault

PATH, KEY = sys.argv[1], bytes(range(32))

def texts(values):
    return {live.value.text(): str(live.placeholder) for live in values}

def requests(values):
    return [SealRequest(secret_of(value), "CUSTOM", "person") for value in values]

def fork(action):
    child = os.fork()
    if child:
        return child
    try:
        action()
        os._exit(0)
    except BaseException as error:
        os.write(2, repr(error).encode())
        os._exit(1)

def wait(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


_SECOND_VAULT = """
vault = Vault.open(PATH, KEY)
session = vault.session("s1")
session.seal(requests(["one"]))
Vault.open(PATH, KEY).close()   # closing a file drops the locks of the process: nothing may open it but SQLite

def visit():
    os.execv(sys.executable, [sys.executable, "-c", VISIT, PATH])

statuses = [wait(fork(visit))]
session.seal(requests(["two"]))
statuses.append(wait(fork(visit)))
print(json.dumps({"statuses": statuses, "values": session.match(len)}))
"""

_VISIT = """
import sys
from sealgate.vault import Vault
with Vault.open(sys.argv[1], bytes(range(32))) as vault:
    found = vault.session("s1").match(len)
sys.exit(40 + found)
"""

_MEMORY_FORK = """
vault = Vault.open(":memory:")
session = vault.session("s1")

def write():
    try:
        session.seal(requests(["child"]))
    except StoreUnavailable:
        return
    raise AssertionError("a vault in memory went on in a child")

status = wait(fork(write))
session.seal(requests(["parent"]))
print(json.dumps({"status": status, "values": session.match(len)}))
"""


_BURN = """
PROCESSES, THREADS = 5, 10
with Vault.open(PATH, KEY) as vault:
    [code] = vault.session("s1").seal([SealRequest(secret_of("482913"), "OTP_CODE", "interrupt")])
receive, send = os.pipe()

def burn(process):
    vault = Vault.open(PATH, KEY)
    session = vault.session("s1")
    barrier = threading.Barrier(THREADS)

    def call(number):
        barrier.wait()
        try:
            session.open([code], Inject(f"{process}/{number}", "pay", "code", given=frozenset([code])))
        except ValueGone:
            os.write(send, b"g")
        else:
            os.write(send, b"o")

    threads = [threading.Thread(target=call, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

children = [fork(lambda: burn(process)) for process in range(PROCESSES)]
statuses = [wait(child) for child in children]
os.close(send)
outcomes = os.read(receive, 1000).decode()
print(json.dumps({"statuses": statuses, "opened": outcomes.count("o"), "gone": outcomes.count("g")}))
"""


def scenario(script: str, path: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", _COMMON + script, str(path)], capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vault.db"


def test_a_second_vault_in_a_process_does_not_break_the_first(path: Path) -> None:
    report = scenario(f"VISIT = {_VISIT!r}\n" + _SECOND_VAULT, path)
    assert report == {"statuses": [41, 42], "values": 2}


def test_a_vault_in_memory_stays_with_its_process(path: Path) -> None:
    assert scenario(_MEMORY_FORK, path) == {"status": 0, "values": 1}


def test_a_one_time_value_opens_once_for_fifty_callers(path: Path) -> None:
    report = scenario(_BURN, path)
    assert report["statuses"] == [0] * 5
    assert (report["opened"], report["gone"]) == (1, 49)
