from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealgate.gateway.events.bridge import EventBridge
from sealgate.models.errors import SessionShredded
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import SecretValue
from sealgate.vault import Vault, VaultSession

CARD = "4929-1182-3345-9921"
KEY = bytes(range(32))


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[tuple[VaultSession, VaultSession]]:
    """One session in two vaults over the same file, as two processes have them."""
    with Vault.open(tmp_path / "v.db", KEY) as first, Vault.open(tmp_path / "v.db", KEY) as second:
        yield first.session("s1"), second.session("s1")


def bridge(session: VaultSession, **options: object) -> EventBridge:
    return EventBridge(session.name, sealer=session, records=session.records, **options)  # type: ignore[arg-type]


def seal(session: VaultSession, value: str) -> str:
    return str(session.seal([SealRequest(SecretValue(value), "CREDIT_CARD", "person")])[0])


def test_two_processes_see_one_stream(sessions: tuple[VaultSession, VaultSession]) -> None:
    left, right = bridge(sessions[0]), bridge(sessions[1])
    ids = [side.emit("status", {"n": n}).id for n, side in enumerate((left, right, right, left))]
    assert ids == [1, 2, 3, 4]
    assert left.history() == right.history()
    assert [event.data["n"] for event in left.history()] == [0, 1, 2, 3]


def test_a_late_process_sees_what_was_before(sessions: tuple[VaultSession, VaultSession]) -> None:
    early = bridge(sessions[0])
    early.emit("status", {"text": "odd \ud800 text", "n": [1, {"k": None}]})
    assert bridge(sessions[1]).history() == early.history()


def test_what_one_process_sealed_the_other_does_not_show(sessions: tuple[VaultSession, VaultSession]) -> None:
    left, right = bridge(sessions[0]), bridge(sessions[1])
    left.emit("status", {"card": CARD})
    assert right.history()[0].data == {"card": CARD}
    token = seal(sessions[0], CARD)
    assert right.history()[0].data == {"card": token}


def test_nothing_readable_lies_in_the_store(tmp_path: Path, sessions: tuple[VaultSession, VaultSession]) -> None:
    seal(sessions[0], CARD)
    bridge(sessions[0]).emit("status", {"note": "a very particular sentence", "card": CARD})
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"particular" not in stored
    assert CARD.encode() not in stored


async def test_a_subscriber_gets_the_other_process_events(sessions: tuple[VaultSession, VaultSession]) -> None:
    left, right = bridge(sessions[0]), bridge(sessions[1])

    async def watch() -> list[int]:
        seen: list[int] = []
        async for event in right.asubscribe():
            seen.append(event.id)
            if event.id == 4:
                right.close()
        return seen

    task = asyncio.create_task(watch())
    for number in range(4):
        left.emit("status", {"n": number})
        await asyncio.sleep(0)
    assert await task == [1, 2, 3, 4]


def test_a_blocking_subscriber_too(sessions: tuple[VaultSession, VaultSession]) -> None:
    left, right = bridge(sessions[0]), bridge(sessions[1])
    seen: list[int] = []
    watcher = threading.Thread(target=lambda: seen.extend(event.id for event in right.subscribe(timeout=1.0)))
    watcher.start()
    left.emit("status")
    left.emit("status")
    watcher.join(30)
    assert seen == [1, 2]


def test_the_store_keeps_a_bounded_number(sessions: tuple[VaultSession, VaultSession]) -> None:
    kept = bridge(sessions[0], max_history=10)
    for number in range(125):
        kept.emit("status", {"n": number})
    assert [event.id for event in kept.history()] == list(range(116, 126))
    assert len(sessions[1].records.read("event.frontend_safe", after=100)) == 25
    assert [event.id for event in bridge(sessions[1], max_history=10).history()] == list(range(116, 126))


def test_audiences_are_numbered_apart(sessions: tuple[VaultSession, VaultSession]) -> None:
    assert bridge(sessions[0]).emit("status").id == 1
    assert bridge(sessions[0], audience="internal").emit("status").id == 1


def test_after_a_shred_there_are_no_events(sessions: tuple[VaultSession, VaultSession]) -> None:
    watched = bridge(sessions[0])
    watched.emit("status", {"n": 1})
    sessions[0].shred()
    with pytest.raises(SessionShredded):
        watched.history()
    with pytest.raises(SessionShredded):
        watched.emit("status")
    watched.close()


def test_threads_of_both_sides_keep_one_order(sessions: tuple[VaultSession, VaultSession]) -> None:
    sides = [bridge(session) for session in sessions]

    def work(side: EventBridge) -> None:
        for number in range(15):
            side.emit("status", {"n": number})

    threads = [threading.Thread(target=work, args=(side,)) for side in sides * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event.id for event in sides[0].history()] == list(range(1, 61))
    assert sides[0].history() == sides[1].history()
