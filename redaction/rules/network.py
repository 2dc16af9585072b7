"""Addresses of machines, and URLs that carry secrets."""

from __future__ import annotations

import ipaddress
from typing import Final

from .rule import Rule


def is_private_value(value: str) -> bool:
    """Whether a value is an IP address other than loopback or unspecified."""
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


NETWORK: Final[tuple[Rule, ...]] = (
    Rule(
        "ipv4",
        "IP_ADDRESS",
        r"(?<![\w.-])(?P<value>(?:[0-9]{1,3}\.){3}[0-9]{1,3})(?:/[0-9]{1,2})?(?![\w-]|\.[0-9])",
        0.9,
        ("server «10.12.33.4» down", "slot 4539 «203.0.113.145» up"),
        ("version 1.2.3.4", "chapter 12.4.3.1", "from 127.0.0.1", "1.2.3.4.5", "300.1.1.1"),
        gates=("digit", "dot"),
        unless=r"(?<![a-z])(?:version|ver\.?|release|v|build|driver|firmware|chapter|section|clause|paragraph|para|article|figure|fig\.?|table|appendix|step|item|req|oid)[ :=]{0,3}\Z|§[ ]?\Z",
        valid=is_private_value,
    ),
    Rule(
        "ipv6",
        "IP_ADDRESS",
        r"(?<![\w:.])(?P<value>(?:[0-9a-f]{0,4}:){2,7}(?:(?:[0-9]{1,3}\.){3}[0-9]{1,3}|[0-9a-f]{1,4}))(?![\w:])",
        0.9,
        ("«fe80::1ff:fe23:4567:890a»", "at «2001:db8::8a2e:370:7334» now"),
        ("12:30:45", "std::vector", "a::b", "::1"),
        gates=("colon",),
        valid=lambda value: is_private_value(value) and sum(char.isalnum() for char in value) >= 5,
    ),
    Rule(
        "mac",
        "MAC_ADDRESS",
        r"(?<![\w:-])(?P<value>(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(?<!\.)(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}(?!\.))(?![\w:-])",
        0.9,
        ("«00:1B:44:11:3A:B7»", "mac «0011.2233.4455»"),
        ("00:1B:44:11:3A", "4111.1111.1111.1111"),
        gates=("marks",),
    ),
    Rule(
        "url-password",
        "PASSWORD",
        r"://[^\s:/?#@\"'<>]{0,128}:(?P<value>[^\s/?#\"'<>]{1,128}|(?![0-9]{1,5}[/?#])[^\s@\"'<>]{1,128})@(?=[\w.\[-])",
        0.95,
        (
            "postgres://admin:«s3cr3tPw»@db.internal:5432/x",
            "mysql://root:«p@ss-9x»@localhost/db?tag=a@b",
            "postgres://alice:«a/b9K?q#»@db.example:5432/app",
            "redis://:«secretT0ken»@cache.internal:6379/0",
        ),
        ("https://example.com:8080/path", "http://a@b", "http://localhost:8080/@scope/pkg", "https://x.io/?a=b:c@d"),
        gates=("at", "colon", "slash"),
        valid=lambda value: not value.startswith(("$", "{", "<", "%s")),
    ),
    Rule(
        "url-token",
        "API_KEY",
        r"[?&;#](?:[\w-]{0,24}(?:token|key|secret|sig|signature|password|passwd|pwd|auth|session|sid|code|jwt))=(?P<value>[^\s&#\"'<>;]{6,512})",
        0.85,
        ("https://x.io/reset?token=«8f14e45fceea167a5a36dedd4bea2543»",),
        ("https://x.io/?page=2",),
        gates=("equals",),
    ),
)
"""Addresses of machines."""
