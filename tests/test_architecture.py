"""The house: which module may import which, what an import may load, how long things are, and what lies at the root."""

from __future__ import annotations

import ast
import fnmatch
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

ARROWS = {
    "models": set[str](),
    "redaction": {"models"},
    "vault": {"models"},
    "gateway": {"models", "redaction", "vault"},
}
"""What each folder may import, besides itself."""

ROOT_ENTRIES = {
    *ARROWS,
    *("tests", ".ci"),
    *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", ".gitignore"),
}

HEAVY = {
    *("fastapi", "starlette", "uvicorn", "flask", "django"),
    *("spacy", "thinc", "presidio_analyzer", "presidio_anonymizer", "onnxruntime", "torch", "transformers"),
    *("openai", "anthropic", "langchain", "langgraph", "mcp", "psycopg", "valkey", "redis"),
    *("sealgate.gateway.http.streams", "sealgate.gateway.proxy", "sealgate.gateway.adapters", "sealgate.gateway.cli"),
}
"""What importing the gateway must not load: web frameworks, language models, adapters and what they stand on."""

UNASKED = {
    "httpx",
    "rich",
    "yaml",
    "phonenumbers",
    "jsonschema",
    "numpy",
    "onnx",
    "tokenizers",
    "tldextract",
    "requests",
}
"""What loads once there is something to send, read, check or recognise, and not before a gateway is open."""

WHOLE = {"pydantic", "anyio", "asyncio", "cryptography", "sqlite3", "sealgate.vault", "sealgate.redaction"}
"""What the gateway needs, and neither ``--help`` nor one module of it."""

HELP = """
import contextlib, os
from sealgate.gateway.cli.command import sealgate
with open(os.devnull, "w") as sink, contextlib.redirect_stdout(sink):
    sealgate.main(["--help"], standalone_mode=False)
"""

SOURCES = sorted(path for folder in ARROWS for path in (ROOT / folder).rglob("*.py"))


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> Iterator[tuple[int, str, int]]:
    """Line, module and level (dots) of every import of a file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or "", node.level


@pytest.mark.parametrize("path", SOURCES, ids=label)
def test_imports_follow_the_arrows(path: Path) -> None:
    folder, *rest = path.relative_to(ROOT).parts
    for line, module, level in imports(path):
        where = f"{label(path)}:{line}"
        top, _, below = module.partition(".")
        if level:
            assert level <= len(rest), f"{where}: a relative import leaves {folder}/"
        elif top == "sealgate":
            target = below.partition(".")[0]
            assert target != folder, f"{where}: inside {folder}/ imports are relative"
            assert target in ARROWS[folder], f"{where}: {folder}/ may not import {target or 'the bare namespace'}"
        else:
            assert top not in ARROWS, f"{where}: {top} is imported bare; say sealgate.{top}"


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=label)
def test_tests_import_the_installed_package(path: Path) -> None:
    for line, module, level in imports(path):
        assert level or module.partition(".")[0] not in ARROWS, f"{label(path)}:{line}: say sealgate.{module}"


@pytest.mark.parametrize("path", SOURCES, ids=label)
def test_a_file_is_one_noun(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= 300, f"{label(path)} has more than 300 lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            size = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            assert size <= 40, f"{label(path)}:{node.lineno}: the body of {node.name} has {size} lines"


def test_every_package_is_in_the_wheel() -> None:
    """A folder forgotten in pyproject is missing from the wheel only, where a checkout does not notice."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = {"sealgate." + label(path.parent).replace("/", ".") for path in SOURCES}
    assert packages == set(config["tool"]["setuptools"]["packages"])
    for folder in ARROWS:
        assert (ROOT / folder / "py.typed").is_file()


def test_the_root_holds_what_the_design_says() -> None:
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text("utf-8").splitlines()]
    present = {name for name in tracked() if not any(fnmatch.fnmatch(name, pattern) for pattern in ignored)}
    assert present == ROOT_ENTRIES
    assert not (ROOT / "__init__.py").exists(), "sealgate is a namespace; a file here would make the root a package"


def tracked() -> set[str]:
    """The root's entries: those that git knows, or all of them where there is no git."""
    if (ROOT / ".git").exists():
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
        if listing.returncode == 0:
            return {name.split("/")[0] for name in listing.stdout.decode("utf-8").split("\0") if name}
    return {path.name for path in ROOT.iterdir()}


def loaded_after(statement: str, cwd: Path) -> dict[str, str | None]:
    """Module names with their files after a statement in a fresh interpreter."""
    code = (
        f"{statement}\nimport json, sys\n"
        "print(json.dumps({name: getattr(module, '__file__', None) for name, module in sys.modules.items()}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, check=True, text=True)
    found: dict[str, str | None] = json.loads(done.stdout)
    return found


def test_importing_the_gateway_is_light(tmp_path: Path) -> None:
    loaded = loaded_after("import sealgate.gateway.testing\nfrom sealgate.gateway import *", tmp_path)
    assert not HEAVY & set(loaded)


@pytest.mark.parametrize(
    "statement",
    [
        "from sealgate.gateway import Gateway",
        "from sealgate.gateway import Gateway\nGateway.open(':memory:', key=bytes(32)).session('s')",
    ],
)
def test_opening_a_gateway_loads_nothing_that_it_may_never_need(statement: str, tmp_path: Path) -> None:
    assert not (HEAVY | UNASKED) & set(loaded_after(statement, tmp_path))


@pytest.mark.parametrize(
    "statement",
    [
        "import sealgate.gateway",
        "import sealgate.gateway.cli",
        HELP,
    ],
)
def test_what_needs_no_gateway_does_not_wait_for_it(statement: str, tmp_path: Path) -> None:
    assert not (HEAVY - {"sealgate.gateway.cli"} | UNASKED | WHOLE) & set(loaded_after(statement, tmp_path))


def test_no_module_is_loaded_under_two_names(tmp_path: Path) -> None:
    """Beside a user's own ``models.py`` nothing of ours is confused with it, and each file is loaded once."""
    (tmp_path / "models.py").write_text("raise RuntimeError('the wrong models')\n", "utf-8")
    loaded = loaded_after("import sealgate.gateway.cli\nfrom sealgate.gateway import *", tmp_path)
    ours = [file for name, file in loaded.items() if name.startswith("sealgate.") and file]
    assert len(ours) == len(set(ours))
    assert not set(ARROWS) & set(loaded)


@pytest.mark.skipif("SEALGATE_TESTS_INSTALLED" not in os.environ, reason="only .ci/run says where the wheel is")
def test_the_wheel_is_what_is_tested(tmp_path: Path) -> None:
    installed = Path(os.environ["SEALGATE_TESTS_INSTALLED"]).resolve()
    everything = "import sealgate.gateway.cli, sealgate.vault, sealgate.redaction\nfrom sealgate.gateway import *"
    loaded = loaded_after(everything, tmp_path)
    files = [Path(file) for name, file in loaded.items() if name.startswith("sealgate.") and file]
    assert files
    assert all(path.resolve().is_relative_to(installed) for path in files)
