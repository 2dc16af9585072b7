"""A session's private data: values that the application put in, by name, for ``depends_on_private_data``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from sealgate.models.entities import NAME
from sealgate.models.errors import InvalidName
from sealgate.models.messages import PrivateData
from sealgate.models.origins import APPLICATION
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.redaction import build_known_values
from sealgate.vault import VaultSession

from .frames import without_locals
from .given import an

_KIND: Final = "private"


@without_locals
class SessionPrivateData:
    """``session.private_data``.

    Values go straight into the vault; what can be read back is a descriptor and a placeholder.
    """

    def __init__(self, vault: VaultSession) -> None:
        self._vault = vault

    def put(self, data: PrivateData) -> str:
        """Seal a value under its name, replacing an earlier one, and return its placeholder.

        Raises ``InvalidName`` without a name, and ``InvalidInput`` for anything but a ``PrivateData``.
        """
        name = _checked(an(PrivateData, data, "data", 'private_data.put(PrivateData(value, name="…"))').name)
        request = SealRequest(secret_of(data.value), data.entity_type, APPLICATION, uses=data.uses, ttl=data.ttl)
        placeholder = str(self._vault.seal([request])[0])
        recorded = json.dumps({"placeholder": placeholder, "descriptor": self._scrubbed(data.descriptor())})
        self._vault.records.replace(_KIND, name, recorded.encode())
        return placeholder

    def placeholder(self, name: str) -> str | None:
        """The placeholder that stands for a name, or ``None``."""
        recorded = self._vault.records.get(_KIND, _checked(name))
        return None if recorded is None else str(json.loads(recorded)["placeholder"])

    def descriptor(self, name: str) -> Mapping[str, str] | None:
        """What may be said about a name to a person or a model: label, entity type, and description and format if they
        were given; or ``None``. Values that are sealed in the session are placeholders there too.
        """
        recorded = self._vault.records.get(_KIND, _checked(name))
        if recorded is None:
            return None
        return self._scrubbed(json.loads(recorded)["descriptor"])

    def _scrubbed(self, descriptor: Mapping[str, str]) -> dict[str, str]:
        """Without what is sealed now. It is stored so too: a value that has expired is still worth hiding."""
        known = self._vault.match(build_known_values)
        return {key: known.scrub(text) for key, text in descriptor.items()}


def _checked(name: str | None) -> str:
    if not isinstance(name, str) or not NAME.match(name):
        raise InvalidName("private data needs a name that matches [a-z][a-z0-9_]{0,31}")
    return name
