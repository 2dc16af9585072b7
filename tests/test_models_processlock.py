"""What a forked child can use of its parent's locks, models, loops and events, whatever the other threads held."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sealgate.models.processlock import ProcessLock

_COMMON = """
import os, sys, threading, time
from sealgate.gateway import Gateway, HumanMessage, ToolCall
from sealgate.gateway.testing import ScriptedModel
from sealgate.models.processlock import ProcessLock, unforked, waited_for

def fork(action):
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        action()
        code = 0
    except BaseException as error:
        os.write(2, repr(error).encode())
    sys.exit(code)   # as programs do: what runs at exit must end too

def wait(child, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "hangs"

def held(lock):
    taken, over = threading.Event(), threading.Event()
    def hold():
        with lock:
            taken.set()
            over.wait(60)
    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    taken.wait()
    return over
"""

SCENARIOS = {
    "a lock of another thread": """
lock = ProcessLock()
over = held(lock)
def use():
    assert not lock.locked()
    with lock:
        assert lock.locked() and not lock.acquire(timeout=0.01)
    assert not lock.locked()
print(wait(fork(use)), lock.locked(), lock.acquire(False))
""",
    "a lock of the thread that forks": """
lock = ProcessLock()
def use():
    with lock:
        pass
    lock.release()   # the end of the parent's block
    with lock:
        pass
with lock:
    code = wait(fork(use))
print(code, True, lock.acquire(False) and False)
""",
    "a condition on it": """
lock = ProcessLock()
changed = threading.Condition(lock)
over = held(changed)
def use():
    with changed:
        assert not changed.wait(0.01)
        changed.notify_all()
print(wait(fork(use)), lock.locked(), lock.acquire(False))
""",
    "a lock that a fork waits for": """
lock = waited_for()
over = held(lock)
threading.Timer(0.2, over.set).start()
def use():
    assert over.is_set()
    with lock:
        pass
code = wait(fork(use))
with lock:
    print(code, True, False)
""",
    "what another thread is in the middle of": """
inside, over = threading.Event(), threading.Event()
def work():
    with unforked():
        with unforked():
            inside.set()
            over.wait(60)
thread = threading.Thread(target=work)
thread.start()
inside.wait()
threading.Timer(0.2, over.set).start()
def use():
    assert over.is_set()
    with unforked():
        with unforked():
            pass
codes = {wait(fork(use))}
with unforked():
    codes |= {wait(fork(use))}   # whoever forks inside waits for the others only
with unforked():
    print(*codes, True, False)
thread.join()
""",
    "what another thread is in the middle of for too long": """
import sealgate.models.processlock as module
module.PATIENCE = 0.1
inside, over = threading.Event(), threading.Event()
def work():
    with unforked():
        inside.set()
        over.wait(60)
thread = threading.Thread(target=work)
thread.start()
inside.wait()
def use():
    with unforked():
        pass
code = wait(fork(use))
over.set()
thread.join()
with unforked():
    print(code, wait(fork(use)) == 0, False)
""",
    "a lock that a fork waits for too long": """
import sealgate.models.processlock as module
module.PATIENCE = 0.1
lock = waited_for()
over = held(lock)
def use():
    with lock:
        pass
print(wait(fork(use)), lock.locked(), lock.acquire(False))
""",
    "names of which another thread has just begun to load the model": """
gateway = Gateway.open(sys.argv[1], key=bytes(32))
session = gateway.session("s")
def slowed(event, args):
    if event == "import" and args[0].startswith("thinc."):
        time.sleep(0.05)
sys.addaudithook(slowed)
def load():
    session.redact("Ask Thomas Whitfield.")
thread = threading.Thread(target=load)
thread.start()
while "spacy" not in sys.modules:
    time.sleep(0.01)
def use():
    assert "PERSON" in session.redact("Ask Thomas Whitfield about it.").text
print(wait(fork(use)), True, False)
thread.join()
""",
    "the loop of a blocking turn": """
gateway = Gateway.open(sys.argv[1], key=bytes(32))
session = gateway.session("s")
@gateway.toolify()
async def there(x: int) -> str:
    return "ok"
def turn():
    call = ToolCall(id="c", name="there", arguments={"x": 1})
    assert session.run_tool(call).content == "ok"
turn()
codes = {wait(fork(turn)), wait(fork(lambda: None))}
turn()
gateway.close()
print(*codes, True, False)
""",
    "names and events while other threads are at them": """
gateway = Gateway.open(sys.argv[1], key=bytes(32))
session = gateway.session("s")
over = threading.Event()
def busy():
    while not over.is_set():
        session.explain("Ask Thomas Whitfield about it. " * 8)
        session.events().emit("status", {"text": "still there"})
threads = [threading.Thread(target=busy, daemon=True) for _ in range(2)]
for thread in threads:
    thread.start()
def use():
    assert "PERSON" in session.redact("Ask Thomas Whitfield.").text
    assert session.events().emit("status", {"text": "here"}).id
time.sleep(1)
codes = {wait(fork(use)) for _ in range(12)}
over.set()
for thread in threads:
    thread.join()   # Python ends daemon threads inside C++ code by an abort
print(*codes, True, False)
""",
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_child_has_the_use_of(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", _COMMON + SCENARIOS[name], str(tmp_path / "vault.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.split() == ["0", "True", "False"], done.stderr[-2000:]


def test_it_is_a_lock() -> None:
    lock = ProcessLock()
    with lock:
        assert lock.locked()
        assert not lock.acquire(blocking=False)
        assert not lock.acquire(timeout=0.01)
    assert not lock.locked()
    with pytest.raises(RuntimeError):
        lock.release()


def test_one_thread_at_a_time_has_it() -> None:
    lock, counted = ProcessLock(), [0]

    def count() -> None:
        for _ in range(2_000):
            with lock:
                counted[0] += 1

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted == [8_000]
