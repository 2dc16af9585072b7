"""Model files: found as installed packages, never downloaded, and checked by digest before they are loaded."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sealgate.models.errors import DetectionFailed

_BLOCK: Final = 1 << 20
"""Bytes read at a time."""


def package_folder(package: str) -> Path | None:
    """The folder of an installed package, which is not imported; ``None`` if it is not installed."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def check_digests(folder: Path, digests: dict[str, str]) -> None:
    """Nothing, if each file (path inside ``folder``) has its SHA-256. Raises ``DetectionFailed`` otherwise: a model
    that was changed must not decide what is hidden."""
    for name, digest in digests.items():
        if _sha256(folder / name) != digest:
            raise DetectionFailed(name, "WrongDigest")


def _sha256(path: Path) -> str:
    total = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                total.update(block)
    except OSError:
        raise DetectionFailed(path.name, "FileMissing") from None
    return total.hexdigest()
