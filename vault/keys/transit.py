"""The Transit engine of HashiCorp Vault or OpenBao as the key of a vault (extra ``hashicorp``)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any, Final, NoReturn

import hvac
import requests
from hvac import exceptions

from sealgate.models.errors import KeyRefused, KeyUnavailable, WrongKey

from .provider import CACHE_TTL, checked_ttl

_SECONDS: Final = 10
_LATER: Final = (exceptions.RateLimitExceeded, exceptions.InternalServerError, exceptions.VaultDown,
                 exceptions.BadGateway, exceptions.VaultNotInitialized)  # fmt: skip


class TransitKeys:
    """``RotatingProvider`` over one key of type ``aes256-gcm96``; what is wrapped is bound to its context by
    ``associated_data``.

    ``client`` is an ``hvac.Client``, by default one from ``VAULT_ADDR`` and ``VAULT_TOKEN``; ``mount`` is where the
    engine is mounted. Its token reads ``keys/…`` and needs ``encrypt`` and ``decrypt``, for ``rotate`` and
    ``destroy_older`` also ``keys/…/rotate``, ``keys/…/config`` and ``keys/…/trim``. After ``cache_ttl`` seconds an open
    vault asks again (``ExpiringProvider``), so that a token or a key that was revoked ends access. Raises
    ``KeyUnavailable``, ``WrongKey``, and ``KeyRefused`` for a key that may be exported, is derived or of another type.
    """

    def __init__(
        self, name: str, *, client: Any = None, mount: str = "transit", cache_ttl: float | None = CACHE_TTL
    ) -> None:
        self.cache_ttl = checked_ttl(cache_ttl)
        self._name = name
        self._mount = mount
        self._client = client or hvac.Client(timeout=_SECONDS)
        facts = self._facts()
        if facts.get("type") != "aes256-gcm96" or facts.get("derived") or facts.get("exportable"):
            raise KeyRefused("the transit key is exportable, derived or not of type aes256-gcm96")

    def wrap(self, secret: bytes, context: bytes) -> bytes:
        """Wraps under the newest version."""
        answer = self._asked("encrypt_data", plaintext=_encoded(secret), associated_data=_encoded(context))
        return str(answer["data"]["ciphertext"]).encode("ascii")

    def unwrap(self, blob: bytes, context: bytes) -> bytes:
        """Unwraps under whichever version it was."""
        if not blob.startswith(b"vault:v") or not blob.isascii():
            raise WrongKey("this is not the key that the vault was made with")
        answer = self._asked("decrypt_data", ciphertext=blob.decode("ascii"), associated_data=_encoded(context))
        try:
            return base64.b64decode(answer["data"]["plaintext"], validate=True)
        except (binascii.Error, ValueError):
            raise KeyUnavailable("the transit engine's answer cannot be read") from None

    def rotate(self) -> None:
        """Adds a version."""
        self._asked("rotate_key")

    def destroy_older(self) -> None:
        """Destroys all versions but the newest in the service, for good."""
        latest = int(self._facts()["latest_version"])
        for setting in ("min_encryption_version", "min_decryption_version"):  # The client refuses both at once.
            self._asked("update_key_configuration", **{setting: latest})
        self._asked("trim_key", min_version=latest)

    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = self._asked("read_key")["data"]
        return facts

    def _asked(self, method: str, **arguments: Any) -> Any:
        call: Callable[..., Any] = getattr(self._client.secrets.transit, method)
        return _translated(lambda: call(name=self._name, mount_point=self._mount, **arguments))

    def __repr__(self) -> str:
        return "TransitKeys(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _translated(request: Callable[[], Any]) -> Any:
    """The service's answer. Its errors, which may quote the request, are replaced."""
    try:
        return request()
    except exceptions.InvalidRequest:
        raise WrongKey("this is not the key that the vault was made with") from None
    except exceptions.VaultError as error:
        raise KeyUnavailable("the transit engine will not use the key", retryable=isinstance(error, _LATER)) from None
    except requests.RequestException:
        raise KeyUnavailable("the transit engine did not answer", retryable=True) from None
