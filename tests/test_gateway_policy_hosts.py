"""Destinations: one reading of a URL, and refusal of everything that two parsers read differently."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway.policy.hosts import Host, covered, covers, host_of_email, host_of_name, host_of_url


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.bank.example/x?y#z", Host("api.bank.example", "https", 443)),
        ("HTTPS://API.Bank.Example", Host("api.bank.example", "https", 443)),
        ("https://api.bank.example./", Host("api.bank.example", "https", 443)),
        ("https://api.bank.example:443/", Host("api.bank.example", "https", 443)),
        ("https://api.bank.example:8443/", Host("api.bank.example", "https", 8443)),
        ("http://localhost/", Host("localhost", "http", 80)),
        ("https://b\u00fccher.example/", Host("xn--bcher-kva.example", "https", 443)),
        ("https://xn--bcher-kva.example/", Host("xn--bcher-kva.example", "https", 443)),
        ("http://127.0.0.1:80/", Host("127.0.0.1", "http", 80)),
        ("https://[2001:DB8::1]/", Host("2001:db8::1", "https", 443)),
        ("https://[2001:db8:0:0::1]:8443/", Host("2001:db8::1", "https", 8443)),
        ("https://api.bank.example/a@b?c=d@e", Host("api.bank.example", "https", 443)),
    ],
)
def test_a_url_has_one_host(url: str, host: Host) -> None:
    assert host_of_url(url) == host


@pytest.mark.parametrize(
    "url",
    [
        "", "api.bank.example", "//api.bank.example/", "ftp://api.bank.example/", "javascript://api.bank.example/",
        "https:api.bank.example", "https:///api.bank.example", "https://", "https://@api.bank.example/",
        "https://api.bank.example@evil.test/", "https://a:b@api.bank.example/", "https://api.bank.example\\@evil.test/",
        "https://api.bank.example#@evil.test/", "https://api.bank.example?@evil.test/", " https://api.bank.example/",
        "https://api.bank.example\t.evil.test/", "https://api.bank\u200b.example/", "https://api.bank.example%2f/",
        "https://api\uff0ebank.example/", "https://api\u3002bank.example/", "https://fa\u00df.example/",
        "https://api..bank.example/", "https://-a.example/", "https://a-.example/", "https://0x7f.1/",
        "https://127.1/", "https://0177.0.0.1/", "https://2130706433/", "https://127.0.0.01/", "https://1.2.3.4.5/",
        "https://[::1/", "https://[fe80::1%25eth0]/", "https://api.bank.example:99999/",
        "https://api.bank.example:8443:443/", "https://" + "a." * 5_000 + "example/",
    ],
)  # fmt: skip
def test_what_could_be_read_twice_has_none(url: str) -> None:
    assert host_of_url(url) is None


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("a.b+c@bank.example", "bank.example"),
        ("a@BANK.example.", "bank.example"),
        ("A <a@bank.example>", None),
        ("a@bank.example, b@evil.test", None),
        ('"a@bank.example"@evil.test', None),
        ("a@bank.example@evil.test", None),
        ("a%evil.test@bank.example ", None),
        ("a@[127.0.0.1]", None),
        ("@bank.example", None),
        ("a@bank.example\n", None),
    ],
)
def test_an_address_has_one_domain(address: str, name: str | None) -> None:
    host = host_of_email(address)
    assert (host.name if host else None) == name


def test_a_bare_name() -> None:
    assert host_of_name("Bank.Example.") == Host("bank.example")
    for text in ("bank.example/x", "bank example", "", "a" * 300, "0x7f.1"):
        assert host_of_name(text) is None


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("bank.example", "https://bank.example/", True),
        ("bank.example", "https://api.bank.example/", False),
        ("bank.example", "https://xbank.example/", False),
        ("bank.example", "http://bank.example/", False),
        ("bank.example", "https://bank.example:8443/", False),
        ("bank.example:8443", "https://bank.example:8443/", True),
        ("http://bank.example", "http://bank.example/", True),
        ("http://bank.example", "https://bank.example/", False),
        ("*.bank.example", "https://api.bank.example/", True),
        ("*.bank.example", "https://a.b.bank.example/", True),
        ("*.bank.example", "https://bank.example/", False),
        ("*.bank.example", "https://evilbank.example/", False),
        ("[2001:db8::1]", "https://[2001:db8::1]/", True),
        ("127.0.0.1", "https://127.0.0.1/", True),
    ],
)
def test_a_pattern_covers(pattern: str, url: str, expected: bool) -> None:
    host = host_of_url(url)
    assert host is not None
    assert covers(pattern, host) is expected
    assert covered([pattern, "other.example"], host) is expected


LABEL = st.text("abcxyz0189-@:/\\?#%.\u0430\u00df\uff0e\u200b[] \t", max_size=12)


@settings(max_examples=100, deadline=None)
@given(before=LABEL, after=LABEL, scheme=st.sampled_from(["https://", "http://", "https:/", "//", ""]))
def test_whatever_is_covered_is_the_host_that_python_sees_too(before: str, after: str, scheme: str) -> None:
    url = f"{scheme}{before}bank.example{after}"
    host = host_of_url(url)
    if host is not None and covered(["bank.example", "http://bank.example", "bank.example:8443"], host):
        assert (urlsplit(url).hostname or "").removesuffix(".") == "bank.example"
        assert "@" not in urlsplit(url).netloc
