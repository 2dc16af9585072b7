"""The blind index of a session: what a value is called without saying what it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from sealgate.models.canonical import canonical
from sealgate.models.secretvalue import SecretValue

from .encoding import lp, symbols
from .envelope import Mac

IDENTITY_BYTES: Final = 12
"""96 bits: among the 10,000 values of a session two share one with a chance of 2^-70 (birthday bound)."""

_NAME_BYTES: Final = 16
FORM_BYTES: Final = 8
LIFE_BYTES: Final = 8
_CODE_BYTES: Final = 16
CODE_LENGTHS: Final = (8, 13)
SUFFIX_LENGTHS: Final = (3, 5)

_IDENTITY: Final = lp("identity/1")
_FORM: Final = lp("form/1")
_APART: Final = lp("apart/1")

Random: TypeAlias = Callable[[int], bytes]
"""``random(n)`` gives ``n`` bytes, as ``os.urandom`` does."""


class Mark(NamedTuple):
    """What the index says of a value: its identity, its exact form, and the numbers its symbols come from."""

    identity: bytes
    form: bytes
    code_number: int
    suffix_number: int

    def code(self, length: int) -> str:
        """The code of the identity, 8 or 13 symbols."""
        return symbols(self.code_number, length)

    def suffix(self, length: int) -> str:
        """The suffix of the form, 3 or 5 symbols."""
        return symbols(self.suffix_number, length)


class Index:
    """HMAC-SHA256 under a session's index key: equality inside the session, nothing outside it."""

    __slots__ = ("_mac",)

    def __init__(self, key: bytes) -> None:
        self._mac = Mac(key)

    def mark(self, secret: SecretValue, *, apart: bool = False) -> Mark:
        """The mark of a value: all spellings of it share the identity, each spelling and JSON type has its form.

        A value that is kept ``apart`` has nothing in common with the same value where it is not.
        """
        text = secret.text()
        named = self._mac.digest((_APART if apart else _IDENTITY) + lp(canonical(text)))
        identity = named[:IDENTITY_BYTES]
        exact = self._mac.digest(_FORM + lp(identity, secret.json_type, text))
        return Mark(
            identity,
            exact[:FORM_BYTES],
            int.from_bytes(named[_CODE_BYTES:], "big"),
            int.from_bytes(exact[FORM_BYTES:], "big"),
        )

    def name(self, purpose: str, *fields: bytes | str | int) -> bytes:
        """A pseudonym of 16 bytes for something that may not be stored in clear."""
        return self._mac.digest(lp(purpose, *fields))[:_NAME_BYTES]


def random_code(random: Random) -> str:
    """Eight symbols that say nothing about the value: for types whose guess space could be tried out."""
    return symbols(int.from_bytes(random(_CODE_BYTES), "big"), CODE_LENGTHS[0])


def random_suffix(random: Random) -> str:
    """Three symbols, likewise."""
    return symbols(int.from_bytes(random(_CODE_BYTES), "big"), SUFFIX_LENGTHS[0])
