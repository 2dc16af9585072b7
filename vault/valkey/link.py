"""How the Valkey and Redis engine reaches its server, what that server must be like, and what its errors are to us."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import valkey
from valkey.connection import ConnectionPool
from valkey.exceptions import ConnectionError as ValkeyConnectionError
from valkey.exceptions import ResponseError, ValkeyError
from valkey.exceptions import TimeoutError as ValkeyTimeoutError

from sealgate.models.errors import InvalidInput, StoreFull, StoreRefused, StoreUnavailable, VaultError

from ..loopback import is_loopback

Command: TypeAlias = tuple[str | bytes | int, ...]

_SCHEMES: Final = {"valkey": "valkey", "redis": "valkey", "valkeys": "valkeys", "rediss": "valkeys"}
_pool_from_url: Any = ConnectionPool.from_url  # The client has no types.
_SECONDS: Final = 10
"""Seconds that the server may take for an answer."""

_IF_OURS: Final = (
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call(ARGV[2], KEYS[1], unpack(ARGV, 3)) end return 0"
)
_PAUSE: Final = 0.01
_MAX_PREFIX: Final = 64
_WAITING: Final = "WAITAOF"
"""What waits for the disk; Valkey and Redis 7.2 and later have it."""

_WAIT_FOR_DISK: Final = 5_000
"""Milliseconds in which the server's disk must have what was committed."""


class Channel:
    """One connection that sends several commands at once and reads their answers."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def call(self, *commands: Command) -> list[Any]:
        """The answers, in order, in one round trip. Raises the first one that is an error, once all are read."""
        self._connection.send_packed_command(self._connection.pack_commands(commands))
        answers = [self._answer() for _ in commands]
        for answer in answers:
            if isinstance(answer, ResponseError):
                raise answer
        return answers

    def _answer(self) -> Any:
        try:
            return self._connection.read_response()
        except ResponseError as refused:
            return refused

    def commit(self, commands: Sequence[Command]) -> tuple[list[Any] | None, bool]:
        """What ``EXEC`` at their end answers (``None`` if the watched key changed), and whether the answer was lost."""
        try:
            return self.call(*commands)[-1], False
        except (ValkeyConnectionError, ValkeyTimeoutError):
            self._connection.disconnect()
            return None, True

    def pairs(self, key: str) -> dict[bytes, bytes]:
        """All of a hash."""
        answer = self.call(("HGETALL", key))[0]
        return answer if isinstance(answer, dict) else dict(zip(answer[::2], answer[1::2], strict=True))

    def rewrite_log(self) -> bool:
        """Has the append-only file rewritten, and says whether that is done: then it holds nothing that was deleted
        before. ``False`` if it takes longer than ten seconds, fails, or is forbidden to this user of the server.
        """
        deadline = time.monotonic() + _SECONDS
        try:
            done = _within(deadline, self._starts_rewriting) and _within(deadline, self._has_rewritten)
            return done and "aof_last_bgrewrite_status:ok" in self._persistence()
        except ResponseError:
            return False

    def _starts_rewriting(self) -> bool:
        """Whether a rewriting starts now; one that is under way began before, and is of no use."""
        try:
            self.call(("BGREWRITEAOF",))
        except ResponseError as refused:
            if "in progress" in str(refused):
                return False
            raise
        return True

    def _has_rewritten(self) -> bool:
        facts = self._persistence()
        return "aof_rewrite_in_progress:0" in facts and "aof_rewrite_scheduled:0" in facts

    def _persistence(self) -> str:
        return _text(self.call(("INFO", "persistence"))[0])

    def wait_for_disk(self) -> bool:
        """Whether the server's own disk has all that this connection wrote (``WAITAOF``, Valkey and Redis 7.2)."""
        return bool(self.call((_WAITING, 1, 0, _WAIT_FOR_DISK))[0][0])


class Link:
    """The server of one vault; ``prefix`` is how all its names begin, in braces, so that a cluster keeps them together.

    ``waits`` says whether a durable commit has to wait for the disk with a command of its own, ``shows_clients``
    whether the server says who is connected.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        options = parse_qsl(parts.query, keep_blank_values=True)
        name = dict(options).get("prefix", "sealgate")
        rest = urlencode([option for option in options if option[0] != "prefix"])
        plain = urlunsplit(parts._replace(scheme=_SCHEMES[parts.scheme], query=rest))
        self._private = parts.scheme in ("valkeys", "rediss") or is_loopback(parts.hostname or "localhost")
        self.prefix = f"{{{name}}}:"
        self.waits = False
        self.shows_clients = False
        try:
            self._pool: Any = _pool_from_url(
                plain, socket_timeout=_SECONDS, socket_connect_timeout=_SECONDS, health_check_interval=0
            )
        except ValueError:
            self._pool = None
        del url, parts, options, rest, plain  # They may hold a password.
        if self._pool is None or not (name.isascii() and name.isidentifier() and len(name) <= _MAX_PREFIX):
            raise InvalidInput("not the URL of a Valkey or Redis server")

    @contextmanager
    def channel(self) -> Iterator[Channel]:
        """A connection for a while. One that failed is closed. Raises ``StoreUnavailable`` and ``StoreFull``."""
        try:
            connection = self._pool.get_connection("")
        except ValkeyError as error:
            raise translate(error) from None
        try:
            yield Channel(connection)
        except ValkeyError as error:
            connection.disconnect()
            raise translate(error) from None
        except BaseException:
            connection.disconnect()
            raise
        finally:
            self._pool.release(connection)

    def probe(self, channel: Channel, *, allow_unsafe: bool) -> None:
        """Looks at the server's settings. Raises ``StoreRefused``."""
        settings = self._settings(channel)
        evicts = settings.get("maxmemory", "0") != "0" and settings.get("maxmemory-policy", "").startswith("allkeys")
        logs, syncs = settings.get("appendonly") == "yes", settings.get("appendfsync")
        self.waits = logs and syncs == "everysec" and self._can_wait(channel)
        self.shows_clients = self._can_show_clients(channel)
        if allow_unsafe:
            return
        if not settings:
            raise StoreRefused("the server does not show whether it keeps what it is given")
        if evicts:
            raise StoreRefused("the server evicts keys when its memory is full; set maxmemory-policy noeviction")
        if not logs or (syncs != "always" and not self.waits):
            raise StoreRefused("the server may lose what it acknowledged; set appendonly yes and appendfsync always")
        if not self._private:
            raise StoreRefused("the connection leaves this machine unencrypted; say valkeys://")

    def close(self) -> None:
        """Closes all connections."""
        self._pool.disconnect()

    @staticmethod
    def _settings(channel: Channel) -> dict[str, str]:
        names = ("maxmemory", "maxmemory-policy", "appendonly", "appendfsync")
        try:
            answers = channel.call(*(("CONFIG", "GET", name) for name in names))
        except ResponseError:
            return {}
        return {_text(answer[0]): _text(answer[1]) for answer in map(_flat, answers) if len(answer) > 1}

    @staticmethod
    def _can_wait(channel: Channel) -> bool:
        """Whether the server knows the command: of one that it does not know it says nothing."""
        return bool(channel.call(("COMMAND", "INFO", _WAITING))[0][0])

    @staticmethod
    def _can_show_clients(channel: Channel) -> bool:
        """Whether a connection may be named and found by its name; a user of the server may be forbidden to."""
        token = secrets.token_bytes(8)
        try:
            channel.call(client_name(token))
            return has_client(channel, token)
        except ResponseError:
            return False

    def __repr__(self) -> str:
        return "Link(…)"


def locked_command(lock: str, token: bytes, name: str, *arguments: int) -> Command:
    """``name lock arguments`` if the lock still holds this token; the answer is 1 then, else 0."""
    return ("EVAL", _IF_OURS, 1, lock, token, name, *arguments)


def client_name(token: bytes) -> Command:
    """Calls this connection by a token."""
    return ("CLIENT", "SETNAME", token.hex())


def has_client(channel: Channel, token: bytes) -> bool:
    """Whether a connection of that name is open at the server."""
    clients = channel.call(("CLIENT", "LIST"))[0]
    return f" name={token.hex()} " in _text(clients)


def _within(deadline: float, happens: Callable[[], bool]) -> bool:
    """Whether something happens until then."""
    while not happens():
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE)
    return True


def _flat(answer: Any) -> Sequence[Any]:
    """An answer of names and values as a list, whichever version of the protocol it came in."""
    return [part for item in answer.items() for part in item] if isinstance(answer, dict) else answer


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def translate(error: ValkeyError) -> VaultError:
    """Our error for the server's; its text is dropped."""
    text = str(error)
    if isinstance(error, valkey.exceptions.OutOfMemoryError) or text.startswith(("OOM", "MISCONF")):
        return StoreFull("no room is left on the store; nothing was written")
    if isinstance(error, valkey.exceptions.AuthenticationError | valkey.exceptions.NoPermissionError):
        return StoreUnavailable("the user may not do this on the server")
    if isinstance(error, ValkeyConnectionError | ValkeyTimeoutError):
        return StoreUnavailable("the server cannot be reached")
    return StoreUnavailable("the store could not be read or written")
