"""Destinations: the host that an argument's value names, and whether a policy's pattern covers it.

One parser reads URLs, ``httpx``'s, which follows RFC 3986 and IDNA. Whatever two parsers are known to read differently
is refused before it gets there: user information, backslashes, spaces and controls, escapes in the authority, and
addresses in any notation but the plain one.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

import idna

from sealgate.models.processlock import unforked

MAX_URL: Final = 8_192
"""Code points of the longest URL that is read."""

_AUTHORITY: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)")
_UNCLEAR: Final = re.compile(r"[\x00-\x20\x7f-\xa0\\<>\"^`{|}\u200b-\u200f\u2028-\u202e\u2060\u3002\ufeff\uff0e\uff61]")
_EMAIL: Final = re.compile(r"[A-Za-z0-9!#$&'*+/=?^_{|}~.-]{1,64}@(?P<host>[^@\s]{1,253})\Z")
_NAME: Final = re.compile(r"(?:(?!-)[a-z0-9_-]{1,63}(?<!-)\.)*(?!-)[a-z0-9_-]{1,63}(?<!-)\Z")
_NUMBER: Final = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)\Z")
_PORTS: Final = {"http": 80, "https": 443}
_PATTERN: Final = re.compile(r"(?:(https?)://)?(\*\.)?(\[[0-9a-f:.]+\]|[^:\[\]]+)(?::([0-9]+))?\Z")


class Host(NamedTuple):
    """A host as it is compared: lower case, international names as ``xn--…``, no dot at the end. ``scheme`` and
    ``port`` are empty where the value has none."""

    name: str
    scheme: str = ""
    port: int = 0


def host_of_url(url: str) -> Host | None:
    """The host of an ``http`` or ``https`` URL; ``None`` for any other text and for one that could be read twice."""
    found = _AUTHORITY.match(url)
    if found is None or len(url) > MAX_URL or _UNCLEAR.search(url):
        return None
    authority, rest = found["authority"], url[found.end() :]
    if not authority or "@" in authority or "%" in authority or ("@" in rest and rest[0] != "/"):
        return None
    with unforked():
        import httpx  # noqa: PLC0415 - only a policy that names hosts needs a parser of URLs

    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError, UnicodeError):
        return None
    name = plain_name(authority.rpartition("]")[0] + "]" if "]" in authority else authority.partition(":")[0])
    if (
        name is None
        or parsed.scheme not in _PORTS
        or (parsed.port or 0) > 65_535
        or plain_name(parsed.raw_host.decode("ascii", "replace")) != name
    ):
        return None
    return Host(name, parsed.scheme, parsed.port or _PORTS[parsed.scheme])


def host_of_email(address: str) -> Host | None:
    """The domain of one plain e-mail address; ``None`` for a list, a display name, a quoted or a source-routed one."""
    found = _EMAIL.match(address)
    name = plain_name(found["host"]) if found else None
    return Host(name) if name else None


def host_of_name(text: str) -> Host | None:
    """A bare host name."""
    name = plain_name(text) if len(text) <= 253 else None
    return Host(name) if name else None


def plain_name(text: str) -> str | None:
    """A host name as it is compared; ``None`` for what is no name and for an address in an unusual notation."""
    name = text.lower().removesuffix(".")
    if ":" in name:
        return _plain_ip6(name.strip("[]"))
    if not name.isascii():
        name = _international(name)
    if not _NAME.match(name):
        return None
    if _NUMBER.match(name.rpartition(".")[2]):
        # Whatever ends in a number is an address, which resolvers read in many notations; only the plain one is.
        return name if _is_plain_ip4(name) else None
    return name


def covers(pattern: str, host: Host) -> bool:
    """Whether a pattern of a policy covers a host."""
    scheme, below, wanted, port = _parts_of(pattern)
    if host.scheme and (host.scheme, host.port) != _endpoint(scheme or "https", port):
        return False
    if not host.scheme and (scheme or port):
        return False
    return host.name.endswith(f".{wanted}") if below else host.name == wanted


def covered(patterns: Iterable[str], host: Host) -> bool:
    """Whether any pattern covers a host."""
    return any(covers(pattern, host) for pattern in patterns)


@lru_cache(maxsize=4_096)
def _parts_of(pattern: str) -> tuple[str | None, str | None, str, str | None]:
    """Scheme, whether everything below, name and port of a pattern; one that is none covers nothing."""
    found = _PATTERN.match(pattern)
    return (found[1], found[2], found[3].strip("[]"), found[4]) if found else (None, None, "", None)


def _endpoint(scheme: str, port: str | None) -> tuple[str, int]:
    return scheme, int(port) if port else _PORTS[scheme]


def _international(name: str) -> str:
    """The ``xn--`` form of a name that IDNA 2003 and 2008 read alike; else empty, as tools use either."""
    try:
        modern = idna.encode(name).decode("ascii")
        return modern if name.encode("idna").decode("ascii") == modern else ""
    except (idna.IDNAError, UnicodeError):
        return ""


def _is_plain_ip4(name: str) -> bool:
    try:
        return str(ipaddress.IPv4Address(name)) == name
    except ValueError:
        return False


def _plain_ip6(name: str) -> str | None:
    try:
        return str(ipaddress.IPv6Address(name))
    except ValueError:
        return None
