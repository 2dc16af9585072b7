"""A key store in memory, which the tests declare to be an operating system's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from sealgate.vault.keys import keyring as keyringkeys


class MemoryKeyring(KeyringBackend):
    """``stored`` by service and name. A locked one raises, with a name in what it raises."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.stored: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked("Ann Example")
        return self.stored.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.locked:
            raise KeyringLocked("Ann Example")
        self.stored[service, username] = password


@contextmanager
def system_keyring() -> Iterator[MemoryKeyring]:
    """The process' key store, for a while."""
    before, made = keyring.get_keyring(), MemoryKeyring()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(keyringkeys, "_SAFE", frozenset((MemoryKeyring.__module__,)))
        keyring.set_keyring(made)
        try:
            yield made
        finally:
            keyring.set_keyring(before)
