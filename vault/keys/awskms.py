"""AWS KMS as the key of a vault (extra ``aws``): asked at opening, at rotation and once an hour; it keeps the key."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final, NoReturn

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from sealgate.models.errors import KeyUnavailable, WrongKey

from .provider import CACHE_TTL, checked_ttl

_VERSION: Final = b"\x01"
_TAG_BYTES: Final = 8
_CONFIG: Final = Config(connect_timeout=5, read_timeout=10, retries={"total_max_attempts": 3, "mode": "standard"})
_WRONG: Final = frozenset(("InvalidCiphertextException", "IncorrectKeyException"))
_LATER: Final = frozenset((
    "ThrottlingException", "KeyUnavailableException", "DependencyTimeoutException", "KMSInternalException",
    "RequestTimeout", "ServiceUnavailable", "InternalFailure",
))  # fmt: skip


class AwsKmsKeys:
    """``KeyProvider`` over symmetric keys of AWS KMS: the last of ``key_ids`` (ids, ARNs or aliases) wraps, all unwrap.

    ``client`` is a ``boto3`` client for ``kms``, by default one from the environment with short timeouts and three
    attempts. CloudTrail logs the encryption context in clear: it is a hash. A blob is ``version || 8 bytes that name
    the key || ciphertext``. After ``cache_ttl`` seconds an open vault asks again (``ExpiringProvider``), so that a key
    that was disabled ends access. Raises ``KeyUnavailable`` (``retryable`` for timeouts and throttling), ``WrongKey``.
    """

    def __init__(self, *key_ids: str, client: Any = None, cache_ttl: float | None = CACHE_TTL) -> None:
        if not key_ids:
            raise KeyUnavailable("no key of AWS KMS was named")
        self._key_ids = {_tag(key_id): key_id for key_id in key_ids}
        self._newest = key_ids[-1]
        self.cache_ttl = checked_ttl(cache_ttl)
        self._client = client or boto3.client("kms", config=_CONFIG)

    def wrap(self, secret: bytes, context: bytes) -> bytes:
        """Wraps under the newest key."""
        answer = _asked(
            lambda: self._client.encrypt(
                KeyId=self._newest, Plaintext=secret, EncryptionContext=_encryption_context(context)
            )
        )
        return _VERSION + _tag(self._newest) + bytes(answer["CiphertextBlob"])

    def unwrap(self, blob: bytes, context: bytes) -> bytes:
        """Unwraps under the key that the blob names, if it is one of these."""
        end = 1 + _TAG_BYTES
        key_id = self._key_ids.get(blob[1:end])
        if blob[:1] != _VERSION or key_id is None:
            raise WrongKey("this is not the key that the vault was made with")
        answer = _asked(
            lambda: self._client.decrypt(
                KeyId=key_id, CiphertextBlob=blob[end:], EncryptionContext=_encryption_context(context)
            )
        )
        return bytes(answer["Plaintext"])

    def __repr__(self) -> str:
        return "AwsKmsKeys(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")


def _tag(key_id: str) -> bytes:
    return sha256(key_id.encode()).digest()[:_TAG_BYTES]


def _encryption_context(context: bytes) -> dict[str, str]:
    return {"sealgate": sha256(context).hexdigest()}


def _asked(request: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The service's answer. Its errors, which may quote the request, are replaced."""
    try:
        return request()
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
    except BotoCoreError:
        raise KeyUnavailable("AWS KMS did not answer", retryable=True) from None
    if code in _WRONG:
        raise WrongKey("this is not the key that the vault was made with")
    raise KeyUnavailable("AWS KMS will not use the key", retryable=code in _LATER)
