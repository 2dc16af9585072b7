"""What the library imports is what its package declares, so that it starts where nothing else is installed."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import sealgate.gateway
import sealgate.models
import sealgate.redaction
import sealgate.vault

PROJECT = Path(__file__).parents[1] / "pyproject.toml"

THROUGH_ANOTHER = {
    "botocore": "boto3",
    "pydantic-core": "pydantic",
    "requests": "hvac",
    "typing-extensions": "pydantic",
}
"""Distributions whose names are part of what a declared one hands out, which requires them."""


def _plain(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _declared() -> set[str]:
    """Names of the distributions that the project requires, extras for its users included and ``test`` not."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = [lines for name, lines in project["optional-dependencies"].items() if name != "test"]
    lines = [line for group in (project["dependencies"], *extras) for line in group]
    found = {_plain(re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0]) for line in lines}
    return found | {name for name, owner in THROUGH_ANOTHER.items() if owner in found}


def _imported(path: Path) -> set[str]:
    """Top-level names that a file imports, anywhere in it, but for its own package's and the standard library's."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"sealgate"}


def test_every_import_is_of_a_declared_distribution() -> None:
    distributions, declared = packages_distributions(), _declared()
    packages = (sealgate.gateway, sealgate.models, sealgate.redaction, sealgate.vault)
    files = [path for package in packages for path in Path(package.__path__[0]).rglob("*.py")]
    stray = {
        f"{path.name}: {name}"
        for path in files
        for name in _imported(path)
        if not declared & {_plain(owner) for owner in distributions.get(name, [name])}
    }
    assert len(files) > 100
    assert stray == set()
