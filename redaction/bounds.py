"""What a call of the redactor may be given: the length of a text, and the values that are known to be in it."""

from __future__ import annotations

from typing import Final

from sealgate.models.errors import InvalidInput, TextTooLong
from sealgate.models.messages import PrivateData
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import LiveValue, SealRequest
from sealgate.models.secretvalue import SecretValue, secret_of

MAX_KNOWN: Final = 65_536
"""Code points of the longest known value; a vault keeps no longer one."""

MAX_TEXT: Final = 1_000_000
"""Code points of the longest text that is redacted; a longer one raises ``TextTooLong``."""


def check_length(text: str) -> None:
    """Nothing, or ``TextTooLong``; ``InvalidInput`` for what is no text."""
    if not isinstance(text, str):
        raise InvalidInput("a text is a str")
    if len(text) > MAX_TEXT:
        raise TextTooLong("a text of more than 1,000,000 code points is not redacted", MAX_TEXT)


def known_request(item: str | PrivateData, origin: str) -> SealRequest:
    """What seals a known value. Raises ``TextTooLong`` beyond 65,536 code points."""
    if len(str(item if isinstance(item, str) else item.value)) > MAX_KNOWN:
        raise TextTooLong(f"a known value is longer than {MAX_KNOWN} code points", MAX_KNOWN)
    if isinstance(item, str):
        return SealRequest(SecretValue(item), "CUSTOM", origin)
    return SealRequest(secret_of(item.value), item.entity_type, origin, uses=item.uses, ttl=item.ttl)


def given_value(index: int, request: SealRequest) -> LiveValue:
    """A known value as a matcher gets it: its place in the call is its code."""
    return LiveValue(request.value, Placeholder(request.entity_type, f"{index:08d}"), (request.entity_type,))
