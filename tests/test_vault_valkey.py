"""The Valkey engine on real servers, one of Valkey and one of Redis."""

from __future__ import annotations

import io
import os
import pickle
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import valkey

from sealgate.models.errors import (
    AuditBroken,
    InvalidInput,
    StoreFull,
    StoreRefused,
    StoreUnavailable,
    TamperDetected,
)
from sealgate.models.grants import Restore
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault, restore_backup, sweep
from sealgate.vault.conformance import CHECKS, Check
from sealgate.vault.valkey import link as valkeylink
from sealgate.vault.valkey import store as engine
from sealgate.vault.valkey.store import ValkeyStore


def name_of(check: Check) -> str:
    return check.__name__


@pytest.fixture(params=["valkey", "redis"])
def valkey_server(request: pytest.FixtureRequest) -> int:
    """The ports of both servers in turn."""
    port: int = request.getfixturevalue(f"{request.param}_port")
    return port


@pytest.fixture
def stores(valkey_url: str) -> Iterator[tuple[ValkeyStore, ValkeyStore]]:
    first, second = ValkeyStore(valkey_url), ValkeyStore(valkey_url)
    yield first, second
    first.close()
    second.close()


@pytest.mark.parametrize("check", CHECKS, ids=name_of)
def test_the_engine_conforms(check: Check, stores: tuple[ValkeyStore, ValkeyStore]) -> None:
    check(*stores)


KEY = bytes(range(32))
VALUE = "Ann Example 4111"


def seal(vault: Vault, *values: str, session: str = "s1") -> list[Placeholder]:
    return vault.session(session).seal([SealRequest(secret_of(value), "CUSTOM", "person") for value in values])


def texts(vault: Vault, placeholders: list[Placeholder], session: str = "s1") -> list[str]:
    opened = vault.session(session).open(placeholders, Restore())
    return [opened[one].text() for one in placeholders if one in opened]


def prefix_of(url: str) -> str:
    return f"{{{url.partition('prefix=')[2]}}}:"


@pytest.fixture
def client(valkey_server: int) -> Iterator[Any]:
    """Somebody who goes around the vault."""
    opened: Any = valkey.Valkey(port=valkey_server)
    yield opened
    opened.close()


@pytest.fixture
def vault(valkey_url: str) -> Iterator[Vault]:
    with Vault.open(valkey_url, KEY) as opened:
        yield opened


def test_a_vault_is_opened_again(valkey_url: str) -> None:
    with Vault.open(valkey_url, KEY) as vault:
        placeholders = seal(vault, VALUE)
    with Vault.open(valkey_url, KEY) as vault:
        assert texts(vault, placeholders) == [VALUE]
        assert seal(vault, VALUE) == placeholders
    assert sweep(valkey_url) == (0, 0, True)


def test_the_server_holds_no_value_and_no_name(vault: Vault, client: Any, valkey_url: str) -> None:
    seal(vault, VALUE, session="visible-name")
    vault.session("visible-name").records.append("step", b"visible-payload")
    keys = list(client.scan_iter(f"{prefix_of(valkey_url)}*"))
    dumped = b"".join(client.dump(key) for key in keys) + b"".join(keys)
    assert len(keys) > 10
    assert not [secret for secret in (b"Ann", b"visible", KEY) if secret in dumped]
    assert [key for key in keys if client.ttl(key) != -1] == []


def test_a_writer_whose_lock_is_gone_writes_nothing(vault: Vault, client: Any, valkey_url: str) -> None:
    seal(vault, "before")
    store = vault._shared.store

    def lose_the_lock(write: bool) -> None:
        with store.write() if write else store.read() as transaction:
            transaction.meta.get("vault")
            client.delete(f"{prefix_of(valkey_url)}lock")
            if write:
                transaction.meta.put("junk", b"junk")

    for write in (True, False):
        with pytest.raises(StoreUnavailable, match="lock was lost"):
            lose_the_lock(write)
    with store.read() as transaction:
        assert transaction.meta.get("junk") is None


def test_a_lock_that_stays_taken_is_an_error(
    vault: Vault, client: Any, valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "DEADLINE", 0.05)
    lock = f"{prefix_of(valkey_url)}lock"
    client.set(lock, b"somebody else")
    with pytest.raises(StoreUnavailable):
        seal(vault, VALUE)
    assert client.get(lock) == b"somebody else"
    client.delete(lock)
    assert texts(vault, seal(vault, VALUE)) == [VALUE]


class Cutting:
    """A connection that loses the answer to its next commit, ``before`` or ``after`` the server got to know."""

    def __init__(self, connection: Any, when: str) -> None:
        self._connection = connection
        self._when = when

    def send_packed_command(self, packed: list[bytes]) -> None:
        committing = b"EXEC" in b"".join(packed) and b"LPUSH" in b"".join(packed)
        if committing and self._when == "before":
            self._when = ""
            raise valkey.exceptions.ConnectionError(VALUE)
        self._connection.send_packed_command(packed)
        if committing and self._when == "after":
            self._when = ""
            self._connection.can_read(timeout=5)
            raise valkey.exceptions.ConnectionError(VALUE)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@pytest.mark.parametrize("when", ["before", "after"])
def test_v56_a_commit_whose_answer_is_lost_is_looked_up(
    vault: Vault, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = vault.session("s1")
    made = valkeylink.Channel.__init__
    with monkeypatch.context() as patch:
        patch.setattr(valkeylink.Channel, "__init__", lambda self, one: made(self, Cutting(one, when)))
        if when == "before":
            with pytest.raises(StoreUnavailable) as caught:
                seal(vault, VALUE)
            assert VALUE not in "".join(traceback.format_exception(caught.value))
        else:
            seal(vault, VALUE)
    assert session.match(len) == (when == "after")
    assert texts(vault, seal(vault, VALUE)) == [VALUE]
    assert vault.audit.verify() == 3


def test_a_cut_connection_is_replaced(vault: Vault, client: Any) -> None:
    placeholders = seal(vault, VALUE)
    client.client_kill_filter(_type="normal", skipme=True)
    assert texts(vault, placeholders) == [VALUE]


def test_many_threads_make_one_row_a_value(vault: Vault) -> None:
    sealed: list[list[Placeholder]] = []
    values = [f"value {number}" for number in range(10)]
    threads = [threading.Thread(target=lambda: sealed.append(seal(vault, *values))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(sealed) == 8
    assert all(one == sealed[0] for one in sealed)
    assert vault.verify().values == 10


def test_both_sides_of_a_fork_go_on(vault: Vault) -> None:
    seal(vault, "before")
    child = os.fork()
    if child == 0:
        try:
            seal(vault, *(f"child {number}" for number in range(20)))
            os._exit(0)
        except BaseException:
            os._exit(1)
    seal(vault, *(f"parent {number}" for number in range(20)))
    assert os.waitpid(child, 0)[1] == 0
    assert vault.verify().values == 41


def test_a_prompt_takes_few_round_trips(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    session = vault.session("s1")
    calls = []
    call = valkeylink.Channel.call
    monkeypatch.setattr(valkeylink.Channel, "call", lambda self, *sent: calls.append(1) or call(self, *sent))  # type: ignore[func-returns-value]
    placeholders = session.seal([SealRequest(secret_of(f"value {one}"), "CUSTOM", "person") for one in range(20)])
    assert len(calls) <= 6
    calls.clear()
    session.open(placeholders, Restore())
    assert len(calls) <= 5


def test_a_shredded_session_leaves_nothing_but_its_name(vault: Vault, client: Any, valkey_url: str) -> None:
    session = vault.session("s1")
    seal(vault, "one", "two")
    session.records.append("step", b"payload")
    session.records.replace("note", "key", b"payload")
    prefix = prefix_of(valkey_url)
    assert list(client.scan_iter(f"{prefix}e:*"))
    session.shred()
    left = {key.decode().removeprefix(prefix) for key in client.scan_iter(f"{prefix}*")}
    assert left == {"meta", "kek", "s", "sid", "a", "n", "done"}


@pytest.mark.parametrize(
    ("row", "field", "value"),
    [("s", None, b"junk"), ("e:1", None, b"\0" * 40), ("n", b"sid", b"one"), ("a", b"1", b"\x20" + b"x" * 50)],
)
def test_changed_bytes_are_refused(
    vault: Vault, client: Any, valkey_url: str, row: str, field: bytes | None, value: bytes
) -> None:
    placeholders = seal(vault, VALUE)
    key = f"{prefix_of(valkey_url)}{row}"
    client.hset(key, field or next(iter(client.hkeys(key))), value)

    def use_everything() -> None:
        with Vault.open(valkey_url, KEY) as other:
            texts(other, placeholders)
            other.audit.verify()
            other.session("new")

    with pytest.raises((TamperDetected, AuditBroken)):
        use_everything()


def test_purge_waits_until_the_log_is_rewritten(valkey_url: str, client: Any, vault: Vault) -> None:
    folder = Path(client.config_get("dir")["dir"])
    seal(vault, VALUE)
    row = client.hvals(f"{prefix_of(valkey_url)}e:1")[0]
    ciphertext = row[-60:]
    assert any(ciphertext in one.read_bytes() for one in folder.rglob("*aof*") if one.is_file())
    with suppress(valkey.ResponseError):  # One that is under way began before the session was shredded.
        client.bgrewriteaof()
    assert vault.session("s1").shred() is True
    assert not any(ciphertext in one.read_bytes() for one in folder.rglob("*") if one.is_file())


def test_who_may_not_rewrite_the_log_is_told_that_data_is_left(limited: Callable[[str], str]) -> None:
    with Vault.open(limited("bgrewriteaof"), KEY) as vault:
        seal(vault, VALUE)
        assert vault.session("s1").shred() is False
        assert vault.purge() is False


@contextmanager
def configured(client: Any, **settings: str) -> Iterator[None]:
    """The server with other settings for a while."""
    before = {name: client.config_get(name.replace("_", "-")) for name in settings}
    for name, value in settings.items():
        client.config_set(name.replace("_", "-"), value)
    try:
        yield
    finally:
        for stored in before.values():
            for name, value in stored.items():
                client.config_set(name, value)


@pytest.mark.parametrize(
    ("settings", "accepted"),
    [
        ({}, True),
        ({"maxmemory": "1gb", "maxmemory_policy": "volatile-lru"}, True),
        ({"maxmemory_policy": "allkeys-lru"}, True),
        ({"maxmemory": "1gb", "maxmemory_policy": "allkeys-lru"}, False),
        ({"maxmemory": "1gb", "maxmemory_policy": "allkeys-random"}, False),
        ({"appendonly": "no"}, False),
        ({"appendfsync": "no"}, False),
    ],
)
def test_v57_a_server_that_loses_things_is_refused(
    client: Any, valkey_url: str, settings: dict[str, str], accepted: bool
) -> None:
    with configured(client, **settings):
        if accepted:
            Vault.open(valkey_url, KEY).close()
            return
        with pytest.raises(StoreRefused):
            Vault.open(valkey_url, KEY)
        ValkeyStore(valkey_url, allow_unsafe=True).close()


@pytest.mark.parametrize("url", ["valkey://192.0.2.7", "redis://db.example:6379/0"])
def test_v57_an_unencrypted_connection_to_another_machine_is_refused(url: str, valkey_url: str) -> None:
    with valkeylink.Link(valkey_url).channel() as channel:
        with pytest.raises(StoreRefused):
            valkeylink.Link(url).probe(channel, allow_unsafe=False)
        encrypted = valkeylink.Link(url.replace("valkey:", "valkeys:").replace("redis:", "rediss:"))
        encrypted.probe(channel, allow_unsafe=False)


@pytest.fixture
def limited(client: Any, valkey_url: str) -> Iterator[Callable[[str], str]]:
    """The URL for a user who may do everything but one kind of command."""
    client.acl_setuser("limited", enabled=True, nopass=True, keys=["*"], commands=["+@all"])

    def without(command: str) -> str:
        client.execute_command("ACL", "SETUSER", "limited", f"-{command}")
        return valkey_url.replace("valkey://", "valkey://limited:none@")

    yield without
    client.acl_deluser("limited")


def test_v57_a_server_that_shows_nothing_is_refused(limited: Callable[[str], str]) -> None:
    with pytest.raises(StoreRefused):
        Vault.open(limited("config"), KEY)


def test_a_user_who_sees_no_clients_has_a_vault_all_the_same(limited: Callable[[str], str]) -> None:
    with Vault.open(limited("client"), KEY) as vault:
        assert not vault._shared.store._link.shows_clients  # type: ignore[attr-defined]
        assert texts(vault, seal(vault, VALUE)) == [VALUE]


def test_a_lock_ends_with_the_connection_that_took_it(vault: Vault, client: Any, valkey_url: str) -> None:
    seal(vault, "before")
    lock = f"{prefix_of(valkey_url)}lock"
    with vault._shared.store.read():
        held = client.get(lock)
        assert client.pttl(lock) > 20_000
    assert client.get(lock) is None
    client.set(lock, held[:1] + b"nobody of this name", px=30_000)
    assert texts(vault, seal(vault, VALUE)) == [VALUE]


def test_a_lock_of_a_connection_that_is_there_is_left_alone(
    vault: Vault, client: Any, valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "DEADLINE", 0.6)
    with Vault.open(valkey_url, KEY) as other, vault._shared.store.write() as transaction:
        transaction.meta.put("mine", b"first")
        with pytest.raises(StoreUnavailable):
            other.session("s1")
    with vault._shared.store.read() as reading:
        assert reading.meta.get("mine") == b"first"


def knows_waiting(valkey_url: str) -> bool:
    with valkeylink.Link(valkey_url).channel() as channel:
        return "waitaof" in repr(channel.call(("COMMAND", "LIST"))[0])


def test_a_server_is_asked_what_it_knows(client: Any, valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real server's answers: of a command that every server knows, and of one that none does."""
    with configured(client, appendfsync="everysec"):
        for command, known in (("WAIT", True), ("WAITFORNOTHING", False), ("WAITAOF", knows_waiting(valkey_url))):
            monkeypatch.setattr(valkeylink, "_WAITING", command)
            link = valkeylink.Link(valkey_url)
            with link.channel() as channel:
                if known:
                    link.probe(channel, allow_unsafe=False)
                else:
                    with pytest.raises(StoreRefused):
                        link.probe(channel, allow_unsafe=False)
            assert link.waits == known


def test_a_server_that_syncs_every_second_is_waited_for_where_it_can_be(client: Any, valkey_url: str) -> None:
    """Runs ``WAITAOF`` for real on a server that has it; one that has not is refused for real."""
    with configured(client, appendfsync="everysec"):
        if knows_waiting(valkey_url):
            with Vault.open(valkey_url, KEY) as vault:
                assert texts(vault, seal(vault, VALUE)) == [VALUE]
        else:
            with pytest.raises(StoreRefused):
                Vault.open(valkey_url, KEY)


def times_waited(client: Any) -> int:
    return int(client.info("commandstats").get("cmdstat_waitaof", {}).get("calls", 0))


@pytest.mark.parametrize("valkey_server", ["valkey"], indirect=True)  # Redis has WAITAOF from 7.2 on
def test_what_is_durable_waits_for_the_disk_and_nothing_else_does(
    client: Any, valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(valkeylink, "_WAIT_FOR_DISK", 300)
    with configured(client, appendfsync="everysec"), Vault.open(valkey_url, KEY) as vault:
        seal(vault, "first")
        before = times_waited(client)
        placeholders = seal(vault, VALUE)
        waited = times_waited(client)
        assert waited > before
        assert texts(vault, placeholders) == [VALUE]
        assert times_waited(client) == waited
        with configured(client, appendfsync="no"), pytest.raises(StoreUnavailable, match="did not confirm"):
            seal(vault, "not confirmed")
        assert texts(vault, seal(vault, "not confirmed")) == ["not confirmed"]


@pytest.mark.parametrize("url", ["valkey://host/0?prefix=a%20b", "valkey://u:hunter2@host:x/0", "mysql://u:hunter2@h"])
def test_bad_urls_are_refused_without_being_quoted(url: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Vault.open(url, KEY)
    assert "hunter2" not in str(caught.value)


def test_a_server_that_is_not_there_is_an_error_without_its_password() -> None:
    url = "valkey://u:hunter2@127.0.0.1:1/0"
    with pytest.raises(StoreUnavailable, match="cannot be reached") as caught:
        Vault.open(url, KEY)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (valkey.exceptions.ConnectionError, "the server cannot be reached"),
        (valkey.exceptions.TimeoutError, "the server cannot be reached"),
        (valkey.exceptions.AuthenticationError, "the user may not do this on the server"),
        (valkey.exceptions.NoPermissionError, "the user may not do this on the server"),
        (valkey.exceptions.ResponseError, "the store could not be read or written"),
    ],
)
def test_errors_are_translated_without_their_text(error: type[valkey.exceptions.ValkeyError], said: str) -> None:
    translated = valkeylink.translate(error("value 4111111111111111"))
    assert (type(translated), str(translated)) == (StoreUnavailable, said)


def test_a_full_server_is_said_to_be_full(vault: Vault, client: Any) -> None:
    seal(vault, "before")
    client.config_set("maxmemory", "1")
    try:
        with pytest.raises(StoreFull):
            seal(vault, VALUE)
    finally:
        client.config_set("maxmemory", "0")
    assert vault.session("s1").match(len) == 1


def test_a_backup_is_restored_anywhere(vault: Vault, valkey_url: str, tmp_path: Path) -> None:
    placeholders = seal(vault, VALUE, "two")
    vault.session("s1").records.extend("step", [b"payload", b"more"])
    vault.session("s1").records.replace("note", "key", b"payload")
    vault.session("gone").shred()
    backup = io.BytesIO()
    vault.backup(backup)
    for place in (str(tmp_path / "restored.db"), f"{valkey_url}_restored"):
        restore_backup(io.BytesIO(backup.getvalue()), place, KEY)
        with Vault.open(place, KEY) as restored:
            assert texts(restored, placeholders) == [VALUE, "two"]
            assert restored.verify()[:3] == (1, 2, 3)
            assert seal(restored, VALUE, "three")[0] == placeholders[0]
        with pytest.raises(StoreUnavailable):
            restore_backup(io.BytesIO(backup.getvalue()), place, KEY)


def test_a_copy_leaves_no_lock_and_nothing_watched(vault: Vault) -> None:
    """The connection that made the copy is the next one that writes."""
    for number in range(3):
        vault.backup(io.BytesIO())
        assert texts(vault, seal(vault, f"value {number}")) == [f"value {number}"]


def test_nothing_of_a_store_is_shown_or_pickled(valkey_url: str) -> None:
    store = ValkeyStore(valkey_url)
    assert "127" not in repr(store) + repr(store._link)
    with pytest.raises(TypeError):
        pickle.dumps(store)
    store.close()
